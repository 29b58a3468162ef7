"""`findings` and `check_frame`: what is wrong, or may be, in a frame before it is assessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import shown_path
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.assessing.outcome_columns import PREFIX, RESULTS, RULEBOOK, UNREADABLE
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, RowRulebooks, Rules
from holdback.portfolio.reading.column_errors import column_errors
from holdback.portfolio.reading.column_findings import (
    ERROR,
    UNREAD,
    WARNING,
    ColumnFinding,
    Findings,
    RowLabels,
    shown_value,
)
from holdback.portfolio.reading.column_mapping import ColumnMapping
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, answer_backend, open_frame
from holdback.portfolio.reading.repeated_deals import repeated_deals
from holdback.portfolio.reading.single_values import has_two_meanings
from holdback.portfolio.reading.suspects import numbers_of, suspect_columns
from holdback.portfolio.reading.undeclared_values import currency_errors, suggestion, unknown_texts
from holdback.portfolio.sql.computed_frames import with_facts
from holdback.rules.types import Fact, Kind
from holdback.rules.values import is_missing

_ROW: Final = f"{PREFIX}first"
_COUNT: Final = f"{PREFIX}rows"


def findings(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
    mapping: ColumnMapping | None = None,
) -> Findings:
    """
    Return everything about *frame* that is wrong for *rules*, or probably not what was meant.

    Errors are columns that are missing or of the wrong type, values that cannot be read, and
    amounts in another currency. Warnings are texts that no jurisdiction declares, which are
    unknown, columns that look like fractions or minor units, deals that occur more than once, and a
    last row that looks like a total. What *mapping*, by which the frame was read, says of a column
    is not suspected. The other arguments are those of `assess`.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> for finding in findings(sample(3000, seed=7), load_jurisdictions()):
    ...     print(finding.severity, finding.column, finding.row, finding.value)
    error balance D-00001091 -1272.93

    Raises:
        InvalidDocument: if *rules* or *on* cannot be used.
    """
    opened = open_frame(frame)
    plan = ColumnPlan.of(opened, rules, jurisdiction, on, prepared=prepared)
    rows = [_of_column(error, plan) for error in column_errors(plan, RESULTS)]
    wrong = {row.column for row in rows}
    keys = (plan.rulebooks.jurisdiction_column, plan.rulebooks.day_or_column)
    # Without a rulebook for each row, no value can be read.
    if wrong.isdisjoint(key for key in keys if isinstance(key, str)):
        plan = evolve(plan, skipped=frozenset(wrong))
        rows += _value_errors(plan)
        rows += currency_errors(plan)
        rows += unknown_texts(plan)
        rows += suspect_columns(plan, mapping)
        rows += repeated_deals(plan)
        rows += total_row(plan)
    rows.sort(key=lambda row: row.severity != ERROR)
    return Findings(tuple(rows), answer_backend(opened))


def check_frame(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
    mapping: ColumnMapping | None = None,
) -> Findings:
    """
    Check that every row of *frame* can be read for *rules*, and return the warnings.

    The arguments are those of `findings`. `assess` raises `InvalidDocument` if a column is missing
    or of the wrong type, but marks a row with a value that cannot be read as `invalid`. This
    function reports both before any work begins. It also checks that prepared columns are in range,
    which `assess` takes for granted.

    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").rename({"progress": "progess"})
    >>> check_frame(deals, load_jurisdictions())
    Traceback (most recent call last):
    ...
    holdback.errors.InvalidDocument: $.progress: the column is missing; did you mean `progess`?

    Raises:
        InvalidDocument: with every error among the findings.
    """
    rows = findings(
        frame, rules, jurisdiction=jurisdiction, on=on, prepared=prepared, mapping=mapping
    )
    if rows.errors:
        raise InvalidDocument([row.detail for row in rows.errors])
    return rows


def _of_column(error: ErrorDetail, plan: ColumnPlan) -> ColumnFinding:
    """The finding of an *error* of a whole column."""
    keys = (plan.rulebooks.jurisdiction_column, plan.rulebooks.day_or_column)
    names = (*plan.schema, *plan.rulebooks.facts, *map(str, keys))
    column = next(name for name in names if shown_path("$", name) == error.path)
    return ColumnFinding(
        severity=ERROR, code=error.code, column=column, message=error.message, cure=error.hint
    )


def _value_errors(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """An error for each column with values that cannot be read."""
    strict = evolve(plan, strict=True)
    by_column: dict[tuple[str, str], tuple[_Rows, Fact | None]] = {}
    for place, mask, rows in _unreadable_rows(with_facts(strict), strict):
        for name, expected, fact in _unreadable_columns(strict, place, mask):
            earlier, _ = by_column.get((name, expected), (_Rows(0, None), None))
            by_column[name, expected] = earlier + rows, fact
    order = {name: place for place, name in enumerate(strict.schema)}
    for name, expected in sorted(by_column, key=lambda key: (order[key[0]], key)):
        rows, fact = by_column[name, expected]
        yield _unreadable(strict, name, expected, rows, fact)


def _unreadable(
    plan: ColumnPlan, name: str, expected: str, rows: _Rows, fact: Fact | None
) -> ColumnFinding:
    """The error that *rows* of the column *name* cannot be read."""
    label = shown = cure = None
    place, many = "a row", f"{rows.count:,} rows cannot be read"
    if rows.first is not None:
        frame: Any = plan.frame
        labels, value = RowLabels(frame), frame[name][rows.first]
        label = labels.of_or_number(rows.first)
        shown = shown_value(value)
        place = f"{labels.named(rows.first)}: {shown}"
        many += f", the first is {place}"
        cure = cure_of(value, fact, plan.rulebooks, name)
    return ColumnFinding(
        severity=ERROR,
        code="wrong_value",
        column=name,
        message=f"{place} cannot be read" if rows.count == 1 else many,
        row=label,
        value=shown,
        count=rows.count,
        expected=expected,
        cure=cure,
    )


@frozen
class _Rows:
    """A number of rows, and the first of them, from 0; None where rows have no order."""

    count: int
    first: int | None

    def __add__(self, other: _Rows) -> _Rows:
        firsts = [first for first in (self.first, other.first) if first is not None]
        return _Rows(self.count + other.count, min(firsts, default=None))


def _unreadable_rows(facts: Frame, plan: ColumnPlan) -> Iterator[tuple[int, int, _Rows]]:
    """The rows that cannot be read, by the place of their rulebook and by mask."""
    frame: Any = facts.select(
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
            number = int(row[_ROW]) if plan.in_memory else None
            yield int(row[RULEBOOK]), int(row[UNREADABLE]), _Rows(int(row[_COUNT]), number)


def _unreadable_columns(
    plan: ColumnPlan, place: int, mask: int
) -> Iterator[tuple[str, str, Fact | None]]:
    """The columns in *mask*, each with what was expected of it, and its fact."""
    rulebooks = plan.rulebooks
    if mask >> JURISDICTION_BIT & 1:
        codes = sorted({rulebook.code for rulebook in rulebooks.rulebooks})
        yield str(rulebooks.jurisdiction_column), f"expected one of {', '.join(codes)}", None
    elif mask >> ON_BIT & 1:
        yield (
            str(rulebooks.day_or_column),
            "expected a day on which the jurisdiction of the row has rules",
            None,
        )
    else:
        for bit, fact in enumerate(rulebooks.rulebooks[place].catalogue.facts):
            if mask >> bit & 1:
                yield fact.name, _expected(fact), fact


def _expected(fact: Fact) -> str:
    # A derived percentage may have more decimals: it is rounded down.
    decimals = f", at most {fact.type.places} decimals"
    return fact.out_of_range + (decimals if fact.type.places and not fact.rounded_down else "")


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


# A float is taken for a decimal number if it differs from it by less than this number of places
# after the last one that the number has: that much is left by arithmetic with floats.
_SPARE_PLACES = 4
_WHOLE = (Kind.COUNT, Kind.DAYS)
_BY_MAPPING = "say in a mapping how the column is written; `portfolio.suggest` proposes one"


def cure_of(value: Any, fact: Fact | None, rulebooks: RowRulebooks, column: str) -> str | None:
    """
    Return what to do about *value*, which cannot be read as *fact*, or None if nothing is known.

    Without *fact*, it is in the column of the jurisdictions or in that of the days.
    """
    if fact is None:
        if column == rulebooks.jurisdiction_column and isinstance(value, str):
            return suggestion(value, rulebooks.codes)
        return None
    if isinstance(value, float) and isfinite(value):
        return _rounding_advice(value, fact, column)
    if not isinstance(value, str) or fact.type.kind is Kind.TEXT:
        return None
    number = value.removeprefix(UNREAD)
    if has_two_meanings(number) and (number != value or fact.type.kind in _WHOLE):
        return (
            f"it has two meanings: in a mapping, write `[forms.{column}]` and "
            '`decimal_mark = "."` if the point is before decimals; if it is between thousands, '
            '`decimal_mark = ","` and `thousands = "."`'
        )
    if fact.type.kind is Kind.MONEY and number != value and number.lstrip("-").isdigit():
        return "have a column `currency`: the decimals of minor units depend on it"
    if has_too_many_decimals(value, fact):
        what = f"it has more decimals than {fact.type} has"
        return f"{what}: round the column to {fact.type.places} where the file is written"
    return _BY_MAPPING


def has_too_many_decimals(text: str, fact: Fact) -> bool:
    """Return whether *text* is a plain number that only its decimals keep from being *fact*."""
    number = re.fullmatch(r"-?[0-9]+\.([0-9]+)", text.removeprefix(UNREAD))
    return number is not None and len(number[1].rstrip("0")) > fact.type.places


def _rounding_advice(value: float, fact: Fact, column: str) -> str | None:
    """
    Return what to do about a float that has more decimals than *fact*; None if it has not.

    What arithmetic with floats left is rounded away; other decimals are for the policy to round.
    """
    places = fact.type.places
    rounded = round(value, places)
    if rounded == value:
        return None
    is_more_than_noise = abs(rounded - value) * 10 ** (_SPARE_PLACES + places) > max(1, abs(value))
    if is_more_than_noise:
        return f"it has more decimals than {fact.type} has: round it as your policy says"
    return (
        f"this is what arithmetic with floats leaves of {rounded}: round the column, in pandas "
        f'`deals["{column}"].round({places})`, in Polars `pl.col("{column}").round({places})`'
    )
