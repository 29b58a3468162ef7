"""What an input about a merchant is checked for: days, amounts and reversals.

The command checks its own fields here. The reader of JSON checks those that it could read, when it
has found an error, so that all errors of a document are reported at once
(decisions/errors#all-at-once). A field that could not be read is None, and has its error already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from attrs import field
from pendulum import DateTime

from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.lifecycle.commands import RecordRemittance, RecordTakings
from holdback.model.deal import Deal
from holdback.money import Currency, Money

# A command, or the fields of one that could be read.
_Input: TypeAlias = Any
# Takings or an entry, or the fields of one that could be read.
_Item: TypeAlias = Any


@frozen(kw_only=True)
class Situation:
    """
    What an input about a merchant is read and checked with.

    Amounts are in `currency`; `day` is the local date of the instant `at`. `bank_details` are the
    fields that the jurisdiction names for bank details.
    """

    currency: Currency
    at: DateTime
    day: date
    deals: tuple[Deal, ...] = field(repr=False)
    bank_details: tuple[str, ...] = ()


def input_errors(kind: type, command: _Input, situation: Situation) -> Iterator[ErrorDetail]:
    """Yield everything that is invalid in *command*, which is of the class *kind*."""
    check = _CHECKS.get(kind)
    if check is not None:
        yield from check(command, situation)


def _takings_errors(command: _Input, situation: Situation) -> Iterator[ErrorDetail]:
    yield from _future_day(command.complete_through, situation, "$.complete_through")
    first_on: dict[date, str] = {}
    for place, takings in enumerate(command.takings or ()):
        path = f"$.takings[{place}]"
        yield from _future_day(takings.on, situation, f"{path}.on")
        yield from _wrong_amount(takings.amount, situation.currency, f"{path}.amount")
        if takings.stated_at is not None and takings.stated_at > situation.at:
            message = "expected an instant up to now"
            yield ErrorDetail(code="future_day", message=message, path=f"{path}.stated_at")
        if takings.on is not None and first_on.setdefault(takings.on, path) != path:
            message = f"expected each day once; `{first_on[takings.on]}` is of this day too"
            yield ErrorDetail(code="duplicate", message=message, path=f"{path}.on")


def _remittance_errors(command: _Input, situation: Situation) -> Iterator[ErrorDetail]:
    yield from _future_day(command.complete_through, situation, "$.complete_through")
    # Without a deal of this id the command is refused, or its id could not be read.
    deal = next((deal for deal in situation.deals if deal.id == command.deal_id), None)
    currency = situation.currency if deal is None else deal.repayment_amount.currency
    entries: Sequence[_Item] = command.entries or ()
    of_deal = None if deal is None else _EntriesOfDeal(deal, entries)
    for place, entry in enumerate(entries):
        path = f"$.entries[{place}]"
        yield from _future_day(entry.on, situation, f"{path}.on")
        yield from _wrong_amount(entry.amount, currency, f"{path}.amount")
        yield from _wrong_amount(entry.takings, currency, f"{path}.takings")
        if of_deal is not None:
            yield from of_deal.errors(entry, path)


def _future_day(day: date | None, situation: Situation, path: str) -> Iterator[ErrorDetail]:
    if day is not None and day > situation.day:
        message = f"expected a day up to today, {situation.day.isoformat()}"
        yield ErrorDetail(code="future_day", message=message, path=path)


def _wrong_amount(money: Money | None, currency: Currency, path: str) -> Iterator[ErrorDetail]:
    if money is None:
        return
    if money.currency != currency:
        message = f"expected an amount in {currency}"
        yield ErrorDetail(code="wrong_currency", message=message, path=path)
    elif money.minor < 0:
        yield ErrorDetail(
            code="out_of_range",
            message="expected an amount that is not negative",
            path=path,
            hint="to take a remittance back, record an entry that `reverses` it",
        )


class _EntriesOfDeal:
    """A deal with new *entries*, and the reversals of those that have been checked."""

    def __init__(self, deal: Deal, entries: Sequence[_Item]) -> None:
        self.deal = deal
        self.entries = {entry.id: entry for entry in (*deal.entries, *entries)}
        # INVARIANT: an entry is reversed at most once, counting the entries of this command.
        self.by_target = {e.reverses: e.id for e in deal.entries if e.reverses is not None}

    def errors(self, entry: _Item, path: str) -> Iterator[ErrorDetail]:
        """Yield what is wrong with *entry* in this deal, and note what it reverses."""
        if entry.on is not None and entry.on < self.deal.funded_on:
            message = f"expected a day on or after the funding, {self.deal.funded_on.isoformat()}"
            yield ErrorDetail(code="out_of_range", message=message, path=f"{path}.on")
        if entry.reverses is not None:
            yield from self._reversal(entry, f"{path}.reverses")

    def _reversal(self, entry: _Item, path: str) -> Iterator[ErrorDetail]:
        target = self.entries.get(entry.reverses)
        # An entry whose id could not be read may be the one that is meant.
        if target is None and None not in self.entries:
            message = "expected the id of an entry of this deal"
            yield ErrorDetail(code="unknown_name", message=message, path=path)
        elif target is not None:
            yield from self._disagreement(entry, target, path)
        self.by_target.setdefault(entry.reverses, entry.id)

    def _disagreement(self, entry: _Item, target: _Item, path: str) -> Iterator[ErrorDetail]:
        if target.reverses is not None:
            yield ErrorDetail(
                code="not_allowed",
                message="a reversal cannot be reversed",
                path=path,
                hint="record a new entry",
            )
        elif self.by_target.get(entry.reverses, entry.id) != entry.id:
            message = "that entry is reversed already"
            yield ErrorDetail(code="duplicate", message=message, path=path)
        elif None not in {target.amount, entry.amount} and target.amount != entry.amount:
            message = "a reversal takes an entry back whole: expected the same amount"
            yield ErrorDetail(code="contradiction", message=message, path=path)
        elif None not in {target.on, entry.on} and entry.on < target.on:
            message = "a reversal does not come before its entry"
            yield ErrorDetail(code="contradiction", message=message, path=path)


_Check: TypeAlias = Callable[[_Input, Situation], Iterator[ErrorDetail]]
_CHECKS: Final[Mapping[type, _Check]] = MappingProxyType(
    {RecordTakings: _takings_errors, RecordRemittance: _remittance_errors}
)
