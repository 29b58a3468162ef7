"""Errors in money that a lender would pay for, each by edits of the engine."""

from __future__ import annotations

from planted_errors import instead, without

from holdback.eligibility import derived_facts
from holdback.lifecycle import carry_out, evolve, input_checks
from holdback.lifecycle.deals import (
    early_settlement,
    fees,
    fulfilment,
    ledger_operations,
    plans,
    postings,
    remittances,
    schedule_changes,
    statement,
    suspense,
    unwinding,
)
from holdback.lifecycle.deals.fulfilment import FundDeal
from holdback.lifecycle.deals.ledger_operations import (
    Adjust,
    LedgerCommand,
    Refund,
    Transfer,
    WaiveRest,
    WriteOff,
)
from holdback.lifecycle.deals.plans import AgreePlan
from holdback.lifecycle.deals.remittances import CloseDeal, ReinstateDeal
from holdback.lifecycle.deals.unwinding import ReturnPayout, UnwindDeal
from holdback.merchant import ledger, schedule
from holdback.merchant import statement as deal_statement
from holdback.merchant.deal import Deal
from holdback.merchant.plan import Plan
from holdback.merchant.suspense import Suspense, SuspenseEntry

_SETTLES = "DealRenewed(at=case.at, deal_id=active.id, settled=settled, on=funded_on)"
_LATE = "(input_context.day - given.on).days > DAYS_TO_RECORD"

