"""The context and the arguments of an operation: what every operation refuses."""

from __future__ import annotations

from datetime import date

import pendulum
import pytest

from holdback import Context, InvalidDocument, Money, Takings, wire
from holdback.errors import ConfigurationError
from holdback.operations import (
    AcceptOffer,
    AssessRenewal,
    CloseApplication,
    CloseDeal,
    LookUp,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    RequireChecks,
    ReviewRenewal,
    SupplyDetails,
)
from journey import Journey

GBP1 = Money.parse("GBP 1.00")
DAY = date(2026, 7, 6)


@pytest.mark.parametrize("evidence", [{"average_monthly_takings": "1.00"}, {"progress": "99%"}])
def test_evidence_rules_hold_for_every_operation(funded, evidence):
    """
    Evidence for a derived fact, or for no fact, is an error in every operation
    (decisions/applications).
    """
    funded.pass_time(days=9)
    context = Context(at=funded.now, request_id="r", evidence=evidence)
    for operation in (
        lambda: funded.engine.carry_out(
            funded.merchant,
            RecordRemittance(deal_id=funded.deal.id, entries=funded.entry(5)),
            context,
        ),
        lambda: funded.engine.carry_out(funded.merchant, ReviewRenewal(), context),
    ):
        with pytest.raises(ConfigurationError, match=next(iter(evidence))):
            operation()
    new = Journey()
    nonsense = new.context({"nonsense": 1})
    with pytest.raises(ConfigurationError, match="nonsense"):
        new.engine.carry_out(
            new.merchant, RequestOffers(request=new.request()), nonsense, profile=new.profile
        )


def test_questions_take_no_evidence(funded):
    """
    "Reads take no evidence", so that a look-up, a review and a request agree.
    """
    context = funded.context({"credit_score": 700})
    for operation in (
        lambda: funded.engine.carry_out(funded.merchant, LookUp(), context),
        lambda: funded.engine.carry_out(funded.merchant, AssessRenewal(), context),
        lambda: funded.engine.carry_out(
            funded.merchant,
            RequireChecks(request=funded.request()),
            context,
            profile=funded.profile,
        ),
    ):
        with pytest.raises(ConfigurationError, match="record it first, with `record_evidence`"):
            operation()


@pytest.mark.parametrize(
    ("operation", "fields"),
    [
        (RecordTakings, {"takings": [None]}),
        (RecordTakings, {"takings": None}),
        (
            RecordTakings,
            {"takings": [Takings(on=DAY, amount=GBP1)], "complete_through": "today"},
        ),
        (RecordRemittance, {"deal_id": "deal", "entries": [None]}),
        (RecordRemittance, {"deal_id": "deal", "entries": None}),
        (AcceptOffer, {"offer_id": "x", "bank_details": {"account_number": "1"}}),
        (SupplyDetails, {"application_id": "x", "bank_details": {"account_number": "1"}}),
        (SupplyDetails, {"application_id": "x", "intended_use_of_funds": 5}),
        (CloseApplication, {"application_id": "x", "status": "funded"}),
        (CloseApplication, {"application_id": "x", "status": None}),
        (CloseDeal, {"deal_id": "x", "status": []}),
    ],
)
def test_an_operation_asked_wrongly(operation, fields):
    """
    A field of the wrong type is an error in every operation.
    """
    with pytest.raises(InvalidDocument):
        operation(**fields)


def test_an_instant_in_another_zone_is_one_in_utc(journey):
    """
    A stored state reads back the same, in whichever time zone the host took the time.
    """

    journey.now = pendulum.datetime(2026, 10, 25, 1, 30, tz="Europe/London")
    journey.ask()

    assert journey.merchant.last_seen_at.tzinfo is pendulum.UTC
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant
