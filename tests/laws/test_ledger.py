"""The ledger's laws hold for any history, in currencies of two, of no and of three decimals."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from functools import cache

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from ledger_folders import WORLDS, engine_of

from counts import count
from holdback import Context, Entry, Money, Refusal, wire
from holdback.lifecycle.deals.statement import statement_of
from holdback.lifecycle.events import DealRenewed
from holdback.merchant.deal import CANCELLED, DEFAULTED
from holdback.merchant.ledger import PAYOUT_RETURN, SETTLEMENT, TRANSFER
from holdback.operations import (
    OPERATIONS,
    ChargeFee,
    CloseDeal,
    LookUp,
    PauseDeal,
    RecordRemittance,
    Refund,
    Requote,
    SettleEarly,
    UnwindDeal,
)
from holdback.testing import given as begin
from holdback.testing import strategies
from holdback.testing.inputs import run_operation

SEQUENCES = count("sequences of movements in ledgers")
worlds = st.sampled_from(WORLDS)
EVIDENCE = {"average_monthly_takings": "20000", "months_trading": 36}
BANK = {"bank_details": {"account_number": "11111111"}}


@st.composite
def histories(draw, **options):
    """A history in one of the worlds, and its engine."""
    engine = engine_of(draw(worlds))
    return engine, draw(strategies.histories(engine, **{"through": "deal", **options}))


def states(engine, history):
    """The merchant after each step of *history*."""
    merchant = history.first
    for step in history.steps:
        merchant = engine.evolve(merchant, step.events) if step.events else merchant
        yield step, merchant


def owed_on(deal):
    """What a deal owes in all, fees included, less what it has too much, in minor units."""
    owed = deal.balance.minor + deal.shortfall.minor + deal.fees_owed.minor
    return owed - deal.overpaid.minor


def counting(deal):
    """The settled lines of a deal's ledger; a reversal counts once its entry does."""
    unsettled = {entry.id for entry in deal.entries if not entry.settled}
    return [line for line in deal.ledger if line.settled and line.reverses not in unsettled]


def paid_of(deal):
    """What a deal's ledger adds up to, in minor units, with what is no longer held."""
    closed = deal.closed_entries
    before = 0 if closed is None else closed.remitted.minor
    before += 0 if closed is None else sum(money.minor for money in closed.credits.values())
    return before + sum(line.signed for line in counting(deal))


def the_ledger_adds_up_after_every_step(engine, history):
    """
    "signed sum = repayment_amount - balance - shortfall - fees_owed + overpaid", and no balance is
    negative.
    """
    for _, merchant in states(engine, history):
        for deal in merchant.deals:
            owed = deal.balance, deal.shortfall, deal.fees_owed
            assert paid_of(deal) == deal.repayment_amount.minor - owed_on(deal)
            assert min(*owed, deal.overpaid).minor >= 0
            assert not (any(money.minor for money in owed) and deal.overpaid.minor)


@settings(max_examples=SEQUENCES)
@given(histories(through="renewal"))
def test_no_movement_is_without_its_counterpart(drawn):
    """
    "no movement without a counterpart": a transfer is on both deals, a settlement was kept back.
    """
    engine, history = drawn
    for _, merchant in states(engine, history):
        halves = Counter()
        for deal in merchant.deals:
            for entry in deal.entries:
                if entry.kind == TRANSFER:
                    halves[frozenset({deal.id, entry.counterpart}), entry.id] += entry.amount.minor
                    assert merchant.deal_of(entry.counterpart).entry_of(entry.id) is not None
        assert set(halves.values()) <= {0}
    lines = [line for deal in merchant.deals for line in deal.ledger if line.kind == SETTLEMENT]
    # The settlements that are undone again were kept back too, and are on the undone deal.
    kept_back = sum(e.settled.minor for e in history.events if isinstance(e, DealRenewed))
    assert sum(line.signed for line in lines) == kept_back
    funded = sum(deal.funded_amount.minor for deal in merchant.deals)
    returned = sum(
        line.signed for deal in merchant.deals for line in deal.ledger if line.kind == PAYOUT_RETURN
    )
    assert statement_of(merchant).paid_out.minor == funded - kept_back - returned


def a_retry_changes_nothing(engine, history):
    """
    "Carried out again, it returns no events and the same reply", of the same request or movement.
    """
    for step, merchant in states(engine, history):
        if step.refused is not None or step.operation == "review_renewal":
            continue
        requests = [step.request_id]
        if {"id", "entries"} & step.input.keys():  # the host's ids say what was recorded before
            requests.append(f"{step.request_id}-again")
        for request_id in requests:
            context = Context(
                at=step.at, request_id=request_id, evidence=step.evidence, sure=step.sure
            )
            again = run_operation(
                engine, merchant, step.operation, step.input, context, history.profile
            )
            assert not again.events
            assert again.merchant == merchant


def replay_gives_the_state(engine, history):
    """
    "replay": the stored events give the stored state, byte for byte.
    """
    read = [wire.read_event(wire.write_event(event)) for event in history.events]
    replayed = engine.evolve(history.first, read)
    assert wire.write_merchant(replayed) == wire.write_merchant(history.merchant)
    assert wire.read_merchant(wire.write_merchant(history.merchant)) == history.merchant


