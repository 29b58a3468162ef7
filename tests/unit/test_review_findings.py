"""Faults that a review found, each held by the history that showed it."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum

import pytest

from every_case import for_every
from holdback import (
    Application,
    BankDetails,
    Context,
    Entry,
    InvalidDocument,
    Merchant,
    Money,
    OffersRequest,
    Refusal,
    RuleError,
    Takings,
    wire,
)
from holdback.exact_json import Opaque
from holdback.lifecycle.events import RenewalEligibilityChanged
from holdback.lifecycle.evolve import evolve, evolve_all
from journey import BANK, EVIDENCE, Journey


def decisions(offers):
    return {product.key: product.decision for product in offers.products}


def record_poor_takings(journey, days):
    """Takings of 100.00 a day for *days*, complete up to yesterday."""
    first = journey.today() - timedelta(days=days)
    takings = [
        Takings(on=first + timedelta(days=place), amount=Money.parse("GBP 100.00"))
        for place in range(days)
    ]
    journey.do("record_takings", takings, complete_through=journey.today())


def test_ceasing_to_report_takings_makes_nobody_eligible(renewable):
    """
    "The language has no way to look at missingness, so hiding a fact can never make a deal eligible", and
    "afterwards the state alone counts" (design 1 and 6a).
    """
    record_poor_takings(renewable, 100)
    poor = renewable.do("assess_renewal")
    renewable.pass_time(days=2)
    renewable.remit(complete_through=renewable.today())
    lapsed = renewable.do("assess_renewal")

    assert poor.outcome == "ineligible"
    assert lapsed.outcome == "undetermined"
    assert "average_monthly_takings" in lapsed.needs


def expired_renewal(renewable):
    """A merchant whose renewal offers expired unaccepted, still on pace."""
    renewable.ask(renewal=True)
    renewable.now = renewable.offers.expires_at
    due = renewable.deal.repayment_amount.minor * 80 // 100 - renewable.deal.remitted.minor
    renewable.remit(renewable.entry(due), complete_through=renewable.today())
    return renewable


def test_a_second_credit_check_is_a_score_and_its_day_together(renewable):
    """A new day does not make an old score new."""
    journey = expired_renewal(renewable)
    today = {"credit_checked_on": journey.today().isoformat()}
    half = decisions(journey.ask(renewal=True, evidence=today))
    whole = decisions(journey.ask(renewal=True, evidence=today | {"credit_score": 700}))

    assert half["flex"] == "Referred"
    assert whole["flex"] == "Accepted"


def test_a_credit_check_was_not_made_tomorrow(journey):
    """A day in the future is a fault of the host's."""
    with pytest.raises(InvalidDocument, match=r"\$\.evidence\.credit_checked_on"):
        journey.ask(evidence=EVIDENCE | {"credit_checked_on": "2199-01-01"})


def test_the_second_check_survives_a_clock_that_went_back(journey):
    """A set issued at the very instant of an acceptance expires like any other."""
    journey.ask()
    journey.accept()
    journey.do("close_application", journey.acceptance.application_id, "declined")
    journey.pass_time(hours=-1)
    journey.ask()
    journey.pass_time(days=40)
    checks = journey.do("required_checks", journey.request()).checks

    assert [each.name for each in checks if each.not_before] == ["consumer_credit"]


@pytest.mark.parametrize("evidence", [{"average_monthly_takings": "1.00"}, {"progress": "99%"}])
def test_evidence_rules_hold_for_every_operation(funded, evidence):
    """
    "evidence for a fact that the state derives is an error" (design 6a)
    """
    funded.pass_time(days=9)
    context = Context(at=funded.now, request_id="r", evidence=evidence)
    for operation in (
        lambda: funded.engine.record_remittance(
            funded.merchant, funded.deal.id, funded.entry(5), context
        ),
        lambda: funded.engine.look_up(funded.merchant, context),
    ):
        with pytest.raises(InvalidDocument, match=next(iter(evidence))):
            operation()
    new = Journey()
    nonsense = new.context({"nonsense": 1})
    with pytest.raises(InvalidDocument, match="nonsense"):
        new.engine.required_checks(new.merchant, new.request(), nonsense)


