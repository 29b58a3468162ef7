"""Retries: a request that was carried out is remembered, and money is never recorded twice."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from holdback import Context, Money, Refusal, Takings, wire
from holdback.errors import InvalidDocument
from holdback.merchant.instants import utc
from holdback.operations import (
    CloseApplication,
    CloseDeal,
    FundDeal,
    RecordRemittance,
    RecordTakings,
    SupplyDetails,
)
from journey import BANK, Journey

GBP = Money.of(0, "GBP").currency


def takings(on, minor, stated_at=None):
    return Takings(on=on, amount=Money(minor, GBP), stated_at=stated_at)


def commands(journey):
    """Yield each command that is remembered, on a merchant for which it can be carried out."""
    journey.ask()
    application_id = journey.accept(bank_details=None).application_id
    yield SupplyDetails(application_id=application_id, bank_details=BANK)
    yield FundDeal(application_id=application_id)
    journey.pass_time(days=3)
    yield RecordRemittance(deal_id=journey.deal.id, entries=(journey.entry(500),))
    yield RecordTakings(takings=(takings(journey.today(), 700),), complete_through=journey.today())
    yield CloseDeal(deal_id=journey.deal.id, status="cancelled")
    journey.ask()
    application_id = journey.accept(bank_details=None).application_id
    yield CloseApplication(application_id=application_id, status="withdrawn")


def carried_out(journey, command, request_id, *, now=None):
    context = Context(at=now or journey.now, request_id=request_id)
    return journey.engine.carry_out(journey.merchant, command, context, profile=journey.profile)


def test_a_request_that_was_carried_out_gives_no_events_and_the_same_bytes(journey):
    """
    A repetition gets the same reply later too, when the state has moved on
    (decisions/engine).
    """
    replies = []
    for number, command in enumerate(commands(journey)):
        outcome = carried_out(journey, command, f"once-{number}")
        assert outcome.events, command
        replies.append((command, f"once-{number}", wire.write(outcome.reply)))
        journey.keep(outcome)
        for earlier, request_id, reply in replies:
            later = journey.now + timedelta(days=1)
            again = carried_out(journey, earlier, request_id, now=later)
            assert (wire.write(again.reply), again.events) == (reply, ())
            assert again.merchant == journey.merchant

    assert len(replies) == 6


def test_a_request_id_with_another_content_is_a_conflict(journey):
    """
    The same request id for another command, or for another content of it, is refused.
    """
    for number, command in enumerate(commands(journey)):
        outcome = carried_out(journey, command, f"once-{number}")
        journey.keep(outcome)
        other = RecordTakings(takings=(takings(journey.today(), 1),))
        with pytest.raises(Refusal, match="request_conflict"):
            carried_out(journey, other, f"once-{number}")
        with pytest.raises(Refusal, match="request_conflict"):
            carried_out(journey, command, journey.merchant.offer_sets[0].request_id)


def test_a_receipt_says_what_was_done(funded):
    """
    A servicing operation replies with the deal, its entries, the number of its event, and the
    balance; not with every transaction.
    """
    funded.pass_time(days=2)
    entry = funded.entry(1_000)
    receipt = funded.remit(entry)

    assert receipt.deal_id == funded.deal.id
    assert receipt.entry_ids == (entry.id,)
    assert receipt.sequence == funded.events[-1].sequence
    assert receipt.balance == funded.deal.balance
    assert set(wire.to_dict(receipt)) == {
        "deal_id",
        "entry_ids",
        "sequence",
        "balance",
        "currency",
    }


@given(st.permutations(range(4)), st.lists(st.integers(0, 3), max_size=4))
def test_the_newest_statement_of_a_day_wins_in_any_order(order, repeated):
    """
    Takings carry the instant at which they were stated, so an older amount never restates a newer
    one, whichever comes last (decisions/engine).
    """
    journey = Journey()
    on, first = journey.today(), utc(journey.now - timedelta(hours=5))
    statements = [
        takings(on, 100 * minor, utc(first + timedelta(minutes=minor))) for minor in range(1, 5)
    ]
    for place in [*order, *repeated]:
        journey.do(RecordTakings(takings=[statements[place]]))

    assert journey.merchant.takings == (statements[-1],)


def test_two_amounts_of_one_instant_are_a_conflict(journey):
    """
    Two statements of one instant cannot both be the newest.
    """
    at = utc(journey.now)
    journey.do(RecordTakings(takings=[takings(journey.today(), 100, at)]))
    with pytest.raises(Refusal, match="request_conflict"):
        journey.do(RecordTakings(takings=[takings(journey.today(), 200, at)]))
    journey.do(RecordTakings(takings=[takings(journey.today(), 100, at)]))

    assert [one.amount.minor for one in journey.merchant.takings] == [100]


def test_a_statement_of_the_future_is_an_error(journey):
    """
    A statement that claims to be made later than now would hide all that follow.
    """
    tomorrow = utc(journey.now + timedelta(days=1))
    with pytest.raises(InvalidDocument) as caught:
        journey.do(RecordTakings(takings=[takings(journey.today(), 100, tomorrow)]))

    assert [error.path for error in caught.value.errors] == ["$.takings[0].stated_at"]


def test_an_entry_is_never_recorded_twice_however_late_it_is_repeated(funded):
    """
    "A repetition after `memory_days` is refused, never doubled": each day of three years, an entry
    that was recorded either has no effect or is refused.
    """
    funded.pass_time(days=2)
    entry = funded.entry(1_000)
    funded.remit(entry)
    rest = funded.entry(funded.deal.outstanding, id="rest", on=funded.today())
    funded.remit(rest, complete_through=funded.today())
    remitted, refused = funded.deal.remitted, 0
    for _ in range(60):
        funded.pass_time(days=18)
        funded.do(RecordTakings(takings=[takings(funded.today(), 100)]))
        for repeated in (entry, evolve(entry, on=funded.today())):
            try:
                funded.remit(repeated)
            except Refusal as refusal:
                refused += refusal.code == "deal_closed_to_entries"
        assert funded.deal.remitted == remitted

    assert refused
    assert not funded.deal.entries, "the ended deal keeps its totals alone"
    assert funded.deal.closed_entries.repaid_on == rest.on
    assert funded.deal.ended_on == rest.on


def test_a_deal_that_ended_long_ago_takes_no_entry(funded):
    """
    An ended deal is closed to entries `memory_days` after its end; until then a correction counts.
    """
    rest = funded.entry(funded.deal.outstanding, id="rest", on=funded.today())
    funded.remit(rest, complete_through=funded.today())
    funded.pass_time(days=399)
    funded.remit(funded.entry(1, id="late", on=date(2026, 8, 1)))
    funded.pass_time(days=2)
    with pytest.raises(Refusal, match="deal_closed_to_entries"):
        funded.remit(funded.entry(1, id="too late", on=funded.today()))
