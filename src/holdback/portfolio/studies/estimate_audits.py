"""`audits`: how far the annual rates that were disclosed are from those of the deals that came."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import define, field

from holdback.disclosures.estimates import (
    LEFT_OUT_FOR,
    LIMITS_OF_AUDITS,
    Audit,
    audit,
    is_barred,
    may_audit_yearly,
    mean_spreads,
    why_left_out,
)
from holdback.errors import ErrorDetail, InvalidDocument, InvalidValue, did_you_mean, printable
from holdback.exact.exact_json import shown_path
from holdback.exact.exact_numbers import PERCENT_PLACES, divide, unscaled
from holdback.portfolio.reading.frames import answer_backend, open_frame
from holdback.portfolio.reading.single_values import read_values
from holdback.rules.types import Fact, Kind, Type
from holdback.rules.values import is_missing

# Rates are read as the rules read an `apr`: percentages, with or without their sign.
_RATE: Final = Fact(name="apr", type=Type(Kind.PERCENT), low=0, high=100_000_000 * 10**4)
_MEANS: Final = tuple(f"mean_of_{number}" for number, _ in LIMITS_OF_AUDITS)
_DIGITS: Final = 38
_MOST_ERRORS: Final = 20  # a column that is wrong in one row is wrong in most
_LEFT_OUT: Final = "left_out"
_UNKNOWN: Final = "unknown_rates"
# The columns of the result, after the audit, and the types of those that are not decimals.
_COUNTS: Final = ("deals", _LEFT_OUT, *LEFT_OUT_FOR, _UNKNOWN)
_SPREADS: Final = ("spread", *_MEANS)
_ANSWERS: Final = ("barred", "may_audit_yearly")


def audits(
    frame: Any,
    *,
    by: str = "audit",
    disclosed: str = "disclosed_apr",
    retrospective: str = "retrospective_apr",
    left_out: str = _LEFT_OUT,
) -> Any:
    """
    Return the audits of a provider's own projections, oldest first, from a *frame* of deals.

    The deals are those that were paid off; a row has its audit in the column *by*, a number, a date
    or a text, which are in their order, the numbers in texts too. It has its *disclosed* and
    *retrospective* rates; a deal with an unknown rate is counted by itself. A deal that is
    `"litigated"`, `"stopped"` or `"modified"` in the column *left_out*, or has a flag there that is
    true, is counted and takes no part (10 CCR 931(a), 23 NYCRR 600.9); there need not be such a
    column.

    The result is a frame of the same library, with a row for each audit: its `deals`, those
    `left_out` and how many for each reason, those with `unknown_rates`, its `spread` (the median,
    in percent), the mean spread of the last 3, 5 and 7 audits, weighted by deals, whether a
    provider is `barred` then, and whether California has it audit once a year only,
    `may_audit_yearly`. Spreads have four decimals, rounded half up; what is decided is decided
    exactly.

    Raises:
        InvalidDocument: a column is missing or in the way, a rate or a reason cannot be read, a
            disclosed rate is zero, or an audit is unknown.
    """
    opened = open_frame(frame)
    schema = opened.collect_schema()
    needed = (by, disclosed, retrospective)
    errors = [*_column_errors(needed, left_out, schema)]
    if errors:
        raise InvalidDocument(errors)
    selected = opened.select(*(name for name in (*needed, left_out) if name in schema))
    deals = selected.collect() if isinstance(selected, nw.LazyFrame) else selected
    columns: dict[str, list[Any]] = {name: [] for name in (by, *_COUNTS, *_SPREADS, *_ANSWERS)}
    for row in _rows(_by_audit(deals, needed, left_out)):
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    backend: Any = answer_backend(opened)
    if backend == "pandas":
        return nw.from_dict(columns, backend=backend).to_native()
    types: dict[str, Any] = dict.fromkeys(_SPREADS, nw.Decimal(_DIGITS, PERCENT_PLACES))
    types |= dict.fromkeys(_COUNTS, nw.Int64()) | dict.fromkeys(_ANSWERS, nw.Boolean())
    schema_of = {name: types.get(name, deals.schema[by]) for name in columns}
    return nw.from_dict(columns, schema_of, backend=backend).to_native()


def _column_errors(
    needed: tuple[str, ...], left_out: str, schema: Collection[str]
) -> Iterator[ErrorDetail]:
    by, names = needed[0], (*needed, left_out)
    for name in dict.fromkeys(names):
        hint = did_you_mean(name, [column for column in schema if column not in names])
        # The default is there for a frame without such deals; one that is nearly named is meant.
        is_needed = name in needed or name != _LEFT_OUT or hint is not None
        if names.count(name) > 1:
            yield _column_error("duplicate", name, "the column is named for two things")
        elif name not in schema and is_needed:
            yield _column_error("missing", name, "the column is missing", hint)
    if by in (*_COUNTS, *_SPREADS, *_ANSWERS):
        message = "the result has a column of its own with this name"
        yield _column_error("duplicate", by, message, "rename it")


def _column_error(code: str, name: str, message: str, hint: str | None = None) -> ErrorDetail:
    return ErrorDetail(code=code, message=message, path=shown_path("$", printable(name)), hint=hint)


@define
class _Deals:
    """The deals of an audit: the rates of those that count, and how many do not, by reason."""

    rates: list[tuple[Fraction, Fraction]] = field(factory=list)
    left_out: Counter[str] = field(factory=Counter)

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of the columns `_COUNTS`."""
        left, unknown = self.left_out, self.left_out[_UNKNOWN]
        return (
            len(self.rates),
            left.total() - unknown,
            *(left[reason] for reason in LEFT_OUT_FOR),
            unknown,
        )


