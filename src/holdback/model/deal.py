"""Deals and the remittances that pay them down (service 2.5).

Entries are kept sorted by day and id, so that any order of delivery gives the same deal
(decisions/entries).

INVARIANT: repayment_amount + overpaid == remitted + settled + balance + shortfall + waived
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import takewhile
from typing import Final, Literal, TypeAlias

from attrs import evolve, field

from holdback.exact_numbers import HUNDRED_PERCENT
from holdback.frozen_classes import frozen
from holdback.model import validators
from holdback.money import Money

# The values of `status` and `type`. The service specifies `Funded` and `Initial` (service 2.5).
FUNDED: Final = "Funded"
REPAID: Final = "Repaid"
RENEWED: Final = "Renewed"
DEFAULTED: Final = "Defaulted"
CANCELLED: Final = "Cancelled"
STATUSES: Final = (FUNDED, REPAID, RENEWED, DEFAULTED, CANCELLED)
INITIAL: Final = "Initial"
RENEWAL: Final = "Renewal"
TYPES: Final = (INITIAL, RENEWAL)

TransactionStatus: TypeAlias = Literal["Settled", "Unsettled", "Reversed", "Reversal"]


@frozen(kw_only=True)
class Entry:
    """
    One remittance, or the reversal of one.

    `id` is the host's. `takings` are the takings that `amount` was a share of, if known. Only a
    `settled` entry counts. A reversal takes back all of the entry that `reverses` names.
    """

    id: str = field(validator=validators.text)
    on: date = field(converter=validators.plain_day, validator=validators.day)
    amount: Money = field(validator=validators.amount)
    takings: Money | None = field(default=None, validator=validators.optional(validators.amount))
    settled: bool = field(default=True, validator=validators.flag)
    reverses: str | None = field(default=None, validator=validators.optional(validators.text))


@frozen(kw_only=True)
class EntryTotals:
    """
    The totals of a deal's entries up to the day `through`, which the state no longer holds.

    `remitted` is the sum of the remittances that count. `last_on` is the day of the last of them
    that was not zero, `repaid_on` that of the one that completed the repayment amount.
    """

    through: date
    remitted: Money
    last_on: date | None = None
    repaid_on: date | None = None


@frozen(kw_only=True)
class Deal:
    """
    A funded offer and its entries, as a merchant's state holds it.

    `funded_on` is a local date of the jurisdiction. `settled` is the part that the funding of a
    renewal paid. `complete_through` is the last day for which the host has declared the history of
    remittances complete, None if it never has. `closed_entries` are the totals of the entries that
    are no longer held (decisions/bounded-state).
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

    # Derived from the entries, and worked out once, because eligibility reads them many times. A
    # state that is read has `remitted` and `repaid_on` already.

    @cached_property
    def taken_back(self) -> frozenset[str]:
        """The ids of the entries that a settled reversal took back."""
        return frozenset(
            entry.reverses for entry in self.entries if entry.reverses is not None and entry.settled
        )

    @cached_property
    def counted(self) -> tuple[Entry, ...]:
        """The remittances that count, in order."""
        return tuple(
            [
                entry
                for entry in self.entries
                if entry.settled and entry.reverses is None and entry.id not in self.taken_back
            ]
        )

    @cached_property
    def remitted(self) -> Money:
        """The sum of the remittances that count."""
        total = sum([entry.amount.minor for entry in self.counted])
        if self.closed_entries is not None:
            total += self.closed_entries.remitted.minor
        return Money(total, self.repayment_amount.currency)

    @property
    def active(self) -> bool:
        """Whether this is the merchant's one active deal."""
        return self.status == FUNDED

    @property
    def currency(self) -> str:
        """The currency code of the deal's amounts."""
        return self.repayment_amount.currency.code

    @property
    def outstanding(self) -> int:
        """The amount left to pay, in minor units; negative if more was paid than owed."""
        return self.repayment_amount.minor - self.remitted.minor - self.settled.minor

    def _positive(self, minor: int) -> Money:
        return Money(max(0, minor), self.repayment_amount.currency)

    @property
    def balance(self) -> Money:
        """The amount that the merchant owes on this deal; never negative."""
        return self._positive(self.outstanding if self.status in {FUNDED, DEFAULTED} else 0)

    @property
    def overpaid(self) -> Money:
        """The amount paid beyond the repayment amount."""
        return self._positive(-self.outstanding)

    @property
    def shortfall(self) -> Money:
        """The amount that a reversal took back after the deal was closed."""
        return self._positive(self.outstanding if self.status in {REPAID, RENEWED} else 0)

    @property
    def waived(self) -> Money:
        """The amount that a cancelled deal no longer asks for."""
        return self._positive(self.outstanding if self.status == CANCELLED else 0)

    @property
    def progress(self) -> int:
        """
        The paid-down percentage, scaled by 10**4 and rounded down, at most 100 percent.

        Remittances alone count, not what a renewal settled (decisions/rounded-percentages).
        """
        return min(
            HUNDRED_PERCENT, self.remitted.minor * HUNDRED_PERCENT // self.repayment_amount.minor
        )

    @property
    def ended_on(self) -> date | None:
        """The day on which the deal ended; None while it is active."""
        return self.repaid_on if self.status == REPAID else self.closed_on

    @cached_property
    def repaid_on(self) -> date | None:
        """The day of the remittance that completed the repayment amount; None before it."""
        paid = self.settled.minor
        if self.closed_entries is not None:
            if self.closed_entries.repaid_on is not None:
                return self.closed_entries.repaid_on
            paid += self.closed_entries.remitted.minor
        for entry in self.counted:
            paid += entry.amount.minor
            if paid >= self.repayment_amount.minor:
                return entry.on
        return None

    def entries_since(self, day: date) -> list[tuple[Entry, bool]]:
        """Return the entries from *day* on, newest first, each with whether it was taken back."""
        recent = list(takewhile(lambda entry: entry.on >= day, reversed(self.entries)))
        # A reversal is of the day of its entry or a later one, so none of an earlier day is missed.
        taken_back = {
            entry.reverses for entry in recent if entry.reverses is not None and entry.settled
        }
        return [(entry, entry.id in taken_back) for entry in recent]

    def with_entries(self, entries: Iterable[Entry], complete_through: date | None) -> Deal:
        """Return this deal with *entries* recorded, and its history complete as far as declared."""
        return evolve(
            self,
            entries=in_order(merged({entry.id: entry for entry in self.entries}, entries)),
            complete_through=later(self.complete_through, complete_through),
        )

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
        closed_ids = {entry.id for entry in closing}
        counted = [entry for entry in self.counted if entry.id in closed_ids]
        before = self.closed_entries
        remitted = sum(entry.amount.minor for entry in counted)
        last_on = max((entry.on for entry in counted if entry.amount.minor), default=None)
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
            ),
        )


