"""What the bookkeeper makes of every operation: refused with which codes, or which movements."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from bookkeeper import ENDED_BY_PAYMENT, PAID_IN, Movement, Suspense, Unbalanced

ENTRY_ENDINGS = {"defaulted": "Defaulted", "cancelled": "Cancelled"}
# What the host does not say: the bookkeeper alone receives it.
UNSPOKEN = {"deal", "knew"}
NOTHING = (False, False, False, 0, 0, 0)
DEFAULTS = {"Defaulted", "Recovered", "Settled"}
# The accounts of which one deal gives what another takes.
BETWEEN_DEALS = ("other deals", "payoffs")
FLOOR = 500_000
# The fees of the only product: after what, the amount or the percentage a year, and the caps as an
# amount and as a percentage of the repayment amount.
FEE_TERMS = {
    "returned": ("reversal", 300, None, 1_000, 1),
    "late": ("default", 500, None, 1_000, None),
    "interest": ("default", None, 12, None, 10),
}
DAY = timedelta(days=1)


class Refused(Exception):
    """The operation is refused, with one of some codes."""

    def __init__(self, *codes):
        super().__init__(*codes)
        self.codes = frozenset(codes)


class Bookkeeper:
    """All deals of one merchant. Amounts are in minor units and days are local."""

    def __init__(self):
        self.deals = {}
        self.suspense = Suspense()
        self.remembered = {}
        self.done = {}
        self.paid_out = {}  # the deals of the applications whose money did not come back
        self.today = None
        self.numbers = 0
        self.is_retry = False
        self.asked = {}

    # Requests

    def carry_out(self, request_id, operation, **content):
        """Carry out an operation; return the codes with which it is refused, or none."""
        self.is_retry, self.asked = False, {}
        asked = {name: value for name, value in content.items() if name not in UNSPOKEN}
        request = (operation, repr(sorted(asked.items())))
        if request_id in self.remembered:
            self.is_retry = again = self.remembered[request_id] == request
            return frozenset() if again else frozenset({"request_conflict"})
        try:
            getattr(self, operation)(**content)
        except Refused as refused:
            return refused.codes | self.codes_of_day(content)
        if not self.is_retry:
            self.remembered[request_id] = request
            self.done |= self.asked
        return frozenset()

    def is_repeated(self, deal_id, entry_id, *content):
        """Whether an entry's operation was carried out before, with the same content."""
        held = self.done.get((deal_id, entry_id))
        if held is not None and held != content:
            raise Refused("request_conflict")
        if held is None and self.deal(deal_id).entry(entry_id) is not None:
            raise Refused("request_conflict")
        self.is_retry = held is not None
        self.asked = {(deal_id, entry_id): content}
        return self.is_retry

    def deal(self, deal_id):
        if deal_id not in self.deals:
            raise Refused("deal_not_found")
        return self.deals[deal_id]

    @property
    def base(self):
        """The deal that a renewal would be based on: the active one, or the one repaid last."""
        repaid = [deal for deal in self.deals.values() if deal.status == "Repaid"]
        return self.active or max(
            repaid, key=lambda deal: deal.ended_on or deal.funded_on, default=None
        )

    @property
    def active(self):
        return next((deal for deal in self.deals.values() if deal.status == "Funded"), None)

    def codes_of_day(self, content):
        """Why the day of an operation is refused, which may be said before anything else."""
        names = ("deal_id", "from_deal_id", "to_deal_id")
        deals = [self.deals[content[name]] for name in names if content.get(name) in self.deals]
        on = content.get("on") or self.today
        cash = self.suspense.receipts.get(content.get("suspense_id"))
        begins = [deal.funded_on for deal in deals] + ([] if cash is None else [cash.on])
        possible = on <= self.today and all(first <= on for first in begins)
        if possible and content.get("cancelled_on") is not None:
            return self.codes_of_cancellation(content["cancelled_on"], on, *deals)
        return frozenset() if possible else frozenset({"invalid_request"})

    def check_day(self, on, *deals):
        if on > self.today or any(on < deal.funded_on for deal in deals):
            raise Refused("invalid_request")

    def check_late_day(self, on, *firsts):
        """What is recorded later happened within seven days, and not before what came first."""
        if not (self.today - 7 * DAY <= on <= self.today and all(first <= on for first in firsts)):
            raise Refused("invalid_request")

    def codes_of_cancellation(self, cancelled_on, on, *deals):
        """A merchant gives back what it had within thirty days of its cancellation."""
        possible = on - timedelta(days=30) <= cancelled_on <= on
        possible &= all(deal.funded_on <= cancelled_on for deal in deals)
        return frozenset() if possible else frozenset({"invalid_request"})

    # Postings

    def post(self, deal, *movements):
        """Post movements, and give the deal the status that follows from its balance."""
        for movement in movements:
            deal.movements[movement.kind, movement.id] = movement
        owed = deal.owed
        deal.post()
        if deal.status in ENDED_BY_PAYMENT and not deal.owed:
            if deal.status == "Defaulted" and deal.written_off:
                return
            settled = deal.status == "Defaulted" and deal.waived
            deal.status = "Settled" if settled else ENDED_BY_PAYMENT[deal.status]
        elif deal.owed > owed:
            if deal.status == "Repaid" and self.active is None:
                deal.status = "Funded"
            elif deal.status in {"Recovered", "Settled"}:
                deal.status = "Defaulted"

    # Entries that the merchant's payments make

    def record_remittance(self, deal_id, entries):
        """Record entries: dictionaries with the fields of a movement."""
        deal = self.deal(deal_id)
        was_ended = deal.status != "Funded"
        held, arrived = dict(deal.movements), []
        try:
            for entry in entries:
                arrived += self.entry(deal, movement_of(entry))
        except Refused:
            deal.movements = held
            raise
        self.is_retry = not arrived
        overpaid, excess, status = deal.overpaid, deal.excess, deal.status
        self.post(deal)
        beyond = min(deal.written_off, max(0, deal.excess - excess))
        if beyond:  # what was lost has come in: it was owed, and is not the merchant's
            self.numbers += 1
            deal.status = status
            self.post(deal, Movement(f"found {self.numbers}", self.today, "write_off", -beyond))
        if status == "Settled" and deal.owed:  # what was agreed has bounced, and with it the waiver
            self.numbers += 1
            asked_again = Movement(f"asked {self.numbers}", self.today, "waiver", -deal.waived)
            self.post(deal, asked_again)
        if was_ended:
            self.transfer_late(deal, deal.overpaid - overpaid)

    def entry(self, deal, entry):
        """Add one entry to the movements; return it if it is new, or settled only now."""
        held = deal.entry(entry.id)
        if held is not None:
            if held.content != entry.content:
                # That a reversal takes back more than its entry may be said first.
                raise Refused("request_conflict", *["invalid_request"][: held.kind == "reversal"])
            settles = entry.settled and not held.settled
            held.settled |= entry.settled
            return [held] if settles else []
        self.check_day(entry.on, deal)
        if entry.reverses is not None:
            self.check_reversal(deal, entry)
        deal.movements[entry.kind, entry.id] = entry
        return [entry]

    def check_reversal(self, deal, entry):
        original = deal.entry(entry.reverses)
        if original is None or original.kind not in PAID_IN or entry.on < original.on:
            raise Refused("invalid_request", "request_conflict")
        if entry.amount > deal.left_of(entry.reverses):
            raise Refused("invalid_request")

    def transfer_late(self, deal, late):
        """Pass on to the active deal what came in *late*, where the ended deal says so."""
        active = self.active
        if deal.late == "transfer" and active is not None and min(late, active.owed) > 0:
            self.numbers += 1
            amount = min(late, active.owed)
            self.both_halves(deal, active, f"late {self.numbers}", self.today, amount)

    def both_halves(self, giver, taker, entry_id, on, amount):
        self.post(giver, Movement(entry_id, on, "transfer", -amount, counterpart=taker.id))
        self.post(taker, Movement(entry_id, on, "transfer", amount, counterpart=giver.id))

    def record_recovery(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "recovery", on, amount):
            return
        if deal.status not in DEFAULTS:
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        beyond = min(deal.written_off, max(0, amount - deal.owed))
        taken_back = [Movement(entry_id, on, "write_off", -beyond)] if beyond else []
        self.post(deal, Movement(entry_id, on, "recovery", amount), *taken_back)

    # What agents put right

    def refund(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "refund", on, amount):
            return
        self.check_day(on, deal)
        if amount > deal.overpaid:
            raise Refused("amount_not_possible")
        self.post(deal, Movement(entry_id, on, "refund", amount))

    def transfer(self, from_deal_id, to_deal_id, entry_id, on, amount):
        giver, taker = self.deal(from_deal_id), self.deal(to_deal_id)
        if self.is_repeated(from_deal_id, entry_id, "transfer", to_deal_id, on, amount):
            return
        self.check_day(on, giver, taker)
        # What was written off is paid before fees are, and a transfer takes nothing of it back.
        fees = 0 if taker.written_off else taker.fees_owed
        if amount > min(giver.overpaid, taker.owed + fees):
            raise Refused("amount_not_possible")
        self.both_halves(giver, taker, entry_id, on, amount)

    def write_off(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "write_off", on, amount):
            return
        if deal.status == "Funded":
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        if amount > deal.owed:
            raise Refused("amount_not_possible")
        self.post(deal, Movement(entry_id, on, "write_off", amount))

    def waive_rest(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "waiver", on, amount):
            return
        if deal.status != "Defaulted":
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        if deal.fees_owed:
            raise Refused("not_possible_now")
        if amount != deal.owed + deal.written_off:
            raise Refused("amount_not_possible")
        lost = [Movement(entry_id, on, "write_off", -deal.written_off)] if deal.written_off else []
        self.post(deal, *lost, Movement(entry_id, on, "waiver", amount))

    def adjust(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "adjustment", on, amount):
            return
        self.check_day(on, deal)
        if (
            deal.status in {"Cancelled", "Unwound", "Settled"}
            or deal.overpaid
            or (deal.excess and amount > 0)
        ):
            raise Refused("not_possible_now")
        if deal.status == "Defaulted" and 0 < amount == deal.owed:
            raise Refused("not_possible_now")
        left = deal.owed - deal.excess
        if amount > deal.owed or (amount < 0 and left - amount > deal.repayment):
            raise Refused("amount_not_possible")
        self.post(deal, Movement(entry_id, on, "adjustment", amount))

    # Cash without a deal

    def record_suspense(self, entry_id, on, amount):
        if self.is_repeated_cash(entry_id, "in", on, amount):
            return
        self.check_day(on)
        self.suspense.take_in(entry_id, on, amount)

    def return_suspense(self, suspense_id, kind, entry_id, on, amount):
        if self.is_repeated_cash(entry_id, kind, suspense_id, on, amount):
            return
        self.check_cash(suspense_id, on, amount)
        self.suspense.take_out(suspense_id, entry_id, on, amount, "bank")

    def apply_suspense(self, suspense_id, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated_cash(entry_id, "applied", suspense_id, deal_id, on, amount):
            return
        if deal.entry(entry_id) is not None:
            raise Refused("request_conflict", "suspense_not_found")
        self.check_day(on, deal)
        self.check_cash(suspense_id, on, amount)
        if amount > max(0, deal.owed + deal.written_off + deal.fees_owed - deal.overpaid):
            raise Refused("amount_not_possible")
        self.suspense.take_out(suspense_id, entry_id, on, amount, "deals")
        kind = "recovery" if deal.status in DEFAULTS else "payment"
        beyond = min(deal.written_off, max(0, amount - deal.owed))
        taken_back = [Movement(entry_id, on, "write_off", -beyond)] if beyond else []
        self.post(deal, Movement(entry_id, on, kind, amount), *taken_back)

    def is_repeated_cash(self, entry_id, *content):
        """Whether a movement of cash without a deal was recorded before, with this content."""
        held = self.done.get(("cash", entry_id))
        if held is not None and held != content:
            raise Refused("request_conflict")
        self.is_retry = held is not None
        self.asked = {("cash", entry_id): content}
        return self.is_retry

    def check_cash(self, suspense_id, on, amount):
        cash = self.suspense.receipts.get(suspense_id)
        if cash is None:
            raise Refused("suspense_not_found")
        if on < cash.on or on > self.today:
            raise Refused("invalid_request")
        if amount > cash.left:
            raise Refused("amount_not_possible")

    # Fees

    def charge_fee(self, deal_id, entry_id, on, fee, about=None, amount=None):
        deal = self.deal(deal_id)
        held = deal.entry(entry_id)
        charged_before = amount if amount is not None or held is None else held.amount
        if self.is_repeated(deal_id, entry_id, "fee", on, fee, about, charged_before):
            return
        self.check_day(on, deal)
        charged, terms = deal.fees_of(fee), FEE_TERMS.get(fee)
        if terms is None or deal.overpaid or deal.status in {"Cancelled", "Settled", "Unwound"}:
            raise Refused("fee_not_allowed")
        after, whole, percent, most, share = terms
        back = deal.entry(about) if about is not None else None
        if after == "reversal":
            bounced = back is not None and back.kind == "reversal" and back.settled
            if not bounced or on < back.on or any(one.about == about for one in charged):
                raise Refused("fee_not_allowed")
        elif (
            deal.status != "Defaulted"
            or about is not None
            or on < deal.closed_on
            or (whole is not None and charged)
        ):
            raise Refused("fee_not_allowed")
        if whole is None:
            whole = deal.interest(percent, on)
        cap = min(one for one in (most, share and deal.repayment * share // 100) if one is not None)
        possible = min(whole, cap - sum(one.amount for one in charged))
        if possible <= 0:
            raise Refused("fee_not_allowed")
        if amount is not None and amount > possible:
            raise Refused("amount_not_possible")
        taken = possible if amount is None else amount
        self.asked = {(deal_id, entry_id): ("fee", on, fee, about, taken)}
        self.post(deal, Movement(entry_id, on, "fee", taken, fee=fee, about=about))

    def waive_fee(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "fee_waiver", on, amount):
            return
        self.check_day(on, deal)
        if amount > deal.fees_owed:
            raise Refused("amount_not_possible")
        self.post(deal, Movement(entry_id, on, "fee_waiver", amount))

    # Endings

    def close_deal(self, deal_id, status, on=None):
        deal = self.deal(deal_id)
        if deal.status == ENTRY_ENDINGS[status]:
            if on not in {None, deal.closed_on}:
                raise Refused("request_conflict")
            self.is_retry = True
            return
        if on is not None:
            renewals = [one for one in self.deals.values() if one.replaced is deal]
            ends = [one.closed_on for one in renewals if one.closed_on is not None]
            self.check_late_day(on, deal.last_known, *ends)
        if deal.status != "Funded" or (status == "cancelled" and deal.type == "Renewal"):
            raise Refused("not_possible_now")
        if status == "cancelled" and deal.fees_owed:
            raise Refused("not_possible_now")
        deal.status, deal.closed_on = ENTRY_ENDINGS[status], on or self.today
        if status == "cancelled" and deal.owed:
            self.post(deal, Movement("waiver", deal.closed_on, "waiver", deal.owed))

    def reinstate_deal(self, deal_id):
        deal = self.deal(deal_id)
        if deal.status not in {"Defaulted", "Recovered"}:
            self.is_retry = True
            return
        if self.active is not None:
            raise Refused("not_possible_now", "active_deal")
        if deal.written_off:
            raise Refused("not_possible_now")
        deal.status, deal.closed_on = "Funded", None
        if deal.plans:  # nothing was to be planned
            deal.plans[[*deal.plans][-1]] = []
        self.post(deal)

    def agree_plan(self, deal_id, plan_id, instalments):
        """Agree on the days of what is left of a default, in place of what was agreed before."""
        deal = self.deal(deal_id)
        if plan_id in deal.plans:
            if plan_id != [*deal.plans][-1] or deal.plans[plan_id] != instalments:
                raise Refused("request_conflict")
            self.is_retry = True
            return
        days = [self.today, *(day + DAY for day, _ in instalments)]
        if any(soon <= now for now, soon in pairwise(days)):
            raise Refused("invalid_request")
        if deal.status != "Defaulted" or not (instalments or deal.plan):
            raise Refused("not_possible_now")
        if sum(due for _, due in instalments) > deal.owed + deal.written_off:
            raise Refused("amount_not_possible")
        deal.plans[plan_id], deal.paid_before = instalments, deal.remitted

    def past_due(self, today):
        """The most days of all defaults; unknown without any, or where one has no plan."""
        days = [d.past_due(today) for d in self.deals.values() if d.status == "Defaulted"]
        return None if None in days else max(days, default=None)

    def trouble(self):
        """What a lender looks at before it pays out more: of each deal six things."""
        return {
            deal.id: (
                deal.status == "Defaulted", deal.status in DEFAULTS, deal.status == "Funded",
                deal.written_off, deal.shortfall, deal.overpaid,
            )
            for deal in self.deals.values()
        }  # fmt: skip

    def fund_deal(self, application_id, deal, knew, on=None):
        """Fund a deal, unless more is known against the merchant than when it was offered."""
        paid = self.paid_out.get(application_id)
        if paid is not None:
            if on not in {None, paid.funded_on}:
                raise Refused("request_conflict")
            self.is_retry = True
            return
        if on is not None:
            ends = [one.ended_on for one in self.deals.values() if one.ended_on is not None]
            settled = [self.active.last_known] if self.active is not None else []
            self.check_late_day(on, deal.accepted_on, *ends, *settled)
        for name, now in self.trouble().items():
            if any(is_ > was for is_, was in zip(now, knew.get(name, NOTHING), strict=True)):
                raise Refused("referred")
        settles, base = 0, deal.base
        if base is not None:
            settles = self.settle_base(base, deal)
        elif self.active is not None:
            raise Refused("not_possible_now", "active_deal")
        self.deals[deal.id] = self.paid_out[application_id] = deal
        deal.application = application_id
        deal.fund(settles)

    def settle_base(self, base, deal):
        if base.status not in {"Funded", "Repaid"} or base.progress < FLOOR:
            raise Refused("not_possible_now")
        if self.active not in {None, base}:
            raise Refused("not_possible_now", "active_deal")
        settles = min(base.owed, deal.funded) if base.status == "Funded" else 0
        if base.status == "Funded":
            base.status, base.closed_on, deal.replaced = "Renewed", deal.funded_on, base
            base.pay_off(deal.funded_on, settles)
        return settles

    def unwind_deal(self, deal_id, entry_id, on, amount, cancelled_on=None):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "unwind", on, amount):
            return
        if deal.status not in {"Funded", "Repaid"} or deal.fees_owed:
            raise Refused("not_possible_now")
        cancelled_on = cancelled_on or on
        if refused := self.codes_of_cancellation(cancelled_on, on, deal):
            raise Refused(*refused)
        if deal.followed or cancelled_on > deal.funded_on + timedelta(days=deal.cooling_off_days):
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        if amount != self.due_at_unwinding(deal):
            raise Refused("amount_not_possible")
        self.undo(deal, Movement(entry_id, on, "principal_return", amount))

    def return_payout(self, deal_id, entry_id, on):
        """Undo a funding whose money came back, unless something happened to the deal since."""
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "returned payout", on):
            return
        if deal.status != "Funded" or deal.movements or deal.followed or not deal.paid_out:
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        self.undo(deal, Movement(entry_id, on, "payout_return", deal.paid_out))
        del self.paid_out[deal.application]
        deal.paid_out = 0  # the merchant never had it

    def undo(self, deal, money):
        """End a deal by the *money* that came back, and give its base deal what it had settled."""
        on, deal.status, deal.closed_on = money.on, "Unwound", money.on
        settles, base = deal.funded - deal.paid_out, deal.base
        settled = [Movement(money.id, on, "settlement", settles)] if settles else []
        self.post(deal, money, *settled)
        charge = deal.repayment - deal.funded - deal.accounts["discounts"]
        self.post(deal, Movement(money.id, on, "charge_cancelled", charge))
        if base is not None and base.status == "Renewed":
            self.revive(base, settles, on)

    def due_at_unwinding(self, deal):
        """The principal that the merchant still has: funded less settled less paid or forgiven."""
        forgiven = deal.accounts["adjustments"] + deal.written_off
        return max(0, deal.paid_out - deal.remitted - forgiven)

    def revive(self, base, settles, on):
        """Make the base deal of an unwound renewal the active one again."""
        if not base.pauses or base.pauses[-1][1] is not None:
            base.pauses.append([base.closed_on, on])
        base.status, base.closed_on = "Funded", None
        base.pay_off(on, -settles)
        self.post(base)

    def settle_early(self, deal_id, entry_id, on, amount):
        deal = self.deal(deal_id)
        if self.is_repeated(deal_id, entry_id, "settle", on, amount):
            return
        if deal.status != "Funded":
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        discount = deal.discount()
        if amount < deal.owed - discount:
            raise Refused("amount_not_possible")
        saved = [Movement(entry_id, on, "discount", discount)] if discount else []
        self.post(deal, Movement(entry_id, on, "payment", amount), *saved)

    # Hardship

    def pause_deal(self, deal_id, on):
        deal = self.deal(deal_id)
        if deal.pauses and deal.pauses[-1] == [on, None]:
            self.is_retry = True
            return
        if deal.status != "Funded" or (deal.pauses and deal.pauses[-1][1] is None):
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        self.check_schedule(deal, on)
        deal.pauses.append([on, None])

    def resume_deal(self, deal_id, on):
        deal = self.deal(deal_id)
        if deal.pauses and deal.pauses[-1][1] == on:
            self.is_retry = True
            return
        if deal.status != "Funded" or not deal.pauses or deal.pauses[-1][1] is not None:
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        self.check_schedule(deal, on)
        deal.pauses[-1][1] = on

    def change_terms(self, deal_id, on, term_days):
        deal = self.deal(deal_id)
        if deal.term_changes and deal.term_changes[-1] == (on, term_days):
            self.is_retry = True
            return
        if deal.status != "Funded":
            raise Refused("not_possible_now")
        self.check_day(on, deal)
        self.check_schedule(deal, on)
        if term_days <= deal.unpaused(on):
            raise Refused("not_possible_now")
        deal.term_changes.append((on, term_days))

    def check_schedule(self, deal, on):
        """A schedule that was changed from a day on is not changed before it any more."""
        changed = [day for pause in deal.pauses for day in pause if day is not None]
        if any(on < day for day in [*changed, *(day for day, _ in deal.term_changes)]):
            raise Refused("not_possible_now")

    # Figures of the merchant

    def check(self):
        """Nothing moves between deals without its counterpart, and all accounts balance."""
        for deal in self.deals.values():
            deal.check()
        self.suspense.check()
        for account in BETWEEN_DEALS:
            if sum(deal.accounts[account] for deal in self.deals.values()):
                raise Unbalanced(f"{account}: {[deal.accounts for deal in self.deals.values()]}")

    def counts(self):
        """The facts about the merchant that are counted from its deals."""
        deals = self.deals.values()

        def having(*statuses):
            return sum(deal.status in statuses for deal in deals)

        return {
            "deals_completed": having("Repaid", "Renewed"),
            "deals_defaulted": having(*DEFAULTS),
            "deals_recovered": having("Recovered"),
            "deals_written_off": sum(deal.written_off > 0 for deal in deals),
            "refunds_due": sum(deal.overpaid for deal in deals),
            "fees_owed": sum(deal.fees_owed for deal in deals),
        }

    def statement(self, since, until):
        """What is owed before *since* and after *until*, and all that was paid out and received."""
        deals = self.deals.values()
        return {
            "opening": self.owed_on(since - DAY),
            "closing": self.owed_on(until),
            "held": self.suspense.held_on(until),
            "paid_out": sum(deal.paid_out for deal in deals),
            "received": sum(deal.received for deal in deals) + self.suspense.held,
        }

    def owed_on(self, day):
        """What was owed on all deals at the end of *day*, less the cash that was held."""
        owed = sum(deal.owed_on(day) for deal in self.deals.values())
        return owed - self.suspense.held_on(day)


def movement_of(entry):
    """The movement that an *entry* of the merchant's payments is."""
    kind = "remittance" if entry.get("reverses") is None else "reversal"
    return Movement(**{"kind": kind} | entry)
