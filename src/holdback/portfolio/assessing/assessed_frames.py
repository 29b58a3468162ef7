"""
`assess` and `prepare`: a frame with the outcome of each row, or its facts as integers.

Over a lazy frame, one long expression covers all rulebooks. In memory it is faster to see which
rulebooks occur and to evaluate each on its own rows only; `benchmarks/in_memory.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.portfolio.assessing.outcome_columns import (
    BALANCE,
    ELIGIBLE,
    INVALID_COLUMN,
    NEEDS,
    OUTCOME,
    PREFIX,
    RESULTS,
    RULEBOOK,
    UNREADABLE,
    StepWriter,
    converted_column,
    outcome_steps,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, RowRulebooks, Rules
from holdback.portfolio.assessing.rule_columns import (
    FALSE_RULES,
    RuleWriter,
    rule_codes,
    rule_column,
    with_rule_answers,
)
from holdback.portfolio.reading.column_errors import check_columns
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.readable_columns import CODES, TEXT_COLUMNS, text_columns
from holdback.portfolio.reading.suspects import warn_of_suspects
from holdback.portfolio.reading.work_frame import (
    WorkFrame,
    collected_together,
    open_frame,
    with_results,
    without_index,
    work_frame,
)
from holdback.portfolio.sql.lazy_frames import outcomes_by_sql, takes_sql
from holdback.rulebooks.rulebook import Rulebook

# The columns of a readable result, and the work frame's column for each.
READABLE: Final = {
    OUTCOME: TEXT_COLUMNS[OUTCOME],
    ELIGIBLE: ELIGIBLE,
    CODES: TEXT_COLUMNS[CODES],
    NEEDS: TEXT_COLUMNS[NEEDS],
}


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
    warn_of_suspects(plan)
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
    opened = open_frame(frame)
    plan = evolve(ColumnPlan.of(opened, rules, jurisdiction, on, prepared=False), unread=True)
    check_columns(plan, {INVALID_COLUMN})
    warn_of_suspects(plan)
    work, converted = plan.converted()
    col, int64 = work.api.col, work.api.Int64
    numbers = {name: col(converted_column(name)) for name in plan.facts if name in converted}
    work = work.with_columns({**numbers, INVALID_COLUMN: col(UNREADABLE).cast(int64)})
    if isinstance(opened, nw.DataFrame):
        return with_results(opened, work.select(*numbers, INVALID_COLUMN).collected())
    return work.select(*plan.schema, INVALID_COLUMN).native


def with_outcomes(plan: ColumnPlan, results: Collection[str]) -> WorkFrame:
    """
    Return the frame of *plan* with the columns *results*, and `RULEBOOK` if there may be several.

    In memory these are its only columns.
    """
    of_rules = {FALSE_RULES, *map(rule_column, rule_codes(plan.rulebooks))} & set(results)
    if takes_sql(plan) and not of_rules:
        return outcomes_by_sql(plan, results)
    work, converted = plan.converted()
    facts_without_nulls, may_be_invalid = plan.facts_without_nulls, plan.may_be_invalid
    codes = rule_codes(plan.rulebooks)

    def add_results(part: WorkFrame, rulebooks: RowRulebooks) -> WorkFrame:
        rulesets = tuple(rulebook.renewal for rulebook in rulebooks.rulebooks)
        steps = outcome_steps(
            rulesets, part.api, facts_without_nulls, converted, may_be_invalid=may_be_invalid
        )
        part = part.with_steps(steps)
        if TEXT_COLUMNS[CODES] in results:
            part = part.with_columns(text_columns(rulebooks, part.api))
        wanted = [code for code in codes if rule_column(code) in results]
        if wanted or FALSE_RULES in results:
            writer = StepWriter(part.api, facts_without_nulls, converted)
            rules = RuleWriter(rulebooks, writer)
            part = with_rule_answers(part, wanted, rules, may_be_invalid=may_be_invalid)
            part = part.with_columns(rules.masks() if FALSE_RULES in results else {})
        if BALANCE in results:
            part = part.with_columns({BALANCE: plan.balance(part.api, converted)})
        return part

    rulebooks = plan.rulebooks
    if plan.in_memory and rulebooks.jurisdiction_column is not None:
        names = tuple(dict.fromkeys(results))
        # What the facts were read from is not needed any more, and would only be moved about.
        computed = {converted_column(name) for name in converted} | {RULEBOOK, UNREADABLE}
        kept = ({*plan.facts} - converted) | computed | {*names}
        work = work.select(*(name for name in work.columns if name in kept))
        read = partial(plan.columns_read, converted=converted)
        return WorkFrame(split_by_rulebook(work, rulebooks, names, read, add_results), nw)
    return add_results(work, rulebooks)


def native_result(plan: ColumnPlan, work: WorkFrame, columns: Mapping[str, str]) -> Any:
    """Return the user's own frame with *columns*: the name of each, and its column in *work*."""
    col = work.api.col
    renamed = {name: col(source) for name, source in columns.items() if name != source}
    work = work.with_columns(renamed)
    if isinstance(plan.frame, nw.DataFrame):
        return with_results(plan.frame, work.select(*columns).collected())
    return work.select(*plan.schema, *columns).native