def _closes(entry: Entry, day: date) -> bool:
    return entry.settled and entry.on <= day


def merged(held: dict[str, Entry], entries: Iterable[Entry]) -> dict[str, Entry]:
    """
    Return *held*, entries by id, with *entries* added to it.

    New entries are added, and an unsettled entry is replaced by the same entry settled.
    """
    for entry in entries:
        if entry.id not in held or entry.settled:
            held[entry.id] = entry
    return held


def in_order(entries: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """Return *entries* sorted by day and id, so that any order of delivery gives the same deal."""
    return tuple(sorted(entries.values(), key=lambda entry: (entry.on, entry.id)))


def later(first: date | None, second: date | None) -> date | None:
    """Return the later of two days, of which either may be None."""
    days = [day for day in (first, second) if day is not None]
    return max(days, default=None)


def transaction_status(entry: Entry, reversed_ids: Container[str]) -> TransactionStatus:
    """Return the `status` of *entry* as a transaction in the merchant lookup (service 2.5)."""
    if entry.reverses is not None:
        return "Reversal" if entry.settled else "Unsettled"
    if entry.id in reversed_ids:
        return "Reversed"
    return "Settled" if entry.settled else "Unsettled"


@frozen(kw_only=True)
class Performance:
    """The performance of a deal: two percentages and its renewal eligibility (service 2.5)."""

    performance: Decimal
    progress: Decimal
    renewal_eligibility: bool


@frozen(kw_only=True)
class LookupDeal:
    """A deal with its performance on the day of the lookup (service 2.5)."""

    deal: Deal
    performance: Performance


@frozen(kw_only=True)
class MerchantLookup:
    """The reply of the merchant lookup: the merchant's deals, oldest first (service 2.5)."""

    deals: tuple[LookupDeal, ...]
