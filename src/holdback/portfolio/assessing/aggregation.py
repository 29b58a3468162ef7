"""Rows with the same answer, counted, with their balance: for summaries and comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import narwhals.stable.v2 as nw
from attrs import field

from holdback.errors import printable
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, OUTCOMES, codes, needed
from holdback.portfolio.assessing.outcome_columns import (
    BALANCE,
    FAILING,
    NEEDS,
    OUTCOME,
    PREFIX,
    RESULTS,
    RULEBOOK,
    converted_column,
)
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.portfolio.reading.frames import Frame
from holdback.rulebooks.rulebook import Rulebook

# An amount is added up in two parts. It is less than 10**18 minor units, so both parts are less
# than 10**9, and the sums of up to 9 * 10**9 rows fit in 64 bits.
_PART: Final = 10**9
# Endings of the names of columns that are counted or added up: the deals with more than 0, and the
# two parts of the amount. Without a column's name, `_DEALS` is the number of rows.
_DEALS, _HIGH, _LOW = f"{PREFIX}deals", f"{PREFIX}high", f"{PREFIX}low"

_Key = TypeVar("_Key")

# The numbers of a row's answer: rows that agree in all of them are counted together. `AnswerReader`
# reads them, in this order.
ANSWER_COLUMNS: Final = (RULEBOOK, OUTCOME, FAILING, NEEDS)
# What to ask of `with_outcomes` in order to count answers: it adds `RULEBOOK` by itself.
COUNTED_COLUMNS: Final = (*RESULTS, BALANCE)


@frozen
class Answer:
    """The outcome of a row with its reasons, and the rulebook, None if the row has none."""

    rulebook: Rulebook | None
    outcome: str
    codes: tuple[str, ...]
    needs: tuple[str, ...]

    @property
    def jurisdiction(self) -> str:
        """The code of the jurisdiction, or a dash without a rulebook."""
        return self.rulebook.code if self.rulebook else "-"


@frozen
class AmountTotals:
    """Of one amount: the deals with more than 0, their sum, and the deals where it is unknown."""

    deals: int = 0
    minor: int = 0
    unknown: int = 0

    def __add__(self, other: AmountTotals) -> AmountTotals:
        return AmountTotals(
            self.deals + other.deals, self.minor + other.minor, self.unknown + other.unknown
        )


@frozen
class DealTotals:
    """
    A number of deals, and the sum of their known balances in minor units.

    `ledger` has the totals of the ledger that they have a column for.
    """

    deals: int = 0
    minor: int = 0
    ledger: Mapping[str, AmountTotals] = field(factory=FrozenMapping)

    def __add__(self, other: DealTotals) -> DealTotals:
        names = dict.fromkeys([*self.ledger, *other.ledger])
        ledger = {name: self.amount(name) + other.amount(name) for name in names}
        deals, minor = self.deals + other.deals, self.minor + other.minor
        return DealTotals(deals, minor, FrozenMapping(ledger))

    def amount(self, name: str) -> AmountTotals:
        """The totals of *name*: of deals without the column it is unknown, and not 0."""
        return self.ledger.get(name) or AmountTotals(unknown=self.deals)


def sum_totals(parts: Iterable[tuple[_Key, DealTotals]]) -> Mapping[_Key, DealTotals]:
    """The sum of the totals for each key of *parts*."""
    sums: dict[_Key, DealTotals] = {}
    for key, totals in parts:
        sums[key] = sums.get(key, DealTotals()) + totals
    return FrozenMapping(sums)


@frozen
class AnswerReader:
    """Reads the numbers of an assessed row, given the rulebooks that assessed it."""

    rulebooks: RowRulebooks

    def answer(self, place: int, outcome: int, failing: int, needs: int) -> Answer:
        """
        The answer of the rulebook at *place*, -1 for none, with the row's outcome and masks.

        Of a row without a rulebook it names the column that has to be corrected: that of the row's
        jurisdiction, or of its day.
        """
        word = OUTCOMES[outcome]
        if place < 0:
            no_jurisdiction = needs >> JURISDICTION_BIT & 1
            rulebooks = self.rulebooks
            column = rulebooks.jurisdiction_column if no_jurisdiction else rulebooks.day_or_column
            return Answer(None, word, (), (printable(str(column)),) if needs else ())
        rulebook = self.rulebooks.rulebooks[place]
        return Answer(rulebook, word, codes(rulebook, failing), needed(rulebook, needs))


def count_rows(
    frame: Frame, keys: Sequence[str], ledger: Collection[str] = ()
) -> Iterator[tuple[tuple[int, ...], DealTotals]]:
    """
    The rows of *frame*, counted for each combination of the integers in *keys*; a null is -1.

    The totals of the *ledger*, by the names of their columns, are added up like the balance.
    """
    return ((key, totals) for key, _, totals in _grouped(frame, keys, None, ledger))


def count_rows_by_value(
    frame: Frame, keys: Sequence[str], value: str
) -> Iterator[tuple[tuple[int, ...], Any, DealTotals]]:
    """
    The rows of *frame*, counted for each combination of the integers in *keys* and of *value*.

    *value* is a column with values of any kind, which are yielded unchanged, between the integers
    and the totals.
    """
    return _grouped(frame, keys, value, ())


def _grouped(
    frame: Frame, keys: Sequence[str], value: str | None, ledger: Collection[str]
) -> Iterator[tuple[tuple[int, ...], Any, DealTotals]]:
    """
    Yield the integers of *keys*, the value of the column *value* if any, and the group's totals.

    A column of amounts is added up in two parts (`_PART`); a column of the *ledger* also gives the
    number of deals with more than 0, and the number in which it is known.
    """
    amounts = {name: converted_column(name) for name in ledger}
    columns = (BALANCE, *amounts.values())
    by = (*keys, *([value] if value else []))
    numbers = frame.select(*by, *columns).with_columns(
        *(nw.col(key).cast(nw.Int64).fill_null(-1) for key in keys),
        *(part for column in columns for part in _parts(column)),
        *(
            (nw.col(column) > 0).cast(nw.Int64).alias(column + _DEALS)
            for column in amounts.values()
        ),
    )
    grouped = numbers.group_by(*by).agg(
        nw.len().alias(_DEALS),
        *(nw.col(column + part).sum() for column in columns for part in (_HIGH, _LOW)),
        *(nw.col(column + _DEALS).sum() for column in amounts.values()),
        *(nw.col(column).count() for column in amounts.values()),
    )
    rows = grouped.collect() if isinstance(grouped, nw.LazyFrame) else grouped
    for row in rows.iter_rows(named=True):
        totals = {
            name: AmountTotals(
                _sum(row[column + _DEALS]), _minor(row, column), int(row[_DEALS] - row[column])
            )
            for name, column in amounts.items()
        }
        deals = DealTotals(int(row[_DEALS]), _minor(row, BALANCE), FrozenMapping(totals))
        yield tuple(int(row[key]) for key in keys), row[value] if value else None, deals


def _parts(column: str) -> tuple[Any, Any]:
    """The two parts of the amounts in *column*."""
    amount = nw.col(column)
    return (amount // _PART).alias(column + _HIGH), (amount % _PART).alias(column + _LOW)


def _minor(row: Mapping[str, Any], column: str) -> int:
    """The sum of *column* from those of its two parts."""
    return _sum(row[column + _HIGH]) * _PART + _sum(row[column + _LOW])


def _sum(total: Any) -> int:
    """*total* as an integer; some engines give null or NaN for the sum of no values."""
    return 0 if total is None or total != total else int(total)  # noqa: PLR0124  # NaN


def money_text(totals: DealTotals, rulebook: Rulebook | None) -> str:
    """The balance in *totals* in the currency of *rulebook*; empty without a rulebook."""
    return str(Money(totals.minor, rulebook.currency)) if rulebook else ""