_ROW: Final = f"{PREFIX}row"
_NONE: Final = -1

AddResults = Callable[[WorkFrame, RowRulebooks], WorkFrame]
# The columns that the rules of a rulebook read.
ColumnsRead = Callable[[Rulebook], Collection[str]]


def split_by_rulebook(
    work: WorkFrame,
    rulebooks: RowRulebooks,
    results: Collection[str],
    columns_read: ColumnsRead,
    add_results: AddResults,
) -> nw.DataFrame[Any]:
    """
    Return the columns *results* and `RULEBOOK` of every row of *work*, in order.

    *add_results* computes them for the rows of one rulebook, from *columns_read* of it. Rows of
    rulebooks with the same rules go through one of them. Rows without a rulebook are invalid under
    any, so they go through the first that occurs.
    """
    frame = work.collected([name for name in work.columns if not name.startswith(PREFIX)])
    chosen = frame[RULEBOOK].cast(nw.Int64).fill_null(_NONE)
    # A frame without rows goes through as well: its result has the same columns.
    groups = _by_rules(rulebooks.rulebooks, sorted(chosen.unique().to_list()) or [_NONE])
    there = [frame[name] for name in results if name in frame.columns]
    wanted = [name for name in results if name not in frame.columns]
    if len(groups) > 1:
        frame = frame.with_row_index(_ROW)
        own = [reduce(or_, [chosen == place for place in places]) for _, places in groups]
        parts = _parts(frame, own, [{_ROW, *columns_read(rulebook)} for rulebook, _ in groups])
        wanted.append(_ROW)
    else:
        parts = [frame.drop(RULEBOOK)]
    answered = collected_together(
        [
            add_results(work_frame(part), evolve(rulebooks, rulebooks=(rulebook,))).select(*wanted)
            for part, (rulebook, _) in zip(parts, groups, strict=True)
        ]
    )
    answers = nw.concat(answered)
    if len(groups) > 1:
        # Scattered to where they say, the numbers of rows say where rows are; sorting is slower.
        rows = answers[_ROW]
        answers = answers.drop(_ROW)[rows.scatter(rows, frame[_ROW])]
    return answers.with_columns(chosen, *there)


def _by_rules(
    rulebooks: Sequence[Rulebook], places: Sequence[int]
) -> Sequence[tuple[Rulebook, list[int]]]:
    """Rulebooks of different rules, each with the *places* of those that have the same rules."""
    groups: dict[object, tuple[Rulebook, list[int]]] = {}
    first = next((place for place in places if place != _NONE), 0)
    for place in places:
        rulebook = rulebooks[first if place == _NONE else place]
        rules = tuple((rule.code, rule.checked, rule.otherwise) for rule in rulebook.renewal.rules)
        facts = tuple(fact.name for fact in rulebook.catalogue.facts)
        _, own = groups.setdefault((rules, facts), (rulebook, []))
        own.append(place)
    return list(groups.values())


def _parts(
    frame: nw.DataFrame[Any], own: Sequence[Any], read: Sequence[Collection[str]]
) -> Sequence[nw.DataFrame[Any]]:
    """The rows of *frame* in each mask of *own*, with the columns *read* of each."""
    parts: list[dict[str, Any]] = [{} for _ in own]
    # Column by column, so that each is in the caches while its rows are picked.
    for column in frame.iter_columns():
        for rows, names, part in zip(own, read, parts, strict=True):
            if column.name in names:
                part[column.name] = column.filter(rows)
    return [without_index(nw.from_dict(part)) for part in parts]
