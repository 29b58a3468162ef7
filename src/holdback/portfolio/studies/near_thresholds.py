"""`near`: the deals that one threshold separates from another outcome, and how far they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.eligibility.assessment import FLOOR, assess
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.errors import InvalidDocument, code_of, readings_of, write_instead
from holdback.exact.exact_numbers import HUNDRED_PERCENT, trimmed
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.answer_table import AnswerTable
from holdback.portfolio.assessing.outcome_columns import (
    PREFIX,
    RULEBOOK,
    UNREADABLE,
    converted_column,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_findings import RowLabels
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, answer_backend, integers, open_frame
from holdback.portfolio.sql.computed_frames import with_facts
from holdback.portfolio.studies.outcome_counts import plan_to_vary, proposal_notes
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.operators import MIRRORED
from holdback.rules.tree import Constant, FactRead, comparisons
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
# How many units above a threshold t the upper of its two sides begins: `>= t` changes its answer
# between t - 1 and t, so at t + 0; `> t` between t and t + 1.
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

    `row` is the deal's own label: its id where there is a column of ids, else its index, or its
    number from 1.
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
    limits = tuple(_limits(rulebook, distance) for rulebook in rulebooks)
    rows = _near_rows(plan, frame, limits)
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
        is_written = isinstance(within, str) and not _PERCENT.lacks_unit(within)
        number = _PERCENT.read(within) if is_written else None
    except ValueError as error:
        hint = write_instead(readings_of(error)) or _HINT
        raise InvalidDocument.of(code_of(error), str(error), path="$.within", hint=hint) from None
    if number is None or not 0 <= number <= HUNDRED_PERCENT:
        expected = "expected a percentage from 0% to 100%, with its sign"
        raise InvalidDocument.of("out_of_range", expected, path="$.within", hint=_HINT)
    return number


@frozen(kw_only=True)
class _Limit:
    """
    A threshold: the `number` with which the rule `code` compares `fact`.

    A deal whose fact is at most `distance` away from it is near. `first_above` is the least number
    on the upper side of it, where the comparison has another answer than on the lower one. `place`
    is that of the fact in the catalogue; `bit` is the place of the rule among the rules for
    renewals, None for the floor. Numbers are scaled integers.
    """

    code: str
    bit: int | None
    fact: Fact
    place: int
    number: int
    first_above: int
    distance: int

    def across(self, number: int) -> int | None:
        """The first number on the other side of the limit; None beyond the fact's range."""
        across = self.first_above - 1 if number >= self.first_above else self.first_above
        return across if self.fact.low <= across <= self.fact.high else None

    def passes(self, rulebook: Rulebook, facts: Facts) -> bool:
        """Whether the rule is true of *facts*."""
        if self.bit is None:
            progress = facts[self.place]
            return progress is not None and progress >= FLOOR
        false, unknown = rulebook.renewal.masks(facts)
        return not (false | unknown) >> self.bit & 1


def _limits(rulebook: Rulebook, within: int) -> tuple[_Limit, ...]:
    """
    Return the floor, and every number with which a rule of *rulebook* compares one fact.

    *within* is scaled: points of a percentage, or a percentage of the number. Numbers are left out
    of which *within* is less than one unit: of a count of 1, most deals would be near.
    """
    facts = rulebook.catalogue.facts
    # Keyed so that a rule that has the same comparison twice gives one limit.
    limits = {}
    for code, bit, place, number, above in _comparisons(rulebook):
        is_percent = facts[place].type.kind is Kind.PERCENT
        distance = within if is_percent else abs(number) * within // HUNDRED_PERCENT
        if is_percent or distance:
            limits[bit, place, above] = _Limit(
                code=code,
                bit=bit,
                fact=facts[place],
                place=place,
                number=number,
                first_above=above,
                distance=distance,
            )
    return tuple(limits.values())


def _comparisons(rulebook: Rulebook) -> Iterator[tuple[str, int | None, int, int, int]]:
    """Yield the first fields of each `_Limit`: code, bit, place, number and `first_above`."""
    yield FLOOR_CODE, None, rulebook.renewal.progress, FLOOR, FLOOR
    for bit, rule in enumerate(rulebook.renewal.rules):
        for comparison, _ in comparisons(rule.checked.tree):
            operator, operands = comparison.operator, comparison.operands
            # `14 < silence` is read as `silence > 14`.
            if isinstance(operands[0], Constant) and operator in MIRRORED:
                operator, operands = MIRRORED[operator], operands[::-1]
            match operands:
                case (FactRead(type=type_, place=place), Constant(number=number)) if (
                    operator in _FIRST_ABOVE and type_.kind in _MEASURED
                ):
                    yield rule.code, bit, place, number, number + _FIRST_ABOVE[operator]