def statement_ledger_and_lookup_say_the_same(engine, history):
    """
    "statement equals ledger equals wire", line by line and in all.
    """
    merchant = history.merchant
    context = Context(at=merchant.last_seen_at, request_id="look-up")
    shown = wire.to_dict(engine.carry_out(merchant, LookUp(), context).reply)["deals"]
    statement = statement_of(merchant)
    assert statement.balances
    by_deal = {part.deal_id: part for part in statement.deals}
    for deal, transactions in zip(merchant.deals, (d["transactions"] for d in shown), strict=True):
        on_the_wire = [(line["id"], line["kind"], line["amount"]) for line in transactions]
        places = deal.repayment_amount.currency.places
        assert [(name, kind, int(a.scaleb(places))) for name, kind, a in on_the_wire] == [
            (line.id, line.kind, line.signed) for line in deal.ledger
        ]
        assert by_deal[deal.id].closing.minor == owed_on(deal)
    assert statement.closing.minor == sum(part.closing.minor for part in statement.parts)


def every_minor_unit_is_accounted_for(_engine, history):
    """
    "received + paid out + waived + written off + suspense + owed add up to the minor unit", for
    each deal and for the merchant, and in every period between two days of its history.
    """
    merchant = history.merchant
    cash = [entry for event in history.events for entry in getattr(event, "suspense", ())]
    came_in = sum(entry.amount.minor for entry in cash if entry.kind == "suspense")
    left = sum(entry.amount.minor for entry in cash if entry.receipt and entry.deal_id is None)
    applied = sum(entry.amount.minor for entry in cash if entry.deal_id is not None)
    held = merchant.suspense.balance
    assert held == came_in - left - applied

    statement = statement_of(merchant)
    paid_by_deals = 0
    for deal in merchant.deals:
        credited = sum(money.minor for money in deal.credits.values()) + deal.settled.minor
        assert deal.remitted.minor + credited + owed_on(deal) == deal.repayment_amount.minor
        paid_by_deals += deal.remitted.minor + sum(
            money.minor for kind, money in deal.credits.items() if kind == "principal_return"
        )
    if statement.received is not None:
        assert statement.received.minor == paid_by_deals + held

    days = sorted({event.at.date() for event in history.events})
    for day in days[:: max(1, len(days) // 4)]:
        before = statement_of(merchant, until=day)
        after = statement_of(merchant, since=day + timedelta(days=1))
        assert before.balances
        assert after.balances
        if None not in {before.closing, after.opening}:
            assert before.closing == after.opening
            assert after.closing == statement.closing
        if None not in {before.received, after.received}:
            assert before.received + after.received == statement.received


LAWS = (
    the_ledger_adds_up_after_every_step,
    a_retry_changes_nothing,
    replay_gives_the_state,
    statement_ledger_and_lookup_say_the_same,
    every_minor_unit_is_accounted_for,
)


@settings(max_examples=SEQUENCES)
@given(histories())
def test_every_law_of_ledgers_holds(drawn):
    """
    Each history is held against all of the laws: to draw it takes longer than most of them.
    """
    for law in LAWS:
        law(*drawn)


@cache
def funded(world, *, renewed):
    """A merchant of a *world* with a deal, or with one that was renewed, some weeks later."""
    story = begin(engine_of(world), jurisdiction="NL", at="2026-07-06T09:00:00Z", evidence=EVIDENCE)
    story = story.after("request_offers").after("accept_offer", BANK).after("fund_deal")
    if renewed:
        story = story.paid_down(60).after("request_offers").after("accept_offer")
        story = story.after("fund_deal")
    return story.later(days=40)


@st.composite
def entries(draw, deal, *, most_percent):
    """Entries of one deal, each with its reversals, of which there may be several in part."""
    made = []
    currency = deal.repayment_amount.currency
    for place in range(draw(st.integers(1, 5))):
        on = deal.funded_on + timedelta(days=draw(st.integers(0, 30)))
        minor = deal.repayment_amount.minor * draw(st.integers(0, most_percent)) // 100
        kind = draw(st.sampled_from(["remittance", "payment"]))
        amount = Money(minor, currency)
        entry = Entry(id=f"e-{deal.id[:4]}-{place}", on=on, amount=amount, kind=kind)
        made.append(entry)
        left = minor
        for number in range(draw(st.integers(0, min(2, left)))):
            part = draw(st.integers(1, max(1, left - 1)))
            left -= part
            back = on + timedelta(days=draw(st.integers(0, 5)))
            made.append(
                Entry(
                    id=f"{entry.id}-back-{number}",
                    on=back,
                    amount=Money(part, currency),
                    reverses=entry.id,
                )
            )
    return made


def in_a_possible_order(entries_):
    """The same entries, each reversal after what it reverses."""
    waiting, recorded, ordered = list(entries_), set(), []
    while waiting:
        entry = next(e for e in waiting if e.reverses is None or e.reverses in recorded)
        waiting.remove(entry)
        recorded.add(entry.id)
        ordered.append(entry)
    return ordered


def deliver(story, deal_id, entry, place):
    context = Context(at=story.at, request_id=f"deliver-{place}")
    return story.engine.carry_out(
        story.merchant, RecordRemittance(deal_id=deal_id, entries=entry), context
    ).merchant


@settings(max_examples=SEQUENCES)
@given(data=st.data(), world=worlds)
def test_between_changes_of_status_any_order_gives_the_same_deal(data, world):
    """
    "Between changes of status any order of delivery gives the same ledger".
    """
    story = funded(world, renewed=False)
    deal = story.merchant.deals[0]
    made = data.draw(entries(deal, most_percent=19))  # five of them do not repay it
    delivered = []
    for order in (made, data.draw(st.permutations(made))):
        after = story
        for place, entry in enumerate(in_a_possible_order(order)):
            merchant = deliver(after, deal.id, entry, place)
            after = begin(story.engine, at=story.at, merchant=merchant)
        delivered.append(after.merchant.deals[0])
    assert delivered[0] == delivered[1]
    assert delivered[0].ledger == delivered[1].ledger


def total(merchant):
    """Owed less what is to be refunded, less what was paid out, plus what was waived."""
    paid_out = sum(
        entry.amount.minor
        for deal in merchant.deals
        for entry in deal.entries
        if entry.kind == "refund"
    )
    owed = sum(owed_on(deal) for deal in merchant.deals)
    return owed - paid_out + sum(deal.waived.minor for deal in merchant.deals)


def delivered_with_changes(story, order):
    """The merchant after entries, refunds and ends of deals in this order; some are refused."""
    engine, merchant = story.engine, story.merchant
    recorded = {entry.id for deal in merchant.deals for entry in deal.entries}
    waiting = list(order)
    for place in range(len(order)):
        deal_id, what = next(
            (deal_id, what)
            for deal_id, what in waiting
            if not isinstance(what, Entry) or what.reverses is None or what.reverses in recorded
        )
        waiting.remove((deal_id, what))
        context = Context(at=story.at, request_id=f"change-{place}")
        command = what
        if isinstance(what, Entry):
            recorded.add(what.id)
            command = RecordRemittance(deal_id=deal_id, entries=(what,))
        # A refund may come before what is overpaid, and an end after another one.
        with suppress(Refusal):
            merchant = engine.carry_out(merchant, command, context).merchant
    return merchant


@settings(max_examples=SEQUENCES)
@given(data=st.data(), world=worlds, renewed=st.booleans())
def test_across_changes_of_status_any_order_gives_the_same_total(data, world, renewed):
    """
    "across them the merchant's total owed is the same": overpayments, refunds, ends of deals.
    """
    story = funded(world, renewed=renewed)
    parts = []
    for deal in story.merchant.deals:
        parts += [
            (deal.id, entry) for entry in data.draw(entries(deal, most_percent=80), label=deal.id)
        ]
    deal = story.merchant.deals[-1]
    ending = data.draw(st.sampled_from([None, DEFAULTED.lower(), CANCELLED.lower()]))
    parts += [] if ending is None else [(deal.id, CloseDeal(deal_id=deal.id, status=ending))]
    for number in range(data.draw(st.integers(0, 2))):
        refunded = Money(data.draw(st.integers(1, 5000)), deal.repayment_amount.currency)
        on = story.at.date() - timedelta(days=2)
        refund = Refund(deal_id=deal.id, id=f"r-{number}", on=on, amount=refunded)
        parts.append((deal.id, refund))
    first, second = (
        delivered_with_changes(story, order) for order in (parts, data.draw(st.permutations(parts)))
    )
    assert total(first) == total(second)


@pytest.mark.parametrize("currency", ["GBP", "JPY", "KWD"])
def test_the_laws_are_tried_in_three_currencies(currency):
    """
    "in GBP, JPY and KWD", where what comes in late is transferred, and where it is refunded.
    """
    of_currency = [world for world in WORLDS if world.currency == currency]
    assert {world.late for world in of_currency} == {"transfer", "refund"}
    for world in of_currency:
        merchant = funded(world, renewed=True).merchant
        assert [deal.type for deal in merchant.deals] == ["Initial", "Renewal"]
        assert merchant.deals[0].currency == currency


def test_the_histories_go_far():
    """
    The histories of these laws carry out every operation on a deal's money.
    """
    kinds = (Refund, UnwindDeal, PauseDeal, SettleEarly, Requote, ChargeFee)
    modules = {kind.__module__ for kind in kinds}
    seen = Counter()
    unseen = {
        name
        for name, kind in OPERATIONS.items()
        if kind.__module__ in modules and not kind.is_question
    }

    # Within a run Hypothesis varies what it drew before; short runs see more.
    for number in range(60):

        @seed(number)
        @settings(max_examples=20, derandomize=False, phases=[Phase.generate])
        @given(histories(through="offers") | histories(through="renewal", most_steps=16))
        def draw(drawn):
            seen.update(step.operation for step in drawn[1].steps if step.refused is None)

        draw()
        unseen -= seen.keys()
        if not unseen:
            break

    assert not unseen, seen
