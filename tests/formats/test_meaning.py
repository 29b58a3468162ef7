"""The meaning of a stored merchant is what the first version answered about it."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import first_version
from meaning import (
    Digits,
    amount,
    meaning_of_format_1,
    performance,
    progress,
    read,
)

from every_case import for_every

ZONES = {
    "AU": "Australia/Sydney",
    "CA": "America/Toronto",
    "CA-QC": "America/Toronto",
    "DE": "Europe/Berlin",
    "GB": "Europe/London",
    "IE": "Europe/Dublin",
    "JP": "Asia/Tokyo",
    "US": "America/New_York",
    "US-CA": "America/Los_Angeles",
    "US-NY": "America/New_York",
}


def answers(document, operation):
    """Yield the successful answers to an operation, each with its reply and its local day."""
    meaning = meaning_of_format_1(document["state"])
    for answer in document["answers"]:
        if (answer["operation"], answer["status"]) == (operation, 200):
            at = datetime.fromisoformat(answer["at"])
            now = at if meaning["last_seen_at"] is None else max(at, meaning["last_seen_at"])
            today = now.astimezone(ZoneInfo(ZONES[document["jurisdiction"]])).date()
            yield meaning, json.loads(answer["reply"], parse_float=Decimal), today


def looked_up(deal_id, deal, today):
    """A deal as the merchant lookup shows it, worked out from its meaning, without eligibility."""
    terms = deal["terms"]
    return {
        "id": deal_id,
        "application_id": deal["application_id"],
        "type": deal["type"],
        "status": deal["status"],
        "active": deal["status"] == "Funded",
        "balance": deal["balance"].value,
        "currency": deal["balance"].currency,
        "performance": performance(deal, today),
        "progress": progress(deal),
        "pricing": {
            name: getattr(terms[name], "value", terms[name])
            for name in (
                "funded_amount",
                "repayment_amount",
                "factor_rate",
                "split_percentage",
                "term_length",
            )
        },
        "transactions": [
            transaction(entry_id, entry) for entry_id, entry in deal["entries"].items()
        ],
    }


def transaction(entry_id, entry):
    sign = -1 if entry["reverses"] else 1
    shown = {
        "id": entry_id,
        "date": entry["on"].isoformat(),
        "amount": sign * entry["amount"].value,
        "takings": None if entry["takings"] is None else entry["takings"].value,
        "status": entry["status"],
    }
    return shown | ({"reverses": entry["reverses"]} if entry["reverses"] else {})


def test_lookups_agree():
    """
    Every lookup of the first version shows the deals of the meaning, to the last digit.
    """
    compared = 0
    for document in first_version.documents():
        for meaning, reply, today in answers(document, "look_up"):
            shown = []
            for deal in reply["deals"]:
                figures = deal.pop("performance")
                figures.pop("renewal_eligibility")
                shown.append(deal | figures)
            expected = [looked_up(*named, today) for named in meaning["deals"].items()]
            assert shown == expected, document["merchant_id"]
            compared += len(shown)

    assert compared > 500


def test_the_journal_agrees():
    """
    The offers, applications, takings and profile of the meaning are those of the events.
    """
    for document in first_version.documents():
        meaning = meaning_of_format_1(document["state"])
        events = [read(event) for event in document["events"]]
        by_type = {}
        for event in events:
            by_type.setdefault(event["type"], []).append(event)
        issued = [event["offer_set"]["request_id"] for event in by_type.get("OffersIssued", [])]
        accepted = [event["reply"] for event in by_type.get("OfferAccepted", [])]
        funded = [event["deal"]["id"] for event in by_type.get("DealFunded", [])]
        takings = {
            day["on"]: amount(day["amount"])
            for event in by_type.get("TakingsRecorded", [])
            for day in event["takings"]
        }
        assert list(meaning["offer_sets"]) == issued
        assert list(meaning["applications"]) == [reply["application_id"] for reply in accepted]
        assert list(meaning["deals"]) == funded
        assert {day.isoformat(): money for day, money in meaning["takings"].items()} == takings
        assert {
            offer_id
            for offer_id, offer in meaning["offers"].items()
            if offer["status"] == "Accepted"
        } == {reply["offer"]["offer_id"] for reply in accepted}
        if accepted:
            filled = by_type["OfferAccepted"][-1]["filled"]
            for section in ("consents", "applicants", "company"):
                assert meaning["personal"][section] == filled[section]


@for_every(
    "before, after",
    [
        ('"status":"Funded"', '"status":"Defaulted"'),
        ('"settled":true', '"settled":false'),
        ('"offer_status":"Withdrawn"', '"offer_status":"Eligible"'),
        ('"share":0.1000000000000000000000000001', '"share":0.1000000000000000000000000000'),
        ('"turnover":1234567890123456789012345678', '"turnover":1234567890123456789012345679'),
        ('"status":"submitted"', '"status":"withdrawn"'),
        ('"renewal_eligibility":true', '"renewal_eligibility":false'),
        ('"bank_name":"A Bank"', '"bank_name":"B Bank"'),
        ('"credit_score":700', '"credit_score":701'),
        ('"reverses":"half"', '"reverses":"other-half"'),
    ],
)
def test_a_change_of_meaning_is_seen(before, after):
    """
    A state with another status, amount, digit or detail has another meaning.
    """
    states = [document["state"] for document in first_version.documents()]
    state = next(state for state in states if before in state)

    assert meaning_of_format_1(state) != meaning_of_format_1(state.replace(before, after))


def test_digits_are_kept():
    """
    Numbers of a profile are compared as they were written, with every digit.
    """
    assert read('{"share": 0.10, "n": 1e-9}') == {"share": Digits("0.10"), "n": Digits("1e-9")}
    assert read("0.10") != read("0.1")
