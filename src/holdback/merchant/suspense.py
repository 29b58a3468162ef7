"""The suspense account of a merchant: cash that came in and has no deal to go to.

Cash is held here by the receipt with which it came in, until it is applied to a deal, refunded,
taken back by the bank, or moved to another merchant
(decisions/money-after-funding#cash-in-suspense).

INVARIANT: the amount of a receipt is what is left of it and what the other entries took of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final, Literal, TypeAlias, get_args

from attrs import evolve, field

from holdback.exact.money import Currency, Money
from holdback.frozen_classes import FrozenMapping, frozen, frozen_record
from holdback.merchant import validators
from holdback.merchant.ledger import added

# Cash came in; it was applied to a deal; it left, to the payer, to the payer's bank, or to another
# merchant.
SuspenseKind: TypeAlias = Literal[
    "suspense",
    "suspense_applied",
    "suspense_refund",
    "suspense_reversal",
    "suspense_transfer",
]
SUSPENSE: Final = "suspense"
SUSPENSE_APPLIED: Final = "suspense_applied"
SUSPENSE_REFUND: Final = "suspense_refund"
SUSPENSE_REVERSAL: Final = "suspense_reversal"
SUSPENSE_TRANSFER: Final = "suspense_transfer"
SUSPENSE_KINDS: Final = get_args(SuspenseKind)
# Receipts of which something is left, among those that are too old to be listed one by one.
MOST_OPEN: Final = 50


@frozen(kw_only=True)
class SuspenseEntry:
    """
    One movement of a suspense account.

    `id` is the host's. Any other entry than a receipt takes cash of the `receipt` that it names.
    `deal_id` is the deal to which that was applied.
    """

    id: str = field(validator=validators.text)
    on: date = field(converter=validators.plain_day, validator=validators.day)
    amount: Money = field(validator=validators.amount)
    kind: SuspenseKind = field(default=SUSPENSE, validator=validators.one_of(*SUSPENSE_KINDS))
    receipt: str | None = field(default=None, validator=validators.optional(validators.text))
    deal_id: str | None = field(default=None, validator=validators.optional(validators.text))

    @property
    def signed(self) -> int:
        """By how many minor units the entry raises what is held; negative if it lowers it."""
        return self.amount.minor if self.receipt is None else -self.amount.minor


@frozen(kw_only=True)
class SuspenseTotals:
    """
    The totals of the entries up to the day `through`, which the state no longer holds.

    `sums` are those of each kind; `used` is what these entries took of each receipt that is held.
    """

    through: date
    sums: Mapping[str, Money] = field(factory=FrozenMapping, converter=frozen_record)
    used: Mapping[str, Money] = field(factory=FrozenMapping, converter=frozen_record)


@frozen(kw_only=True)
class Suspense:
    """
    The suspense account of a merchant: its entries by day and id.

    `closed` are the totals of the entries that are no longer held.

    >>> cash = SuspenseEntry(id="c-1", on=date(2026, 7, 6), amount=Money.parse("GBP 80.00"))
    >>> Suspense().with_entries([cash]).left_of("c-1")
    Money.parse('GBP 80.00')
    """

    entries: tuple[SuspenseEntry, ...] = ()
    closed: SuspenseTotals | None = None

    @property
    def currency(self) -> Currency | None:
        """The currency of all cash that ever came in, None if none did."""
        amounts = [entry.amount for entry in self.entries]
        if self.closed is not None:
            amounts += self.closed.sums.values()
        return amounts[0].currency if amounts else None

    @property
    def held(self) -> Mapping[str, Money]:
        """What is left of each receipt of which something is, oldest first."""
        left = {entry.id: entry.amount for entry in self.entries if entry.receipt is None}
        for id_, money in self._used.items():
            left[id_] -= money
        return {id_: money for id_, money in left.items() if money.minor}

    @property
    def _used(self) -> Mapping[str, Money]:
        """What was taken of each receipt that is held."""
        return _summed(self.entries, {} if self.closed is None else self.closed.used)

    @property
    def balance(self) -> int:
        """The cash that is held, in minor units."""
        return sum(money.minor for money in self.held.values())

    def entry_of(self, entry_id: str) -> SuspenseEntry | None:
        """Return the entry that is held with *entry_id*, None if there is none."""
        return next((entry for entry in self.entries if entry.id == entry_id), None)

    def left_of(self, receipt_id: str) -> Money | None:
        """Return what is left of the receipt with *receipt_id*, None if it is not held."""
        receipt = self.entry_of(receipt_id)
        if receipt is None or receipt.receipt is not None:
            return None
        used = self._used.get(receipt_id)
        return receipt.amount if used is None else receipt.amount - used

    def with_entries(self, entries: Iterable[SuspenseEntry]) -> Suspense:
        """Return this account with new *entries*."""
        return evolve(self, entries=_in_order([*self.entries, *entries]))

    def closing(self, day: date) -> tuple[SuspenseEntry, ...]:
        """Return the entries up to *day* that need not be held: those of cash that is used."""
        open_, later = self.held, {e.receipt for e in self.entries if e.on > day}
        return tuple(
            entry
            for entry in self.entries
            if entry.on <= day
            and (entry.receipt is not None or (entry.id not in open_ and entry.id not in later))
        )

    def too_many(self, day: date) -> tuple[SuspenseEntry, ...]:
        """Return the receipts up to *day* that are held as one, because more are open than that."""
        open_, later = self.held, {e.receipt for e in self.entries if e.on > day}
        old = [e for e in self.entries if e.id in open_ and e.on <= day and e.id not in later]
        return tuple(old[: len(old) - MOST_OPEN + 1]) if len(old) > MOST_OPEN else ()

    def closed_through(self, day: date) -> Suspense:
        """
        Return this account without the entries up to *day* that need not be held.

        Their totals are kept. Of too many open receipts the oldest are held as one, under the id of
        the first.
        """
        closing = self.closing(day)
        ids, before = {entry.id for entry in closing}, self.closed
        sums: dict[str, Money] = {} if before is None else dict(before.sums)
        for entry in closing:
            sums = added(sums, {entry.kind: entry.amount})
        used = _summed(closing, {} if before is None else before.used)
        totals = SuspenseTotals(
            through=day if before is None else max(day, before.through),
            sums=sums,
            used={receipt: money for receipt, money in used.items() if receipt not in ids},
        )
        kept = tuple(entry for entry in self.entries if entry.id not in ids)
        after = evolve(self, entries=kept, closed=totals)
        first, *others = after.too_many(day) or (None,)
        return after if first is None else _merged(after, first, others)


def _merged(suspense: Suspense, first: SuspenseEntry, others: Sequence[SuspenseEntry]) -> Suspense:
    """Return *suspense* with the receipts *first* and *others*, which are open, as one."""
    assert suspense.closed is not None, "receipts are merged when entries are closed"
    used, amount, ids = dict(suspense.closed.used), first.amount, {first.id}
    for receipt in others:
        ids.add(receipt.id)
        amount += receipt.amount
        if receipt.id in used:
            used = added(used, {first.id: used.pop(receipt.id)})
    kept = [entry for entry in suspense.entries if entry.id not in ids]
    return evolve(
        suspense,
        entries=_in_order([*kept, evolve(first, amount=amount)]),
        closed=evolve(suspense.closed, used=used),
    )


def _in_order(entries: Iterable[SuspenseEntry]) -> tuple[SuspenseEntry, ...]:
    return tuple(sorted(entries, key=lambda entry: (entry.on, entry.id)))


def _summed(entries: Iterable[SuspenseEntry], before: Mapping[str, Money]) -> dict[str, Money]:
    """Return what *entries* took of each receipt, added to what was taken *before*."""
    sums = dict(before)
    for entry in entries:
        if entry.receipt is not None:
            sums = added(sums, {entry.receipt: entry.amount})
    return sums
