"""Deals that a frame or a file has more than once: every sum would count them again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.reading.column_findings import (
    WARNING,
    ColumnFinding,
    RowLabels,
    label_column,
    shown_value,
)
from holdback.portfolio.reading.column_plan import ColumnPlan

# The code of the finding, and what a caller accepts who knows of it.
REPEATED: Final = "duplicate"
_PLACE: Final = "holdback: place"


def identifying_columns(names: Collection[str], *others: object) -> Sequence[str]:
    """
    Return those of *names* that say which deal a row is about; none where no column has ids.

    *others* are the columns of the jurisdiction and of the day: a deal may be assessed on several.
    """
    ids = label_column(list(names))
    return () if ids is None else (ids, *(name for name in names if name in others))


def repeated_deals(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """
    Return a warning if rows of *plan* have the id of an earlier row, and its day.

    Only ids that are texts or whole numbers are looked at, of frames in memory.
    """
    frame, rulebooks = plan.frame, plan.rulebooks
    if not isinstance(frame, nw.DataFrame) or plan.prepared:
        return
    keys = identifying_columns(plan.schema, rulebooks.jurisdiction_column, rulebooks.day_or_column)
    if not keys or not (plan.schema[keys[0]].is_integer() or plan.schema[keys[0]] == nw.String):
        return
    ids = frame[keys[0]]
    if ids.n_unique() + max(ids.null_count() - 1, 0) == len(ids):
        return
    rows: Any = frame.select(keys).with_row_index(_PLACE).drop_nulls(keys[0])
    several = rows.filter(~rows.select(keys).is_unique())
    if not len(several):
        return
    again = len(several) - len(several.select(keys).unique())
    first = int(several[_PLACE].min())
    yield ColumnFinding(
        severity=WARNING,
        code=REPEATED,
        column=keys[0],
        message=repeated(again),
        row=RowLabels(frame).of_or_number(first),
        value=shown_value(ids[first]),
        count=again,
        expected="expected each deal once",
        cure="drop them, or name the day of each row in a column",
    )


def repeated(again: int) -> str:
    """Return that *again* rows are about deals that rows above are about."""
    rows = "1 row has" if again == 1 else f"{again:,} rows have"
    return f"{rows} the id of a deal that is above already"
