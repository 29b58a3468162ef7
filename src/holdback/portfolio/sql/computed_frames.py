"""
Frames with the columns that SQL computes: the facts, the rules, and the outcomes.

Polars, DuckDB and Spark run the same steps. Frames in memory, of any library, are computed in
Polars.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import narwhals.stable.v2 as nw
import polars as pl

from holdback.portfolio.assessing.outcome_columns import (
    BALANCE,
    CODES,
    FALSE_RULES,
    INVALID_COLUMN,
    RESULT_COLUMNS,
    RULEBOOK,
    TEXT_COLUMNS,
    UNREADABLE,
    converted_column,
    rule_column,
)
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame
from holdback.portfolio.sql.outcome_expressions import SqlStep
from holdback.portfolio.sql.plan import SqlPlan
from holdback.rules.sql import DUCKDB, POLARS, SPARK

_BALANCE_FACT: Final = "balance"
_DIALECTS: Final = {
    nw.Implementation.DUCKDB: DUCKDB,
    nw.Implementation.PYSPARK: SPARK,
    nw.Implementation.PYSPARK_CONNECT: SPARK,
}


def rule_codes(rulebooks: RowRulebooks) -> Sequence[str]:
    """Return the codes of the rules of *rulebooks*, in order of priority."""
    rules = (rule for rulebook in rulebooks.rulebooks for rule in rulebook.renewal.rules)
    return tuple(dict.fromkeys(rule.code for rule in rules))


def with_outcomes(plan: ColumnPlan, results: Collection[str]) -> Frame:
    """
    Return the frame of *plan* with the columns *results*, `RULEBOOK`, and the totals of ledgers.

    In memory these are its only columns, and it is a frame of Polars.
    """
    sql_plan = _sql_plan(plan)
    steps = sql_plan.steps(
        readable=TEXT_COLUMNS[CODES] in results,
        codes=tuple(code for code in rule_codes(plan.rulebooks) if rule_column(code) in results),
        masks=FALSE_RULES in results,
    )
    named = {name: sql_plan.col(RESULT_COLUMNS.get(name, name)) for name in results}
    if BALANCE in results:
        is_there = _BALANCE_FACT in plan.facts
        column = sql_plan.col(sql_plan.fact_column(_BALANCE_FACT))
        named[BALANCE] = column if is_there else "cast(null as bigint)"
    for name in plan.ledger:
        named[converted_column(name)] = sql_plan.col(converted_column(name))
    return _computed(plan, sql_plan, steps, named)


def with_facts(plan: ColumnPlan) -> Frame:
    """
    Return the frame of *plan* with `RULEBOOK`, `UNREADABLE`, and all facts in `converted_column`.

    The day of a row is there as well, if it is in a column. In memory these are its only columns,
    and it is a frame of Polars.
    """
    sql_plan, on = _sql_plan(plan), plan.rulebooks.day_or_column
    named = {
        converted_column(name): sql_plan.col(sql_plan.fact_column(name)) for name in plan.facts
    }
    if isinstance(on, str):
        named[converted_column(on)] = sql_plan.col(converted_column(on))
    named[UNREADABLE] = sql_plan.col(UNREADABLE)
    return _computed(plan, sql_plan, sql_plan.read_steps(), named)


def _sql_plan(plan: ColumnPlan) -> SqlPlan:
    """
    The steps of SQL for *plan*, in the dialect of its frame.

    A prepared column of 64 bits is `trusted`: no step converts it, unless the plan is strict.
    """
    is_trusted, on = plan.prepared and not plan.strict, plan.rulebooks.day_or_column
    return SqlPlan(
        dialect=_DIALECTS.get(plan.frame.implementation, POLARS),
        rulebooks=plan.rulebooks,
        facts=plan.facts,
        ledger=plan.ledger,
        dtypes=plan.schema,
        prepared=plan.prepared,
        strict=plan.strict,
        unread=plan.unread,
        invalid=INVALID_COLUMN if plan.prepared and INVALID_COLUMN in plan.schema else None,
        trusted=frozenset(
            name
            for name in plan.facts
            if is_trusted and name != on and plan.schema[name] == nw.Int64
        ),
    )


def _computed(
    plan: ColumnPlan, sql_plan: SqlPlan, steps: Iterable[SqlStep], named: Mapping[str, str]
) -> Frame:
    """
    The frame of *plan* after *steps*, with `RULEBOOK` and the columns *named*: each with its SQL.

    A lazy frame keeps its own columns; one in memory becomes a frame of Polars without them.
    """
    has_several = plan.rulebooks.jurisdiction_column is not None
    named = {**named, RULEBOOK: sql_plan.col(RULEBOOK) if has_several else "0"}
    in_memory = isinstance(plan.frame, nw.DataFrame)
    kept = [name for name in plan.schema if name not in named] if not in_memory else []
    steps = [step for step in steps if step]
    if sql_plan.dialect == POLARS:
        rows = plan.rows()
        for step in (*steps, named):
            rows = rows.with_columns(**{name: pl.sql_expr(text) for name, text in step.items()})
        rows = rows.select(*kept, *named)
        if in_memory:
            return nw.from_native(rows.collect(engine="streaming"), eager_only=True)
        return _lazy(rows)
    native, col = plan.frame.to_native(), sql_plan.col
    for step in steps:
        native = _selected(native, ["*", *(f"{text} as {col(n)}" for n, text in step.items())])
    columns = [f"{text} as {col(name)}" for name, text in named.items()]
    return _lazy(_selected(native, [*map(col, kept), *columns]))


def _lazy(native: Any) -> Frame:
    frame: nw.LazyFrame[Any] = nw.from_native(native)
    return frame


def _selected(frame: Any, columns: Sequence[str]) -> Any:
    """The native *frame* of Spark or DuckDB with *columns* of SQL only."""
    if hasattr(frame, "selectExpr"):
        return frame.selectExpr(*columns)
    return frame.project(",\n".join(columns))
