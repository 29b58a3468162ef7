"""
The meaning of a stored merchant, worked out from its documents with `json` and `decimal` alone.

Two documents of different formats say the same about a merchant when their meanings are equal. So
nothing here imports holdback: a reader that is wrong is not compared with itself.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple


class Amount(NamedTuple):
    """An amount of money in major units."""

    currency: str
    value: Decimal


class Digits(str):
    """A number of JSON as it was written: a partner's profile keeps every digit."""

    __slots__ = ()


# The statuses in which something is owed, and in which a reversal leaves a shortfall.
OWING, PAID = ("Funded", "Defaulted"), ("Repaid", "Renewed")
PERSONAL = ("consents", "applicants", "company", "intended_use_of_funds", "bank_details")
MOST_PERFORMANCE = Decimal(1_000_000)  # percent; the fact has no higher value
TERMS = ("split_percentage", "term_length", "factor_rate")


def read(document):
    """Return a JSON document with its numbers as they were written."""
    return json.loads(document, parse_int=Digits, parse_float=Digits)


def meaning_of_format_1(state):
    """Return what a state of format 1 says about its merchant, as plain values by name."""
    stored = read(state)
    assert stored["format"] == "1"
    return _merchant(stored) | {
        "personal": _personal(stored),
        "evidence": _evidence(stored["evidence"]),
        "offer_sets": {
            offer_set["request_id"]: _offer_set(
                offer_set,
                renewal=offer_set["request"]["application"]["provider_id"] is not None,
                personal=_personal(offer_set["request"] | offer_set["request"]["application"]),
                evidence=offer_set["evidence"],
            )
            for offer_set in stored["offer_sets"]
        },
        "applications": {
            fulfilment["application_id"]: _application(
                fulfilment,
                offer=fulfilment["reply"]["offer"],
                provider_id=fulfilment["reply"]["provider_id"],
                links=fulfilment["reply"]["links"],
                bank_details=_given(fulfilment["bank_details"]),
            )
            for fulfilment in stored["fulfilments"]
        },
        "deals": {deal["id"]: _deal(deal, deal["entries"]) for deal in stored["deals"]},
        "takings": {_day(day["on"]): amount(day["amount"]) for day in stored["takings"]},
    }


ENTRY = ("id", "on", "amount", "takings", "settled", "reverses")


def meaning_of_format_2(state, profile):
    """Return the same of a state of format 2 that has forgotten nothing, and its profile."""
    stored, sections = read(state), read(profile)["sections"]
    assert stored["format"] == "2"
    assert not stored["closed_offer_sets"]

    def personal(holder):
        return {name: sections[digest] for name, digest in holder["sections"].items()}

    def evidence(holder):
        return {name: value for name, (value, _) in holder["evidence"].items()}

    return _merchant(stored) | {
        "personal": _personal(personal(stored)),
        "evidence": _evidence(evidence(stored)),
        "offer_sets": {
            offer_set["request_id"]: _offer_set(
                offer_set,
                renewal=offer_set["renewal"],
                personal=_personal(personal(offer_set)),
                evidence=evidence(offer_set),
            )
            for offer_set in stored["offer_sets"]
        },
        "applications": {
            fulfilment["application_id"]: _application(
                fulfilment,
                offer=fulfilment["offer"],
                provider_id=stored["provider_id"],
                links=personal(fulfilment)["links"],
                bank_details=personal(fulfilment).get("bank_details"),
            )
            for fulfilment in stored["fulfilments"]
        },
        "deals": {
            deal["id"]: _deal(deal, [dict(zip(ENTRY, row, strict=True)) for row in deal["entries"]])
            for deal in stored["deals"]
        },
        "takings": {_day(on): amount(text) for on, text, _ in stored["takings"]},
    }


def _merchant(stored):
    """Return what both formats say in the same words."""
    return {
        "partner": stored["partner"],
        "merchant_id": stored["merchant_id"],
        "jurisdiction": stored["jurisdiction"],
        "provider_id": stored["provider_id"],
        "last_seen_at": _instant(stored["last_seen_at"]),
        "evidence_on": _day(stored["evidence_on"]),
        "takings_complete_through": _day(stored["takings_complete_through"]),
        "renewal_eligibility": stored["renewal_eligibility"],
        "offers": {
            offer["offer_id"]: _offer(offer_set, product, offer)
            for offer_set in stored["offer_sets"]
            for product in offer_set["products"]
            for offer in product["offers"]
        },
    }


def _personal(sections):
    """Return personal data by name, None where there is none."""
    named = {name: sections.get(name) for name in PERSONAL}
    return named | {"bank_details": _given(named["bank_details"])}


def _given(bank_details):
    """Return the bank details that were given."""
    if bank_details is None:
        return None
    return {name: text for name, text in bank_details.items() if text is not None}


def amount(text):
    """Return the amount that a text such as `GBP 10.00` is."""
    currency, value = text.split(" ")
    return Amount(currency, Decimal(value))


def _day(text):
    return None if text is None else date.fromisoformat(text)


def _instant(text):
    return None if text is None else datetime.fromisoformat(text)


def _evidence(stored):
    return {
        name: Decimal(value) if isinstance(value, Digits) else value
        for name, value in stored.items()
    }


