"""
The engine and an independent bookkeeper agree on every deal, to the minor unit.

The bookkeeper (`bookkeeper.py`, `bookkeeper_operations.py`) was written from the decisions alone,
by double entry. Both get the same random histories (`ledger_histories.py`) of remittances,
reversals, refunds, transfers, recoveries, write-offs, cash without a deal, pauses and endings, in
currencies with two, no and three decimals. After every operation they are compared: whether it was
carried out, or refused with which code, the status and the figures of every deal, its ledger, its
performance, what is in suspense, and
what the merchant owes in all.
"""

from __future__ import annotations

import time
from collections import Counter

import pytest
from bookkeeper import Deal, Unbalanced
from ledger_comparison import START, Difference, begin
from ledger_errors import ERRORS, FAVOURED
from ledger_folders import WORLDS
from ledger_histories import DAY, History
from planted_errors import plant

from counts import count
from every_case import for_every

ALL = count("histories compared with the bookkeeper")
# In a campaign a chunk has enough histories for the rarest situation to be reached twice or more.
CHUNKS = 20 if ALL < 5_000 else ALL // 5_000
HISTORIES = ALL // CHUNKS

# Among this number of histories at least one does each of these.
REACHED = {
    "record_remittance": 1, "close_deal": 8, "refund": 10, "change_terms": 12, "adjust": 12,
    "pause_deal": 14, "record_recovery": 18, "settle_early": 22, "unwind_deal": 22, "fund_deal": 30,
    "write_off": 35, "return_payout": 30, "reinstate_deal": 40, "transfer": 60,
    "resume_deal": 120, "Repaid": 8, "Renewed": 8, "Defaulted": 10, "Recovered": 30,
    "Cancelled": 30, "Unwound": 30, "Settled": 200, "waive_rest": 200,
    "not_possible_now": 2, "amount_not_possible": 3, "invalid_request": 10, "request_conflict": 30,
    "referred": 400, "record_suspense": 8, "apply_suspense": 12, "return_suspense": 40,
    "suspense_not_found": 60, "charge_fee": 15, "waive_fee": 40, "fee_not_allowed": 4,
    "agree_plan": 200,
}  # fmt: skip


def compared(seeds, favoured=()):
    """Compare the histories of *seeds*; return how often each situation was reached."""
    reached, begun = Counter(), time.monotonic()
    for number, seed in enumerate(seeds, 1):
        history = History(seed, favoured)
        try:
            reached.update(history.run(history.steps()))
        except Exception as error:
            error.add_note(f"This is the history of the seed {seed}.")
            raise
        if number % 1_000 == 0:
            rate = number / (time.monotonic() - begun)
            print(f"{number} histories, {rate:.0f} a second", flush=True)  # noqa: T201  # progress
    return reached


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_engine_and_bookkeeper_agree_on_every_history(chunk):
    """Nothing differs in any history, and histories reach every operation and every refusal."""
    reached = compared(range(chunk * HISTORIES, (chunk + 1) * HISTORIES))

    few = {name: reached[name] for name, among in REACHED.items()
           if reached[name] < HISTORIES // among // 2}  # fmt: skip
    assert not few


# A jurisdiction that passes late remittances on, and in which a deal can be unwound.
WORLD = next(one for one in WORLDS if one.late == "transfer" and one.cooling_off_days == 14)


def remit(telling, deal, amount, **more):
    entry = {"id": telling.number("e"), "on": telling.today, "amount": amount} | more
    assert telling.tell("record_remittance", deal_id=deal.id, entries=[entry])
    telling.compare()


def test_what_is_paid_beyond_a_default_goes_to_the_active_deal():
    """A default paid in full is recovered, and what came in late is transferred."""
    telling = begin(WORLD, "a second deal")
    first, second = telling.keeper.deals.values()
    telling.tell("close_deal", deal_id=second.id, status="defaulted")
    remit(telling, first, 5_000, reverses=next(iter(first.movements.values())).id)

    remit(telling, second, second.owed + 3_000)

    assert [deal.status for deal in telling.merchant.deals] == ["Funded", "Recovered"]
    assert [deal.balance.minor for deal in telling.merchant.deals] == [2_000, 0]


def test_a_deal_that_was_on_pause_still_is_when_its_renewal_is_unwound():
    """The base deal is active again; the gap counts as a pause, and counts once."""
    telling = begin(WORLD, "a renewal that waits")
    (base,) = telling.keeper.deals.values()
    telling.tell("pause_deal", deal_id=base.id, on=telling.today)
    telling.now += DAY
    assert telling.fund()
    telling.now += DAY
    renewal = telling.keeper.active
    due = telling.keeper.due_at_unwinding(renewal)
    telling.tell("unwind_deal", deal_id=renewal.id, entry_id="back", on=telling.today, amount=due)
    telling.now += DAY
    telling.compare()

    assert telling.tell("resume_deal", deal_id=base.id, on=telling.today)
    telling.now += DAY
    telling.compare()
    assert telling.merchant.deals[0].status == "Funded"


def test_the_discount_of_a_settlement_is_a_part_of_the_charge_that_is_cancelled():
    """The merchant returns the principal less what it paid; a discount lowers the charge."""
    telling = begin(WORLD, "one deal")
    (deal,) = telling.keeper.deals.values()
    paid = deal.owed - deal.discount()
    telling.tell("settle_early", deal_id=deal.id, entry_id="all", on=telling.today, amount=paid)
    remit(telling, deal, 10_000, reverses="all")

    due = deal.funded - (paid - 10_000)
    assert telling.tell(
        "unwind_deal", deal_id=deal.id, entry_id="back", on=telling.today, amount=due
    )

    telling.compare()
    assert (deal.owed, deal.overpaid, deal.received) == (0, 0, deal.funded)


def test_a_movement_without_its_counterpart_is_found():
    """The bookkeeper's own accounts balance, and no balance is below zero."""
    deal = Deal("d", "Initial", START.date(), funded=100, repayment=120, term_days=90)
    deal.fund(settles=0)
    deal.move(150, "cash")
    assert (deal.owed, deal.overpaid, deal.received) == (0, 30, 150)

    for account in ("cash", "owed", "due back"):
        deal.accounts[account] += 1
        with pytest.raises(Unbalanced):
            deal.check()
        deal.accounts[account] -= 1


PLANTED = [*ERRORS][:: len(ERRORS) // count("errors planted in ledgers")]


@for_every("error", PLANTED)
def test_a_wrong_engine_is_found(error):
    """Each planted error makes a difference to the bookkeeper within some histories."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        plant(monkeypatch, ERRORS[error])
        seeds = range(count("histories among which an error in a ledger is found"))
        with pytest.raises(Difference):
            compared(seeds, FAVOURED.get(error, ()))