ERRORS = {
    "more is refunded than was overpaid": [
        instead(Refund, "deal.overpaid", "self.amount"),
    ],
    "a refund is posted as a payment": [
        instead(ledger.Entry, "KINDS[self.kind].sign < 0", 'self.kind == "reversal"'),
    ],
    "a transfer loses its second half": [
        instead(Transfer, "posted(case, halves)", "posted(case, halves[:1])"),
    ],
    "more is transferred than is owed": [
        instead(Transfer, "owed", "self.amount"),
    ],
    "a transfer is doubled by a retry": [
        instead(Transfer, "not all(recorded)", "True"),
        instead(Transfer, "any(recorded)", "False"),
    ],
    "only the last of several reversals counts": [
        instead(
            ledger,
            "totals.get(entry.reverses, 0) + entry.amount.minor",
            "entry.amount.minor",
        ),
    ],
    "an unsettled reversal counts": [
        without(ledger.taken_back, "entry.settled"),
    ],
    "an entry stays unsettled": [
        without(remittances, "entry.settled and not earlier.settled"),
    ],
    "another content under an entry's id is a retry": [
        instead(postings, "evolve(held, settled=True) != evolve(entry, settled=True)", "False"),
    ],
    "a reversal reopens nothing": [
        instead(postings, "FUNDED in may_follow", "False"),
    ],
    "a shortfall reopens its deal with any entry": [
        instead(postings, "max(0, before.outstanding)", "0"),
    ],
    "a reversal makes a second deal active": [
        without(postings, "case.merchant.active_deal is None"),
    ],
    "a default is recovered though a part was written off": [
        without(postings, "not after.written_off.minor"),
    ],
    "a recovery that is taken back leaves the default recovered": [
        instead(postings, "before.status in {RECOVERED, SETTLED}", "before.status == SETTLED"),
    ],
    "a recovery leaves what was written off": [
        instead(ledger_operations, "taken_back <= 0", "True"),
    ],
    "a recovery takes back all that was written off": [
        instead(
            ledger_operations,
            "min(after.excess - before.excess, after.written_off.minor)",
            "after.written_off.minor",
        ),
    ],
    "more is written off than is left": [
        instead(WriteOff, "left", "self.amount"),
    ],
    "an active deal is written off": [
        instead(WriteOff, "deal.status == FUNDED", "False"),
    ],
    "the rest of an active deal is waived": [
        instead(WaiveRest, "deal.status != DEFAULTED", "False"),
    ],
    "less than the rest is waived": [
        instead(WaiveRest, "self.amount != left", "self.amount > left"),
    ],
    "more than the rest is waived": [
        instead(WaiveRest, "self.amount != left", "self.amount < left"),
    ],
    "what was written off is not waived": [
        instead(WaiveRest, "deal.outstanding + lost.minor", "deal.outstanding"),
    ],
    "what was written off is waived and stays written off": [
        instead(WaiveRest, "(_taken_back(lost, WRITE_OFF, case, deal, self.on),)", "()"),
    ],
    "a retry waives again": [
        instead(LedgerCommand, "not is_recorded(deal, self.entry)", "True"),
    ],
    "a waiver is posted as a write-off": [
        instead(LedgerCommand, "self.kind", "WRITE_OFF if self.kind == WAIVER else self.kind"),
    ],
    "what came in before a plan pays it": [
        instead(plans, "deal.remitted", "deal.settled"),
    ],
    "what bounced pays a plan": [
        instead(
            Plan,
            "max(0, remitted.minor - self.remitted_before.minor)",
            "abs(remitted.minor - self.remitted_before.minor)",
        ),
    ],
    "the last instalment is paid first": [
        instead(Plan, "self.instalments", "self.instalments[::-1]"),
    ],
    "a plan is past due since its last instalment": [
        instead(Deal.days_past_due, "min(unpaid, default=today)", "max(unpaid, default=today)"),
    ],
    "an instalment that is paid in part is not past due": [
        instead(Deal.days_past_due, "part.paid < part.amount", "not part.paid.minor"),
    ],
    "an instalment is past due on its day": [
        instead(
            Deal.days_past_due,
            "max(0, (today - min(unpaid, default=today)).days)",
            "max(0, (today - min(unpaid, default=today)).days + 1)",
        ),
    ],
    "more is planned than is left": [
        instead(plans, "deal.balance + deal.written_off", "deal.repayment_amount"),
    ],
    "what was written off is not planned": [
        instead(plans, "deal.balance + deal.written_off", "deal.balance"),
    ],
    "an active deal has a plan": [
        instead(plans, "deal.status != DEFAULTED", "False"),
        instead(evolve._plan_agreed, "deal.status != DEFAULTED", "False"),
    ],
    "a retry begins a plan anew": [
        instead(AgreePlan, "not _is_agreed(deal, self)", "True"),
    ],
    "another content under a plan's id is a retry": [
        instead(
            plans,
            "command.plan_id != last.id or command.instalments != last.instalments",
            "command.plan_id != last.id",
        ),
    ],
    "a plan that was replaced comes back": [
        instead(plans, "{last.id, *last.replaced}", "{last.id}"),
    ],
    "a plan outlives its default": [
        without(Deal.planned.fget, "self.status != DEFAULTED"),
    ],
    "a default that was undone keeps its plan": [
        instead(evolve._deal_reinstated, "plan is not None", "False"),
    ],
    "a default without a plan is not past due": [
        instead(derived_facts.days_past_due, "len(of_plans) == len(days)", "True"),
    ],
    "a payment that was taken back ends a silence": [
        instead(derived_facts._longest_silence, "entry.amount.minor > (taken_back or 0)", "True"),
    ],
    "a silence goes on after the end of a deal": [
        instead(
            derived_facts._counted_facts,
            "_longest_silence(deal, recent, last)",
            "_longest_silence(deal, recent, today)",
        ),
    ],
    "a chain counts the last renewal alone": [
        instead(fulfilment._renewals_after, "before + 1", "1"),
    ],
    "a renewal of a repaid deal has no chain": [
        instead(
            fulfilment._funding,
            "0 if base is None else _renewals_after(base)",
            "0 if active is None else _renewals_after(active)",
        ),
    ],
    "a month since the funding has thirty days": [
        instead(derived_facts.whole_months, "days * _MONTHS_A_YEAR // _DAYS_A_YEAR", "days // 30"),
    ],
    "a merchant is past due by its best plan": [
        instead(
            derived_facts.days_past_due,
            "max(of_plans, default=None)",
            "min(of_plans, default=None)",
        ),
    ],
    "a settled deal counts as recovered": [
        instead(postings, "DealSettled if after.waived.minor else DealRecovered", "DealRecovered"),
    ],
    "a payment that bounces leaves the waiver": [
        instead(remittances, "no_longer_waived(case, after)", "()"),
    ],
    "a payment that bounces leaves the deal settled": [
        instead(postings, "before.status in {RECOVERED, SETTLED}", "before.status == RECOVERED"),
    ],
    "the reversal of what was overpaid takes the waiver back": [
        instead(ledger_operations, "after.outstanding <= 0", "after.outstanding < 0"),
    ],
    "a settled deal is adjusted": [
        instead(Adjust, "{CANCELLED, SETTLED, UNWOUND}", "{CANCELLED, UNWOUND}"),
    ],
    "a settled default is forgotten": [
        instead(derived_facts, "deal.status in DEFAULTS", 'deal.status in DEFAULTS - {"Settled"}'),
    ],
    "an adjustment makes a merchant overpay": [
        instead(Adjust, "Money(left, currency)", "self.amount"),
    ],
    "an adjustment makes a deal cost more": [
        instead(Adjust, "room", "raised"),
    ],
    "a deal is unwound a day too late": [
        instead(
            unwinding,
            "(on - deal.funded_on).days > days or not days",
            "(on - deal.funded_on).days > days + 1",
        ),
    ],
    "the days are counted to the money, and not to the cancellation": [
        instead(UnwindDeal, "self.cancelled_on or self.on", "self.on"),
    ],
    "a merchant cancels after it gave the money back": [
        instead(
            input_checks,
            "0 <= (given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK",
            "(given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK",
        ),
    ],
    "a merchant gives the money back whenever it likes": [
        instead(
            input_checks,
            "0 <= (given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK",
            "0 <= (given.on - given.cancelled_on).days",
        ),
    ],
    "a merchant gives the money back a day too late": [
        instead(
            input_checks,
            "0 <= (given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK",
            "0 <= (given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK + 1",
        ),
    ],
    "a merchant cannot give the money back on the last day": [
        instead(
            input_checks,
            "0 <= (given.on - given.cancelled_on).days <= DAYS_TO_GIVE_BACK",
            "0 <= (given.on - given.cancelled_on).days < DAYS_TO_GIVE_BACK",
        ),
    ],
    "a merchant cancels before its deal is funded": [
        instead(input_checks, '_before_funding(given.cancelled_on, deals, "$.cancelled_on")', "()"),
    ],
    "a funding that is recorded later is of today": [
        instead(fulfilment._checked_day, "return on", "return case.day"),
    ],
    "a renewal settles its base deal when it is recorded": [
        instead(fulfilment._funding, _SETTLES, _SETTLES.replace("funded_on", "case.day")),
    ],
    "a deal is funded before its acceptance": [
        instead(fulfilment._checked_day, '[(accepted_on, "the acceptance")]', "[(on, 'itself')]"),
    ],
    "a deal is funded before an earlier one ended": [
        instead(fulfilment._checked_day, "deal.ended_on is not None", "False"),
    ],
    "a renewal settles what was paid after it": [
        instead(fulfilment._checked_day, "deal.recorded_until", "deal.funded_on"),
    ],
    "a funding is recorded of another day by a retry": [
        instead(FundDeal, "self.on not in {None, funded.funded_on}", "False"),
    ],
    "what happened is recorded a day too late": [
        instead(input_checks.late_record_errors, _LATE, f"{_LATE} + 1"),
    ],
    "what happened cannot be recorded on the last day": [
        instead(input_checks.late_record_errors, _LATE, _LATE.replace(">", ">=")),
    ],
    "what will happen is recorded": [
        instead(
            input_checks.late_record_errors, '_future_day(given.on, input_context, "$.on")', "()"
        ),
    ],
    "a deal ends early when that is recorded": [
        instead(CloseDeal, "self.on or case.day", "case.day"),
    ],
    "a deal ends before what it has": [
        instead(input_checks.ending_errors, "given.on < last", "False"),
    ],
    "a deal ends while a renewal of it ran": [
        instead(input_checks.ending_errors, "deal.base_deal_id == given.deal_id", "False"),
    ],
    "an end is recorded of another day by a retry": [
        instead(CloseDeal, "self.on not in {None, deal.closed_on}", "False"),
    ],
    "a deal is unwound after a later acceptance": [
        instead(unwinding, "merchant.fulfilments[place + 1 :]", "()"),
    ],
    "an unwound deal keeps its charge": [
        instead(unwinding, "[(CHARGE_CANCELLED, _charge_left(deal), None)]", "[]"),
    ],
    "an unwound renewal keeps what it settled": [
        instead(unwinding, "lines.append((SETTLEMENT, base.settled.minor, base.id))", "None"),
    ],
    "a renewal that is unwound gives back what it settled too": [
        instead(
            unwinding,
            "deal.outstanding - _charge_left(deal) - settled.minor",
            "deal.outstanding - _charge_left(deal)",
        ),
    ],
    "an unwound deal forgives a discount twice": [
        instead(unwinding, "0 if discount is None else discount.minor", "0"),
    ],
    "the base deal stays settled": [
        instead(evolve, "Money(0, base.repayment_amount.currency)", "base.settled"),
    ],
    "the gap of an unwound renewal counts as elapsed": [
        instead(evolve, "(*pauses, gap)", "pauses"),
    ],
    "a payout comes back of a deal with entries": [
        instead(unwinding, "deal.entries or deal.closed_entries is not None", "False"),
    ],
    "a payout comes back only while a deal can be unwound": [
        instead(
            unwinding._obstacles_to_return,
            "_followers(merchant, deal)",
            "_obstacles(merchant, deal, merchant.last_seen_at.date())",
        ),
    ],
    "all that was funded comes back, and not what was paid out": [
        instead(ReturnPayout, "deal.funded_amount - _settled(deal, base)", "deal.funded_amount"),
    ],
    "a payout that is said again to have come back is refused": [
        instead(ReturnPayout, "not is_recorded(deal, returned)", "True"),
    ],
    "the base deal of a returned payout stays renewed": [
        instead(unwinding._waiting_again, "None if base is None else base.id", "None"),
    ],
    "after a returned payout nothing is funded again": [
        instead(unwinding, "fulfilment is None", "True"),
    ],
    "a returned payout is still paid out": [
        instead(
            statement,
            "_cash(totals, PAID_OUT, -1, currency)",
            '_cash(totals, ("disbursement",), -1, currency)',
        ),
    ],
    "a settlement takes a minor unit less": [
        instead(
            early_settlement,
            "self.amount < quote.amount",
            "self.amount.minor < quote.amount.minor - 1",
        ),
    ],
    "a settlement forgets the discount": [
        instead(early_settlement, "quote.discount.minor", "False"),
    ],
    "a pause is a day longer": [
        instead(
            schedule,
            "(end - max(since, pause.on)).days",
            "(end - max(since, pause.on)).days + 1",
        ),
    ],
    "a pause never ends": [
        instead(schedule, "min(until, pause.until)", "until"),
    ],
    "a change of terms holds from the funding on": [
        instead(
            schedule,
            "(_share(share, since, term, elapsed), elapsed, change.term_days)",
            "(share, since, change.term_days)",
        ),
    ],
    "the schedule is changed before its last change": [
        instead(schedule_changes, "days and on < max(days)", "False"),
    ],
    "late remittances are always passed on": [
        without(remittances, "before.late_remittances != TRANSFER"),
    ],
    "more is passed on than the active deal takes": [
        instead(remittances, "min(late, active.balance.minor)", "late"),
    ],
    "what was to be refunded is passed on with a late remittance": [
        instead(
            remittances,
            "after.overpaid.minor - before.overpaid.minor",
            "after.overpaid.minor",
        ),
    ],
    "a funded renewal is cancelled": [
        instead(remittances, "deal.type == RENEWAL", "False"),
    ],
    "a default is undone though a part was written off": [
        instead(ReinstateDeal, "deal.written_off.minor", "False"),
    ],
    "a recovered default is forgotten": [
        instead(
            derived_facts,
            "deal.status in DEFAULTS",
            'deal.status in DEFAULTS - {"Recovered"}',
        ),
    ],
    "only repaid deals have a refund due": [
        instead(
            derived_facts,
            "deal.overpaid.minor",
            'deal.overpaid.minor if deal.status == "Repaid" else 0',
        ),
    ],
    "an ended deal keeps earning its pace": [
        instead(derived_facts.performance, "_last_day(deal, today)", "today"),
    ],
    "what a renewal settled is owed": [
        instead(Deal, "self.remitted.minor + self.settled.minor", "self.remitted.minor"),
    ],
    "a shortfall is still a balance": [
        instead(Deal, "self.outstanding if self.status in _OWING else 0", "self.outstanding"),
    ],
    "more cash is applied than is left of it": [
        instead(
            suspense,
            "check_at_most(command.amount, left, 'taken: that is left of the cash')",
            "None",
        ),
    ],
    "more cash is applied than is owed": [
        instead(
            suspense,
            "check_at_most(self.amount, owed, 'applied: that is owed on the deal')",
            "None",
        ),
    ],
    "cash is applied again by a retry": [
        instead(suspense._is_recorded, "return True", "return False"),
        instead(postings.is_recorded, "return True", "return False"),
    ],
    "cash that is applied stays in suspense": [
        instead(suspense, "posted(case, postings, (taken,))", "posted(case, postings)"),
    ],
    "cash that is applied reaches no deal": [
        instead(suspense, "posted(case, postings, (taken,))", "posted(case, (), (taken,))"),
    ],
    "cash pays a default as if it had not defaulted": [
        instead(suspense, "deal.status in DEFAULTS", "False"),
    ],
    "cash leaves what was written off": [
        instead(suspense, "no_longer_lost(deal, after, id_, self.on)", "()"),
    ],
    "what was written off takes no cash": [
        instead(suspense, "deal.outstanding + deal.written_off.minor", "deal.outstanding"),
    ],
    "another cash under the id of an entry is a retry": [
        instead(suspense, "held != entry", "False"),
    ],
    "cash that goes back raises what is held": [
        instead(SuspenseEntry, "-self.amount.minor", "self.amount.minor"),
    ],
    "cash that goes back is forgotten": [
        instead(Suspense, "left[id_] -= money", "pass"),
    ],
    "a statement leaves cash in suspense out": [
        instead(statement._suspense, "currency is None", "True"),
    ],
    "more is charged than a fee": [
        instead(fees, "check_at_most(charged, most, f'charged as `{self.fee}` now')", "None"),
    ],
    "fees are charged above their cap": [
        instead(fees, "min(whole.minor, left)", "whole.minor"),
    ],
    "a reversal is charged again": [
        instead(fees, "any((entry.about == asked.about for entry in charged))", "False"),
    ],
    "a payment that did not bounce is charged": [
        instead(fees, "reversal.kind != REVERSAL", "False"),
    ],
    "a default is charged again": [
        instead(fees, "terms.amount is not None and charged", "False"),
    ],
    "a default is charged that is over": [
        instead(fees, "deal.status != DEFAULTED", "False"),
    ],
    "interest is charged again for the same days": [
        instead(fees._interest_from, "*(entry.on for entry in charged)", "*()"),
    ],
    "interest runs on the day of the default": [
        instead(fees._interest, "(until - since).days", "(until - since).days + 1"),
    ],
    "interest runs on fees": [
        instead(fees._interest, "deal.outstanding", "deal.outstanding + deal.fees_owed.minor"),
    ],
    "a year of interest has 360 days": [
        instead(fees._interest, "HUNDRED_PERCENT * _YEAR", "HUNDRED_PERCENT * 360"),
    ],
    "more fees are waived than are owed": [
        instead(
            fees,
            "check_at_most(self.amount, deal.fees_owed, 'waived: that is owed in fees')",
            "None",
        ),
    ],
    "what pays a fee is refunded": [
        instead(Deal.overpaid.fget, "self.excess - self.fees", "self.excess"),
    ],
    "a fee counts to the repayment amount": [
        without(Deal.credited.fget, "kind not in FEES"),
    ],
    "a fee takes what is due to the merchant": [
        instead(fees, "deal.overpaid.minor", "False"),
    ],
    "what was written off comes after a fee": [
        instead(
            ledger_operations,
            "after.excess - before.excess",
            "after.overpaid.minor - before.overpaid.minor",
        ),
    ],
    "a deal is cancelled with a fee": [
        instead(remittances._ending, "deal.fees_owed.minor", "False"),
    ],
    "a default is settled that owes fees": [
        instead(WaiveRest, "deal.fees_owed.minor", "False"),
    ],
    "a settled deal is charged": [
        instead(fees, "{CANCELLED, SETTLED, UNWOUND}", "{CANCELLED, UNWOUND}"),
    ],
    "a fee is owed after the deal was undone": [
        instead(unwinding, "deal.fees_owed.minor", "False"),
    ],
    "a statement leaves what pays fees out of what is owed": [
        instead(deal_statement._deal, "deal.fees_owed.minor", "0"),
    ],
    "money is recorded on a clock that is years ahead": [
        instead(carry_out, "abs(elapsed(seen, at))", "elapsed(at, seen)"),
    ],
    "money is recorded on a clock that is years behind": [
        instead(carry_out, "abs(elapsed(seen, at))", "elapsed(seen, at)"),
    ],
}
# The steps after which the rarer errors show.
FAVOURED = {
    "cash pays a default as if it had not defaulted": ("default", "take_cash", "apply_cash"),
    "the rest of an active deal is waived": ("waive",),
    "less than the rest is waived": ("default", "waive"),
    "more than the rest is waived": ("default", "waive"),
    "what was written off is not waived": ("default", "write_off", "waive"),
    "what was written off is waived and stays written off": ("default", "write_off", "waive"),
    "a retry waives again": ("default", "waive", "repeat"),
    "a payment that bounces leaves the waiver": ("default", "waive", "reverse"),
    "a payment that bounces leaves the deal settled": ("default", "waive", "reverse"),
    "the reversal of what was overpaid takes the waiver back": (
        "default",
        "waive",
        "recover",
        "reverse",
    ),
    "a settled deal is adjusted": ("default", "waive", "adjust"),
    "a settled default is forgotten": ("default", "waive"),
    "a transfer is doubled by a retry": ("transfer", "repeat"),
    "a deal is unwound after a later acceptance": ("renew", "unwind"),
    "an unwound deal forgives a discount twice": ("settle_early", "reverse", "unwind"),
    "a deal ends while a renewal of it ran": ("pause", "renew", "return_payout", "default"),
    "a renewal settles what was paid after it": ("renew", "remit"),
    **dict.fromkeys(
        (
            "a funding that is recorded later is of today",
            "a renewal settles its base deal when it is recorded",
            "a deal is funded before its acceptance",
            "a deal is funded before an earlier one ended",
            "a funding is recorded of another day by a retry",
        ),
        ("renew", "remit", "return_payout"),
    ),
    **dict.fromkeys(
        (
            "what happened is recorded a day too late",
            "what happened cannot be recorded on the last day",
            "what will happen is recorded",
            "a deal ends early when that is recorded",
            "a deal ends before what it has",
            "an end is recorded of another day by a retry",
        ),
        ("default", "cancel"),
    ),
    **dict.fromkeys(
        (
            "the days are counted to the money, and not to the cancellation",
            "a merchant cancels after it gave the money back",
            "a merchant gives the money back whenever it likes",
            "a merchant gives the money back a day too late",
            "a merchant cannot give the money back on the last day",
            "a merchant cancels before its deal is funded",
        ),
        ("unwind",),
    ),
    "a default is undone though a part was written off": ("default", "write_off", "reinstate"),
    "a recovery takes back all that was written off": ("default", "write_off", "recover"),
    "a returned payout is still paid out": ("return_payout",),
    **dict.fromkeys(
        (
            "a default is charged again",
            "a default is charged that is over",
            "interest is charged again for the same days",
            "interest runs on the day of the default",
            "interest runs on fees",
            "a year of interest has 360 days",
        ),
        ("default", "charge", "recover"),
    ),
    **dict.fromkeys(
        (
            "more is charged than a fee",
            "fees are charged above their cap",
            "a reversal is charged again",
            "a payment that did not bounce is charged",
            "a fee counts to the repayment amount",
            "a fee takes what is due to the merchant",
        ),
        ("remit", "reverse", "charge"),
    ),
    "more fees are waived than are owed": ("reverse", "charge", "waive_fee"),
    "what pays a fee is refunded": ("reverse", "charge", "pay_all", "refund"),
    "what was written off comes after a fee": ("default", "charge", "write_off", "recover"),
    "a default is settled that owes fees": ("default", "charge", "waive"),
    "a settled deal is charged": ("reverse", "default", "waive", "charge"),
    "a deal is cancelled with a fee": ("reverse", "charge", "cancel"),
    "a fee is owed after the deal was undone": ("reverse", "charge", "unwind"),
    "cash leaves what was written off": ("default", "write_off", "apply_cash"),
    "what was written off takes no cash": ("default", "write_off", "apply_cash"),
    "cash is applied again by a retry": ("apply_cash", "repeat"),
    **dict.fromkeys(
        (
            "what came in before a plan pays it",
            "what bounced pays a plan",
            "the last instalment is paid first",
            "a plan is past due since its last instalment",
            "an instalment that is paid in part is not past due",
            "an instalment is past due on its day",
            "more is planned than is left",
            "an active deal has a plan",
            "a retry begins a plan anew",
            "another content under a plan's id is a retry",
            "a plan that was replaced comes back",
            "a plan outlives its default",
            "a default without a plan is not past due",
        ),
        ("default", "plan", "recover", "reverse", "repeat"),
    ),
    "a merchant is past due by its best plan": ("default", "plan", "reverse"),
    "what was written off is not planned": ("default", "write_off", "plan"),
    "a default that was undone keeps its plan": ("default", "plan", "reinstate"),
}
