"""A witness as an example of a rule file."""

from __future__ import annotations

import tomllib
from datetime import date

from holdback.eligibility.facts import catalogue
from holdback.exact.money import Currency
from holdback.jurisdictions.reader import read_jurisdiction
from holdback.tools.proofs.witness import Change, Witness
from small_folders import country

FACTS = catalogue(Currency.of("EUR"))
NUMBERS = {
    "balance": 20_000_001,
    "performance": 799_999,
    "days_since_funding": 30,
    "credit_checked_on": date(2025, 12, 1).toordinal(),
    "status": 1,
    "paused": 0,
    "deals_completed": 2,
}


def test_an_example_can_be_pasted():
    """
    Every counterexample is shown as an `[[examples]]` block to paste: money and days with their
    units, a date without quotes.
    """
    changes = tuple(
        Change(fact=fact, typical=None, value=NUMBERS[fact.name])
        for fact in FACTS.facts
        if fact.name in NUMBERS
    )
    witness = Witness(
        catalogue=FACTS,
        facts=tuple(NUMBERS.get(fact.name) for fact in FACTS.facts),
        changes=changes,
        on=date(2026, 2, 1),
    )

    text = witness.example("a deal", {"outcome": "ineligible", "codes": ["NL-R-01"]})
    files = country()
    files["renewal.toml"] += f"\n{text}"
    read = read_jurisdiction("NL", {name: each.encode() for name, each in files.items()})

    given = tomllib.loads(text)["examples"][0]["given"]
    assert given["balance"] == "EUR 200000.01"
    assert given["days_since_funding"] == "30 days"
    assert given["credit_checked_on"] == date(2025, 12, 1)
    mine = next(example for example in read.examples if example.name == "a deal")
    prepared = read.policy.catalogue.prepare(mine.given)
    assert {name: prepared[FACTS.place(name)] for name in NUMBERS} == NUMBERS
