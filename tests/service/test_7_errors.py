"""Service 7: errors."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from every_case import for_every
from holdback import InvalidDocument, Refusal, wire
from holdback.errors import REFUSALS, ConfigurationError
from holdback.operations import CloseDeal, FundDeal, SupplyDetails
from holdback.wire.commands import read_input


def test_accepting_after_the_expiry_is_404(journey):
    """
    "Accepting an offer whose set has expired gives the status 404, and a new application must be
    submitted." (service 7)
    """
    journey.ask()
    journey.now = journey.offers.expires_at
    with pytest.raises(Refusal) as refused:
        journey.accept()
    problem = json.loads(wire.write_problem(refused.value))

    assert problem["status"] == 404
    assert problem["type"] == "urn:holdback:offers_expired"
    assert "a new application must be submitted" in problem["detail"]


@for_every("code", REFUSALS)
def test_every_refusal_is_a_problem_document(code):
    """
    The interface leaves open "the format of error bodies, and other error codes" (service 7). They
    are RFC 9457 problem details.
    """
    problem = wire.problem(Refusal(code, "a detail"))

    assert set(problem) >= {"type", "title", "status", "detail", "code", "errors"}
    assert problem["status"] == REFUSALS[code][0]


def test_a_document_that_cannot_be_read_is_422_with_every_error():
    """
    All errors of a document are reported at once, each with its JSON path
    (decisions/wire#strict-where-the-field-is-ours).
    """
    with pytest.raises(InvalidDocument) as caught:
        wire.read_offers_request(
            b'{"application": {"merchant_id": 7, "currency": "Pounds", "provider_id": ""},'
            b' "cmpany": 1}'
        )
    problem = wire.problem(caught.value)

    assert (problem["status"], problem["code"]) == (422, "invalid_request")
    assert {error["path"] for error in problem["errors"]} >= {
        "$.application.merchant_id",
        "$.application.currency",
        "$.application.provider_id",
        "$.cmpany",
    }


def test_another_currency_than_the_jurisdictions(journey):
    """
    The currency must be the jurisdiction's (decisions/applications#when-an-application-is-refused).
    """
    with pytest.raises(Refusal) as refused:
        journey.ask(currency="EUR")

    assert (refused.value.code, refused.value.status) == ("currency_mismatch", 422)
    assert [error.path for error in refused.value.errors] == ["$.application.currency"]


def test_evidence_for_what_the_state_derives(renewable):
    """
    Evidence for a fact that the state derives is an error (decisions/applications#evidence).
    """
    with pytest.raises(ConfigurationError) as caught:
        renewable.ask(renewal=True, evidence={"months_trading": 90, "credit_scor": 1})

    assert [error.path for error in caught.value.errors] == [
        "$.evidence.months_trading",
        "$.evidence.credit_scor",
    ]
    assert "did you mean `credit_score`?" in str(caught.value)


def test_every_error_of_a_list_of_entries_at_once(funded):
    """
    All errors of a list of entries are reported at once, and nothing is recorded
    (decisions/wire#strict-where-the-field-is-ours).
    """
    tomorrow = funded.today() + timedelta(days=1)
    with pytest.raises(InvalidDocument) as caught:
        funded.remit(
            funded.entry(-1, id="a"),
            funded.entry(5, id="b", reverses="nothing"),
            funded.entry(5, id="c", on=tomorrow),
            funded.entry(5, id="d", on=funded.today() - timedelta(days=90)),
        )

    assert [error.path for error in caught.value.errors] == [
        "$.entries[0].amount",
        "$.entries[1].reverses",
        "$.entries[2].on",
        "$.entries[3].on",
    ]
    assert funded.deal.entries == ()


def test_what_cannot_be_read_does_not_hide_what_the_engine_refuses(funded):
    """
    All errors of a document are reported at once, each with its JSON path and its code, whether the
    reader or the engine finds them (decisions/errors#all-at-once).
    """
    today = funded.today()
    entries = [
        {"id": "a", "on": "2026-02-30", "amount": "1"},
        {"id": "b", "on": str(today + timedelta(days=1)), "amount": "1"},
        {"id": "c", "on": str(today - timedelta(days=90)), "amount": "1"},
        {"id": "d", "on": str(today), "amount": "1", "reverses": "nothing"},
    ]
    body = json.dumps({"deal_id": funded.deal.id, "entries": entries})
    with pytest.raises(InvalidDocument) as caught:
        read_input(
            "record_remittance",
            body,
            funded.engine.input_context(funded.merchant, funded.context()),
        )

    errors = wire.problem(caught.value)["errors"]
    assert [(error["path"], error["code"]) for error in errors] == [
        ("$.entries[0].on", "wrong_value"),
        ("$.entries[1].on", "future_day"),
        ("$.entries[2].on", "out_of_range"),
        ("$.entries[3].reverses", "unknown_name"),
    ]


def test_the_same_entry_id_with_another_content_is_a_conflict(funded):
    """
    The same entry again changes nothing; other content under its id is refused (decisions/deals).
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


@pytest.mark.parametrize(
    "operation",
    [
        FundDeal(application_id="none"),
        CloseDeal(deal_id="none", status="defaulted"),
        SupplyDetails(application_id="none", intended_use_of_funds="x"),
    ],
)
def test_what_does_not_exist_is_404(journey, operation):
    """
    An unknown id is not found, and nothing changes (decisions/errors#status-codes).
    """
    with pytest.raises(Refusal) as refused:
        journey.do(operation)

    assert refused.value.status == 404
