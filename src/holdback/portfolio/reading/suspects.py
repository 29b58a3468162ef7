"""
Columns that can be read, and probably mean something else: fractions, and minor units.

A column of percentages is suspected if nearly all of those that are not zero are at most 1.5: they
look like fractions; and if most are above 1,000: they look like percentages read as fractions. If
one in ten or more is at most 1.5, and hardly any lies between these and 10, both are mixed.
Amounts in a currency that has minor units are suspected if all of them are whole and fewer than
half are round, as amounts in minor units are; where another amount of the same deals has decimals,
only if they are also more than ten times as large as that one. Both are looked at over all rows,
and in each jurisdiction.
"""

from __future__ import annotations

import inspect
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from statistics import median
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve

from holdback.portfolio.reading.column_findings import (
    WARNING,
    ColumnFinding,
    RowLabels,
    shown_value,
)
from holdback.portfolio.reading.column_mapping import ColumnMapping
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.repeated_deals import repeated_deals
from holdback.portfolio.reading.undeclared_values import currency_errors, unknown_texts
from holdback.rules.types import Kind
from holdback.rules.values import is_missing


class SuspectColumns(UserWarning):
    """The warning that values of a frame can be read, and probably mean something else."""


# Fractions are at most 1.5, which is three halves.
_HALVES: Final = 3
_NEARLY_ALL: Final = (95, 100)
# A column in which as many, or more, are at most 1.5, and hardly any up to 10, mixes the two: there
# is a fifth as many of these at most.
_MIXED: Final = (1, 10)
_FEWEST_MIXED: Final = 20
_BETWEEN: Final = 10
_HARDLY_ANY: Final = 5
# Percentages that are above it were probably multiplied by 100 once too often.
_HUNDREDFOLD: Final = 1_000
# Fewer values than these can be small, or whole, by chance; in one jurisdiction more are needed.
_FEWEST: Final = 5
_FEWEST_OF_A_GROUP: Final = 20
_FEWEST_AMOUNTS: Final = 20
_TIMES_AS_LARGE: Final = 10
# Numbers with more digits than this, before or after the point, are not looked at.
_MOST_DIGITS: Final = 20
_WHOLE_WITHIN: Final = 10**6
# How many rows of each jurisdiction, evenly spaced, are looked at first, and how many of all
# before an assessment, which they must not slow down.
_SAMPLED: Final = 500
_SAMPLED_QUICKLY: Final = 250

_IF_RIGHT: Final = (
    "If the values are right, this ends the warning: "
    '`warnings.filterwarnings("ignore", category=portfolio.SuspectColumns)`.'
)
_PACKAGE: Final = __name__.partition(".")[0]


def suspect_columns(
    plan: ColumnPlan, mapping: ColumnMapping | None = None
) -> Iterator[ColumnFinding]:
    """
    Return a warning for each column of *plan* that is suspected.

    What *mapping* says of a column is not suspected. If some rows of each jurisdiction show nothing
    suspicious, the others are not looked at.
    """
    if isinstance(plan.frame, nw.DataFrame) and not plan.prepared:
        groups = _groups(plan, range(len(plan.frame)))
        some = {code: _spaced(rows, _SAMPLED) for code, rows in groups.items()}
        if any(_suspects(plan, mapping, some)):
            yield from _suspects(plan, mapping, groups)


def warn_of_suspects(plan: ColumnPlan, *, are_added_up: bool = True) -> None:
    """
    Give the caller of holdback one Python warning of all columns that are suspected.

    Texts are suspected too if most of those in a column are not declared, and so is a currency that
    is not the jurisdiction's. Deals that occur more than once are suspected where the rows
    *are_added_up*.
    """
    if not isinstance(plan.frame, nw.DataFrame) or plan.prepared:
        return
    sentences = [
        str(finding.detail)
        for finding in (
            *_misread_numbers(plan),
            *_misread_words(plan),
            *(repeated_deals(plan) if are_added_up else ()),
        )
    ]
    if sentences:
        text = "\n".join([*sentences, _IF_RIGHT])
        warnings.warn(text, SuspectColumns, stacklevel=_level_of_caller())


