"""`assess` and `prepare`: a frame with the outcome of each row, or its facts as integers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.portfolio.assessing.outcome_columns import (
    INVALID_COLUMN,
    READABLE,
    RESULTS,
    UNREADABLE,
    converted_column,
    rule_column,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_errors import check_columns
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, open_frame, with_results
from holdback.portfolio.reading.suspects import warn_of_suspects
from holdback.portfolio.sql.computed_frames import rule_codes, with_facts, with_outcomes


def deals_of(  # noqa: PLR0913  # what every question is asked with
    frame: Any,
    rules: Rules,
    jurisdiction: str,
    on: DayOrColumn | None,
    *,
    prepared: bool,
    output_names: Collection[str] = (),
    unread: bool = False,
    with_ledger: bool = False,
) -> ColumnPlan:
    """
    Return the deals of the user's *frame* under *rules*, after a warning of suspected columns.

    *output_names* are the columns that the result adds, which must not clash with the user's;
    *unread* and *with_ledger* are those of a `ColumnPlan`.

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
    """
    plan = ColumnPlan.of(open_frame(frame), rules, jurisdiction, on, prepared=prepared)
    plan = evolve(plan, unread=unread, with_ledger=with_ledger)
    check_columns(plan, output_names)
    warn_of_suspects(plan, are_added_up=not unread)
    return plan


def assess(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
    readable: bool = False,
    each_rule: bool = False,
) -> Any:
    """
    Return *frame* with the outcome of each row under *rules*.

    It is a frame of pandas, Polars, PyArrow, DuckDB or PySpark, and so is the result.

    *rules* is a rulebook for every row, or jurisdictions: then the column *jurisdiction* holds the
    code of each row, and *on* is the column with its day, by default `on`, or a date for all rows.
    A rulebook is of one jurisdiction on one day: it takes no *on*, and rows of another jurisdiction
    are refused; those of a lazy frame, which has no rows yet, are invalid. Columns named as
    facts hold what a facts document holds; with *prepared*, what `prepare` makes of them. Every
    fact that a rule reads needs a column.

    Four columns are added: `outcome` (the place in `OUTCOMES`), `eligible`, `failing` (a mask of
    the rules that decided, for `codes`) and `needs` (a mask for `needed`, of the facts that are
    missing, or that cannot be read if the row is invalid). With *readable*, `outcome`, `codes` and
    `needs` are texts instead. With *each_rule*, one more column for each rule, named by its code,
    has the rule's own answer: true, false, or null where it is unknown, where the row's rulebook
    does not have the rule, and where the row is invalid. A lazy frame stays lazy.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars")
    >>> assessed = assess(deals, load_jurisdictions(), readable=True)
    >>> assessed.filter(pl.col("codes") == "GB-R-02").height
    7

    Columns in memory that look like fractions or minor units give a warning, `SuspectColumns`.

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
    """
    plan = ColumnPlan.of(open_frame(frame), rules, jurisdiction, on, prepared=prepared)
    columns = dict(READABLE) if readable else {name: name for name in RESULTS}
    if each_rule:
        columns |= {code: rule_column(code) for code in rule_codes(plan.rulebooks)}
    check_columns(plan, {*RESULTS, *columns})
    warn_of_suspects(plan, are_added_up=False)
    return native_result(plan, with_outcomes(plan, columns.values()), columns)


def prepare(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
) -> Any:
    """
    Return *frame* with its facts as integers, for `assess(..., prepared=True)`, which is faster.

    Percentages are in ten-thousandths of a percent, amounts in minor units, and dates are proleptic
    Gregorian ordinals; a text is its place in the declared set, a flag is 0 or 1, and null is
    unknown. A value that cannot be read is null as well, and its fact is set in the mask of one
    more column, `invalid`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(3, seed=7, backend="polars")
    >>> prepare(deals, load_jurisdictions())["progress"].to_list()
    [804920, 1000000, 1000000]

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
    """
    plan = deals_of(
        frame, rules, jurisdiction, on, prepared=False, output_names={INVALID_COLUMN}, unread=True
    )
    numbers = {name: converted_column(name) for name in plan.facts}
    return native_result(plan, with_facts(plan), {**numbers, INVALID_COLUMN: UNREADABLE})


def native_result(plan: ColumnPlan, computed: Frame, columns: Mapping[str, str]) -> Any:
    """
    Return the user's own frame with *columns* added: the name of each, and its name in *computed*.

    *computed* has the rows of *plan* in the same order; a lazy one also has the user's columns.
    """
    chosen = {name: nw.col(source).alias(name) for name, source in columns.items()}
    if isinstance(computed, nw.DataFrame):
        assert isinstance(plan.frame, nw.DataFrame)
        return with_results(plan.frame, computed.select(*chosen.values()))
    own = {name: nw.col(name) for name in plan.schema}
    return computed.select(*{**own, **chosen}.values()).to_native()
