"""Deals and the entries that pay them down (service 2.5).

Entries are kept sorted by day and id, so that any order of delivery between two changes of status
gives the same deal (decisions/deals).

INVARIANT: repayment_amount + fees + overpaid == remitted + settled + credited + balance + shortfall
+ fees_owed, where `fees` are those charged, less those waived; `settled` is what a renewal
paid, and `credited` are the kinds that were not remitted, without fees
(decisions/money-after-funding#the-ledger)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import groupby, takewhile
from json.encoder import encode_basestring as quoted
from typing import Any, Final

from attrs import evolve

from holdback.exact.exact_numbers import HUNDRED_PERCENT
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.merchant.fee_terms import FeeTerms
from holdback.merchant.ledger import (
    FEE,
    FEES,
    KINDS,
    SETTLEMENT,
    WAIVER,
    WRITE_OFF,
    Entry,
    EntryTotals,
    added,
    credits_of,
    in_order,
    merged,
    taken_back,
    with_new,
)
from holdback.merchant.plan import Plan, PlannedInstalment
from holdback.merchant.rows import Rows
from holdback.merchant.schedule import Pause, TermsChange
from holdback.tool_named import shown_by, tool_named

# The statuses of a deal, then its types below. Of these words the service gives `Funded` and
# `Initial` (service 2.5); the others are holdback's (decisions/deals).
FUNDED: Final = "Funded"
REPAID: Final = "Repaid"
RENEWED: Final = "Renewed"
DEFAULTED: Final = "Defaulted"
CANCELLED: Final = "Cancelled"
RECOVERED: Final = "Recovered"
UNWOUND: Final = "Unwound"
SETTLED: Final = "Settled"
# A prepared fact holds the place of a status, so a new one goes to the end.
STATUSES: Final = (FUNDED, REPAID, RENEWED, DEFAULTED, CANCELLED, RECOVERED, UNWOUND, SETTLED)
# A default stays one, however it ended.
DEFAULTS: Final = frozenset({DEFAULTED, RECOVERED, SETTLED})
# Of a deal that has one of these, what is left to pay is its balance.
_OWING: Final = frozenset({FUNDED, DEFAULTED})
INITIAL: Final = "Initial"
RENEWAL: Final = "Renewal"
TYPES: Final = (INITIAL, RENEWAL)


@frozen(kw_only=True)
class Deal:
    """
    A funded offer and its ledger, as a merchant's state holds it.

    `funded_on` is a local date of the jurisdiction. `settled` is the part that the funding of a
    renewal paid. `complete_through` is the last day for which the host has declared the history of
    remittances complete, None if it never has. `closed_entries` are the totals of the entries that
    are no longer held (decisions/documents).

    `base_deal_id` is the deal that its funding renewed. `product` of the rulebook of the day
    `priced_on` decides what settling it early costs; `cooling_off_days` and `late_remittances` are
    those of the jurisdiction at the funding, None where its rules were not loaded. `fee_terms` are
    the fees that the accepted offer allows. `plan` is the last one that was agreed after a default.
    `renewals` is the number of renewals in a row that led to it, itself included; 0 of a renewal
    that was stored before there was such a number.
    """

    id: str
    application_id: str
    type: str
    status: str = FUNDED
    funded_on: date
    funded_amount: Money
    repayment_amount: Money
    factor_rate: Decimal
    split_percentage: Decimal
    term_length: Decimal
    term_days: int
    settled: Money
    closed_on: date | None = None
    entries: Sequence[Entry] = ()
    complete_through: date | None = None
    closed_entries: EntryTotals | None = None
    base_deal_id: str | None = None
    product: str | None = None
    priced_on: date | None = None
    cooling_off_days: int | None = None
    late_remittances: str | None = None
    pauses: tuple[Pause, ...] = ()
    terms_changes: tuple[TermsChange, ...] = ()
    fee_terms: tuple[FeeTerms, ...] = ()
    plan: Plan | None = None
    renewals: int = 0

    def __repr__(self) -> str:
        return shown_by("merchants.deal_repr", self)

    def _repr_html_(self) -> str:
        return shown_by("merchants.deal_html", self)

    def plot(self, on: date, renewal_from: str = "50%", *, width: int | None = None) -> Any:
        """
        Return the picture, an Altair chart, of what was remitted until the day *on*, and the pace.

        A renewal is assessed from the percentage *renewal_from* on, `50%` or what the rules say.
        """
        return tool_named("displays.deal_days.deal_picture")(self, on, renewal_from, width)

    # Derived from the entries, and worked out once, because eligibility reads them many times. A
    # state that is read has `remitted`, `credits` and `repaid_on` already.

    @cached_property
    def taken_back(self) -> Mapping[str, int]:
        """How much settled reversals took back, in minor units by the id of the entry."""
        return FrozenMapping(taken_back(self.entries))

    @cached_property
    def counted(self) -> tuple[tuple[Entry, int], ...]:
        """
        The entries that count, in order, each with what it lowers what is owed by.

        Of one that was reversed in part the rest counts; one that was reversed whole does not.
        """
        back = self.taken_back
        return tuple(
            [
                (entry, entry.signed - back.get(entry.id, 0))
                for entry in self.entries
                if entry.settled
                and entry.reverses is None
                and (entry.id not in back or entry.amount.minor > back[entry.id])
            ]
        )

    @cached_property
    def remitted(self) -> Money:
        """What the merchant has paid, less what was taken back or given back."""
        total = sum([net for entry, net in self.counted if KINDS[entry.kind].remitted])
        if self.closed_entries is not None:
            total += self.closed_entries.remitted.minor
        return Money(total, self.repayment_amount.currency)

    @cached_property
    def credits(self) -> Mapping[str, Money]:
        """The sums, by kind, of the entries that lower what is owed without being remitted."""
        before = {} if self.closed_entries is None else self.closed_entries.credits
        return FrozenMapping(added(before, credits_of(self.entries)))

    @property
    def credited(self) -> int:
        """The sum of the `credits` to the repayment amount, in minor units."""
        return sum(money.minor for kind, money in self.credits.items() if kind not in FEES)

    @property
    def ledger(self) -> tuple[Entry, ...]:
        """
        All entries that are held, in order, with the settlement by a renewal.

        INVARIANT: with the `closed_entries`, the settled ones add up to repayment_amount - balance
        - shortfall - fees_owed + overpaid. A reversal of an entry that has not settled does
        not count yet.
        """
        if self.closed_on is None or not self.settled.minor:
            return in_order(self.entries)
        # It has no place of its own among the entries that are held.
        settled = Entry(id=SETTLEMENT, on=self.closed_on, amount=self.settled, kind=SETTLEMENT)
        return in_order([*self.entries, settled])

    @property
    def active(self) -> bool:
        """Whether this is the merchant's one active deal."""
        return self.status == FUNDED

    @property
    def renewals_in_chain(self) -> int | None:
        """How many renewals in a row led to this deal; None where the state does not say it."""
        return self.renewals if self.renewals or self.type == INITIAL else None

    @property
    def paused(self) -> bool:
        """Whether its repayment is paused: a pause ends with its deal."""
        return self.active and bool(self.pauses) and self.pauses[-1].until is None

    @property
    def currency(self) -> str:
        """The currency code of the deal's amounts."""
        return self.repayment_amount.currency.code

    @property
    def outstanding(self) -> int:
        """The amount left to pay, in minor units; negative if more was paid than owed."""
        paid = self.remitted.minor + self.settled.minor
        return self.repayment_amount.minor - paid - (self.credited if self.credits else 0)

    def _positive(self, minor: int) -> Money:
        return Money(max(0, minor), self.repayment_amount.currency)

    @property
    def balance(self) -> Money:
        """The amount that the merchant owes on this deal; never negative."""
        return self._positive(self.outstanding if self.status in _OWING else 0)

    @property
    def overpaid(self) -> Money:
        """The amount paid beyond what was owed: it is to be refunded or transferred."""
        return self._positive(self.excess - self.fees)

    @property
    def excess(self) -> int:
        """What was paid beyond the repayment amount, in minor units: it pays fees first."""
        return max(0, -self.outstanding)

    @property
    def fees(self) -> int:
        """The fees that were charged, less those that were waived, in minor units."""
        return -sum(money.minor for kind, money in self.credits.items() if kind in FEES)

    @property
    def fees_owed(self) -> Money:
        """
        The fees that are left to pay, in every status of the deal.

        What is paid pays the repayment amount first, and then fees
        (decisions/money-after-funding#fees).
        """
        return self._positive(self.fees - self.excess if self.credits else 0)

    @property
    def shortfall(self) -> Money:
        """The amount that is left to pay on a deal that has ended."""
        owed = 0 if self.status in _OWING else self.outstanding
        return self._positive(owed)

    @property
    def waived(self) -> Money:
        """The amount that a cancelled deal, or one settled for less, no longer asks for."""
        return self.credits.get(WAIVER, self._positive(0))

    @property
    def written_off(self) -> Money:
        """The amount that was given up as lost, less what was recovered after it."""
        return self.credits.get(WRITE_OFF, self._positive(0))

    @property
    def planned(self) -> tuple[PlannedInstalment, ...]:
        """
        The instalments of the plan, each with what of it is paid; none while no plan runs.

        A plan runs while its deal is in default.
        """
        if self.plan is None or self.status != DEFAULTED:
            return ()
        return tuple(self.plan.paid(self.remitted))

    def days_past_due(self, today: date) -> int | None:
        """
        Return the days since the oldest instalment was due that is not paid in full.

        It is 0 where nothing is past due, and None while no plan runs.
        """
        planned = self.planned
        if not planned:
            return None
        unpaid = (part.due_on for part in planned if part.paid < part.amount)
        return max(0, (today - min(unpaid, default=today)).days)

    @property
    def progress(self) -> int:
        """
        The paid-down percentage, scaled by 10**4 and rounded down, from 0 to 100 percent.

        Remittances alone count, not what a renewal settled (decisions/rule-language). Refunds
        and reversals may come to more than was remitted, when a part of it was written off: that is
        0 percent.
        """
        paid = max(0, self.remitted.minor)
        return min(HUNDRED_PERCENT, paid * HUNDRED_PERCENT // self.repayment_amount.minor)

    @property
    def recorded_until(self) -> date:
        """The last day of which something is recorded: the funding, entries, the schedule."""
        days = [self.funded_on, *(change.on for change in self.terms_changes)]
        days += [pause.until or pause.on for pause in self.pauses]
        days += [self.entries[-1].on] if self.entries else []
        return max([*days, *([self.closed_entries.through] if self.closed_entries else [])])

    @property
    def ended_on(self) -> date | None:
        """The day on which the deal ended; None while it is active."""
        return self.repaid_on if self.status == REPAID else self.closed_on

    @cached_property
    def repaid_on(self) -> date | None:
        """The day of the entry that completed the repayment amount; None before it."""
        if self.outstanding > 0:
            return None
        paid, day = self.settled.minor, None
        # A write-off that a recovery took back repaid nothing, nor does a fee.
        without = FEES if self.written_off.minor else FEES | {WRITE_OFF}
        closed = self.closed_entries
        if closed is not None:
            credited = (
                money.minor for kind, money in closed.credits.items() if kind not in without
            )
            paid += closed.remitted.minor + sum(credited)
            day = closed.repaid_on
        # A day counts as a whole: a late remittance may be transferred on the day it arrives.
        for on, lines in groupby(self.counted, key=lambda line: line[0].on):
            paid += sum(net for entry, net in lines if entry.kind not in without)
            if paid < self.repayment_amount.minor:
                day = None
            elif day is None:
                day = on
        return day

    def entry_of(self, entry_id: str) -> Entry | None:
        """Return the entry that is held with *entry_id*, None if there is none."""
        if not isinstance(self.entries, Rows):
            return self._by_id.get(entry_id)
        # Of stored rows few are made.
        rows = self.entries.mentioning(quoted(entry_id))
        return next((entry for entry in rows if entry.id == entry_id), None)

    @cached_property
    def _by_id(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.entries}

    def entries_since(self, day: date) -> list[tuple[Entry, int | None]]:
        """
        Return the entries from *day* on, newest first, each with what was taken back of it.

        What was taken back is in minor units, None if the entry was not reversed.
        """
        recent = list(takewhile(lambda entry: entry.on >= day, reversed(self.entries)))
        # A reversal is of the day of its entry or a later one, so none of an earlier day is missed.
        back = taken_back(recent)
        return [(entry, back.get(entry.id)) for entry in recent]

    def with_entries(self, entries: Sequence[Entry], complete_through: date | None = None) -> Deal:
        """Return this deal with *entries* recorded, and its history complete as far as declared."""
        through = later(self.complete_through, complete_through)
        new = entries[0] if len(entries) == 1 else None
        if new is None or new.reverses is not None or self.entry_of(new.id) is not None:
            recorded = merged({entry.id: entry for entry in self.entries}, entries)
            return evolve(self, entries=in_order(recorded.values()), complete_through=through)
        after = evolve(self, entries=with_new(self.entries, entries), complete_through=through)
        # One entry, as most often: it is added to the sums that are known.
        paid = new.signed if new.settled and KINDS[new.kind].remitted else 0
        remitted = Money(self.remitted.minor + paid, self.repayment_amount.currency)
        object.__setattr__(after, "remitted", remitted)
        credited = added(self.credits, credits_of(entries))
        object.__setattr__(after, "credits", FrozenMapping(credited))
        return after

    def closed_through(self, day: date) -> Deal:
        """
        Return this deal without its entries up to *day*, of which the totals are kept.

        An unsettled entry stays, because it may still settle, and so does one that a later entry
        takes back.
        """
        later_reversals = {entry.reverses for entry in self.entries if not _closes(entry, day)}
        closing = [
            entry
            for entry in self.entries
            if _closes(entry, day) and entry.id not in later_reversals
        ]
        # The reversals of an entry that stays do too: what they took back is known from them.
        staying = {entry.id for entry in self.entries} - {entry.id for entry in closing}
        closing = [entry for entry in closing if entry.reverses not in staying]
        closed_ids = {entry.id for entry in closing}
        counted = [(entry, net) for entry, net in self.counted if entry.id in closed_ids]
        before = self.closed_entries
        remitted = sum(net for entry, net in counted if KINDS[entry.kind].remitted)
        last_on = max((entry.on for entry, _ in counted if entry.pays), default=None)
        repaid_on = self.repaid_on
        return evolve(
            self,
            entries=tuple(entry for entry in self.entries if entry.id not in closed_ids),
            closed_entries=EntryTotals(
                through=day if before is None else max(day, before.through),
                remitted=Money(
                    remitted + (before.remitted.minor if before else 0),
                    self.repayment_amount.currency,
                ),
                last_on=later(before.last_on if before else None, last_on),
                repaid_on=repaid_on if repaid_on is not None and repaid_on <= day else None,
                credits=added(before.credits if before else {}, credits_of(closing)),
            ),
        )


def _closes(entry: Entry, day: date) -> bool:
    # What fees were charged decides which may still be.
    return entry.settled and entry.on <= day and entry.kind != FEE


def later(first: date | None, second: date | None) -> date | None:
    """Return the later of two days, of which either may be None."""
    days = [day for day in (first, second) if day is not None]
    return max(days, default=None)


# -- The reply of the merchant lookup.


@frozen(kw_only=True)
class Performance:
    """
    The performance of a deal: two percentages and its renewal eligibility (service 2.5).

    They are those of a day, which `lifecycle.deals.lookup` computes.
    """

    performance: Decimal
    progress: Decimal
    renewal_eligibility: bool


@frozen(kw_only=True)
class LookupPlan:
    """
    The plan of a default on the day of the lookup.

    `past_due` is what is not paid of the instalments due before that day, `days_past_due` the days
    since the oldest of them was due. `next_due_on` is the day of the first instalment from that day
    on that is not paid in full, None if there is none.
    """

    instalments: tuple[PlannedInstalment, ...]
    past_due: Money
    days_past_due: int
    next_due_on: date | None


@frozen(kw_only=True)
class LookupDeal:
    """A deal with its performance on the day of the lookup (service 2.5), and its plan."""

    deal: Deal
    performance: Performance
    plan: LookupPlan | None = None


@frozen(kw_only=True)
class MerchantLookup:
    """The reply of the merchant lookup: the merchant's deals, oldest first (service 2.5)."""

    deals: tuple[LookupDeal, ...]