def _offer_set(stored, *, renewal, personal, evidence):
    """Return what was asked for, what it was decided on, and when it expires."""
    return {
        "application_id": stored["application_id"],
        "issued_at": _instant(stored["issued_at"]),
        "issued_on": _day(stored["issued_on"]),
        "expires_at": _instant(stored["expires_at"]),
        "digest": stored["digest"],
        "base_deal_id": stored["base_deal_id"],
        "renewal": renewal,
        "personal": personal,
        "evidence": _evidence(evidence),
        "products": {product["key"]: _product(product) for product in stored["products"]},
    }


def _product(stored):
    texts = ("product_id", "name", "description", "decision", "repayment_mechanism")
    return {
        **{name: stored[name] for name in texts},
        "limits": tuple(amount(stored["limits"][end]) for end in ("minimum", "maximum")),
        "offer_ids": [offer["offer_id"] for offer in stored["offers"]],
    }


def _offer(offer_set, product, stored):
    return {
        "request_id": offer_set["request_id"],
        "product": product["key"],
        "status": stored["offer_status"],
        "description": stored["description"],
        "expires_at": _instant(offer_set["expires_at"]),
        "terms": _terms(stored),
    }


def _terms(stored):
    return {
        "funded_amount": amount(stored["funded_amount"]),
        "repayment_amount": amount(stored["repayment_amount"]),
        "term_days": int(stored["term_days"]),
        **{name: Decimal(stored[name]) for name in TERMS},
    }


def _application(stored, *, offer, **acceptance):
    """Return an accepted application; a retry of its acceptance is answered from this."""
    return {
        "status": stored["status"],
        "omitted": stored["omitted"],
        "accepted_at": _instant(stored["accepted_at"]),
        "base_deal_id": stored["base_deal_id"],
        "deal_id": stored["deal_id"],
        "offer_id": offer["offer_id"],
        "description": offer["description"],
        "terms": _terms(offer),
        **acceptance,
    }


def _deal(stored, entries):
    """Return a deal with its sums, worked out from its entries."""
    entries = sorted(entries, key=lambda entry: (entry["on"], entry["id"]))
    taken_back = {entry["reverses"] for entry in entries if entry["reverses"] and entry["settled"]}
    counted = [
        entry
        for entry in entries
        if entry["settled"] and entry["reverses"] is None and entry["id"] not in taken_back
    ]
    repayment, settled = amount(stored["repayment_amount"]), amount(stored["settled"])
    remitted = sum((amount(entry["amount"]).value for entry in counted), Decimal(0))
    outstanding = repayment.value - remitted - settled.value
    status = stored["status"]

    def money(value, *, where=True):
        return Amount(repayment.currency, max(Decimal(0), value) if where else Decimal(0))

    return {
        "application_id": stored["application_id"],
        "type": stored["type"],
        "status": status,
        "funded_on": _day(stored["funded_on"]),
        "closed_on": _day(stored["closed_on"]),
        "repaid_on": _repaid_on(counted, repayment.value - settled.value),
        "complete_through": _day(stored["complete_through"]),
        "terms": _terms(stored),
        "settled": settled,
        "remitted": money(remitted),
        "balance": money(outstanding, where=status in OWING),
        "overpaid": money(-outstanding),
        "shortfall": money(outstanding, where=status in PAID),
        "waived": money(outstanding, where=status == "Cancelled"),
        "entries": {entry["id"]: _entry(entry, taken_back) for entry in entries},
    }


def _repaid_on(counted, due):
    """Return the day of the remittance with which *due* is reached, None before it."""
    for entry in counted:
        due -= amount(entry["amount"]).value
        if due <= 0:
            return _day(entry["on"])
    return None


def _entry(stored, taken_back):
    if stored["reverses"] is not None:
        status = "Reversal" if stored["settled"] else "Unsettled"
    elif stored["id"] in taken_back:
        status = "Reversed"
    else:
        status = "Settled" if stored["settled"] else "Unsettled"
    return {
        "on": _day(stored["on"]),
        "amount": amount(stored["amount"]),
        "takings": None if stored["takings"] is None else amount(stored["takings"]),
        "reverses": stored["reverses"],
        "status": status,
    }


# -- what follows from a deal's meaning on a day


def progress(deal):
    """Return the percentage that remittances have paid down, rounded down to four decimals."""
    paid = Fraction(deal["remitted"].value) / Fraction(deal["terms"]["repayment_amount"].value)
    return min(Decimal(100), _percent(paid))


def performance(deal, today):
    """Return the remitted amount as a percentage of what the term expects by *today*."""
    ended_on = deal["repaid_on"] if deal["status"] == "Repaid" else deal["closed_on"]
    until = today if ended_on is None else min(today, ended_on)
    term = deal["terms"]["term_days"]
    elapsed = min((until - deal["funded_on"]).days, term)
    if elapsed <= 0:
        return Decimal(100)  # nothing is due on the day of funding
    expected = Fraction(deal["terms"]["repayment_amount"].value) * elapsed / term
    return min(MOST_PERFORMANCE, _percent(Fraction(deal["remitted"].value) / expected))


def _percent(ratio):
    return Decimal(ratio * 10**6 // 1) / 10**4
