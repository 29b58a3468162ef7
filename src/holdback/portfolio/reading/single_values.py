"""
Columns that Python reads value by value, because their dtype does not tell what they hold.

They hold texts such as "64.5%", objects such as Python's decimals and dates, or datetimes of NumPy.
Each distinct value is read once, by `Fact.read`; a float by the rule that `column_readers` has for
columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite, isnan
from types import NoneType
from typing import Any, Final

import narwhals.stable.v2 as nw
import polars as pl
import pyarrow as pa

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import MAX_DIGITS, unscaled
from holdback.portfolio.reading.column_readers import MOST_DECIMALS, MOST_DIGITS, ColumnReader
from holdback.rules.types import Fact, Kind
from holdback.rules.values import is_bare_number

_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_NUMBERS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO)
# Dataframe libraries write a column of whole numbers with a missing one as 231.0.
_WHOLE_TEXT: Final = re.compile(r"(-?(?:0|[1-9][0-9]{0,16}))(?:\.0+)?")
_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}
# The number of a value, and whether one was given: one without a number is invalid then.
_Read = tuple[int | None, bool]
_INVALID: Final[_Read] = (None, True)


def read_values(values: Sequence[Any], fact: Fact) -> Sequence[_Read]:
    """Return the *values* as numbers of *fact*, None for unknown, and whether each was given."""
    read: dict[tuple[type, Any], _Read] = {}
    results = []
    for value in values:
        key = (type(value), value)  # a dictionary takes True, 1 and 1.0 for one key
        try:
            result = read.get(key)
        except TypeError:  # a list or a dictionary has no hash, and cannot be a fact
            result = _INVALID
        if result is None:
            result = read[key] = _read(value, fact)
        results.append(result)
    return results


def _read(value: Any, fact: Fact) -> _Read:
    try:
        number = fact.read(_plain(value, fact))
    except ValueError:
        return _INVALID
    return number, number is not None


def _plain(value: Any, fact: Fact) -> Any:
    """
    *value* as a facts document has it.

    Frames hold counts as decimals or texts, flags as texts, and floats, which are read by a rule.
    The percentages of a column have one unit, so one without its sign has it too; whether they are
    fractions is a question about the column (docs/reference/portfolio.md#findings).
    """
    kind = fact.type.kind
    if isinstance(value, float) and kind in _NUMBERS and not isnan(value):
        places = fact.type.places
        return unscaled(read_float(value, places, down=fact.rounded_down), places)
    if isinstance(value, Decimal) and kind in _WHOLE and value.is_finite():
        return int(value) if value == int(value) else value
    if isinstance(value, str) and kind in _WHOLE:
        match = _WHOLE_TEXT.fullmatch(value)
        return int(match[1]) if match and not has_two_meanings(value) else value
    if isinstance(value, str) and kind is Kind.PERCENT and is_bare_number(value):
        return f"{value}%"
    if isinstance(value, str) and kind is Kind.FLAG:
        return _FLAGS.get(value.lower(), value)
    return value


# "77.125": a point, or thousands. A currency may be in front, and a sign or a unit behind.
TWO_MEANINGS: Final = r"^([A-Z]{3} *)?-?[1-9][0-9]{0,2}\.[0-9]{3}( *%| days?)?$"
_TWO_MEANINGS: Final = re.compile(TWO_MEANINGS)


def has_two_meanings(text: str) -> bool:
    """
    Return whether the point in *text* may be before decimals, and may be between thousands.

    >>> has_two_meanings("1.000"), has_two_meanings("0.125"), has_two_meanings("1.00")
    (True, False, False)
    """
    return _TWO_MEANINGS.search(text) is not None


_TOO_LARGE: Final[int] = 10**MAX_DIGITS
# Up to here no two numbers of the same decimals have the same nearest float.
_UNIQUE: Final = 2**50


def read_float(value: float, places: int, *, down: bool = False) -> int:
    """
    Return the float *value* as an integer of 10**-*places*.

    It is the decimal number of that many places whose nearest float *value* is; with *down*, a
    float with more decimals is rounded down (docs/reference/portfolio.md#floats).

    >>> read_float(0.29, 4), read_float(0.1 + 0.2, 2, down=True)
    (2900, 30)

    Raises:
        ValueError: when *value* is infinite, or has more decimals.
    """
    if not isfinite(value):
        raise InvalidValue("wrong_value", "expected a finite number")
    if abs(value) >= _TOO_LARGE:
        raise InvalidValue("too_large", f"a number has at most {MAX_DIGITS} digits")
    scale: int = 10**places
    near = round(value * scale)
    # Nearly always: text is read as the nearest float, exactly.
    if abs(near) < _UNIQUE and float(f"{near}e-{places}") == value:
        return near
    numerator, denominator = value.as_integer_ratio()
    below = numerator * scale // denominator
    for candidate in (below + 1, below):
        if float(unscaled(candidate, places)) == value:
            return candidate
    if down:
        return below
    raise InvalidValue("not_exact", f"at most {places} decimals")


# -- Columns of texts and Python objects.
#
# Decimals are read together: a million of them take a second, and one by one ten. Texts that are
# numbers in plain digits become a column of decimals, which is read like any other. What is left,
# such as "64,5", is read by `Fact.read`, each distinct value once. The result is that of
# `read_values`, which reads all values so.

# The columns of a result, as in `read_values`.
NUMBER, GIVEN = "number", "given"
_VALUE, _LEFT = "value", "left"
# The most digits before the point of a plain text: with six after it, 64 bits hold them.
_WHOLE_DIGITS: Final = 12
_WIDEST: Final = 38
# The number of texts that are looked at to choose a type; it decides only how fast they are read.
_SAMPLED: Final = 1_000


def read_column(column: nw.Series[Any], fact: Fact) -> pl.DataFrame:
    """Return the `NUMBER` of each value of *column*, and whether it was `GIVEN`."""
    if isinstance(column.dtype, nw.String) and getattr(column.to_native(), "dtype", "") != "object":
        return _texts(pl.Series(_VALUE, pl.from_arrow(column.to_arrow()), pl.String), fact)
    values = column.to_list()
    types = {*map(type, values)}
    if types <= {str, NoneType}:
        return _texts(pl.Series(_VALUE, values, pl.String), fact)
    if types <= {Decimal, int, NoneType} and fact.type.kind in _NUMBERS:
        numbers = _together(values, fact)
        if numbers is not None:
            return numbers
    return _one_by_one(values, fact)


def _together(values: Sequence[Decimal | int | None], fact: Fact) -> pl.DataFrame | None:
    """Python's decimals, as a database gives them; None if no column of decimals holds them all."""
    if not all(type(value) is not Decimal or _fits(value) for value in values):
        return None
    for digits, places in ((MOST_DIGITS, fact.type.places), (_WIDEST, MOST_DECIMALS)):
        try:
            array = pa.array(values, pa.decimal128(digits, places))
        except (ValueError, TypeError, OverflowError):  # a number has more digits
            continue
        column = ColumnReader(fact, _VALUE).column(nw.Decimal(digits, places))
        frame = pl.DataFrame({_VALUE: pl.Series(pl.from_arrow(array))}).lazy()
        read = frame.select(column.number.alias(NUMBER), column.given.alias(GIVEN))
        return read.collect(engine="streaming")
    return None


def _fits(value: Decimal) -> bool:
    """Return whether PyArrow reads *value* exactly, or refuses it."""
    if not value.is_finite():
        return False
    # A small number of more places than 128 bits hold becomes 0 without an error (PyArrow 26).
    return not -1 < value < 1 or -value.as_tuple().exponent <= _WIDEST  # type: ignore[operator]  # it is finite


def _one_by_one(values: Sequence[Any], fact: Fact) -> pl.DataFrame:
    return pl.DataFrame(
        read_values(values, fact), {NUMBER: pl.Int64, GIVEN: pl.Boolean}, orient="row"
    )


def _texts(texts: pl.Series, fact: Fact) -> pl.DataFrame:
    """A column of texts: numbers in plain digits together, others one distinct text at once."""
    if fact.type.kind not in _NUMBERS:
        return _distinct(texts, fact)
    digits = pl.col(_VALUE)
    if fact.type.kind is Kind.PERCENT and texts.str.ends_with("%").any():
        digits = digits.str.strip_suffix("%")
    dtype = _decimals(texts, fact)
    is_plain = digits.str.contains(_plain_pattern(dtype.scale))
    number = pl.when(is_plain).then(digits.cast(dtype, strict=False))
    column = ColumnReader(fact, _VALUE).column(nw.Decimal(dtype.precision, dtype.scale))
    read = (
        texts.to_frame()
        .lazy()
        .select(number.alias(_VALUE), pl.when(~is_plain).then(pl.col(_VALUE)).alias(_LEFT))
        .select(column.number.alias(NUMBER), column.given.alias(GIVEN), _LEFT)
        .collect(engine="streaming")
    )
    left = _distinct(read[_LEFT].alias(_VALUE), fact)
    return read.select(pl.coalesce(NUMBER, left[NUMBER]).alias(NUMBER), pl.col(GIVEN) | left[GIVEN])


def _distinct(texts: pl.Series, fact: Fact) -> pl.DataFrame:
    """Texts of which many are the same."""
    values = texts.drop_nulls().unique()
    read = _one_by_one(values.to_list(), fact).with_columns(values)
    both = texts.to_frame().join(read, on=_VALUE, how="left", maintain_order="left")
    return both.select(NUMBER, pl.col(GIVEN).fill_null(value=False))


def _decimals(texts: pl.Series, fact: Fact) -> pl.Decimal:
    """The type for the numbers in *texts*: a wide one if many have more decimals than usual."""
    usual = pl.Decimal(MOST_DIGITS, fact.type.places)
    some = texts.drop_nulls().head(_SAMPLED)
    if fact.rounded_down and some.str.contains(rf"\.[0-9]{{{usual.scale + 1}}}").any():
        return pl.Decimal(_WIDEST, MOST_DECIMALS)
    return usual


def _plain_pattern(places: int) -> str:
    """The regular expression of a number in plain digits with up to *places* decimals."""
    decimals = rf"(\.[0-9]{{1,{places}}})?" if places else ""
    return rf"^-?(0|[1-9][0-9]{{0,{_WHOLE_DIGITS - 1}}}){decimals}$"
