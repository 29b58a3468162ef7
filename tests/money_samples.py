"""Samples of what is recorded of a deal's money, its schedule and its end, for `wire_samples`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pendulum
from attrs import evolve

from holdback import Money
from holdback.lifecycle import events
from holdback.merchant.fee_terms import FeeTerms
from holdback.merchant.ledger import Entry, EntryTotals, Posting
from holdback.merchant.offer import Offer
from holdback.merchant.plan import Instalment, Plan
from holdback.merchant.receipt import (
    Refundable,
    RefundableDeal,
    SettlementQuote,
    SuspenseReceipt,
    UnwindQuote,
)
from holdback.merchant.schedule import Pause, TermsChange
from holdback.merchant.statement import (
    DealStatement,
    HeldCash,
    KindTotal,
    Statement,
    StatementLine,
    SuspenseStatement,
)
from holdback.merchant.suspense import Suspense, SuspenseEntry, SuspenseTotals

DEAL_ID = "00000000-0000-5000-8000-000000000005"
BASE_ID = "00000000-0000-5000-8000-000000000006"
APPLICATION_ID = "00000000-0000-5000-8000-000000000003"
DAY = date(2026, 7, 20)
LAPSES = pendulum.datetime(2026, 8, 19, 10)


def money(amount):
    """An amount of pounds."""
    return Money.parse(f"GBP {amount}")


ENTRIES = (
    Entry(id="p-1", on=DAY, amount=money("250.00"), kind="payment"),
    Entry(id="p-2", on=DAY, amount=money("50.00"), reverses="p-1"),
    Entry(id="t-1", on=DAY, amount=money("-20.00"), kind="transfer", counterpart=BASE_ID),
    Entry(id="w-1", on=DAY, amount=money("30.00"), kind="write_off"),
)
HALVES = (
    Posting(deal_id=DEAL_ID, entry=ENTRIES[2]),
    Posting(
        deal_id=BASE_ID,
        entry=Entry(id="t-1", on=DAY, amount=money("20.00"), kind="transfer", counterpart=DEAL_ID),
    ),
)
PAUSES = (Pause(on=date(2026, 7, 6), until=date(2026, 7, 9)), Pause(on=DAY))
CHANGE = TermsChange(
    on=date(2026, 7, 12),
    split_percentage=Decimal("7.5"),
    term_length=Decimal("13.15"),
    term_days=400,
)
TOTALS = EntryTotals(
    through=date(2026, 7, 4),
    remitted=money("10.00"),
    credits={"write_off": money("5.00")},
)
REQUOTED = Offer(
    offer_id="00000000-0000-5000-8000-000000000011",
    description="GBP 2600.00, repaid as GBP 3068.00 from 12.5% of takings in about 5 months",
    split_percentage=Decimal("12.5"),
    term_length=Decimal("4.93"),
    term_days=150,
    repayment_amount=money("3068.00"),
    funded_amount=money("2600.00"),
    factor_rate=Decimal("1.18"),
)

DEAL_STATEMENT = DealStatement(
    deal_id=DEAL_ID,
    type="Initial",
    status="Funded",
    funded_on=DAY,
    opening=money("0.00"),
    closed_through=DAY,
    carried_forward=(
        KindTotal(kind="disbursement", amount=money("-2600.00")),
        KindTotal(kind="charge", amount=money("-468.00")),
        KindTotal(kind="remitted", amount=money("68.00")),
    ),
    lines=(
        StatementLine(
            on=date(2026, 9, 2),
            kind="transfer",
            id="t-1",
            amount=money("100.00"),
            balance=money("2900.00"),
            counterpart=BASE_ID,
        ),
    ),
    unsettled=(
        StatementLine(on=date(2026, 9, 3), kind="remittance", id="e-1", amount=money("10.00")),
    ),
    totals=(
        KindTotal(kind="disbursement", amount=money("-2600.00")),
        KindTotal(kind="charge", amount=money("-468.00")),
        KindTotal(kind="remitted", amount=money("68.00")),
        KindTotal(kind="transfer", amount=money("100.00")),
    ),
    closing=money("2900.00"),
)
STATEMENT = Statement(
    merchant_id="m-1",
    since=None,
    until=date(2026, 9, 30),
    currency="GBP",
    balances=False,
    differences=(f"deal {DEAL_ID}: transfer t-1 of 2026-09-02 has no other half",),
    opening=None,
    paid_out=None,
    received=None,
    totals=None,
    closing=money("2900.00"),
    deals=(DEAL_STATEMENT,),
)

CASH = (
    SuspenseEntry(id="c-1", on=date(2026, 7, 2), amount=money("100.00")),
    SuspenseEntry(
        id="c-2",
        on=DAY,
        amount=money("60.00"),
        kind="suspense_applied",
        receipt="c-1",
        deal_id=DEAL_ID,
    ),
    SuspenseEntry(id="c-3", on=DAY, amount=money("5.00"), kind="suspense_refund", receipt="c-1"),
)
SUSPENSE = Suspense(
    entries=CASH,
    closed=SuspenseTotals(
        through=date(2026, 7, 4),
        sums={"suspense": money("40.00"), "suspense_reversal": money("50.00")},
        used={"c-1": money("10.00")},
    ),
)
SUSPENSE_STATEMENT = SuspenseStatement(
    opening=money("0.00"),
    closed_through=date(2026, 7, 4),
    carried_forward=(
        KindTotal(kind="suspense", amount=money("140.00")),
        KindTotal(kind="suspense_reversal", amount=money("-50.00")),
    ),
    lines=(
        StatementLine(
            on=DAY,
            kind="suspense_applied",
            id="c-2",
            amount=money("-60.00"),
            balance=money("-30.00"),
            counterpart=DEAL_ID,
            reverses="c-1",
        ),
    ),
    totals=(
        KindTotal(kind="suspense", amount=money("140.00")),
        KindTotal(kind="suspense_applied", amount=money("-60.00")),
        KindTotal(kind="suspense_reversal", amount=money("-50.00")),
    ),
    closing=money("-30.00"),
    held=(HeldCash(suspense_id="c-1", on=date(2026, 7, 2), left=money("30.00")),),
)

# What is charged above the repayment amount, and what of it is waived.
FEE_TERMS = (
    FeeTerms(
        key="returned_payment",
        after="reversal",
        amount=money("15.00"),
        at_most=money("30.68"),
    ),
    FeeTerms(
        key="default_interest",
        after="default",
        yearly_rate=Decimal("8.5"),
        at_most=money("306.80"),
    ),
)
FEE_ENTRIES = (
    Entry(
        id="f-1", on=DAY, amount=money("15.00"), kind="fee", fee="returned_payment", about="back-1"
    ),
    Entry(id="f-2", on=DAY, amount=money("2.31"), kind="fee", fee="default_interest"),
    Entry(id="w-1", on=DAY, amount=money("5.00"), kind="fee_waiver"),
)

PLAN = Plan(
    id="plan-2",
    instalments=(
        Instalment(due_on=date(2026, 8, 1), amount=money("100.00")),
        Instalment(due_on=date(2026, 9, 1), amount=money("150.50")),
    ),
    remitted_before=money("10.00"),
    replaced=("plan-1",),
)

# Each event from its envelope, by its stored name.
EVENTS = {
    "EntriesPosted": lambda **envelope: events.EntriesPosted(**envelope, postings=HALVES),
    "DealRecovered": lambda **envelope: events.DealRecovered(**envelope, deal_id=DEAL_ID, on=DAY),
    "DealDefaultedAgain": lambda **envelope: events.DealDefaultedAgain(**envelope, deal_id=DEAL_ID),
    "DealUnwound": lambda **envelope: events.DealUnwound(
        **envelope, deal_id=DEAL_ID, on=DAY, base_deal_id=BASE_ID
    ),
    "DealPaused": lambda **envelope: events.DealPaused(**envelope, deal_id=DEAL_ID, on=DAY),
    "DealResumed": lambda **envelope: events.DealResumed(**envelope, deal_id=DEAL_ID, on=DAY),
    "TermsChanged": lambda **envelope: events.TermsChanged(
        **envelope, deal_id=DEAL_ID, change=CHANGE
    ),
    "OfferRequoted": lambda **envelope: events.OfferRequoted(
        **envelope, application_id=APPLICATION_ID, product="flex", offers=(REQUOTED,)
    ),
    "QueuedRenewalReady": lambda **envelope: events.QueuedRenewalReady(
        **envelope, application_id=APPLICATION_ID, lapses_at=LAPSES
    ),
    "PayoutReturned": lambda **envelope: events.PayoutReturned(
        **envelope,
        deal_id=DEAL_ID,
        on=DAY,
        base_deal_id=BASE_ID,
        application_id=APPLICATION_ID,
        omitted=("bank_details",),
        lapses_at=LAPSES,
    ),
}
# Events that came later, so that those before keep their place.
ADDED_EVENTS = {
    "DealSettled": lambda **envelope: events.DealSettled(**envelope, deal_id=DEAL_ID, on=DAY),
}
# Events that came later still.
NEWEST_EVENTS = {
    "PlanAgreed": lambda **envelope: events.PlanAgreed(**envelope, deal_id=DEAL_ID, plan=PLAN),
}
REPLIES = {
    "settlement_quote": SettlementQuote(
        deal_id=DEAL_ID,
        on=DAY,
        balance=money("1200.00"),
        discount=money("61.02"),
        amount=money("1138.98"),
        fees_owed=money("0.00"),
    ),
    "settlement_quote_with_fees": SettlementQuote(
        deal_id=DEAL_ID,
        on=DAY,
        balance=money("1200.00"),
        discount=money("61.02"),
        amount=money("1138.98"),
        fees_owed=money("15.00"),
    ),
    "unwind_quote": UnwindQuote(
        deal_id=DEAL_ID,
        on=DAY,
        amount=money("9000.00"),
        currency="GBP",
        until=DAY,
        reason=None,
    ),
    "refundable": Refundable(
        deals=(RefundableDeal(deal_id=DEAL_ID, amount=money("12.50"), currency="GBP"),)
    ),
    "statement": STATEMENT,
    "statement_with_suspense": evolve(STATEMENT, suspense=SUSPENSE_STATEMENT),
    "suspense_receipt": SuspenseReceipt(suspense_id="c-1", sequence=12, left=money("30.00")),
}
