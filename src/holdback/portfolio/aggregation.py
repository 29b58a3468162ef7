"""Rows with the same answer, counted, with their balance: for summaries and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import narwhals.stable.v2 as nw

from holdback.errors import printable
from holdback.frozen_classes import frozen
from holdback.frozen_values import FrozenMapping
from holdback.jurisdictions.rulebook import Rulebook
from holdback.money import Money
from holdback.portfolio.outcome_codes import JURISDICTION_BIT, OUTCOMES, codes, needed
from holdback.portfolio.outcome_columns import (
    BALANCE,
    FAILING,
    NEEDS,
    OUTCOME,
    PREFIX,
    RESULTS,
    RULEBOOK,
)
from holdback.portfolio.row_rulebooks import RowRulebooks
from holdback.portfolio.work_frame import WorkFrame

# A balance is added up in two parts. It is less than 10**18 minor units, so both parts are less
# than 10**9, and the sums of up to 9 * 10**9 rows fit in 64 bits.
_PART: Final = 10**9
_DEALS, _HIGH, _LOW = f"{PREFIX}deals", f"{PREFIX}high", f"{PREFIX}low"

_Key = TypeVar("_Key")

# Rows that agree in these are counted together.
ANSWER_COLUMNS: Final = (RULEBOOK, OUTCOME, FAILING, NEEDS)
# The results that counting needs.
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
class DealTotals:
    """A number of deals, and the sum of their known balances in minor units."""

    deals: int = 0
    minor: int = 0

    def __add__(self, other: DealTotals) -> DealTotals:
        return DealTotals(self.deals + other.deals, self.minor + other.minor)


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
        """The answer of the rulebook at *place*, -1 for none, with the row's outcome and masks."""
        word = OUTCOMES[outcome]
        if place < 0:
            is_code = needs >> JURISDICTION_BIT & 1
            column = self.rulebooks.jurisdiction_column if is_code else self.rulebooks.day_or_column
            return Answer(None, word, (), (printable(str(column)),) if needs else ())
        rulebook = self.rulebooks.rulebooks[place]
        return Answer(rulebook, word, codes(rulebook, failing), needed(rulebook, needs))


def with_rulebook(work: WorkFrame) -> WorkFrame:
    """Return *work* with `RULEBOOK`, also if one rulebook assesses all rows."""
    if RULEBOOK in work.columns:
        return work
    return work.with_columns({RULEBOOK: work.api.lit(0)})


def count_rows(
    work: WorkFrame, keys: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], DealTotals]]:
    """The rows of *work*, counted for each combination of the integers in *keys*; a null is -1."""
    frame = nw.from_native(with_rulebook(work).native).select(*keys, BALANCE)
    balance = nw.col(BALANCE)
    frame = frame.with_columns(
        *(nw.col(key).cast(nw.Int64).fill_null(-1) for key in keys),
        (balance // _PART).alias(_HIGH),
        (balance % _PART).alias(_LOW),
    )
    grouped = frame.group_by(*keys).agg(
        nw.len().alias(_DEALS), nw.col(_HIGH).sum(), nw.col(_LOW).sum()
    )
    rows = grouped.collect() if isinstance(grouped, nw.LazyFrame) else grouped
    for row in rows.iter_rows(named=True):
        minor = _sum(row[_HIGH]) * _PART + _sum(row[_LOW])
        yield tuple(int(row[key]) for key in keys), DealTotals(int(row[_DEALS]), minor)


def _sum(total: Any) -> int:
    """*total* as an integer; some engines give null or NaN for the sum of no values."""
    return 0 if total is None or total != total else int(total)  # noqa: PLR0124  # NaN


def money_text(totals: DealTotals, rulebook: Rulebook | None) -> str:
    """The balance in *totals* in the currency of *rulebook*; empty without a rulebook."""
    return str(Money(totals.minor, rulebook.currency)) if rulebook else ""