def test_only_a_reversal_reopens_a_repaid_deal(funded):
    """
    "A reversal reopens a Repaid deal only when no other is active; otherwise it is a recorded shortfall."
    """
    funded.pay_down(100)
    first, last = funded.deal, funded.deal.entries[-1]
    funded.ask()
    funded.accept()
    funded.fund()
    back = Entry(id="back", on=funded.today(), amount=last.amount, reverses=last.id)
    funded.do("record_remittance", first.id, [back])
    funded.pay_down(100)
    funded.do("record_remittance", first.id, [], complete_through=funded.today())

    assert [deal.status for deal in funded.merchant.deals] == ["Repaid", "Repaid"]


def test_an_offer_that_expired_stays_expired(journey):
    """
    "Accept called for an offer whose set of offers has expired | 404" (service 7), whatever came after.
    """
    journey.ask()
    expired = journey.first_offer().offer_id
    journey.now = journey.offers.expires_at
    journey.ask()
    journey.accept()
    journey.do("close_application", journey.acceptance.application_id, "declined")
    with pytest.raises(Refusal, match="offers_expired"):
        journey.accept(expired)


def test_rules_and_lookup_see_one_performance(funded):
    """A repaid deal's performance is that of the day on which it was repaid, everywhere and for ever."""
    funded.pass_time(days=funded.deal.term_days // 2)
    funded.remit(funded.entry(funded.deal.repayment_amount.minor), complete_through=funded.today())
    funded.pass_time(days=60)
    shown = funded.do("look_up").deals[0].performance.performance
    known = funded.do("assess_renewal").record()["facts"]["performance"]

    assert f"{shown}%" == known


def test_a_change_of_eligibility_names_the_deal_it_is_about(renewable):
    """The deal that was announced is the deal that is taken back."""
    announced = renewable.events[-1].deal_id
    renewable.do("close_deal", renewable.deal.id, "defaulted")
    event = renewable.events[-1]

    assert isinstance(event, RenewalEligibilityChanged)
    assert (event.renewal_eligibility, event.deal_id) == (False, announced)


def test_required_checks_refuse_what_the_request_would_be_refused(funded):
    """A host does not pay for a check and is then refused."""
    funded.do("close_deal", funded.deal.id, "cancelled")
    with pytest.raises(Refusal, match="no_deal_to_renew"):
        funded.do("required_checks", funded.request(renewal=True))


def test_the_filled_application_has_the_newest_evidence(renewable):
    """What the offers were decided on is what goes to fulfilment."""
    newest = {"credit_score": 650, "credit_checked_on": renewable.today().isoformat()}
    renewable.ask(renewal=True, evidence=newest)
    renewable.accept()
    accepted = next(e for e in renewable.events[::-1] if type(e).__name__ == "OfferAccepted")

    assert accepted.filled.facts["credit_score"] == 650
    assert renewable.merchant.evidence["credit_score"] == 650


def test_open_sets_of_offers_are_bounded(journey):
    """A partner cannot fill a merchant's state with requests."""
    for _ in range(50):
        journey.ask()
    with pytest.raises(Refusal, match="not_possible_now"):
        journey.ask()
    journey.now = journey.offers.expires_at
    assert journey.ask().products


class Word(StrEnum):
    PARTNER = "acme"


GBP1 = Money.parse("GBP 1.00")
DAY = date(2026, 7, 6)


@for_every(
    "make",
    [
        lambda: Entry(id=None, on=DAY, amount=GBP1),
        lambda: Entry(id="", on=DAY, amount=GBP1),
        lambda: Entry(id="\ud800", on=DAY, amount=GBP1),
        lambda: Entry(id="e", on=datetime(2026, 7, 6, tzinfo=UTC), amount=GBP1),
        lambda: Entry(id="e", on="2026-07-06", amount=GBP1),
        lambda: Entry(id="e", on=DAY, amount=Decimal(1)),
        lambda: Entry(id="e", on=DAY, amount=None),
        lambda: Entry(id="e", on=DAY, amount=Money(10**30, GBP1.currency)),
        lambda: Entry(id="e", on=DAY, amount=GBP1, settled="false"),
        lambda: Takings(on=None, amount=GBP1),
        lambda: Takings(on=DAY, amount=Money(10**40, GBP1.currency)),
        lambda: BankDetails(account_number=12345678),
        lambda: BankDetails(account_number=""),
        lambda: Merchant.new(partner=Word.PARTNER, merchant_id="m", jurisdiction="GB"),
        lambda: Merchant.new(partner="acme", merchant_id="\ud800", jurisdiction="GB"),
        lambda: Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="\ud800"),
        lambda: Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id=Word.PARTNER),
        lambda: Context(at=datetime(2026, 7, 6), request_id="r"),
        lambda: Context(at=datetime(9999, 12, 31, tzinfo=UTC), request_id="r"),
        lambda: Context(at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), request_id="r"),
        lambda: Context(at=datetime(2026, 7, 6, tzinfo=UTC), request_id="r", evidence=[]),
        lambda: Application(merchant_id="m", currency=7),
        lambda: Application(merchant_id="m", currency="GBP", provider_id=""),
        lambda: OffersRequest(application=Application(merchant_id="m", currency="GBP")),
        lambda: OffersRequest(
            application=Application(merchant_id="m", currency="GBP", provider_id="p"),
            company=Opaque("{}"),
        ),
        lambda: OffersRequest(
            application=Application(merchant_id="m", currency="GBP"),
            consents={},
            applicants=Opaque("[{}]"),
            company=Opaque("{}"),
        ),
        lambda: Opaque('{"name": "Jane'),
    ],
)
def test_what_could_not_be_stored_is_not_taken(make):
    """
    "never a stack trace for a person's mistake"; nor a state that its own reader refuses
    """
    with pytest.raises(InvalidDocument) as caught:
        make()

    assert "Jane" not in str(caught.value)
    assert caught.value.__context__ is None or "Jane" not in str(caught.value.__context__)


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
    """An ordinary mistake of a host's is named, and changes nothing."""
    method = getattr(journey.engine, operation)
    if operation == "accept_offer":
        options, arguments = {"bank_details": arguments[1]}, arguments[:1]
    with pytest.raises(InvalidDocument):
        method(journey.merchant, *arguments, journey.context(), **options)