def _near_rows(
    plan: ColumnPlan, frame: Any, limits: Sequence[Sequence[_Limit]]
) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each deal and each of the *limits* of its rulebook that decides."""
    deals = _Deals(_candidates(plan, limits), open_frame(frame), plan)
    for place, label, numbers in deals.rows():  # near some limit, which need not decide
        rulebook = plan.rulebooks.rulebooks[place]
        facts = tuple([numbers.get(fact.name) for fact in rulebook.catalogue.facts])
        outcome = assess(rulebook.renewal, facts, rulebook.on).outcome
        for limit in limits[place]:
            number = facts[limit.place]
            if number is None or abs(number - limit.number) > limit.distance:
                continue
            across = limit.across(number)
            moved = (*facts[: limit.place], across, *facts[limit.place + 1 :])
            if across is None or assess(rulebook.renewal, moved, rulebook.on).outcome == outcome:
                continue
            passes = limit.passes(rulebook, facts)
            if limit.passes(rulebook, moved) != passes:
                balance = numbers.get("balance")
                yield _row(label, rulebook, limit, number, passes=passes, balance=balance)


def _row(  # noqa: PLR0913  # the cells of a row
    label: str,
    rulebook: Rulebook,
    limit: _Limit,
    number: int,
    *,
    passes: bool,
    balance: int | None,
) -> tuple[Any, ...]:
    """The row of a deal whose fact is *number*; *balance* is in minor units."""
    places = limit.fact.type.places
    return (
        label,
        rulebook.code,
        limit.code,
        limit.fact.name,
        trimmed(number, places),
        trimmed(limit.number, places),
        trimmed(number - limit.number, places),
        passes,
        None if balance is None else Money(balance, rulebook.currency).amount,
        str(rulebook.currency),
    )


def _order(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key to sort a row by: jurisdiction, rule, fact and threshold, then the nearest first."""
    label, code, rule, fact, _, threshold, gap, *_ = row
    return code, rule, fact, threshold, abs(gap), str(label)


def _candidates(plan: ColumnPlan, limits: Sequence[Sequence[_Limit]]) -> nw.DataFrame[Any]:
    """
    The rows of *plan* that can be read and are near a limit of their rulebook, with their facts.

    In memory they have their number from 0 in the column `_ROW`; a lazy frame has no such numbers.
    """
    facts = with_facts(plan)
    if isinstance(facts, nw.DataFrame):
        facts = facts.with_row_index(_ROW)
    is_near = nw.col(UNREADABLE) == 0
    is_near &= reduce(or_, _of_rulebooks(limits, set(plan.facts)))
    near_rows = facts.filter(is_near.fill_null(value=False))
    return near_rows.collect() if isinstance(near_rows, nw.LazyFrame) else near_rows


def _of_rulebooks(limits: Sequence[Sequence[_Limit]], columns: set[str]) -> Iterable[nw.Expr]:
    """
    Yield conditions, one of which is true of a row that is near one of its rulebook's *limits*.

    *limits* are by the place of the rulebook; rulebooks with the same ranges share a condition.
    *columns* are the facts that have one.
    """
    ranges: dict[frozenset[tuple[str, int, int]], list[int]] = {}
    for place, of_rulebook in enumerate(limits):
        key = frozenset(
            (limit.fact.name, limit.number - limit.distance, limit.number + limit.distance)
            for limit in of_rulebook
            if limit.fact.name in columns
        )
        ranges.setdefault(key, []).append(place)
    for key, places in ranges.items():
        inside = [
            nw.col(converted_column(name)).is_between(low, high).fill_null(value=False)
            for name, low, high in sorted(key)
        ]
        yield nw.col(RULEBOOK).is_in(places) & reduce(or_, inside)


@frozen
class _Deals:
    """The rows `near` a limit, as `_candidates` returns them, and the user's `frame` and `plan`."""

    near: nw.DataFrame[Any]
    frame: Frame
    plan: ColumnPlan

    def rows(self) -> Iterator[tuple[int, str, Mapping[str, int | None]]]:
        """Yield, of each row, the place of its rulebook, its label, and its facts by name."""
        names = list(self.plan.facts)
        columns = [integers(self.near[converted_column(name)]) for name in names]
        places = integers(self.near[RULEBOOK])
        for place, label, *numbers in zip(places, self.labels, *columns, strict=True):
            yield place or 0, label, dict(zip(names, numbers, strict=True))

    @cached_property
    def labels(self) -> Sequence[str]:
        """The label of each row: its own, or its number from 1; "" if a lazy frame has no ids."""
        if _ROW not in self.near.columns:
            labels = RowLabels(self.near)
            return [labels.of(row) or "" for row in range(len(self.near))]
        labels = RowLabels(self.frame)
        return [labels.of_or_number(row) for row in self.near[_ROW].to_list()]
