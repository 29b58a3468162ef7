"""`check_frame`: every error of a frame and of its values at once, before it is assessed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.portfolio.aggregation import with_rulebook
from holdback.portfolio.column_errors import column_errors
from holdback.portfolio.column_plan import ColumnPlan
from holdback.portfolio.outcome_codes import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.outcome_columns import PREFIX, RESULTS, RULEBOOK, UNREADABLE
from holdback.portfolio.row_rulebooks import Rules
from holdback.portfolio.work_frame import WorkFrame, open_frame
from holdback.rules.types import Fact

_ROW: Final = f"{PREFIX}first"
_COUNT: Final = f"{PREFIX}rows"


def check_frame(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
    prepared: bool = False,
) -> None:
    """
    Check that every row of *frame* can be read for *rules*; the arguments are those of `assess`.

    `assess` raises `InvalidDocument` if a column is missing or of the wrong type, but marks a row
    with a value that cannot be read as `invalid`. This function reports both before any work
    begins. It also checks that prepared columns are in range, which `assess` takes for granted.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").rename({"progress": "progess"})
    >>> check_frame(deals, load_jurisdictions())
    Traceback (most recent call last):
    ...
    holdback.errors.InvalidDocument: $.progress: the column is missing; did you mean `progess`?

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or with values out
            of range.
    """
    plan = ColumnPlan.of(open_frame(frame), rules, jurisdiction, on, prepared=prepared)
    errors = list(column_errors(plan, RESULTS))
    paths = {error.path for error in errors}
    keys = (plan.rulebooks.jurisdiction_column, plan.rulebooks.day_or_column)
    # Without a rulebook for each row, no value can be read.
    if not any(shown_path("$", key) in paths for key in keys if isinstance(key, str)):
        wrong_columns = [name for name in plan.schema if shown_path("$", name) in paths]
        errors.extend(_value_errors(plan, wrong_columns))
    if errors:
        raise InvalidDocument(errors)


def _value_errors(plan: ColumnPlan, skipped: Collection[str]) -> Iterator[ErrorDetail]:
    """An error for each column with values that cannot be read, except the columns *skipped*."""
    strict = evolve(plan, skipped=frozenset(skipped), strict=True)
    work, _ = strict.converted()
    by_column: dict[tuple[str, str], _Rows] = {}
    for place, mask, rows in _unreadable_rows(work, strict):
        for key in _unreadable_columns(strict, place, mask):
            by_column[key] = by_column.get(key, _Rows(0, None)) + rows
    order = {name: place for place, name in enumerate(strict.schema)}
    for name, expected in sorted(by_column, key=lambda key: (order[key[0]], key)):
        message = f"{by_column[name, expected]} cannot be read; {expected}"
        yield ErrorDetail(code="wrong_value", message=message, path=shown_path("$", name))


@frozen
class _Rows:
    """A number of rows, and the first of them, counted from 1; None where rows have no order."""

    count: int
    first: int | None

    def __add__(self, other: _Rows) -> _Rows:
        firsts = [first for first in (self.first, other.first) if first is not None]
        return _Rows(self.count + other.count, min(firsts, default=None))

    def __str__(self) -> str:
        row = f"row {self.first}" if self.first else "a row"
        if self.count == 1:
            return row
        first = f", the first is {row}," if self.first else ""
        return f"{self.count:,} rows{first}"


def _unreadable_rows(work: WorkFrame, plan: ColumnPlan) -> Iterator[tuple[int, int, _Rows]]:
    """The rows that cannot be read, by the place of their rulebook and by mask."""
    work = with_rulebook(work)
    frame: Any = work.collected() if plan.in_memory else nw.from_native(work.native)
    frame = frame.select(
        nw.col(RULEBOOK).cast(nw.Int64).fill_null(-1), nw.col(UNREADABLE).cast(nw.Int64)
    )
    first = []
    if plan.in_memory:
        frame = frame.with_row_index(_ROW)
        first.append(nw.col(_ROW).min())
    # All rows are counted: with a filter, Spark would compute every column again for each group
    # key.
    grouped = frame.group_by(RULEBOOK, UNREADABLE).agg(nw.len().alias(_COUNT), *first)
    rows = grouped if plan.in_memory else grouped.collect()
    for row in rows.iter_rows(named=True):
        if row[UNREADABLE]:
            number = row[_ROW] + 1 if plan.in_memory else None
            yield int(row[RULEBOOK]), int(row[UNREADABLE]), _Rows(int(row[_COUNT]), number)


def _unreadable_columns(plan: ColumnPlan, place: int, mask: int) -> Iterator[tuple[str, str]]:
    """The columns in *mask*, each with what was expected of it."""
    rulebooks = plan.rulebooks
    if mask >> JURISDICTION_BIT & 1:
        codes = sorted({rulebook.code for rulebook in rulebooks.rulebooks})
        yield str(rulebooks.jurisdiction_column), f"expected one of {', '.join(codes)}"
    elif mask >> ON_BIT & 1:
        yield (
            str(rulebooks.day_or_column),
            "expected a day on which the jurisdiction of the row has rules",
        )
    else:
        for bit, fact in enumerate(rulebooks.rulebooks[place].catalogue.facts):
            if mask >> bit & 1:
                yield fact.name, _expected(fact)


def _expected(fact: Fact) -> str:
    # A derived percentage may have more decimals: it is rounded down.
    decimals = f", at most {fact.type.places} decimals"
    return fact.out_of_range + (decimals if fact.type.places and not fact.rounded_down else "")
