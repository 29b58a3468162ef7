"""Entries in any order give the deal that the order of dates gives (decisions/deals)."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from holdback import Entry, Money
from holdback.operations import RecordRemittance
from journey import Journey


def funded_deal():
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.fund()
    journey.pass_time(days=60)
    return journey


FUNDED = funded_deal()
REPAYMENT = FUNDED.deal.repayment_amount


@st.composite
def histories(draw):
    """Entries of one deal; some are unsettled at first, and some are reversed."""
    entries = []
    for place in range(draw(st.integers(1, 8))):
        on = FUNDED.deal.funded_on + timedelta(days=draw(st.integers(0, 50)))
        amount = Money(REPAYMENT.minor * draw(st.integers(0, 60)) // 100, REPAYMENT.currency)
        entry = Entry(id=f"e-{place}", on=on, amount=amount, settled=draw(st.booleans()))
        entries.append(entry)
        if draw(st.integers(0, 3)) == 0:
            back = on + timedelta(days=draw(st.integers(0, 5)))
            entries.append(Entry(id=f"b-{place}", on=back, amount=amount, reverses=entry.id))
        if not entry.settled and draw(st.booleans()):
            entries.append(Entry(id=entry.id, on=on, amount=amount))
    return entries


def deliver(entries):
    """The deal after *entries*, delivered singly; a reversal is delivered after its entry."""
    journey = FUNDED
    merchant, waiting = journey.merchant, list(entries)
    while waiting:
        recorded = {entry.id for entry in merchant.deals[0].entries}
        entry = next(e for e in waiting if e.reverses is None or e.reverses in recorded)
        waiting.remove(entry)
        outcome = journey.engine.carry_out(
            merchant,
            RecordRemittance(deal_id=merchant.deals[0].id, entries=entry),
            journey.context(),
        )
        merchant = outcome.merchant
    return merchant.deals[0]


@settings(max_examples=count("histories in another order"))
@given(data=st.data(), history=histories())
def test_any_order_gives_the_same_deal(data, history):
    """
    The deal is the same in every attribute, in any order of delivery.
    """
    by_date = deliver(sorted(history, key=lambda entry: (entry.on, entry.id)))
    shuffled = deliver(data.draw(st.permutations(history)))

    assert shuffled == by_date
    assert (shuffled.balance, shuffled.remitted) == (by_date.balance, by_date.remitted)


@settings(max_examples=count("histories delivered twice"))
@given(data=st.data(), history=histories())
def test_an_entry_delivered_again_is_nothing(data, history):
    """
    An entry that is delivered again changes nothing (decisions/deals).
    """
    once = deliver(history)
    again = [entry for entry in data.draw(st.permutations(history)) if entry.reverses is None]

    assert deliver([*history, *again]) == once
