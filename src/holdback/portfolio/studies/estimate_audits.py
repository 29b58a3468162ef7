"""`audits`: how far the annual rates that were disclosed are from those of the deals that came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.disclosures.estimates import (
    LIMITS_OF_AUDITS,
    Audit,
    audit,
    is_barred,
    may_audit_yearly,
    mean_spread,
)
from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean, printable
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
# The columns of the result, after the audit, and the types of those that are not decimals.
_COUNTS: Final = ("deals", "left_out")
_SPREADS: Final = ("spread", *_MEANS)
_ANSWERS: Final = ("barred", "may_audit_yearly")


def audits(
    frame: Any,
    *,
    by: str = "audit",
    disclosed: str = "disclosed_apr",
    retrospective: str = "retrospective_apr",
    left_out: str = "left_out",
) -> Any:
    """
    Return the audits of a provider's own projections, oldest first, from a *frame* of deals.

    The deals are those that were paid off; a row has its audit in the column *by*, whose values
    are in their order, and its *disclosed* and *retrospective* rates. A deal with a value in the
    column *left_out*, such as `"litigated"`, `"stopped"` or `"modified"`, is counted and takes no
    part (10 CCR 931(a), 23 NYCRR 600.9); there need not be such a column.

    The result is a frame of the same library, with a row for each audit: its `deals`, those
    `left_out`, its `spread` (the median, in percent), the mean spread of the last 3, 5 and 7
    audits, weighted by deals, whether a provider is `barred` then, and whether California has it
    audit once a year only, `may_audit_yearly`. Spreads have four decimals, rounded half up; what is
    decided is decided exactly.

    Raises:
        InvalidDocument: a column is missing, a rate cannot be read or is zero, or an audit is
            unknown.
    """
    opened = open_frame(frame)
    needed = (by, disclosed, retrospective)
    schema = opened.collect_schema()
    missing = [
        ErrorDetail(
            code="missing",
            message="the column is missing",
            path=shown_path("$", name),
            hint=did_you_mean(name, schema),
        )
        for name in needed
        if name not in schema
    ]
    if missing:
        raise InvalidDocument(missing)
    present = [name for name in (*needed, left_out) if name in schema]
    selected = opened.select(*present)
    deals = selected.collect() if isinstance(selected, nw.LazyFrame) else selected
    apart = deals[left_out].to_list() if left_out in present else [None] * len(deals)
    columns: dict[str, list[Any]] = {name: [] for name in (by, *_COUNTS, *_SPREADS, *_ANSWERS)}
    for row in _rows(_by_audit(deals, needed, [is_missing(value) for value in apart])):
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    backend: Any = answer_backend(opened)
    if backend == "pandas":
        return nw.from_dict(columns, backend=backend).to_native()
    types: dict[str, Any] = dict.fromkeys(_SPREADS, nw.Decimal(_DIGITS, PERCENT_PLACES))
    types |= dict.fromkeys(_COUNTS, nw.Int64()) | dict.fromkeys(_ANSWERS, nw.Boolean())
    schema_of = {name: types.get(name, deals.schema[by]) for name in columns}
    return nw.from_dict(columns, schema_of, backend=backend).to_native()


_Rates = Sequence[tuple[Fraction, Fraction]]


def _by_audit(
    deals: nw.DataFrame[Any], names: tuple[str, str, str], counts: Sequence[bool]
) -> Mapping[Any, tuple[_Rates, int]]:
    """Return the rates of the deals that count, and how many do not, by audit in order."""
    by, *of_rates = names
    places = deals[by].to_list()
    read = [read_values(deals[name].to_list(), _RATE) for name in of_rates]
    errors = []
    rates: defaultdict[Any, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    left: defaultdict[Any, int] = defaultdict(int)
    for row, (place, does_count) in enumerate(zip(places, counts, strict=True)):
        if is_missing(place):
            errors.append(_error(by, row, "no audit is named"))
            continue
        left[place] += not does_count
        if not does_count:
            continue
        pair = [column[row][0] for column in read]
        wrong = [name for name, number in zip(of_rates, pair, strict=True) if number is None]
        errors += [_error(name, row, "expected a rate such as `35.5%`") for name in wrong]
        if pair[0] == 0:
            errors.append(_error(of_rates[0], row, "a disclosed rate of zero has no spread"))
        elif not wrong:
            stated, came = (Fraction(number or 0, 10**PERCENT_PLACES) for number in pair)
            rates[place].append((stated, came))
    if errors:
        raise InvalidDocument(errors[:_MOST_ERRORS])
    return {place: (rates[place], left[place]) for place in sorted(left)}


def _error(column: str, row: int, message: str) -> ErrorDetail:
    """The error of the value in a *row*, counted from 0; the value itself may be personal."""
    return ErrorDetail(
        code="wrong_value", message=message, path=f"{shown_path('$', printable(column))}[{row}]"
    )


def _rows(audited: Mapping[Any, tuple[_Rates, int]]) -> Iterator[tuple[Any, ...]]:
    so_far: list[Audit] = []
    for place, (rates, left_out) in audited.items():
        if rates:
            so_far.append(audit(rates))
        spread = so_far[-1].spread if rates else None
        means = (
            mean_spread(so_far[-number:]) if len(so_far) >= number else None
            for number, _ in LIMITS_OF_AUDITS
        )
        shown = (None if value is None else _shown(value) for value in (spread, *means))
        yield place, len(rates), left_out, *shown, is_barred(so_far), may_audit_yearly(so_far)


def _shown(value: Fraction) -> Any:
    scale = 10**PERCENT_PLACES
    return unscaled(divide(value.numerator * scale, value.denominator, "half_up"), PERCENT_PLACES)