def test_errors_can_be_sent_to_another_process():
    """Process pools and task queues pickle what is raised."""
    for error in (
        Refusal("offers_expired", "detail"),
        RuleError("wrong", source="a <", start=0, end=1, stage="syntax", hint="h"),
        InvalidDocument.of("wrong", path="$.a"),
    ):
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (str(again), type(again)) == (str(error), type(error))
            assert vars(again) == vars(error)


def test_an_instant_in_another_zone_is_one_in_utc(journey):
    """A stored state reads back the same, wherever the host took its time."""
    import pendulum

    journey.now = pendulum.datetime(2026, 10, 25, 1, 30, tz="Europe/London")
    journey.ask()

    assert journey.merchant.last_seen_at.tzinfo is pendulum.UTC
    assert wire.read_merchant(wire.write_merchant(journey.merchant)) == journey.merchant


def test_an_application_keeps_the_details_it_has(journey):
    """Accepting again with the details that the application really has is the same acceptance."""
    journey.ask()
    first = wire.write(journey.accept(bank_details=None))
    offer_id = journey.acceptance.offer.offer_id
    journey.do("supply_details", journey.acceptance.application_id, {"bank_details": BANK})

    assert wire.write(journey.accept(offer_id, bank_details=BANK)) == first


def test_what_was_not_omitted_is_not_changed(journey):
    """The purpose that the merchant stated is not overwritten by an agent."""
    journey.ask()
    application_id = journey.accept(bank_details=None).application_id
    with pytest.raises(Refusal, match="request_conflict"):
        journey.do("supply_details", application_id, {"intended_use_of_funds": "yachts"})
    journey.do("supply_details", application_id, {"intended_use_of_funds": "stock"})

    assert journey.merchant.intended_use_of_funds == "stock"


def test_events_show_no_credit_score(renewable):
    """Evidence is held back from every `repr`."""
    assert "700" not in repr([e for e in renewable.events if type(e).__name__ == "OffersIssued"])


def test_events_that_do_not_follow_are_refused(renewable):
    """A host that stores events is told when it replays them wrongly (hazards C10 and C14)."""
    first, accepted = renewable.events[0], renewable.events[1]
    new = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    funded = next(e for e in renewable.events if type(e).__name__ == "DealFunded")
    with pytest.raises(InvalidDocument):
        evolve(new, accepted)
    with pytest.raises(InvalidDocument):
        evolve_all(new, [first, first])
    with pytest.raises(InvalidDocument):
        evolve(renewable.merchant, funded)
