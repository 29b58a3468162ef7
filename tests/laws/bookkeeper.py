"""
An independent bookkeeper of one merchant's deals, by double entry.

It was written from the decisions alone and shares nothing with the ledger of holdback. Every
movement takes its amount from one account and gives it to another. What a deal shows is read from
its accounts; what the term expects is a line of fractions. Amounts are in minor units.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

PERCENT = 1_000_000  # a percentage has four decimals, so 100% is this number
# Where the amount of a movement comes from, by kind. Every kind lowers what is owed, except those
# in RAISES; an adjustment may have either sign.
COMES_FROM = {
    "remittance": "cash", "payment": "cash", "recovery": "cash", "reversal": "cash",
    "refund": "cash", "transfer": "other deals", "settlement": "payoffs", "discount": "discounts",
    "waiver": "waived", "charge_cancelled": "cost", "adjustment": "adjustments",
    "write_off": "written off", "principal_return": "principal",
    "payout_return": "principal", "fee": "fees charged", "fee_waiver": "fees charged",
}  # fmt: skip
RAISES = {"reversal", "refund", "fee"}
FEES = {"fee", "fee_waiver"}  # owed beside the repayment amount
PAID_IN = {"remittance", "payment", "recovery"}
# The kinds that count to what was remitted, and so to progress and performance.
COUNTED = {"cash", "other deals"}
ENDED_BY_PAYMENT = {"Funded": "Repaid", "Defaulted": "Recovered"}


class Unbalanced(AssertionError):
    """The accounts do not add up: an error of the bookkeeper."""


@dataclass
class Movement:
    """One entry of a deal. *amount* is as the host says it; that of a transfer has its sign."""

    id: str
    on: date
    kind: str
    amount: int
    settled: bool = True
    reverses: str | None = None
    takings: int | None = None
    counterpart: str | None = None
    posted: bool = False
    fee: str | None = None
    about: str | None = None

    @property
    def lowers(self):
        """By how much it lowers what is owed; below zero, it raises that."""
        return -self.amount if self.kind in RAISES else self.amount

    @property
    def content(self):
        """What a repetition has to repeat; that it is settled may come later."""
        return (self.on, self.kind, self.amount, self.reverses, self.takings, self.counterpart)


@dataclass(eq=False)
class Deal:
    """A funded deal: its terms, its movements and the accounts that they move."""

    id: str
    type: str
    funded_on: date
    funded: int
    repayment: int
    term_days: int
    base: Deal | None = None
    cooling_off_days: int = 0
    late: str = "refund"
    settlement_percent: int = 0
    status: str = "Funded"
    closed_on: date | None = None
    payoffs: list = field(default_factory=list)
    paid_out: int = 0
    followed: bool = False  # a later application was accepted
    replaced: Deal | None = None  # the active deal that its funding ended
    application: str | None = None
    accepted_on: date | None = None
    movements: dict = field(default_factory=dict)
    pauses: list = field(default_factory=list)
    term_changes: list = field(default_factory=list)
    plans: dict = field(default_factory=dict)  # by id, in order: the days with their amounts
    paid_before: int = 0  # what had come in when the last plan was agreed
    accounts: Counter = field(default_factory=Counter)

    @property
    def renewals(self):
        """How many renewals in a row led to this deal, itself included."""
        return 0 if self.base is None else 1 + self.base.renewals

    # Accounts: a debit is above zero, so that all of them add up to nothing.

    def fund(self, settles):
        """Advance the principal, of which *settles* goes to the base deal."""
        self.paid_out = self.funded - settles
        self.accounts["owed"] += self.repayment
        self.accounts["cost"] -= self.repayment - self.funded
        self.accounts["principal"] -= self.funded - settles
        self.accounts["payoffs"] -= settles

    def move(self, lowers, account):
        """Lower what is owed by an amount that comes from *account*; below zero, raise it."""
        self.accounts[account] += lowers
        if lowers < 0:  # what was paid beyond the repayment amount comes back first
            back = max(lowers, self.accounts["due back"])
            unpaid = max(lowers - back, -self.fees_paid)
            parts = {"due back": back, "fees owed": unpaid, "owed": lowers - back - unpaid}
        else:
            part = min(lowers, self.accounts["owed"])
            fees = min(lowers - part, self.accounts["fees owed"])
            parts = {"owed": part, "fees owed": fees, "due back": lowers - part - fees}
        self.accounts.subtract(parts)
        self.check()

    def charge(self, amount):
        """Charge a fee; below zero, waive it."""
        self.accounts["fees owed"] += amount
        self.accounts["fees charged"] -= amount
        self.check()

    def check(self):
        """No balance is below zero, nothing is both owed and due back, and the sum is zero."""
        owed, due_back = self.accounts["owed"], self.overpaid
        both = owed and (due_back or self.fees_paid)
        if min(owed, due_back, self.fees_owed, self.fees_paid) < 0 or both:
            raise Unbalanced(f"{self.id}: {dict(self.accounts)}")
        if sum(self.accounts.values()) or (due_back and self.fees_owed):
            raise Unbalanced(f"{self.id}: {dict(self.accounts)}")

    def post(self):
        """Post every movement that counts now and was not posted yet."""
        for movement in self.movements.values():
            if not movement.posted and self.counts(movement):
                movement.posted = True
                if movement.kind in FEES:
                    self.charge(-movement.lowers)
                else:
                    self.move(movement.lowers, COMES_FROM[movement.kind])

    def counts(self, movement):
        """Only what is settled counts; a reversal, once its entry does."""
        taken_back = self.entry(movement.reverses)
        return movement.settled and (taken_back is None or taken_back.settled)

    # What the deal shows

    @property
    def owed(self):
        return self.accounts["owed"]

    @property
    def balance(self):
        return self.owed if self.status in ENDED_BY_PAYMENT else 0

    @property
    def shortfall(self):
        return 0 if self.status in ENDED_BY_PAYMENT else self.owed

    @property
    def overpaid(self):
        return -self.accounts["due back"]

    @property
    def fees_owed(self):
        return self.accounts["fees owed"]

    @property
    def fees_paid(self):
        return -self.accounts["fees charged"] - self.accounts["fees owed"]

    @property
    def excess(self):
        """What was paid beyond the repayment amount: of it, fees were paid first."""
        return self.overpaid + self.fees_paid

    def fees_of(self, key):
        return [one for one in self.movements.values() if one.kind == "fee" and one.fee == key]

    def interest(self, percent, until):
        """Interest on what was owed at the end of every day of the default, not charged yet."""
        since = max([self.closed_on, *(one.on for one in self.fees_of("interest"))])
        days = range(since.toordinal() + 1, until.toordinal() + 1)
        owed = sum(max(0, self.unpaid_on(date.fromordinal(day))) for day in days)
        return int(Fraction(owed * percent, 36_500))

    def unpaid_on(self, day):
        """What was owed of the repayment amount, as if what bounced had never come in."""
        moved = (
            one.lowers - self.taken_back(one.id, one.kind)
            for one in self.movements.values()
            if one.posted and one.on <= day and one.kind not in FEES | {"reversal"}
        )
        return self.repayment - self.settled - sum(moved)

    @property
    def written_off(self):
        return self.accounts["written off"]

    @property
    def waived(self):
        return self.accounts["waived"]

    @property
    def remitted(self):
        return sum(self.accounts[account] for account in COUNTED)

    @property
    def received(self):
        """What the merchant paid and the principal that it returned, less what went back to it."""
        return self.accounts["cash"] + self.accounts["principal"] + self.paid_out

    def owed_on(self, day):
        """What was owed at the end of *day*, by the days of the movements; negative if overpaid."""
        if day < self.funded_on:
            return 0
        posted = (one for one in self.movements.values() if one.posted and one.on <= day)
        settled = sum(amount for on, amount in self.payoffs if on <= day)
        return self.repayment - settled - sum(one.lowers for one in posted)

    @property
    def last_known(self):
        """The last day of which anything is known of the deal: money, or another schedule."""
        schedule = [day for pause in self.pauses for day in pause if day is not None]
        schedule += [day for day, _ in self.term_changes]
        return max([self.funded_on, *schedule, *(one.on for one in self.movements.values())])

    def entry(self, entry_id):
        """The entry with this id that the host gave first, or None."""
        return next((one for one in self.movements.values() if one.id == entry_id), None)

    def left_of(self, entry_id):
        """What reversals may still take back of an entry."""
        given_back = (one.amount for one in self.movements.values() if one.reverses == entry_id)
        return self.entry(entry_id).amount - sum(given_back)

    def taken_back(self, entry_id, kind):
        """What reversals that count took back of an entry of the merchant's payments."""
        if kind not in PAID_IN:
            return 0
        reversals = (one for one in self.movements.values() if one.reverses == entry_id)
        return sum(one.amount for one in reversals if one.posted)

    @property
    def progress(self):
        return min(PERCENT, max(0, self.remitted * PERCENT // self.repayment))

    def discount(self):
        """
        What an early settlement saves: a percentage of the remaining cost, half to even.

        What was saved before, by a payment that was taken back since, is not saved again.
        """
        saved = self.accounts["discounts"]
        remaining = Fraction((self.repayment - self.funded) * (self.owed + saved), self.repayment)
        return min(self.owed, max(0, round(remaining * self.settlement_percent / 100) - saved))

    @property
    def settled(self):
        """What a renewal paid, unless it was unwound."""
        return sum(amount for _, amount in self.payoffs)

    def pay_off(self, day, amount):
        """Settle an amount by the funds of a renewal; below zero, give it back."""
        self.payoffs.append((day, amount))
        self.move(amount, "payoffs")

    def payoff(self):
        """The line of what a renewal paid of this deal."""
        return [("settlement", self.closed_on, self.settled)] if self.settled else []

    # The plan of a default

    @property
    def plan(self):
        """The last plan, each day with what is due then and what of it came in since."""
        if not self.plans or self.status != "Defaulted":
            return []
        came_in, lines = self.remitted - self.paid_before, []
        for day, due in [*self.plans.values()][-1]:
            paid = sorted((0, due, came_in))[1]
            lines.append((day, due, paid))
            came_in -= paid
        return lines

    def past_due(self, today):
        """For how many days an instalment has been due and not paid; None without a plan."""
        waits = [(today - day).days for day, due, paid in self.plan if paid != due]
        return max([0, *waits]) if self.plan else None

    # The schedule

    @property
    def paused(self):
        return self.status == "Funded" and bool(self.pauses) and self.pauses[-1][1] is None

    @property
    def term(self):
        """The days of the term, without pauses."""
        return self.term_changes[-1][1] if self.term_changes else self.term_days

    def unpaused(self, day):
        """The days from the funding to *day* that were not in a pause."""
        first, last = self.funded_on.toordinal(), day.toordinal()
        over = self.last_day(day).toordinal()
        paused = set()
        for on, until in self.pauses:
            end = over if until is None else min(over, until.toordinal())
            paused.update(range(on.toordinal(), end))
        return last - first - len(paused)

    def expected(self, day):
        """What the term expects by *day*, as a fraction of a minor unit."""
        passed, term, since, so_far = self.unpaused(day), self.term_days, 0, Fraction(0)
        for on, term_days in self.term_changes:
            if on > day:
                break
            at = self.unpaused(on)
            so_far, since, term = self.line(so_far, since, term, at), at, term_days
        return self.line(so_far, since, term, passed)

    def line(self, so_far, since, term, at):
        """The height at *at* of the line from *so_far* at *since* to the whole at *term*."""
        if at >= term:
            return Fraction(self.repayment)
        return so_far + (self.repayment - so_far) * Fraction(at - since, term - since)

    def performance(self, today):
        """Remitted as a percentage of what is expected; None as long as nothing is."""
        expected = self.expected(self.last_day(today))
        if expected <= 0:
            return None
        return max(0, self.remitted * PERCENT * expected.denominator // expected.numerator)

    def last_day(self, today):
        """The day as of which the deal is judged: today, or its last one if it has ended."""
        if self.status == "Funded":
            return today
        paid = [one.on for one in self.movements.values() if one.posted and self.left_in(one)]
        return min(today, self.ended_on or max(paid, default=self.funded_on))

    def silence(self, today):
        """The most days in a row on which nothing was paid, in the 90 days before the last one."""
        last, longest, run = self.last_day(today), 0, 0
        paid_on = {
            one.on for one in self.movements.values() if one.posted and self.left_in(one) > 0
        }
        for ago in range(90, 0, -1):
            day = last - timedelta(days=ago)
            run = 0 if day < self.funded_on or day in paid_on else run + 1
            longest = max(longest, run)
        return longest

    def left_in(self, movement):
        """What the merchant paid with a movement, less what was taken back of it."""
        amount = movement.amount if movement.kind in PAID_IN else 0
        return amount - self.taken_back(movement.id, movement.kind)

    @property
    def ended_on(self):
        """The last day of the deal; that of a repaid deal is when its movements had paid it."""
        if self.status != "Repaid":
            return self.closed_on
        paid = Counter()
        for movement in self.movements.values():
            # What was written off and came in after all repaid nothing by being written off.
            undone = movement.kind == "write_off" and not self.written_off
            if movement.posted and movement.kind not in FEES | {"reversal"} and not undone:
                paid[movement.on] += movement.lowers - self.taken_back(movement.id, movement.kind)
        owed, last = self.repayment, None
        for day in sorted(paid):
            before, owed = owed, owed - paid[day]
            last = day if owed <= 0 < before else last
        return last if owed <= 0 else None


@dataclass
class Receipt:
    """Cash that came in without a deal, and what is left of it."""

    on: date
    amount: int
    left: int


@dataclass(eq=False)
class Suspense:
    """Cash without a deal: what came in from the bank, what is held, and what deals got of it."""

    receipts: dict = field(default_factory=dict)
    movements: dict = field(default_factory=dict)  # by id: the day and by how much the cash rises
    accounts: Counter = field(default_factory=Counter)

    def take_in(self, entry_id, on, amount):
        self.receipts[entry_id] = Receipt(on, amount, amount)
        self.move(entry_id, on, amount, "bank")

    def take_out(self, receipt_id, entry_id, on, amount, account):
        """Take cash of a receipt, which goes to the *account*: the bank, or the deals."""
        self.receipts[receipt_id].left -= amount
        self.move(entry_id, on, -amount, account)

    def move(self, entry_id, on, rises, account):
        self.movements[entry_id] = (on, rises)
        self.accounts[account] += rises
        self.accounts["held"] -= rises
        self.check()

    def check(self):
        """What is held is what is left of the receipts, and no receipt gave more than it has."""
        left = [receipt.left for receipt in self.receipts.values()]
        if min(left, default=0) < 0 or sum(left) != self.held or sum(self.accounts.values()):
            raise Unbalanced(f"suspense: {dict(self.accounts)}")

    @property
    def held(self):
        return -self.accounts["held"]

    def held_on(self, day):
        """What was held at the end of *day*, by the days of the movements."""
        return sum(rises for on, rises in self.movements.values() if on <= day)
