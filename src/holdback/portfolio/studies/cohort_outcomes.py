"""`cohorts`: the outcomes of the deals that have a text, or the time of a day, in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final, Literal

import narwhals.stable.v2 as nw

from holdback.errors import InvalidDocument, did_you_mean, printable
from holdback.exact.exact_json import shown_path
from holdback.portfolio.answers.answer_table import AnswerTable
from holdback.portfolio.assessing.aggregation import (
    DealTotals,
    count_rows_by_value,
    sum_totals,
)
from holdback.portfolio.assessing.assessed_frames import deals_of
from holdback.portfolio.assessing.outcome_codes import OUTCOMES
from holdback.portfolio.assessing.outcome_columns import BALANCE, OUTCOME, PREFIX, RULEBOOK
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, answer_backend, open_frame, with_results
from holdback.portfolio.sql.computed_frames import with_outcomes
from holdback.portfolio.studies.outcome_counts import NO_JURISDICTION, Jurisdictional, share
from holdback.rules.values import is_missing, read_date

Every = Literal["month", "quarter", "year"]

_HEADS: Final = ("cohort", "jurisdiction", "outcome", "deals", "share", "balance", "currency")
_COHORT: Final = f"{PREFIX}cohort"
_PERIODS: Final = ("month", "quarter", "year")
_MONTHS: Final = 3  # in a quarter
# A column with more distinct values identifies deals, and does not group them.
_MOST_COHORTS: Final = 500


def cohorts(  # noqa: PLR0913  # public; all but the question have a default
    frame: Any,
    rules: Rules,
    *,
    by: str,
    every: Every | None = None,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return the outcomes of the deals in *frame* by cohort: the value of the column *by*.

    With *every*, `"month"`, `"quarter"` or `"year"`, the column holds days and a cohort is named
    like 2026-07, 2026-Q3 or 2026. A deal without a value has no cohort. A `share` is of the
    cohort's deals in the jurisdiction. The other arguments are those of `assess`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars")
    >>> answer = cohorts(deals, load_jurisdictions(), by="deal_type")
    >>> first = answer.records[0]
    >>> first["cohort"], first["jurisdiction"], first["outcome"], first["deals"]
    ('Initial', 'AU', 'eligible', 5)

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type; the column has
            too many values for cohorts, or with *every*, values that are not days.
    """
    opened = open_frame(frame)
    _check(opened.collect_schema(), by, every)
    plan = deals_of(frame, rules, jurisdiction, on, prepared=prepared)
    totals = _by_cohort(plan, by, every)
    return AnswerTable(
        question="cohorts",
        title=f"Outcomes by {every} of {by}" if every else f"Outcomes by {by}",
        heads=_HEADS,
        rows=tuple(_rows(totals, Jurisdictional(plan.rulebooks.rulebooks))),
        notes=(
            *Jurisdictional(plan.rulebooks.rulebooks).notes,
            "a share is of the deals of the cohort in the jurisdiction",
        ),
        backend=answer_backend(opened),
    )


def _check(schema: Mapping[str, Any], by: object, every: object) -> None:
    """
    Check that there is a column *by*, and that *every* is None or a period.

    Raises:
        InvalidDocument: *by* is not the name of a column, or *every* another value.
    """
    if not isinstance(by, str):
        hint = "as `deal_type`; for several, add a column with what they have in common"
        message = "expected the name of a column"
        raise InvalidDocument.of("wrong_type", message, path="$.by", hint=hint)
    if by not in schema:
        raise InvalidDocument.of(
            "missing",
            "the column is missing",
            path=shown_path("$", by),
            hint=did_you_mean(by, schema) or "it holds the cohort of each deal",
        )
    if every is not None and every not in _PERIODS:
        message = "expected `month`, `quarter` or `year`"
        near = did_you_mean(str(every), _PERIODS)
        raise InvalidDocument.of("wrong_value", message, path="$.every", hint=near)


