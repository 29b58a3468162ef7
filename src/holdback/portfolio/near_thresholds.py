"""`near`: the deals that one threshold separates from another outcome, and how far they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.eligibility import FLOOR, assess
from holdback.errors import InvalidDocument, code_of, printable
from holdback.exact_numbers import HUNDRED_PERCENT, trimmed
from holdback.frozen_classes import frozen
from holdback.jurisdictions.rulebook import Rulebook
from holdback.money import Money
from holdback.portfolio.aggregation import with_rulebook
from holdback.portfolio.answer_table import AnswerTable
from holdback.portfolio.assessment import with_outcomes
from holdback.portfolio.column_findings import LABELS
from holdback.portfolio.column_plan import ColumnPlan
from holdback.portfolio.outcome_codes import INVALID, PLACES
from holdback.portfolio.outcome_columns import OUTCOME, PREFIX, RULEBOOK
from holdback.portfolio.outcome_counts import plan_to_vary, proposal_notes
from holdback.portfolio.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.work_frame import (
    Frame,
    answer_backend,
    open_frame,
    with_results,
    without_index,
)
from holdback.reasons import FLOOR_CODE
from holdback.rules.operators import MIRRORED
from holdback.rules.tree import Checked, Constant, FactRead, comparisons
from holdback.rules.types import Fact, Facts, Kind, Type

_HEADS: Final = (
    "row",
    "jurisdiction",
    "rule",
    "fact",
    "value",
    "threshold",
    "gap",
    "passes",
    "balance",
    "currency",
)
_PERCENT: Final = Type(Kind.PERCENT)
_MEASURED: Final = frozenset({Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.COUNT, Kind.DAYS})
# The first number from the threshold up, as its distance, that is above it: of `>= t` it is t.
_FIRST_ABOVE: Final[Mapping[str, int]] = {">=": 0, "<": 0, ">": 1, "<=": 1}
_ROW: Final = f"{PREFIX}row"
_HINT: Final = "how far from a threshold a deal may be: `2%`"


def near(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    rules: Rules,
    *,
    within: str = "2%",
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return the deals in *frame* that are near a threshold and on whose side of it much depends.

    A threshold is a figure with which a rule compares a fact, or the floor. *within* is in
    percentage points where the fact is a percentage, and otherwise a percentage of the threshold. A
    threshold of which that is less than one unit, such as a count of 1, is left out. The deal is
    among the rows if on the other side of the threshold, everything else unchanged, the rule would
    give another answer and the deal have another outcome.

    `row` is the deal's own label: its id where there is a column of ids, else its index or number.
    `gap` is `value` less `threshold`, and `passes` says whether the rule is true. The other
    arguments are those of `assess`.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(300, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> answer = near(deals, load_jurisdictions(), within="1%")
    >>> answer.heads[:8]
    ('row', 'jurisdiction', 'rule', 'fact', 'value', 'threshold', 'gap', 'passes')

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way; or
            *within* is not a percentage from 0% to 100%.
    """
    distance = _read_within(within)
    plan = plan_to_vary(frame, rules, jurisdiction, on, prepared=prepared)
    rulebooks = plan.rulebooks.rulebooks
    limits = tuple(
        tuple(limit for limit in _limits(rulebook) if limit.is_approached(distance))
        for rulebook in rulebooks
    )
    rows = _near_rows(plan, frame, limits, distance)
    return AnswerTable(
        question="near",
        title=f"Deals within {_PERCENT.show(distance)} of a threshold that decides",
        heads=_HEADS,
        rows=tuple(sorted(rows, key=_order)),
        notes=(*proposal_notes(rulebooks), *_notes(distance)),
        backend=answer_backend(open_frame(frame)),
    )


def _notes(distance: int) -> Iterator[str]:
    """Yield what a reader has to know of the rows."""
    yield (
        f"{_PERCENT.show(distance)} is percentage points of a percentage, and otherwise a "
        "percentage of the threshold; where that is less than one unit, it is left out"
    )
    yield "on the other side of the threshold the deal would have another outcome"


