"""The context and the arguments of an operation: what every operation refuses."""

from __future__ import annotations

from datetime import date

import pendulum
import pytest

from holdback import Context, InvalidDocument, Money, Takings, wire
from holdback.errors import ConfigurationError
from holdback.lifecycle.operations import OPERATIONS
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
        lambda: funded.engine.record_remittance(
            funded.merchant, funded.deal.id, funded.entry(5), context
        ),
        lambda: funded.engine.review_renewal(funded.merchant, context),
    ):
        with pytest.raises(ConfigurationError, match=next(iter(evidence))):
            operation()
    new = Journey()
    nonsense = new.context({"nonsense": 1})
    with pytest.raises(ConfigurationError, match="nonsense"):
        new.engine.request_offers(new.merchant, new.request(), nonsense, profile=new.profile)


def test_questions_take_no_evidence(funded):
    """
    "Reads take no evidence", so that a look-up, a review and a request agree.
    """
    context = funded.context({"credit_score": 700})
    for operation in (
        lambda: funded.engine.look_up(funded.merchant, context),
        lambda: funded.engine.assess_renewal(funded.merchant, context),
        lambda: funded.engine.required_checks(funded.merchant, funded.request(), context),
    ):
        with pytest.raises(ConfigurationError, match="record it first, with `record_evidence`"):
            operation()


@pytest.mark.parametrize(
    ("operation", "arguments", "options"),
    [
        ("record_takings", ([None],), {}),
        ("record_takings", ([Takings(on=DAY, amount=GBP1)],), {"complete_through": "today"}),
        ("record_remittance", ("deal", [None]), {}),
        ("record_remittance", ("deal", None), {}),
        ("accept_offer", ("x", {"account_number": "1"}), {}),
        ("supply_details", ("x", {"bank_details": {"account_number": "1"}}), {}),
        ("supply_details", ("x", {"intended_use_of_funds": 5}), {}),
        ("supply_details", ("x", {"bank_detail": None}), {}),
        ("supply_details", ("x", None), {}),
        ("close_application", ("x", "funded"), {}),
        ("close_application", ("x", None), {}),
        ("close_deal", ("x", []), {}),
    ],
)
def test_an_operation_asked_wrongly(journey, operation, arguments, options):
    """
    An argument of the wrong type is an error in every operation.
    """
    method = getattr(journey.engine, operation)
    if operation == "accept_offer":
        options, arguments = {"bank_details": arguments[1]}, arguments[:1]
    if OPERATIONS[operation].takes_profile:
        options = {**options, "profile": journey.profile}
    with pytest.raises(InvalidDocument):
        method(journey.merchant, *arguments, journey.context(), **options)


def test_an_instant_in_another_zone_is_one_in_utc(journey):
    """
    A stored state reads back the same, in whichever time zone the host took the time.
    """

    journey.now = pendulum.datetime(2026, 10, 25, 1, 30, tz="Europe/London")
    journey.ask()

    assert journey.merchant.last_seen_at.tzinfo is pendulum.UTC
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant
