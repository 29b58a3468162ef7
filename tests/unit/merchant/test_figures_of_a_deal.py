"""What a deal shows when money goes back and forth: the day of the repayment, and the progress."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from holdback import Entry, Money
from holdback.merchant.deal import Deal

DAY = date(2026, 8, 1)
POUND = Money.parse("GBP 1").currency


def gbp(minor):
    return Money(minor, POUND)


def a_deal(*entries, status="Repaid"):
    """A deal that repays GBP 120, with *entries*: day of August, kind, amount, further fields."""
    return Deal(
        id="d", application_id="a", type="Initial", status=status, funded_on=DAY,
        funded_amount=gbp(100_00), repayment_amount=gbp(120_00), factor_rate=Decimal("1.2"),
        split_percentage=Decimal(10), term_length=Decimal(6), term_days=183, settled=gbp(0),
        entries=tuple(
            Entry(id=f"e{place}", on=DAY.replace(day=day), kind=kind, amount=gbp(minor), **more)
            for place, (day, kind, minor, more) in enumerate(entries)
        ),
    )  # fmt: skip


@pytest.mark.parametrize("order", [1, -1])
def test_a_late_remittance_that_is_passed_on_leaves_the_day_of_the_repayment(order):
    """The day of the repayment is that of the entry that completed it (decisions/deals)."""
    passed_on = [
        (20, "transfer", -30_00, {"counterpart": "other"}),
        (20, "remittance", 30_00, {}),
    ]
    deal = a_deal((10, "remittance", 120_00, {}), *passed_on[::order])

    assert deal.repaid_on == DAY.replace(day=10)
    assert deal.overpaid == gbp(0)


def test_progress_is_not_below_zero():
    """A refund after a write-off, and then a reversal: more went back than was ever paid."""
    deal = a_deal(
        (2, "remittance", 60_00, {}),
        (3, "write_off", 90_00, {}),
        (4, "refund", 30_00, {}),
        (5, "reversal", 60_00, {"reverses": "e0"}),
        status="Defaulted",
    )

    assert deal.remitted == gbp(-30_00)
    assert deal.progress == 0
    assert deal.balance == gbp(60_00)


@pytest.mark.parametrize(("through", "kept"), [(9, None), (10, 10), (11, 10)])
def test_the_day_of_the_repayment_is_kept_when_it_is_closed(through, kept):
    """Entries up to a day are closed; a repayment on that day is among them."""
    deal = a_deal((5, "remittance", 60_00, {}), (10, "remittance", 60_00, {}))
    closed = deal.closed_through(DAY.replace(day=through))

    assert closed.closed_entries.repaid_on == (kept and DAY.replace(day=kept))
    assert closed.repaid_on == deal.repaid_on == DAY.replace(day=10)
    assert closed.remitted == deal.remitted


def test_the_reversals_of_an_entry_that_stays_stay():
    """An entry that a later one takes back stays, and so does what took back a part of it."""
    deal = a_deal(
        (2, "remittance", 60_00, {}),
        (3, "reversal", 20_00, {"reverses": "e0"}),
        (4, "remittance", 10_00, {}),
        (9, "reversal", 40_00, {"reverses": "e0"}),
    )
    closed = deal.closed_through(DAY.replace(day=5))

    assert [entry.id for entry in closed.entries] == ["e0", "e1", "e3"]
    assert closed.remitted == deal.remitted
