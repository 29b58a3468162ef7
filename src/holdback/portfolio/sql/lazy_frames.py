"""Frames of DuckDB and Spark, assessed by SQL: narwhals would need thousands of expressions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.portfolio.assessing.outcome_columns import (
    BALANCE,
    INVALID_COLUMN,
    RULEBOOK,
    converted_column,
)
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.readable_columns import CODES, TEXT_COLUMNS
from holdback.portfolio.reading.work_frame import WorkFrame
from holdback.portfolio.sql.outcome_expressions import RESULT_COLUMNS
from holdback.portfolio.sql.plan import SqlPlan
from holdback.rules.sql import DUCKDB, SPARK

_BALANCE_FACT: Final = "balance"
_DIALECTS: Final = {
    nw.Implementation.DUCKDB: DUCKDB,
    nw.Implementation.PYSPARK: SPARK,
    nw.Implementation.PYSPARK_CONNECT: SPARK,
}


def takes_sql(plan: ColumnPlan) -> bool:
    """Whether the frame of *plan* is of a database, which is sent SQL."""
    return plan.frame.implementation in _DIALECTS


def outcomes_by_sql(plan: ColumnPlan, results: Collection[str]) -> WorkFrame:
    """Return the frame of *plan* with the columns *results*, and `RULEBOOK` if it may vary."""
    dialect = _DIALECTS[plan.frame.implementation]
    # A column of 64 bits is read without a conversion.
    as_given = [name for name in plan.facts if plan.prepared and plan.schema[name] == nw.Int64]
    written = SqlPlan(
        dialect=dialect,
        rulebooks=plan.rulebooks,
        facts=plan.facts,
        ledger=plan.ledger,
        dtypes=plan.schema,
        prepared=plan.prepared,
        invalid=INVALID_COLUMN if plan.prepared and INVALID_COLUMN in plan.schema else None,
        trusted=frozenset(as_given),
    )
    readable = TEXT_COLUMNS[CODES] in results
    steps = [step for step in written.steps(readable=readable) if step]
    named = {name: RESULT_COLUMNS.get(name, name) for name in results}
    if BALANCE in results and _BALANCE_FACT in plan.facts:
        named[BALANCE] = written.fact_column(_BALANCE_FACT)
    if plan.rulebooks.jurisdiction_column is not None:
        named[RULEBOOK] = RULEBOOK
    for name in plan.ledger:
        named[converted_column(name)] = converted_column(name)
    col = written.col
    kept = [col(name) for name in plan.schema]
    columns = [f"{_source(written, plan, source)} as {col(name)}" for name, source in named.items()]
    native = plan.frame.to_native()
    for step in steps:
        native = _selected(
            native, ["*", *(f"{text} as {col(name)}" for name, text in step.items())]
        )
    return WorkFrame(nw.from_native(_selected(native, [*kept, *columns])), nw)


def _source(written: SqlPlan, plan: ColumnPlan, source: str) -> str:
    """The SQL of the column *source*; without a column of balances, every balance is unknown."""
    if source == BALANCE and _BALANCE_FACT not in plan.facts:
        return "cast(null as bigint)"
    return written.col(source)


def _selected(frame: Any, columns: Sequence[str]) -> Any:
    """The native *frame* with *columns* of SQL only."""
    if hasattr(frame, "selectExpr"):
        return frame.selectExpr(*columns)
    return frame.project(",\n".join(columns))
