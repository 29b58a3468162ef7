"""Section 7 of the specification: errors."""

from __future__ import annotations

import json

import pytest

from holdback import InvalidDocument, Refusal, wire
from holdback.errors import REFUSALS


def test_accepting_after_the_expiry_is_404(journey):
    """
    "Accept called for an offer whose set of offers has expired | 404 | A new application must be
    submitted."
    """
    journey.ask()
    journey.now = journey.offers.expires_at
    with pytest.raises(Refusal) as refused:
        journey.accept()
    problem = json.loads(wire.write_problem(refused.value))

    assert problem["status"] == 404
    assert problem["type"] == "urn:holdback:offers_expired"
    assert "a new application must be submitted" in problem["detail"]


@pytest.mark.parametrize("code", REFUSALS)
def test_every_refusal_is_a_problem_document(code):
    """
    "Error body format and other error codes: not shown." They are RFC 9457 problem details.
    """
    problem = wire.problem(Refusal(code, "a detail"))

    assert set(problem) >= {"type", "title", "status", "detail", "code", "errors"}
    assert problem["status"] == REFUSALS[code][0]


def test_a_document_that_cannot_be_read_is_422_with_every_fault():
    """
    "Everything a partner or a rule author can get wrong gives one clear error that lists all faults with
    a JSON path".
    """
    with pytest.raises(InvalidDocument) as caught:
        wire.read_offers_request(
            b'{"application": {"merchant_id": 7, "currency": "Pounds", "provider_id": ""}, "cmpany": 1}'
        )
    problem = wire.problem(caught.value)

    assert (problem["status"], problem["code"]) == (422, "invalid_request")
    assert {each["path"] for each in problem["errors"]} >= {
        "$.application.merchant_id",
        "$.application.currency",
        "$.application.provider_id",
        "$.cmpany",
    }


def test_another_currency_than_the_jurisdictions(journey):
    """
    "The currency must be the jurisdiction's and the base deal's." (design 6a)
    """
    with pytest.raises(Refusal) as refused:
        journey.ask(currency="EUR")

    assert (refused.value.code, refused.value.status) == ("currency_mismatch", 422)
    assert [fault.path for fault in refused.value.errors] == ["$.application.currency"]


def test_evidence_for_what_the_state_derives(renewable):
    """
    "evidence for a fact that the state derives is an error" (design 6a)
    """
    with pytest.raises(InvalidDocument) as caught:
        renewable.ask(renewal=True, evidence={"months_trading": 90, "credit_scor": 1})

    assert [fault.path for fault in caught.value.errors] == [
        "$.evidence.months_trading",
        "$.evidence.credit_scor",
    ]
    assert "did you mean `credit_score`?" in str(caught.value)


def test_entries_with_every_fault_at_once(funded):
    """
    "money with too many decimals, negative remittances, a reversal of an entry that does not exist"
    """
    from datetime import timedelta

    tomorrow = funded.today() + timedelta(days=1)
    with pytest.raises(InvalidDocument) as caught:
        funded.remit(
            funded.entry(-1, id="a"),
            funded.entry(5, id="b", reverses="nothing"),
            funded.entry(5, id="c", on=tomorrow),
            funded.entry(5, id="d", on=funded.today() - timedelta(days=90)),
        )

    assert [fault.path for fault in caught.value.errors] == [
        "$.entries[0].amount",
        "$.entries[1].reverses",
        "$.entries[2].on",
        "$.entries[3].on",
    ]
    assert funded.deal.entries == ()


def test_the_same_entry_id_with_another_content_is_a_conflict(funded):
    """
    "The same entry again is nothing, another content under the same id a conflict." (design 6a)
    """
    funded.pass_time(days=2)
    entry = funded.entry(500)
    funded.remit(entry)
    count = len(funded.events)
    funded.remit(entry)
    with pytest.raises(Refusal) as refused:
        funded.remit(funded.entry(501, id=entry.id, on=entry.on))

    assert len(funded.events) == count
    assert (refused.value.code, refused.value.status) == ("request_conflict", 409)


@pytest.mark.parametrize("what", ["fund_deal", "close_deal", "supply_details"])
def test_what_does_not_exist_is_404(journey, what):
    """
    An id that never existed is not found, and changes nothing.
    """
    more = {"close_deal": ("defaulted",), "supply_details": ({"intended_use_of_funds": "x"},)}
    arguments = ("none", *more.get(what, ()))
    with pytest.raises(Refusal) as refused:
        journey.do(what, *arguments)

    assert refused.value.status == 404
