"""Remittances: reversals, ids used twice, and the performance of a deal that has ended."""

from __future__ import annotations

import pytest
from refusals import is_refused

from holdback import Entry, InvalidDocument
from holdback.operations import (
    AssessRenewal,
    CloseDeal,
    LookUp,
    RecordRecovery,
    RecordRemittance,
    WriteOff,
)


def test_only_a_reversal_reopens_a_repaid_deal(funded):
    """
    A reversal on a repaid deal is a recorded shortfall while another deal is active
    (decisions/deals).
    """
    funded.pay_down(100)
    first, last = funded.deal, funded.deal.entries[-1]
    funded.ask()
    funded.accept()
    funded.fund()
    back = Entry(id="back", on=funded.today(), amount=last.amount, reverses=last.id)
    funded.do(RecordRemittance(deal_id=first.id, entries=[back]))
    funded.pay_down(100)
    funded.do(RecordRemittance(deal_id=first.id, entries=[], complete_through=funded.today()))

    assert [deal.status for deal in funded.merchant.deals] == ["Repaid", "Repaid"]


def test_a_reversal_of_nothing_and_an_id_used_twice(funded):
    """
    A reversal of an unknown entry is invalid; an id with another content is a conflict.
    """
    funded.pass_time(days=3)
    with pytest.raises(InvalidDocument, match=r"\$\.entries\[0\]\.reverses"):
        funded.remit(funded.entry(5, reverses="nothing"))
    entry = funded.entry(5)
    funded.remit(entry)
    changed = funded.entry(6, id=entry.id, on=entry.on)
    assert is_refused(funded, ("request_conflict", 409), funded.remit, changed)


def test_rules_and_lookup_see_one_performance(funded):
    """
    The performance of a repaid deal stays that of its last day, for rules and for lookups.
    """
    funded.pass_time(days=funded.deal.term_days // 2)
    funded.remit(funded.entry(funded.deal.repayment_amount.minor), complete_through=funded.today())
    funded.pass_time(days=60)
    shown = funded.do(LookUp()).deals[0].performance.performance
    known = funded.do(AssessRenewal()).record()["facts"]["performance"]

    assert f"{shown}%" == known


def test_a_default_is_recovered_on_the_day_of_the_payment(funded):
    """
    What was written off and is taken back repaid nothing: the day is that of the last recovery.
    """
    funded.do(CloseDeal(deal_id=funded.deal.id, status="defaulted"))
    deal = funded.merchant.deals[-1]

    def movement(id_, amount):
        return {"id": id_, "on": funded.today(), "amount": amount}

    funded.pass_time(days=30)
    funded.do(WriteOff(deal_id=deal.id, **movement("w-1", deal.balance)))
    funded.pass_time(days=30)
    funded.do(RecordRecovery(deal_id=deal.id, **movement("c-1", deal.balance)))
    recovered = [event.on for event in funded.events if type(event).__name__ == "DealRecovered"]

    assert recovered == [funded.today()]
    assert funded.merchant.deals[-1].repaid_on == funded.today()
