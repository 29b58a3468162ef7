"""Errors in money that a lender would pay for, each by edits of the engine."""

from __future__ import annotations

from holdback.eligibility import derived_facts
from holdback.lifecycle import evolve
from holdback.lifecycle.deals import (
    early_settlement,
    ledger_operations,
    postings,
    remittances,
    schedule_changes,
    unwinding,
)
from holdback.merchant import ledger, schedule
from holdback.merchant.deal import Deal

# An edit is a function, a text of its source, and the text that takes its place.
ERRORS = {
    "more is refunded than was overpaid": [
        (ledger_operations.Refund.decide, "check_at_most(self.amount, deal.overpaid,",
         "check_at_most(self.amount, self.amount,"),
    ],
    "a refund is posted as a payment": [
        (ledger.Entry.signed.fget, "KINDS[self.kind].sign < 0", 'self.kind == "reversal"'),
    ],
    "a transfer loses its second half": [
        (ledger_operations.Transfer.decide, "posted(case, halves)", "posted(case, halves[:1])"),
    ],
    "more is transferred than is owed": [
        (ledger_operations.Transfer.decide, "check_at_most(self.amount, owed,",
         "check_at_most(self.amount, self.amount,"),
    ],
    "a transfer is doubled by a retry": [
        (ledger_operations.Transfer.decide, "if not all(recorded):", "if True:"),
        (ledger_operations.Transfer.decide, "if any(recorded):", "if False:"),
    ],
    "only the last of several reversals counts": [
        (ledger.taken_back, "totals.get(entry.reverses, 0) + entry.amount.minor",
         "entry.amount.minor"),
    ],
    "an unsettled reversal counts": [
        (ledger.taken_back, "and entry.settled", ""),
    ],
    "an entry stays unsettled": [
        (remittances._new_entries, "or (entry.settled and not earlier.settled)", ""),
    ],
    "another content under an entry's id is a retry": [
        (postings.is_recorded, "if evolve(held, settled=True) != evolve(entry, settled=True):",
         "if False:"),
    ],
    "a reversal reopens nothing": [
        (postings.status_changes, "FUNDED in may_follow and", "False and"),
    ],
    "a shortfall reopens its deal with any entry": [
        (postings.status_changes, "left > max(0, before.outstanding)", "left > 0"),
    ],
    "a reversal makes a second deal active": [
        (postings.status_changes, "and case.merchant.active_deal is None", ""),
    ],
    "a default is recovered though a part was written off": [
        (postings.status_changes, "and not after.written_off.minor", ""),
    ],
    "a recovery that is taken back leaves the default recovered": [
        (postings.status_changes, "before.status == RECOVERED and", "False and"),
    ],
    "a recovery leaves what was written off": [
        (ledger_operations.no_longer_lost, "if taken_back <= 0:", "if True:"),
    ],
    "a recovery takes back all that was written off": [
        (ledger_operations.no_longer_lost, "min(beyond, after.written_off.minor)",
         "after.written_off.minor"),
    ],
    "more is written off than is left": [
        (ledger_operations.WriteOff.decide, "check_at_most(self.amount, left,",
         "check_at_most(self.amount, self.amount,"),
    ],
    "an active deal is written off": [
        (ledger_operations.WriteOff.decide, "if deal.status == FUNDED:", "if False:"),
    ],
    "an adjustment makes a merchant overpay": [
        (ledger_operations.Adjust.decide, "Money(left, currency)", "self.amount"),
    ],
    "an adjustment makes a deal cost more": [
        (ledger_operations.Adjust.decide,
         "Money(max(0, deal.repayment_amount.minor - left), currency)", "raised"),
    ],
    "a deal is unwound a day too late": [
        (unwinding._obstacles, "> days or not days", "> days + 1"),
    ],
    "a deal is unwound after a later acceptance": [
        (unwinding._obstacles, 'yield "an offer was accepted after it"', "pass"),
    ],
    "an unwound deal keeps its charge": [
        (unwinding.UnwindDeal.decide, "[(CHARGE_CANCELLED, charge, None)]", "[]"),
    ],
    "an unwound renewal keeps what it settled": [
        (unwinding.UnwindDeal.decide, "lines.append((SETTLEMENT, settled, base.id))", "pass"),
    ],
    "a renewal that is unwound gives back what it settled too": [
        (unwinding.UnwindDeal.decide, "deal.outstanding - charge - settled",
         "deal.outstanding - charge"),
    ],
    "an unwound deal forgives a discount twice": [
        (unwinding._charge_left, "else discount.minor", "else 0"),
    ],
    "the base deal stays settled": [
        (evolve._deal_unwound, "Money(0, base.repayment_amount.currency)", "base.settled"),
    ],
    "the gap of an unwound renewal counts as elapsed": [
        (evolve._with_gap, "else (*pauses, gap)", "else pauses"),
    ],
    "a settlement takes a minor unit less": [
        (early_settlement.SettleEarly.decide, "self.amount < quote.amount",
         "self.amount.minor < quote.amount.minor - 1"),
    ],
    "a settlement forgets the discount": [
        (early_settlement.SettleEarly.decide, "if quote.discount.minor:", "if False:"),
    ],
    "a pause is a day longer": [
        (schedule.paused_days, "(end - max(since, pause.on)).days",
         "(end - max(since, pause.on)).days + 1"),
    ],
    "a pause never ends": [
        (schedule.paused_days, "min(until, pause.until)", "until"),
    ],
    "a change of terms holds from the funding on": [
        (schedule.expected_share, "_share(share, since, term, elapsed), elapsed", "share, since"),
    ],
    "the schedule is changed before its last change": [
        (schedule_changes._check_after_changes, "days and on < max(days)", "False"),
    ],
    "late remittances are always passed on": [
        (remittances._passed_on, "before.late_remittances != TRANSFER or", ""),
    ],
    "more is passed on than the active deal takes": [
        (remittances._passed_on, "min(late, active.balance.minor)", "late"),
    ],
    "what was to be refunded is passed on with a late remittance": [
        (remittances._passed_on, "after.overpaid.minor - before.overpaid.minor",
         "after.overpaid.minor"),
    ],
    "a funded renewal is cancelled": [
        (remittances._ending, "if deal.type == RENEWAL:", "if False:"),
    ],
    "a default is undone though a part was written off": [
        (remittances.ReinstateDeal.decide, "if deal.written_off.minor:", "if False:"),
    ],
    "a recovered default is forgotten": [
        (derived_facts.deal_counts, "in {DEFAULTED, RECOVERED}", "== DEFAULTED"),
    ],
    "only repaid deals have a refund due": [
        (derived_facts.deal_counts, "for deal in merchant.deals),\n    }",
         'for deal in merchant.deals if deal.status == "Repaid"),\n    }'),
    ],
    "an ended deal keeps earning its pace": [
        (derived_facts.performance, "_last_day(deal, today)",
         "today"),
    ],
    "what a renewal settled is owed": [
        (Deal.outstanding.fget, "+ self.settled.minor", ""),
    ],
    "a shortfall is still a balance": [
        (Deal.balance.fget, "if self.status in _OWING else 0", ""),
    ],
}  # fmt: skip
# The steps after which the rarer errors show.
FAVOURED = {
    "a transfer is doubled by a retry": ("transfer", "repeat"),
    "a deal is unwound after a later acceptance": ("renew", "unwind"),
    "an unwound deal forgives a discount twice": ("settle_early", "reverse", "unwind"),
    "a recovery takes back all that was written off": ("default", "write_off", "recover"),
}