def _read_within(within: str) -> int:
    """
    Return *within* in ten-thousandths of a percent.

    Raises:
        InvalidDocument: it is not a percentage from 0% to 100%.
    """
    try:
        is_written = isinstance(within, str) and within.endswith("%")
        number = _PERCENT.read(within) if is_written else None
    except ValueError as error:
        raise InvalidDocument.of(code_of(error), str(error), path="$.within", hint=_HINT) from None
    if number is None or not 0 <= number <= HUNDRED_PERCENT:
        expected = "expected a percentage from 0% to 100%, with its sign"
        raise InvalidDocument.of("out_of_range", expected, path="$.within", hint=_HINT)
    return number


@frozen
class _Limit:
    """
    A `number` with which the rule `code` compares `fact`.

    `first_above` is the least number above the limit. The rule is `checked`, or the floor if that
    is None.
    """

    code: str
    fact: Fact
    place: int
    number: int
    first_above: int
    checked: Checked | None

    def distance(self, within: int) -> int:
        """How far from the limit a number may be, in the fact's units."""
        if self.fact.type.kind is Kind.PERCENT:
            return within
        return abs(self.number) * within // HUNDRED_PERCENT

    def is_approached(self, within: int) -> bool:
        """Whether there is anything near the limit: of a count of 1, most deals would be."""
        return self.fact.type.kind is Kind.PERCENT or self.distance(within) > 0

    def across(self, number: int) -> int | None:
        """The first number on the other side of the limit; None beyond the fact's range."""
        across = self.first_above - 1 if number >= self.first_above else self.first_above
        return across if self.fact.low <= across <= self.fact.high else None

    def passes(self, rulebook: Rulebook, facts: Facts) -> bool:
        """Whether the rule is true of *facts*."""
        if self.checked is None:
            progress = facts[self.place]
            return progress is not None and progress >= FLOOR
        false, unknown = rulebook.renewal.masks(facts)
        bit = next(bit for bit, rule in enumerate(rulebook.renewal.rules) if rule.code == self.code)
        return not (false | unknown) >> bit & 1


def _limits(rulebook: Rulebook) -> Iterator[_Limit]:
    """Yield the floor, and every number with which a rule of *rulebook* compares one fact."""
    facts = rulebook.catalogue.facts
    progress = rulebook.renewal.progress
    yield _Limit(FLOOR_CODE, facts[progress], progress, FLOOR, FLOOR, None)
    for rule in rulebook.renewal.rules:
        limits = {}
        for comparison, _ in comparisons(rule.checked.tree):
            operator, operands = comparison.operator, comparison.operands
            if isinstance(operands[0], Constant) and operator in MIRRORED:
                operator, operands = MIRRORED[operator], operands[::-1]
            match operands:
                case (FactRead(type=type_, place=place), Constant(number=number)) if (
                    operator in _FIRST_ABOVE and type_.kind in _MEASURED
                ):
                    above = number + _FIRST_ABOVE[operator]
                    limits[place, above] = _Limit(
                        rule.code, facts[place], place, number, above, rule.checked
                    )
        yield from limits.values()


def _near_rows(
    plan: ColumnPlan, frame: Any, limits: Sequence[Sequence[_Limit]], within: int
) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each deal and each of the *limits* of its rulebook that decides."""
    deals = _Deals(_candidates(plan, limits, within), open_frame(frame), plan)
    for place, label, numbers in deals.rows():
        rulebook = plan.rulebooks.rulebooks[place]
        facts = tuple(numbers.get(fact.name) for fact in rulebook.catalogue.facts)
        outcome = assess(rulebook.renewal, facts, rulebook.on).outcome
        for limit in limits[place]:
            number = facts[limit.place]
            if number is None or abs(number - limit.number) > limit.distance(within):
                continue
            across = limit.across(number)
            moved = (*facts[: limit.place], across, *facts[limit.place + 1 :])
            passes = limit.passes(rulebook, facts)
            if (
                across is not None
                and assess(rulebook.renewal, moved, rulebook.on).outcome != outcome
                and limit.passes(rulebook, moved) != passes
            ):
                yield _row(label, rulebook, limit, number, passes=passes, balance=numbers)


def _row(  # noqa: PLR0913  # the cells of a row
    label: str,
    rulebook: Rulebook,
    limit: _Limit,
    number: int,
    *,
    passes: bool,
    balance: Mapping[str, int | None],
) -> tuple[Any, ...]:
    places, minor = limit.fact.type.places, balance.get("balance")
    return (
        label,
        rulebook.code,
        limit.code,
        limit.fact.name,
        trimmed(number, places),
        trimmed(limit.number, places),
        trimmed(number - limit.number, places),
        passes,
        None if minor is None else Money(minor, rulebook.currency).amount,
        str(rulebook.currency),
    )


def _order(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Rows by jurisdiction, rule and fact, and the nearest to the threshold first."""
    label, code, rule, fact, _, threshold, gap, *_ = row
    return code, rule, fact, threshold, abs(gap), str(label)