def _by_audit(
    deals: nw.DataFrame[Any], names: tuple[str, str, str], left_out: str
) -> Mapping[Any, _Deals]:
    """Return the deals of each audit, the oldest first."""
    by, *of_rates = names
    places = deals[by].to_list()
    reasons = deals[left_out].to_list() if left_out in deals.columns else [None] * len(places)
    given = [deals[name].to_list() for name in of_rates]
    read = [read_values(values, _RATE) for values in given]
    errors = []
    audited: defaultdict[Any, _Deals] = defaultdict(_Deals)
    for row, (place, why) in enumerate(zip(places, reasons, strict=True)):
        if is_missing(place):
            errors.append(_error(by, row, "no audit is named"))
            continue
        try:
            reason = None if is_missing(why) else why_left_out(str(why))
        except InvalidValue as error:
            errors.append(_error(left_out, row, str(error)))
            continue
        if reason is not None:
            audited[place].left_out[reason] += 1
        else:
            pair = [column[row][0] for column in read]
            for name, number, values in zip(of_rates, pair, given, strict=True):
                if number is None and not is_missing(values[row]):
                    errors.append(_error(name, row, "expected a rate such as `35.5%`"))
            if pair[0] == 0:
                errors.append(_error(of_rates[0], row, "a disclosed rate of zero has no spread"))
            _add(audited[place], pair)
    if errors:
        raise InvalidDocument(errors[:_MOST_ERRORS])
    return {place: audited[place] for place in _in_order(by, audited)}


def _add(deals: _Deals, pair: Sequence[int | None]) -> None:
    rates = [Fraction(number, 10**PERCENT_PLACES) for number in pair if number is not None]
    if len(rates) == len(pair):
        deals.rates.append((rates[0], rates[1]))
    else:
        deals.left_out[_UNKNOWN] += 1


def _in_order(by: str, places: Iterable[Any]) -> list[Any]:
    """Return *places* in order, the numbers in texts by their values: "9" comes before "10"."""
    try:
        return sorted(places, key=_order)
    except TypeError:
        message = "audits of different kinds have no order; name them by values of one kind"
        raise InvalidDocument([_column_error("wrong_value", by, message)]) from None


def _order(place: Any) -> Any:
    if not isinstance(place, str):
        return place
    parts = re.split(r"([0-9]+)", place.casefold())  # every other part is a number
    return [int(part) if at % 2 else part for at, part in enumerate(parts)], place


def _error(column: str, row: int, message: str) -> ErrorDetail:
    """The error of the value in a *row*, counted from 0; the value itself may be personal."""
    return ErrorDetail(
        code="wrong_value", message=message, path=f"{shown_path('$', printable(column))}[{row}]"
    )


def _rows(audited: Mapping[Any, _Deals]) -> Iterator[tuple[Any, ...]]:
    so_far: list[Audit] = []
    for place, deals in audited.items():
        if deals.rates:
            so_far.append(audit(deals.rates))
        spread = so_far[-1].spread if deals.rates else None
        means = mean_spreads(so_far).values()
        shown = (None if value is None else _shown(value) for value in (spread, *means))
        yield place, *deals.counts, *shown, is_barred(so_far), may_audit_yearly(so_far)


def _shown(value: Fraction) -> Any:
    scale = 10**PERCENT_PLACES
    return unscaled(divide(value.numerator * scale, value.denominator, "half_up"), PERCENT_PLACES)
