"""What people do to the deals of the sample after the funding, and the totals of their ledgers."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from attrs import evolve

from holdback.eligibility.facts import MOST_PERCENT
from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.frozen_classes import frozen
from holdback.merchant.deal import STATUSES
from holdback.portfolio.sample.dice import Dice, Numbers

Columns: TypeAlias = dict[str, Numbers]

# The places of the statuses in the declared set.
FUNDED, REPAID, RENEWED, DEFAULTED, CANCELLED, RECOVERED, UNWOUND = range(len(STATUSES))
UNKNOWN: Final = np.iinfo(np.int64).min
# Days after the funding in which some deals are unwound.
_COOLING_OFF: Final = 14


@frozen
class DealColumns:
    """Terms and history of deals, in days before *on*; *ended* is 0 while a deal is active."""

    repayment: Numbers
    term: Numbers
    age: Numbers
    remitted: Numbers
    silence: Numbers
    ended: Numbers

    @property
    def performance(self) -> Numbers:
        """What was remitted, as a percentage of what was expected until the deal ended."""
        elapsed = np.minimum(self.age - self.ended, self.term)
        expected = np.maximum(self.repayment * elapsed, 1)
        performance = self.remitted * HUNDRED_PERCENT * self.term // expected
        return np.where(elapsed > 0, np.minimum(performance, MOST_PERCENT), UNKNOWN)


def after_funding(dice: Dice, columns: Columns, deals: DealColumns) -> Columns:
    """
    The facts that pauses, recoveries, unwinding, write-offs and refunds change, and the ledgers.

    *columns* has the facts that *deals* have without these.
    """
    status = columns["status"].copy()
    recovered = (status == REPAID) & dice.chance(60)
    unwound = (status == FUNDED) & (deals.age <= _COOLING_OFF) & dice.chance(200)
    status[recovered], status[unwound] = RECOVERED, UNWOUND
    defaulted = columns["deals_defaulted"] + recovered
    lost = (defaulted > 0) & ~recovered & dice.chance(400)
    refunds_due = np.where(dice.chance(20), dice.between(100, 20_000), 0)
    paid_in_full = (status == REPAID) | recovered
    overpaid = refunds_due * paid_in_full  # of other deals, the refund is due on another one
    regained = _recoveries(dice, status, deals.remitted)
    deals = evolve(
        deals,
        remitted=deals.remitted + overpaid,
        # What was regained of a deal that is still in default came after the default.
        silence=np.where(
            (status == DEFAULTED) & (regained > 0),
            deals.ended * dice.below(1000) // 1000,
            deals.silence,
        ),
    )
    facts = {
        "status": status,
        "performance": deals.performance,
        "days_since_last_remittance": deals.silence,
        "deals_defaulted": defaulted,
        "deals_written_off": lost.astype(np.int64),
        "deals_recovered": recovered.astype(np.int64),
        "paused": ((status == FUNDED) & dice.chance(20)).astype(np.int64),
        "days_in_pause": np.zeros_like(status),
        "refunds_due": refunds_due,
    }
    refunded = np.where(paid_in_full & dice.chance(20), dice.between(100, 20_000), 0)
    ledger = _ledger(dice, status, deals, overpaid, lost)
    return facts | ledger | {"recovered": regained, "refunded": refunded}


def _recoveries(dice: Dice, status: Numbers, remitted: Numbers) -> Numbers:
    """The part of what was *remitted* that came after a default."""
    part = dice.between(50, 500)
    some = (status == DEFAULTED) & dice.chance(300)
    return np.where((status == RECOVERED) | some, remitted * part // 1000, 0)


def _ledger(
    dice: Dice, status: Numbers, deals: DealColumns, overpaid: Numbers, lost: Numbers
) -> Columns:
    """The totals of the ledgers, and the balance; *lost* deals were written off, or a part was."""
    left = deals.repayment + overpaid - deals.remitted
    part = np.where(dice.chance(500), 1000, dice.between(100, 999))
    written_off = np.where(lost & (status == DEFAULTED), -(-left * part // 1000), 0)
    waived = np.where(status == CANCELLED, left, 0)
    # Of an unwound deal the principal that came back and the rest of the charge are credited.
    credited = waived + written_off + np.where(status == UNWOUND, left, 0)
    # Some remittances were charged back after the renewal.
    charged_back = np.where(dice.chance(60), np.minimum(dice.between(100, 50_000), left // 2), 0)
    shortfall = np.where(status == RENEWED, charged_back, 0)
    owing = (status == FUNDED) | (status == DEFAULTED)
    return {
        "balance": np.where(owing, left - credited, 0),
        "repayment_amount": deals.repayment,
        "remitted": deals.remitted,
        "settled": np.where(status == RENEWED, left - shortfall, 0),
        "credited": credited,
        "shortfall": shortfall,
        "overpaid": overpaid,
        "waived": waived,
        "written_off": written_off,
    }
