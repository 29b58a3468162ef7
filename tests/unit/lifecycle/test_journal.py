"""The journal: numbered events, from which the state is built again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from holdback import Context, Engine, Merchant, Money, Takings, wire
from holdback.errors import HistoryError
from holdback.operations import (
    EraseProfile,
    PlaceHold,
    RecordConsents,
    RecordTakings,
    ReviewRenewal,
)
from holdback.testing import strategies
from journey import PROFILE, START, Journey

ENGINE = Engine.for_trial()


def long_journey(days):
    """A merchant with a deal, and a remittance and takings on each of some days."""
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    for number in range(days):
        journey.pass_time(days=1)
        today = journey.today()
        amount = Money(number + 1, journey.deal.repayment_amount.currency)
        journey.do(
            RecordTakings(takings=[Takings(on=today, amount=amount)], complete_through=today)
        )
        journey.remit(journey.entry(5, id=f"e-{number}", on=today), complete_through=today)
    return journey


@pytest.fixture(scope="module")
def long():
    return long_journey(60)


def test_events_are_numbered_without_gaps_and_name_their_merchant(long):
    """
    "An event has an envelope": merchant, sequence, request; numbers from 1 without gaps.
    """
    assert [event.sequence for event in long.events] == [*range(1, len(long.events) + 1)]
    assert {(event.partner, event.merchant_id) for event in long.events} == {("acme", "m-1")}
    assert all(event.request_id for event in long.events)
    assert long.merchant.sequence == len(long.events)


def test_a_journal_is_built_again_from_any_snapshot(long):
    """
    A state has the number of the last event that it includes, so it is a snapshot.
    """
    states = [ENGINE.rebuild(long.events[:place]) for place in range(1, len(long.events) + 1)]

    assert states[-1] == long.merchant
    for state in states[::17]:
        assert ENGINE.rebuild(long.events, since=state) == long.merchant
        assert ENGINE.rebuild(long.events[state.sequence :], since=state) == long.merchant


@given(strategies.histories())
def test_every_history_is_built_again(history):
    """
    Equal to the state that was stored, forgotten things included.
    """
    journal = [wire.read_event(wire.write_event(event)) for event in history.events]
    new = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction=history.first.jurisdiction)

    assert ENGINE.rebuild(journal, since=new) == history.merchant


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda events: events[:5] + events[6:], id="gap"),
        pytest.param(lambda events: [*events[:5], events[4], *events[5:]], id="repetition"),
        pytest.param(lambda events: [*events[:4], events[5], events[4]], id="order"),
        pytest.param(lambda events: [evolve(events[0], merchant_id="m-2"), *events[1:]], id="name"),
        pytest.param(lambda events: events[1:], id="start"),
        pytest.param(lambda events: [], id="nothing"),
    ],
)
def test_a_damaged_journal_is_refused(long, damage):
    """
    "`evolve` refuses a gap, a repetition, another merchant's event and one that does not apply."
    """
    with pytest.raises(HistoryError):
        ENGINE.rebuild(damage(list(long.events)))


@given(st.data())
def test_any_change_of_order_is_refused(data):
    """
    Only the journal itself can be replayed, in its own order.
    """
    journey = long_journey(3)
    changed = data.draw(st.permutations(journey.events))
    if changed != journey.events:
        with pytest.raises(HistoryError):
            ENGINE.rebuild(changed)


def test_old_transactions_are_derived_from_the_journal():
    """
    `look_up` shows what the state holds; `transactions` derives the rest from the journal.
    """
    journey = long_journey(30)
    journey.remit(journey.entry(journey.deal.outstanding, id="rest", on=journey.today()))
    recorded = journey.deal.entries
    for _ in range(30):
        journey.pass_time(days=15)
        journey.do(RecordTakings(takings=[Takings(on=journey.today(), amount=Money.of(1, "GBP"))]))

    assert not journey.deal.entries
    assert ENGINE.transactions(journey.events) == {journey.deal.id: recorded}


def test_a_host_of_events_never_asks_for_the_reply(long):
    """
    `decide` and `evolve` do what `carry_out` does.
    """
    context = Context(at=long.now + timedelta(days=1), request_id="new")
    outcome = ENGINE.carry_out(long.merchant, ReviewRenewal(), context)
    events = ENGINE.decide(long.merchant, ReviewRenewal(), context)

    assert events == outcome.events
    assert ENGINE.evolve(long.merchant, events) == outcome.merchant


@pytest.mark.parametrize(
    "operation",
    [
        RecordTakings(takings=[Takings(on=START.date(), amount=Money.parse("GBP 90.00"))]),
        EraseProfile(),
        PlaceHold(code="sanctions", by="u-1"),
        RecordConsents(consents={"credit_check": True}, applicants=PROFILE["applicants"]),
    ],
    ids=lambda operation: operation.name,
)
def test_whichever_operation_was_the_first_its_journal_rebuilds(operation):
    """
    What an engine carries out of a merchant that nobody has asked for yet is a whole journal.
    """
    journey = Journey()
    journey.do(operation)
    journey.pass_time(days=1)
    takings = Takings(on=journey.today(), amount=Money.parse("GBP 80.00"))
    journey.do(RecordTakings(takings=[takings]))
    first, *later = journey.events

    assert first.jurisdiction == "GB"
    assert [event.jurisdiction for event in later] == [None]
    assert ENGINE.rebuild(journey.events) == journey.merchant

    if operation.name in {"record_takings", "record_consents"}:
        journey.ask()
        assert ENGINE.rebuild(journey.events) == journey.merchant
        assert ENGINE.rebuild(wire.read_event(wire.write_event(one)) for one in journey.events) == (
            journey.merchant
        )