def _misread_numbers(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """What is suspected of numbers; a look at few rows decides whether all are looked at."""
    frame: Any = plan.frame
    some = _groups(plan, _spaced(range(len(frame)), _SAMPLED_QUICKLY))
    if any(_suspects(plan, None, some)):
        # What a mapping says of the frame is not known here, so a mapping would not help.
        for finding in suspect_columns(plan):
            yield evolve(finding, cure=(finding.cure or "").partition(";")[0])


def _misread_words(plan: ColumnPlan) -> Iterator[ColumnFinding]:
    """What is suspected of texts and currencies, in the same way."""
    frame: Any = plan.frame
    some = evolve(plan, frame=frame[list(_spaced(range(len(frame)), _SAMPLED_QUICKLY))])
    counts: Counter[str] = Counter()
    for finding in unknown_texts(some):
        counts[finding.column] += finding.count or 0
    strange = {name for name in counts if 2 * counts[name] > _given(some, name)}
    if strange:
        yield from (finding for finding in unknown_texts(plan) if finding.column in strange)
    if any(currency_errors(some)):
        yield from currency_errors(plan)


def _given(plan: ColumnPlan, name: str) -> int:
    """The number of values in the column *name* that are not missing."""
    frame: Any = plan.frame
    return sum(1 for value in frame[name].to_list() if not is_missing(value))


def _level_of_caller() -> int:
    """How many calls the function that warns is below the first that is not of holdback."""
    # From Python 3.12 on, `skip_file_prefixes` of `warnings.warn` does this.
    level, frame = 0, inspect.currentframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    return level


def _spaced(rows: Sequence[int], most: int) -> Sequence[int]:
    """About *most* of *rows*, evenly spaced, or all of them if there are fewer."""
    return rows[:: max(1, len(rows) // most)]


def _suspects(
    plan: ColumnPlan, mapping: ColumnMapping | None, groups: Mapping[Any, Sequence[int]]
) -> Iterator[ColumnFinding]:
    """The warnings about the rows in *groups*, by jurisdiction."""
    mapping = mapping or ColumnMapping()
    rows = sorted(row for part in groups.values() for row in part)
    for name in _facts_of(plan, Kind.PERCENT):
        said = mapping.form(name).percentages
        if said == "percent":
            continue
        numbers = _numbers(plan, name, rows)
        if said is None:
            suspected = list(_fractions(plan, name, numbers, groups))
            yield from suspected or _mixture(plan, name, numbers)
        yield from _hundredfold(plan, name, numbers)
    names = [name for name in _facts_of(plan, Kind.MONEY) if mapping.form(name).money is None]
    if names:
        amounts = {name: _numbers(plan, name, rows) for name in _facts_of(plan, Kind.MONEY)}
        for name in names:
            yield from _minor_units(plan, name, amounts, groups)


def _facts_of(plan: ColumnPlan, kind: Kind) -> Iterator[str]:
    for name, definitions in {**plan.facts, **plan.ledger}.items():
        if all(fact.type.kind is kind for fact in definitions):
            yield name


def _groups(plan: ColumnPlan, rows: Sequence[int]) -> Mapping[Any, Sequence[int]]:
    """Those of *rows* of each jurisdiction; all of them under None if one rulebook has them all."""
    code = plan.rulebooks.jurisdiction_column
    if code is None or code not in plan.schema:
        return {None: rows}
    frame: Any = plan.frame
    groups: dict[Any, list[int]] = {}
    for row, value in zip(rows, frame[code][list(rows)].to_list(), strict=True):
        groups.setdefault(value, []).append(row)
    return groups


def _numbers(plan: ColumnPlan, name: str, rows: Sequence[int]) -> dict[int, Any]:
    """The numbers in *rows* of the column *name* that are not zero, by row."""
    frame: Any = plan.frame
    values = zip(rows, frame[name][list(rows)].to_list(), strict=True)
    numbers = ((row, _number(value)) for row, value in values)
    return {row: number for row, number in numbers if number}


def numbers_of(values: Iterable[Any]) -> Sequence[Any]:
    """Return the numbers among *values* that are not zero."""
    return [number for number in map(_number, values) if number]


def are_fractions(numbers: Collection[Any], fewest: int = _FEWEST) -> bool:
    """Return whether *numbers*, percentages that are not zero, look like fractions."""
    low = sum(1 for number in numbers if 2 * abs(number) <= _HALVES)
    share, whole = _NEARLY_ALL
    return len(numbers) >= fewest and low * whole >= len(numbers) * share


def are_minor_units(amounts: Sequence[Any], others: Sequence[Sequence[Any]], unit: int) -> bool:
    """
    Return whether *amounts*, none of them zero, look like minor units of a currency.

    *others* are the other amounts of the same deals, and *unit* is how many minor units a major
    one has.
    """
    if len(amounts) < _FEWEST_AMOUNTS or any(amount % 1 for amount in amounts):
        return False
    if 2 * sum(1 for amount in amounts if amount % unit == 0) >= len(amounts):
        return False
    exact = [part for part in others if any(amount % 1 for amount in part)]
    middle = median(map(abs, map(int, amounts)))
    return all(middle > _TIMES_AS_LARGE * median(map(abs, map(float, part))) for part in exact)


def _number(value: Any) -> Any:
    """
    *value* as a float, an int or a fraction, whose arithmetic has no ambient context.

    It is None for what says its unit, is not a number, or is beyond every amount.
    """
    if isinstance(value, str):
        try:
            value = Decimal(value)
        except InvalidOperation:
            return None
    if isinstance(value, Decimal):
        return _fraction(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not abs(value) < 10**_MOST_DIGITS:  # nor NaN
        return None
    # A float that was multiplied, as 19.99 by 100, is next to a whole number.
    return round(value) if abs(value - round(value)) * _WHOLE_WITHIN < 1 else value


def _fraction(number: Decimal) -> Fraction | None:
    _, _, exponent = number.as_tuple()
    fine = isinstance(exponent, int) and exponent >= -_MOST_DIGITS
    return Fraction(number) if fine and number.adjusted() < _MOST_DIGITS else None


def _parts(
    numbers: Mapping[int, Any], groups: Mapping[Any, Sequence[int]]
) -> Iterator[tuple[Any, Mapping[int, Any], int]]:
    """All *numbers*, and those of each group, with the fewest that tell anything."""
    yield None, numbers, _FEWEST
    if len(groups) > 1:
        for code, rows in groups.items():
            yield code, {row: numbers[row] for row in rows if row in numbers}, _FEWEST_OF_A_GROUP


def _fractions(
    plan: ColumnPlan, name: str, numbers: Mapping[int, Any], groups: Mapping[Any, Sequence[int]]
) -> Iterator[ColumnFinding]:
    for code, part, fewest in _parts(numbers, groups):
        low = [row for row, number in part.items() if 2 * abs(number) <= _HALVES]
        if are_fractions(part.values(), fewest):
            yield _finding(
                plan,
                name,
                low,
                f"{len(low):,} of {len(part):,} percentages{_of(code)} are at most 1.5, as "
                "fractions are",
                "expected 64.5 for 64.5%",
                f"read fractions with {_form(name, 'percentages', 'fractions')}; if they are "
                'percentages, say `percentages="percent"` in a mapping',
            )
            if code is None:
                return


def _mixture(plan: ColumnPlan, name: str, numbers: Mapping[int, Any]) -> Iterator[ColumnFinding]:
    """Percentages some of which look like fractions, as where two systems wrote one file."""
    low = [row for row, number in numbers.items() if 2 * abs(number) <= _HALVES]
    between = sum(1 for number in numbers.values() if _HALVES < 2 * abs(number) < 2 * _BETWEEN)
    share, whole = _MIXED
    if len(numbers) < _FEWEST_MIXED or whole * len(low) < share * len(numbers):
        return
    if _HARDLY_ANY * between <= len(low):
        message = (
            f"{len(low):,} of {len(numbers):,} percentages are at most 1.5, as fractions are, and "
            f"hardly any of the others is below {_BETWEEN}"
        )
        cure = (
            "write all rows in one way; if they are percentages, say "
            '`percentages="percent"` in a mapping'
        )
        finding = _finding(plan, name, low, message, "expected 64.5 for 64.5% in each row", cure)
        yield evolve(finding, code="contradiction")


def _hundredfold(
    plan: ColumnPlan, name: str, numbers: Mapping[int, Any]
) -> Iterator[ColumnFinding]:
    """Percentages that were read as fractions, as when a mapping says it of all columns."""
    high = [row for row, number in numbers.items() if number > _HUNDREDFOLD]
    if len(numbers) >= _FEWEST and 2 * len(high) > len(numbers):
        message = f"{len(high):,} of {len(numbers):,} percentages are above {_HUNDREDFOLD:,}"
        cure = f"read percentages with {_form(name, 'percentages', 'percent')}"
        finding = _finding(plan, name, high, message, "expected 64.5 for 64.5%", cure)
        yield evolve(finding, code="out_of_range")


def _form(column: str, key: str, value: str) -> str:
    """The call that reads *column* alone in another form: others are probably as they should be."""
    more = "rules=rules, " if key == "money" else ""
    return f'`portfolio.read(deals, {more}forms={{"{column}": {{"{key}": "{value}"}}}})`'


def _minor_units(
    plan: ColumnPlan,
    name: str,
    amounts: Mapping[str, Mapping[int, Any]],
    groups: Mapping[Any, Sequence[int]],
) -> Iterator[ColumnFinding]:
    places = _places(plan)
    single = 0 if plan.rulebooks.jurisdiction_column else next(iter(places.values()))
    minor = {row for code, rows in groups.items() if places.get(code) or single for row in rows}
    for code, part, _ in _parts(amounts[name], groups):
        of_code = {row: number for row, number in part.items() if row in minor}
        unit = 10 ** (places.get(code) or single or 2)
        others = [
            [number for row, number in numbers.items() if code is None or row in part]
            for column, numbers in amounts.items()
            if column != name
        ]
        if are_minor_units(list(of_code.values()), others, unit):
            yield _finding(
                plan,
                name,
                list(of_code),
                f"all {len(of_code):,} amounts{_of(code)} are whole, as amounts in minor units are",
                "expected amounts in major units, such as 12.50",
                f"read minor units with {_form(name, 'money', 'minor units')}; if they are whole "
                'amounts, say `money="major units"` in a mapping',
            )
            if code is None:
                return


def _places(plan: ColumnPlan) -> Mapping[Any, int]:
    """The decimals of the currency of each jurisdiction."""
    return {rulebook.code: rulebook.currency.places for rulebook in plan.rulebooks.rulebooks}


def _of(code: Any) -> str:
    return "" if code is None else f" of {shown_value(code)}"


def _finding(  # noqa: PLR0913, PLR0917  # the parts of one finding
    plan: ColumnPlan, name: str, rows: Sequence[int], message: str, expected: str, cure: str
) -> ColumnFinding:
    frame: Any = plan.frame
    first = rows[0]
    return ColumnFinding(
        severity=WARNING,
        code="misleading",
        column=name,
        message=message,
        row=RowLabels(frame).of_or_number(first),
        value=shown_value(frame[name][first]),
        count=len(rows),
        expected=expected,
        cure=cure,
    )