def _candidates(
    plan: ColumnPlan, limits: Sequence[Sequence[_Limit]], within: int
) -> nw.DataFrame[Any]:
    """The rows of *plan* that are near a limit of their rulebook, with their number from 0."""
    work = with_rulebook(with_outcomes(plan, (OUTCOME,)))
    frame: Frame
    if isinstance(plan.frame, nw.DataFrame):
        assessed = work.select(RULEBOOK, OUTCOME).collected()
        rows = nw.from_native(with_results(plan.frame, assessed), eager_only=True)
        frame = without_index(rows).with_row_index(_ROW)
    else:
        frame = nw.from_native(work.native)
    is_near = nw.col(OUTCOME) != PLACES[INVALID]
    is_near &= reduce(or_, _of_rulebooks(limits, within, set(plan.schema)))
    rows = frame.filter(is_near.fill_null(value=False))
    return rows.collect() if isinstance(rows, nw.LazyFrame) else rows


def _of_rulebooks(
    limits: Sequence[Sequence[_Limit]], within: int, columns: set[str]
) -> Iterable[nw.Expr]:
    """The conditions under which a row is near one of the *limits* of its rulebook."""
    ranges: dict[frozenset[tuple[str, int, int]], list[int]] = {}
    for place, of_rulebook in enumerate(limits):
        key = frozenset(
            (limit.fact.name, limit.number - distance, limit.number + distance)
            for limit in of_rulebook
            for distance in (limit.distance(within),)
            if limit.fact.name in columns
        )
        ranges.setdefault(key, []).append(place)
    for key, places in ranges.items():
        inside = [
            ((nw.col(name) >= low) & (nw.col(name) <= high)).fill_null(value=False)
            for name, low, high in sorted(key)
        ]
        yield nw.col(RULEBOOK).is_in(places) & reduce(or_, inside)


@frozen
class _Deals:
    """The rows `near` a limit, of the user's own `frame`, that `plan` has prepared."""

    near: nw.DataFrame[Any]
    frame: Frame
    plan: ColumnPlan

    def rows(self) -> Iterator[tuple[int, str, Mapping[str, int | None]]]:
        """Yield the place of the rulebook, the label, and the numbers of each row."""
        names = list(self.plan.facts)
        columns = [_integers(self.near[name]) for name in names]
        places = _integers(self.near[RULEBOOK])
        for place, label, *numbers in zip(places, self.labels, *columns, strict=True):
            yield place or 0, label, dict(zip(names, numbers, strict=True))

    @cached_property
    def labels(self) -> Sequence[str]:
        """The label of each row: its id, else its index or number; nothing in a lazy frame."""
        names = {name.lower(): name for name in reversed(self.near.columns)}
        column = next((names[label] for label in LABELS if label in names), None)
        if column is not None:
            return [printable(str(value)) for value in self.near[column].to_list()]
        if _ROW not in self.near.columns:
            return [""] * len(self.near)
        rows = self.near[_ROW].to_list()
        if self.frame.implementation.is_pandas_like():
            index = nw.to_native(self.frame).index
            return [printable(str(index[row])) for row in rows]
        return [str(row) for row in rows]


def _integers(column: nw.Series[Any]) -> list[int | None]:
    """The numbers of *column*; pandas has a value of its own for null."""
    unknown = column.is_null().to_list()
    numbers = column.fill_null(0).to_list()
    return [
        None if missing else int(number) for missing, number in zip(unknown, numbers, strict=True)
    ]
