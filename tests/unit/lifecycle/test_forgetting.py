"""What a state forgets, and that no answer depends on it."""

from __future__ import annotations

from datetime import date, timedelta

import attrs
import pytest

from every_case import for_every
from holdback import Money, Refusal, StateError, Takings, load_jurisdictions, wire
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.configuration import RETRY_DAYS
from holdback.lifecycle.events import Forgotten
from holdback.lifecycle.forgetting import ENTRY_DAYS, MOST_SETS, TAKINGS_DAYS
from holdback.operations import (
    AssessRenewal,
    CloseApplication,
    CloseDeal,
    DeclineOffers,
    LiftHold,
    LookUp,
    PlaceHold,
    RecordConsents,
    RecordRecovery,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    RequireChecks,
    WithdrawOffers,
)
from journey import PROFILE, Journey, remembering_engine

RULES = load_jurisdictions()


def remembering(days):
    """A merchant of an engine that forgets after these days."""
    return Journey(remembering_engine(RULES, memory_days=days, retry_days=min(days, 30)))


def month(journey, number):
    """Let a month pass: weekly remittances with takings, a reversal, and a renewal when due."""
    for week in range(4):
        journey.pass_time(days=7)
        today, deal = journey.today(), journey.merchant.active_deal
        amount = Money(70_000 + number * 100 + week, deal.repayment_amount.currency)
        journey.do(
            RecordTakings(takings=[Takings(on=today, amount=amount)], complete_through=today)
        )
        share = min(deal.outstanding, deal.repayment_amount.minor // 30)
        entry = journey.entry(share, id=f"e-{number}-{week}", on=today, takings=amount)
        journey.remit(entry, complete_through=today)
        if week == 3 and number % 3 == 0:
            back = journey.entry(share, id=f"back-{number}", on=today, reverses=entry.id)
            journey.remit(back, complete_through=today)
    if journey.deal.progress >= 80 * 10**4:
        checked = {"credit_score": 700, "identity_verified": True, "business_verified": True}
        journey.ask(renewal=True, evidence=checked)
        if any(product.offers for product in journey.offers.products):
            journey.accept(bank_details=None)
            journey.fund()


def answers(journey):
    """What can be asked of a merchant now, without the transactions that are no longer held."""
    deals = [
        {name: value for name, value in wire.to_dict(deal).items() if name != "transactions"}
        for deal in journey.do(LookUp()).deals
    ]
    assessment = journey.do(AssessRenewal())
    checks = wire.to_dict(journey.do(RequireChecks(request=journey.request(renewal=True))))
    return deals, assessment.record(), checks


def test_no_answer_depends_on_what_was_forgotten():
    """
    A merchant of which little is remembered is answered as one of which everything is.
    """
    short, long = remembering(60), remembering(100_000)
    for journey in (short, long):
        journey.ask()
        journey.accept()
        journey.fund()
    for number in range(1, 31):
        month(short, number)
        month(long, number)
        assert answers(short) == answers(long)

    forgotten = [event for event in short.events if isinstance(event, Forgotten)]
    assert forgotten
    assert len(short.merchant.deals) == len(long.merchant.deals) > 1
    assert len(wire.write_merchant(short.merchant)) * 2 < len(wire.write_merchant(long.merchant))
    assert short.engine.rebuild(short.events) == short.merchant


def test_a_closed_set_is_remembered_by_its_statuses(journey):
    """
    A late acceptance, and a late repetition of a request, are answered from the stub.
    """
    journey.ask(request_id="first")
    offer_id = journey.first_offer().offer_id
    journey.now = journey.offers.expires_at + timedelta(days=31)
    journey.ask()
    assert [closed.request_id for closed in journey.merchant.closed_offer_sets] == ["first"]
    with pytest.raises(Refusal, match="offers_expired"):
        journey.accept(offer_id)
    with pytest.raises(Refusal, match="request_conflict"):
        journey.ask(request_id="first", currency="GBP", intended_use_of_funds="a boat")
    with pytest.raises(Refusal, match="offers_expired"):
        journey.ask(request_id="first")


def test_a_set_is_forgotten_after_memory_days(journey):
    """
    Then an old `offer_id` is `offer_not_found`.
    """
    journey.ask()
    offer_id = journey.first_offer().offer_id
    for _ in range(5):
        journey.pass_time(days=100)
        journey.ask()
    with pytest.raises(Refusal, match="offer_not_found"):
        journey.accept(offer_id)


def test_a_second_credit_check_stays_due_when_its_set_is_forgotten(journey):
    """
    "What still matters is kept by itself": the instant from which a second check is due.
    """
    journey.ask()
    expired_at = journey.offers.expires_at
    for _ in range(5):
        journey.pass_time(days=100)
        journey.do(RecordTakings(takings=[Takings(on=journey.today(), amount=Money.of(1, "GBP"))]))
    checks = journey.do(RequireChecks(request=journey.request())).checks

    assert not journey.merchant.offer_sets
    assert not journey.merchant.closed_offer_sets
    assert journey.merchant.credit_check_due.expired_at == expired_at
    assert [check.name for check in checks if check.not_before] == ["consumer_credit"]


def test_sets_are_bounded_however_often_a_partner_asks(journey):
    """
    Open sets and those closed lately are never more than the bound, and none is refused for it.
    """
    for _ in range(4):
        for _ in range(MOST_SETS):
            journey.ask()
            journey.pass_time(minutes=1)
        journey.now = journey.offers.expires_at
    journey.ask()

    assert len(journey.merchant.offer_sets) <= MOST_SETS


def test_the_first_day_of_the_calendar_can_be_recorded(journey):
    """
    A day of takings has no earliest one, so nothing is worked out from a day before it.
    """
    amount = Money.parse("GBP 1.00")
    journey.ask()
    journey.do(RecordTakings(takings=[Takings(on=date.min, amount=amount)]))
    journey.pass_time(days=1)
    journey.do(RecordTakings(takings=[Takings(on=date(1, 1, 2), amount=amount)]))

    assert [takings.on.year for takings in journey.merchant.takings] == [1, 1]


def test_days_of_takings_are_bounded(journey):
    """
    Twice the days that an average needs, and a week until they are forgotten together.
    """
    for _ in range(400):
        journey.pass_time(days=1)
        journey.do(RecordTakings(takings=[Takings(on=journey.today(), amount=Money.of(1, "GBP"))]))
        assert len(journey.merchant.takings) <= TAKINGS_DAYS + 9

    forgotten = [event for event in journey.events if isinstance(event, Forgotten)]
    assert len(forgotten) < 70, "about once a week"


def test_entries_of_a_long_deal_are_bounded(funded):
    """
    A deal that runs for years keeps its totals and the entries of the days that can still change.
    """
    paid = 0
    for number in range(700):
        funded.pass_time(days=1)
        funded.remit(funded.entry(10, id=f"e-{number}", on=funded.today()))
        paid += 10

    assert len(funded.deal.entries) <= 400 + 9
    assert funded.deal.remitted.minor == paid
    assert funded.deal.closed_entries.remitted.minor > 0
    with pytest.raises(Refusal, match="deal_closed_to_entries"):
        funded.remit(funded.entry(10, id="e-0", on=funded.deal.funded_on))


def remit_days(funded, *, days, a_day, name, takings=None):
    """Remit a number of entries on each of some days; return the bytes of an entry in the state."""
    before = len(wire.write_merchant(funded.merchant))
    for day in range(days):
        funded.pass_time(days=1)
        entries = [
            funded.entry(1, id=name(day * a_day + place), on=funded.today(), takings=takings)
            for place in range(a_day)
        ]
        funded.remit(*entries)
    return (len(wire.write_merchant(funded.merchant)) - before) / (days * a_day)


@for_every(("name", "takings", "most"), [
    (lambda number: f"remittance-{number:025}", "GBP 123.45", 120),
    (lambda number: f"{number:06}" + "\x01" * 194, "GBP 9999999999999999.99", 1_500),
])  # fmt: skip
def test_the_size_of_an_entry_is_bounded(funded, name, takings, most):
    """
    "An entry has about 100 bytes": those of 91 days are held however many they are. One with the
    longest id, each character of it escaped, has at most 1,500.
    """
    size = remit_days(funded, days=5, a_day=200, name=name, takings=Money.parse(takings))

    assert size <= most
    state = wire.write_merchant(funded.merchant)
    assert wire.read_merchant(state) == funded.merchant


def test_busy_days_are_held_for_91_days_and_then_close(funded, monkeypatch):
    """
    "held however many they are, and closed after 91 days": nothing of a busy provider is refused
    meanwhile, a repetition included, and the state becomes small again.
    """
    monkeypatch.setattr("holdback.lifecycle.forgetting.MOST_ENTRIES", 20)
    remit_days(funded, days=ENTRY_DAYS, a_day=10, name=lambda number: f"e-{number}")
    entries, paid = funded.deal.entries, funded.deal.remitted
    assert len(entries) == ENTRY_DAYS * 10
    funded.remit(entries[0])
    assert funded.deal.remitted == paid
    remit_days(funded, days=100, a_day=1, name=lambda number: f"late-{number}")

    assert len(funded.deal.entries) <= 100
    assert funded.deal.remitted.minor == paid.minor + 100


def test_a_state_that_is_full_refuses_and_is_taken_again_later(funded, monkeypatch):
    """
    "What would make the state longer than can be read is not stored", and it can be recorded once
    the older days have closed.
    """
    monkeypatch.setattr("holdback.lifecycle.forgetting.MOST_ENTRIES", 20)
    remit_days(funded, days=50, a_day=4, name=lambda number: f"e-{number}")
    full = len(wire.write_merchant(funded.merchant)) + 100
    monkeypatch.setattr("holdback.wire.stored.STATE_LIMIT", full)
    stored = funded.merchant
    new = [funded.entry(1, id=f"new-{place}", on=funded.today()) for place in range(20)]
    funded.remit(*new)
    with pytest.raises(StateError, match="could not be read again"):
        wire.write_merchant(funded.merchant)
    funded.merchant = stored  # the host has stored nothing of it
    funded.pass_time(days=70)
    funded.remit(funded.entry(1, id="later", on=funded.today()))
    funded.remit(*new)

    assert len(wire.write_merchant(funded.merchant)) < full
    assert funded.deal.remitted.minor == 4 * 50 + 21


def recovery(journey, id_, minor):
    """Record a recovery of today on the merchant's deal."""
    deal = journey.merchant.deals[-1]
    amount = Money(minor, deal.repayment_amount.currency)
    movement = {"id": id_, "on": journey.today(), "amount": amount}
    return journey.do(RecordRecovery(deal_id=deal.id, **movement))


def test_money_comes_in_years_after_a_default(funded):
    """
    Years after the end of a deal movements are recorded as on the first day: several on one day,
    and each again; one that is taken back leaves the deal in default.
    """
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))
    funded.sleep(days=900)
    recovery(funded, "c-1", 1_000)
    recovery(funded, "c-2", funded.merchant.deals[-1].balance.minor)
    before = len(funded.events)
    recovery(funded, "c-1", 1_000)

    assert funded.events[before:] == []
    assert funded.merchant.deals[-1].status == "Recovered"

    funded.pass_time(days=3)
    back = funded.entry(1_000, id="c-3", on=funded.today(), reverses="c-1")
    funded.do(RecordRemittance(deal_id=funded.merchant.deals[-1].id, entries=[back]))

    deal = funded.merchant.deals[-1]
    assert (deal.status, deal.balance.minor) == ("Defaulted", 1_000)


