"""One of everything that a notebook shows, by name: as HTML, for tests to read and to render."""

from __future__ import annotations

from datetime import date
from functools import cache

from holdback import load_jurisdictions, portfolio
from journey import Journey

NOW = date(2026, 7, 1)


@cache
def shown():
    """The things that a notebook shows, by name."""
    loaded = load_jurisdictions()
    rulebook = loaded.resolve("GB", on=NOW)
    proposal = rulebook.replace(minimum_performance="85%").without("GB-R-04")
    deals = portfolio.sample(400, seed=7, backend="pandas")
    deals = deals[deals["jurisdiction"].isin(["GB", "JP", "US-CA"])]
    british = deals[deals["jurisdiction"] == "GB"].drop(columns=["jurisdiction", "on"])
    journey = Journey()
    offers = journey.ask()
    merchant = journey.merchant
    journey.accept()
    journey.fund()
    journey.pay_down(57)
    facts = {"progress": "64%", "performance": "76%", "status": "Funded"}
    return {
        "rulebook": rulebook,
        "proposal": proposal,
        "jurisdiction": loaded["GB"],
        "jurisdictions": loaded,
        "assessment": rulebook.assess(facts),
        "undetermined": rulebook.assess({"progress": "64%"}),
        "offers": offers,
        "offer-set": merchant.offer_sets[0],
        "product": offers.products[0],
        "offer": journey.offers.products[0].offers[0],
        "deal": journey.deal,
        "merchant": journey.merchant,
        "summary": portfolio.summarise(deals, loaded),
        "comparison": portfolio.compare(british, rulebook, proposal),
    }
