"""A last row that is the total of a table, and not a deal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.reading.column_findings import (
    WARNING,
    ColumnFinding,
    RowLabels,
    shown_value,
)
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.suspects import numbers_of
from holdback.rules.types import Kind
from holdback.rules.values import is_missing

# With fewer rows, a deal of which little is known may have the largest amount by chance.
_FEWEST: Final = 20


def total_row(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """
    Return a warning if the last row of *plan* looks like a total.

    It has fewer than half of the facts of each of the rows above it that are looked at, and an
    amount that is larger than all others of its column.
    """
    if not isinstance(plan.frame, nw.DataFrame) or plan.prepared or len(plan.frame) <= _FEWEST:
        return
    last = len(plan.frame) - 1
    rows = plan.frame[list(range(last - _FEWEST, last + 1))]
    given = [[not is_missing(value) for value in rows[name].to_list()] for name in plan.facts]
    *above, own = (sum(facts) for facts in zip(*given, strict=True))
    if not own or 2 * own >= min(above):
        return
    for name, definitions in plan.facts.items():
        if all(fact.type.kind is Kind.MONEY for fact in definitions):
            values = plan.frame[name].to_list()
            if _is_largest(values):
                labels = RowLabels(plan.frame)
                yield ColumnFinding(
                    severity=WARNING,
                    code="not_allowed",
                    column=name,
                    message=f"{labels.named(last)} looks like a total: it has {own} of "
                    f"{len(plan.facts)} facts, and the largest amount",
                    row=labels.of_or_number(last),
                    value=shown_value(values[last]),
                    count=1,
                    expected="expected a deal in each row",
                    cure="drop the row if it is a total",
                )
                return


def _is_largest(values: Sequence[Any]) -> bool:
    own = numbers_of(values[-1:])
    return bool(own) and all(number < own[0] for number in numbers_of(values[:-1]))