def test_an_ended_deal_forgets_too(funded):
    """
    The entries of a deal that ended close once they are old, and none of their days is open again.
    """
    funded.remit(funded.entry(500, id="e-1", on=funded.today()))
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))
    for number in range(8):
        funded.pass_time(days=150)
        recovery(funded, f"c-{number}", 10)

    deal = funded.merchant.deals[-1]
    assert [entry.id for entry in deal.entries] == ["c-5", "c-6", "c-7"]
    assert deal.remitted.minor == 500 + 80
    late = funded.entry(500, id="e-1", on=deal.funded_on)
    with pytest.raises(Refusal, match="deal_closed_to_entries"):
        funded.do(RecordRemittance(deal_id=deal.id, entries=[late]))


def test_the_older_half_of_very_many_requests_is_forgotten(journey, monkeypatch):
    """
    A partner cannot fill the state by recording consents, and a retry of a new request is known.
    """
    monkeypatch.setattr("holdback.lifecycle.evolve.MOST_REQUESTS", 10)
    journey.ask()
    for number in range(24):
        journey.do(RecordConsents(consents={"marketing": number % 2 == 0}))
        assert len(journey.merchant.requests) <= 10
    newest = journey.merchant.requests[-1].request_id
    repeated = journey.engine.carry_out(
        journey.merchant,
        RecordConsents(consents={"marketing": False}),
        journey.context(request_id=newest),
        profile=journey.profile,
    )

    assert not repeated.events
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_the_offers_of_closed_sets_are_bounded(journey, monkeypatch):
    """
    The oldest stubs are forgotten, but not since when a second credit check is due.
    """
    journey.ask()
    expired_at = journey.offers.expires_at
    monkeypatch.setattr("holdback.lifecycle.evolve.MOST_CLOSED_OFFERS", 30)
    journey.now = expired_at
    for _ in range(MOST_SETS + 30):
        journey.ask()
        application_id = journey.merchant.offer_sets[-1].application_id
        journey.do(DeclineOffers(application_id=application_id))
        held = sum(1 + len(closed.offers) for closed in journey.merchant.closed_offer_sets)
        assert held <= 30
    assert journey.merchant.closed_offer_sets
    assert journey.merchant.credit_check_due.expired_at == expired_at
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_a_forgotten_withdrawal_leaves_since_when_a_check_is_due(journey, monkeypatch):
    """
    Offers that the lender withdrew count as expired at that instant, held whole, in part or not.
    """
    journey.ask()
    journey.pass_time(hours=1)
    withdrawn_at = journey.now
    application_id = journey.merchant.offer_sets[0].application_id
    journey.do(WithdrawOffers(application_id=application_id, code="rules_changed", by="a-3"))
    monkeypatch.setattr("holdback.lifecycle.evolve.MOST_CLOSED_OFFERS", 30)
    journey.pass_time(hours=1)
    for _ in range(MOST_SETS + 30):
        (check,) = journey.do(RequireChecks(request=journey.request())).checks
        assert (check.why, check.not_before) == ("due_again", withdrawn_at)
        journey.ask(evidence={})
        application_id = journey.merchant.offer_sets[-1].application_id
        journey.do(DeclineOffers(application_id=application_id))

    assert journey.merchant.credit_check_due.expired_at == withdrawn_at
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_applications_that_ended_without_a_deal_are_bounded(journey, monkeypatch):
    """
    The newest are held, and what led to a deal is not counted among them.
    """
    monkeypatch.setattr("holdback.lifecycle.evolve.MOST_ENDED", 3)
    journey.ask()
    journey.accept()
    journey.fund()
    funded = journey.acceptance.application_id
    journey.pay_down(100)
    ended = []
    for _ in range(6):
        journey.ask()
        journey.accept()
        ended.append(journey.acceptance.application_id)
        journey.do(CloseApplication(application_id=ended[-1], status="withdrawn"))

    held = [fulfilment.application_id for fulfilment in journey.merchant.fulfilments]
    assert held == [funded, *ended[-4:]]
    assert journey.engine.rebuild(journey.events) == journey.merchant


def test_the_profile_forgets_what_the_state_forgets(journey):
    """
    "A section that the state does not name any more is not kept": not until the next operation that
    takes the profile, which may come in years.
    """
    first = {**PROFILE, "company": Opaque('{"name":"Old Forge Ltd"}')}
    request = attrs.evolve(journey.request(), **first)
    journey.do(RequestOffers(request=request))
    old = journey.profile.digest(first["company"])
    journey.sleep(days=RETRY_DAYS + 8)
    journey.ask()
    assert old not in journey.profile.sections

    journey.do(PlaceHold(code="fraud", by="u-1", note="Rings at night."))
    journey.do(LiftHold(code="fraud", by="u-1"))
    assert set(journey.profile.sections) == set(journey.merchant.named_sections)