def _by_cohort(
    plan: ColumnPlan, by: str, every: str | None
) -> Mapping[tuple[str | None, str, str], DealTotals]:
    """
    The deals by cohort, None where it is unknown, and by jurisdiction and outcome.

    Raises:
        InvalidDocument: as `cohorts` says, about the values of the column.
    """
    deals: Frame = with_outcomes(plan, (OUTCOME, BALANCE))
    if isinstance(deals, nw.DataFrame):
        # In memory the outcomes are a frame of their own, so the user's values are put beside them.
        frame: Any = plan.frame
        _check_values(frame[by])
        values = frame.select(nw.col(by).alias(_COHORT))
        deals = nw.from_native(with_results(values, deals), eager_only=True)
    else:
        deals = deals.with_columns(nw.col(by).alias(_COHORT))
    rulebooks = plan.rulebooks.rulebooks
    parts = []
    # The engine groups by the values, and only the distinct ones are named here.
    for (place, outcome), value, totals in count_rows_by_value(deals, (RULEBOOK, OUTCOME), _COHORT):
        code = rulebooks[place].code if place >= 0 else NO_JURISDICTION
        parts.append(((_name(value, by, every), code, OUTCOMES[outcome]), totals))
    sums = sum_totals(parts)
    count = len({cohort for cohort, _, _ in sums})
    if count > _MOST_COHORTS:
        hint = "name a column that deals have in common, or a column of days and `every`"
        message = f"{count:,} values are too many for cohorts: at most {_MOST_COHORTS}"
        raise InvalidDocument.of("too_large", message, path=shown_path("$", by), hint=hint)
    return sums


def _check_values(column: nw.Series[Any]) -> None:
    """
    Check that rows can be grouped by *column*.

    Raises:
        InvalidDocument: it holds objects such as lists, which cannot.
    """
    if column.dtype not in (nw.Object, nw.Unknown):
        return
    try:
        set(column.to_list())
    except TypeError:
        message = "expected a value in each row, such as a text or a day, and not lists"
        raise InvalidDocument.of("wrong_type", message, path=shown_path("$", column.name)) from None


def _name(value: Any, by: str, every: str | None) -> str | None:
    """
    The name of the cohort of *value* in the column *by*; None where the value is missing.

    With *every* it is a period such as 2026-07, else the value as text, or the day of a midnight.

    Raises:
        InvalidDocument: the cohorts are periods, and the value is not a day.
    """
    if is_missing(value):
        return None
    if every is None:
        is_midnight = isinstance(value, datetime) and value.isoformat().endswith("T00:00:00")
        return printable(str(value.date() if is_midnight else value))
    try:
        day = value.date() if isinstance(value, datetime) else date.fromordinal(read_date(value))
    except ValueError:
        raise InvalidDocument.of(
            "wrong_value",
            "expected a column of days",
            path=shown_path("$", by),
            hint="leave `every` out to group by the values themselves",
        ) from None
    if every == "year":
        return f"{day.year:04}"
    if every == "month":
        return f"{day.year:04}-{day.month:02}"
    return f"{day.year:04}-Q{(day.month - 1) // _MONTHS + 1}"


def _rows(
    totals: Mapping[tuple[str | None, str, str], DealTotals], jurisdictional: Jurisdictional
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of `cohorts`, with the columns `_HEADS`; deals without a cohort are last."""
    deals_of_group: dict[tuple[str | None, str], int] = {}
    for (cohort, code, _), part in totals.items():
        deals_of_group[cohort, code] = deals_of_group.get((cohort, code), 0) + part.deals

    def in_order(group: tuple[str | None, str]) -> tuple[bool, str, str]:
        cohort, code = group
        return cohort is None, cohort or "", code

    for cohort, code in sorted(deals_of_group, key=in_order):
        for outcome in OUTCOMES:
            part = totals.get((cohort, code, outcome), DealTotals())
            if part.deals:
                share_of_group = share(part.deals, deals_of_group[cohort, code])
                amount = jurisdictional.amount(code, part)
                yield cohort, code, outcome, part.deals, share_of_group, *amount
