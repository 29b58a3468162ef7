"""`explain`: the assessment of one row of a frame, with its reasons and what would help."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.eligibility.assessment import Assessment
from holdback.errors import ErrorDetail, InvalidDocument, code_of, did_you_mean, printable
from holdback.exact.exact_json import shown_path
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, ON_BIT, needed
from holdback.portfolio.assessing.outcome_columns import (
    PREFIX,
    RULEBOOK,
    UNREADABLE,
    converted_column,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_errors import check_columns
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, integers, open_frame
from holdback.portfolio.sql.computed_frames import with_facts
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.values import whole

POSITION: Final = "position"
LABEL: Final = "label"
_NO_LABELS: Final = "give the row's position, or name a column with `by`, such as `deal_id`"


def explain(  # noqa: PLR0913  # public; all but the row and the rules have a default
    frame: Any,
    row: Any,
    rules: Rules,
    *,
    by: str = POSITION,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> Assessment:
    """
    Return the assessment of the *row* of *frame*: the answer of `assess`, with what explains it.

    *row* is its position, counted from 0; with `by="label"` its label in the index of a pandas
    frame; and with the name of a column, such as `by="deal_id"`, its value in that column. A lazy
    frame has no positions. The other arguments are those of `assess`, and facts are read as there.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars")
    >>> assessment = explain(deals, 17, load_jurisdictions())
    >>> assessment.outcome, assessment.codes
    ('ineligible', ('US-NY-R-02',))

    Raises:
        InvalidDocument: there is no such row, or several; a column is missing or of the wrong type;
            or the row is invalid, with each fact that cannot be read.
    """
    part = _row(open_frame(frame), row, by)
    plan = ColumnPlan.of(part, rules, jurisdiction, on, prepared=prepared)
    check_columns(plan, ())
    computed = with_facts(plan)
    rows = computed if isinstance(computed, nw.DataFrame) else computed.collect()
    if len(rows) != 1:
        raise _not_one(row, by, len(rows))
    # A lazy frame has the user's own columns as well.
    computed_names = (name for name in rows.columns if name.startswith(PREFIX))
    numbers = {name: integers(rows[name])[0] for name in computed_names}
    rulebook = _rulebook(plan, numbers)
    facts = {name: numbers[converted_column(name)] for name in plan.facts}
    return rulebook.assess_prepared(
        tuple(facts.get(fact.name) for fact in rulebook.catalogue.facts)
    )


def _row(frame: Frame, row: Any, by: object) -> Frame:
    """
    Return only the rows of *frame* that *row* names *by* position, label or the value of a column.

    By a column it may be none or several rows: `explain` counts them.
    """
    if by == POSITION:
        if not isinstance(frame, nw.DataFrame):
            raise InvalidDocument.of(
                "not_allowed",
                "a lazy frame has no positions",
                path="$.row",
                hint="name a column with `by`, such as `deal_id`",
            )
        return _at(frame, row)
    if by == LABEL:
        return _labelled(frame, row)
    if not isinstance(by, str):
        message = "expected `position`, `label` or the name of a column"
        raise InvalidDocument.of("wrong_type", message, path="$.by", hint="as `deal_id`")
    schema = frame.collect_schema()
    if by not in schema:
        hint = did_you_mean(by, (POSITION, LABEL, *schema))
        message = f"there is no column `{printable(by)}`"
        raise InvalidDocument.of("unknown_name", message, path="$.by", hint=hint)
    is_text = isinstance(schema[by], nw.String | nw.Categorical | nw.Enum)
    if is_text != isinstance(row, str) and schema[by] != nw.Object:
        expected = "a text" if is_text else f"a value of the type {schema[by]}"
        message = f"expected {expected}, as the column `{printable(by)}` has"
        raise InvalidDocument.of("wrong_type", message, path="$.row")
    return frame.filter(nw.col(by) == row)


def _at(frame: nw.DataFrame[Any], row: Any) -> Frame:
    """Return a frame of the one row at the position *row*, from the end if it is negative."""
    try:
        position = whole(row, "the position of a row, a whole number")
    except ValueError as error:
        hint = 'for a label give `by="label"`, and for an id `by="deal_id"`'
        raise InvalidDocument.of(code_of(error), str(error), path="$.row", hint=hint) from None
    count = len(frame)
    if not -count <= position < count:
        message = f"there is no row {position}: there are {count:,}, counted from 0"
        raise InvalidDocument.of("out_of_range", message, path="$.row")
    place = position % count
    return frame[place : place + 1]


def _labelled(frame: Frame, row: Any) -> Frame:
    """Return the rows of a pandas *frame* with the label *row*."""
    if not frame.implementation.is_pandas_like():
        message = "only the rows of a pandas frame have labels"
        raise InvalidDocument.of("not_allowed", message, path="$.by", hint=_NO_LABELS)
    native = nw.to_native(frame)
    try:
        labelled = native.loc[[row]]
    except (KeyError, TypeError):
        raise _not_one(row, LABEL, 0) from None
    rows: nw.DataFrame[Any] = nw.from_native(labelled, eager_only=True)
    return rows


def _not_one(row: Any, by: str, count: int) -> InvalidDocument:
    """The error that *count* rows, none or several, have *row* as their label or in a column."""
    value = f"`{printable(str(row))}`"
    given = f"the label {value}" if by == LABEL else f"{value} in `{printable(by)}`"
    if count:
        message, hint = f"{count:,} rows have {given}", "give the position of one of them"
        return InvalidDocument.of("duplicate", message, path="$.row", hint=hint)
    return InvalidDocument.of("unknown_name", f"no row has {given}", path="$.row")


def _rulebook(plan: ColumnPlan, numbers: Mapping[str, int | None]) -> Rulebook:
    """
    Return the rulebook of the row whose computed columns are *numbers*, dated on the row's day.

    Raises:
        InvalidDocument: with each fact of the row that cannot be read.
    """
    rulebooks = plan.rulebooks
    place, unreadable = numbers[RULEBOOK], numbers[UNREADABLE] or 0
    # A row without a rulebook has only key bits, so which one stands in for it makes no difference.
    rulebook = rulebooks.rulebooks[place or 0]
    names = list(needed(rulebook, unreadable)) if place is not None else []
    keys = ((JURISDICTION_BIT, rulebooks.jurisdiction_column), (ON_BIT, rulebooks.day_or_column))
    names += [str(column) for bit, column in keys if unreadable >> bit & 1]
    if names:
        hint = "`check_frame` says what was expected"
        raise InvalidDocument(
            [
                ErrorDetail(
                    code="wrong_value",
                    message="the row is invalid: this cannot be read",
                    path=shown_path("$", name),
                    hint=hint,
                )
                for name in names
            ]
        )
    day: Any = rulebooks.day_or_column
    if isinstance(day, str):
        ordinal = numbers[converted_column(day)]
        assert ordinal is not None, "a row without a day has no rulebook"
        day = date.fromordinal(ordinal)
    return rulebook if day is None else evolve(rulebook, on=day)
