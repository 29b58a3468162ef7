"""
Columns that Python reads value by value, because their dtype does not tell what they hold.

They hold texts such as "64.5%", objects such as Python's decimals and dates, or datetimes of NumPy.
Each distinct value is read once, by `Fact.read`; a float by the rule that `column_readers` has for
columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from math import isfinite, isnan
from types import NoneType
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import MAX_DIGITS, unscaled
from holdback.frozen_classes import frozen
from holdback.portfolio.reading.column_readers import MOST_DECIMALS, MOST_DIGITS, PolarsReader
from holdback.rules.types import Fact, Kind

_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_NUMBERS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO)
# Dataframe libraries write a column of whole numbers with a missing one as 231.0.
_WHOLE_TEXT: Final = re.compile(r"(-?(?:0|[1-9][0-9]{0,16}))(?:\.0+)?")
_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}
# The states of a value.
_UNKNOWN, _GIVEN, _INVALID = 0, 1, 2


def read_values(values: Sequence[Any], fact: Fact) -> tuple[list[int], list[int]]:
    """
    Return the *values* as numbers of *fact*, and the state of each: 0 unknown, 1 given, 2 invalid.

    The number is 0 unless the state is 1.
    """
    read: dict[tuple[type, Any], tuple[int, int]] = {}
    results = []
    for value in values:
        key = (type(value), value)  # a dictionary takes True, 1 and 1.0 for one key
        try:
            result = read.get(key)
        except TypeError:  # a list or a dictionary has no hash, and cannot be a fact
            result = (0, _INVALID)
        if result is None:
            result = read[key] = _read(value, fact)
        results.append(result)
    return [number for number, _ in results], [state for _, state in results]


def _read(value: Any, fact: Fact) -> tuple[int, int]:
    try:
        number = fact.read(_plain(value, fact))
    except ValueError:
        return 0, _INVALID
    return (0, _UNKNOWN) if number is None else (number, _GIVEN)


def _plain(value: Any, fact: Fact) -> Any:
    """
    *value* as a facts document has it.

    Frames hold counts as decimals or texts, flags as texts, and floats, which are read by a rule.
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


# -- Columns of texts and Python objects, read in Polars where their values are of a plain form.
#
# Decimals, days, flags and numbers in plain digits become a column of their type, which is read
# like any other. What is left, such as "64,5", is read by `Fact.read`, each distinct value once.
# The result is that of `read_values`, which reads all values so.

# The columns of a result: the number, null unless it is given, and the state, as in `read_values`.
NUMBER, STATE = "number", "state"
_VALUE, _LEFT = "value", "left"
# The types of the objects that a column of another type can hold; else numbers.
_OBJECTS: Final = {Kind.FLAG: (bool,), Kind.DATE: (date,), Kind.TEXT: (str,)}
_NUMBER_TYPES: Final = (Decimal, int)
# Kinds whose texts are numbers, of which few are the same.
_IN_DIGITS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO)
# The most digits before the point of a plain text: with six after it, 64 bits hold them.
_WHOLE_DIGITS: Final = 12
# Arrow holds all numbers of this number of digits before the point, and 15 after it.
_WIDE_DIGITS: Final = 20
_WIDEST: Final = 38
# The number of texts that are looked at to choose a type; it decides only how fast they are read.
_SAMPLED: Final = 1_000


def read_column(column: nw.Series[Any], fact: Fact, polars: Any) -> Any:
    """Return a Polars frame with the `NUMBER` and the `STATE` of each value of *column*."""
    reader = _ValueColumn(fact, polars)
    if isinstance(column.dtype, nw.String) and getattr(column.to_native(), "dtype", "") != "object":
        texts = polars.Series(_VALUE, polars.from_arrow(column.to_arrow()), polars.String)
        return reader.texts(texts)
    return reader.objects(column.to_list())


def _is_ordinary(value: Any) -> bool:
    """Whether Arrow can hold *value* as a number."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            return False
        exponent = value.as_tuple().exponent
        assert isinstance(exponent, int), "a finite number"
        return exponent >= -MOST_DECIMALS and value.adjusted() < _WIDE_DIGITS
    return not isinstance(value, int) or abs(value) < 10**_WIDE_DIGITS


def _plain_pattern(places: int) -> str:
    """The regular expression of a number in plain digits with up to *places* decimals."""
    decimals = rf"(\.[0-9]{{1,{places}}})?" if places else ""
    return rf"^-?(0|[1-9][0-9]{{0,{_WHOLE_DIGITS - 1}}}){decimals}$"


@frozen
class _ValueColumn:
    """Reads the values of a column as *fact*."""

    fact: Fact
    polars: Any

    def objects(self, values: Sequence[Any]) -> Any:
        """Objects of any type: those of the usual types together, then the others one by one."""
        types, parts = set(map(type, values)), []
        usual = _OBJECTS.get(self.fact.type.kind, _NUMBER_TYPES)
        groups = ((usual, self.usual_objects), ((str,), self.text_objects))
        for group, read in groups:
            if types.isdisjoint(group):
                continue
            of_group = values
            if not types <= {*group, NoneType}:
                of_group = [value if type(value) in group else None for value in values]
            part = read(of_group)
            if part is None:
                of_group = [value if _is_ordinary(value) else None for value in of_group]
                part = read(of_group)
            if part is not None and of_group is values:
                return part
            if part is not None:
                parts.append(part)
                pairs = zip(values, of_group, strict=True)
                values = [None if read is not None else value for value, read in pairs]
        rest = {place: value for place, value in enumerate(values) if value is not None}
        if rest or not parts:
            numbers, states = read_values(list(rest.values()), self.fact)
            parts.append(self.placed(len(values), list(rest), numbers, states))
        return self.together(parts)

    def usual_objects(self, values: Sequence[Any]) -> Any | None:
        """Objects of the usual types for the fact, and None; None if Arrow cannot hold one."""
        import pyarrow as pa  # noqa: PLC0415  # it is there where Polars is used

        kind, places = self.fact.type.kind, self.fact.type.places
        types = {Kind.FLAG: pa.bool_(), Kind.DATE: pa.date32(), Kind.TEXT: pa.string()}
        decimals = (pa.decimal128(MOST_DIGITS, places), pa.decimal128(_WIDEST, MOST_DECIMALS))
        for type_ in (types[kind],) if kind in types else decimals:
            try:
                array = pa.array(values, type_)
            except (ValueError, TypeError, OverflowError):
                continue
            return self.typed(self.polars.Series(_VALUE, self.polars.from_arrow(array)))
        return None

    def text_objects(self, values: Sequence[str | None]) -> Any:
        """Texts, and None."""
        return self.texts(self.polars.Series(_VALUE, values, self.polars.String))

    def texts(self, texts: Any) -> Any:
        """A column of texts: numbers in plain digits together, others one distinct text at once."""
        polars, kind = self.polars, self.fact.type.kind
        if kind is Kind.TEXT:
            return self.typed(texts)
        if kind not in _IN_DIGITS:
            return self.distinct(texts)
        col, given = polars.col, polars.col(_VALUE).is_not_null()
        digits = col(_VALUE)
        if kind is Kind.PERCENT and texts.str.ends_with("%").any():
            digits = digits.str.strip_suffix("%")
        dtype = self.decimals(texts)
        is_plain = digits.str.contains(_plain_pattern(dtype.scale))
        frame = (
            texts.to_frame()
            .lazy()
            .select(
                polars.when(is_plain).then(digits.cast(dtype, strict=False)).alias(_VALUE),
                (given & ~is_plain).alias(_LEFT),
            )
        )
        read = self.read(frame, nw.Decimal(dtype.precision, dtype.scale), _LEFT)
        left, read = read[_LEFT], read.drop(_LEFT)
        if not left.any():
            return read
        others = texts.to_frame().select(polars.when(left).then(col(_VALUE)))
        return self.together([read, self.distinct(others.to_series())])

    def decimals(self, texts: Any) -> Any:
        """The type for the numbers in *texts*: a wide one if many have more decimals than usual."""
        usual = self.polars.Decimal(MOST_DIGITS, self.fact.type.places)
        some = texts.drop_nulls().head(_SAMPLED)
        if self.fact.rounded_down and some.str.contains(rf"\.[0-9]{{{usual.scale + 1}}}").any():
            return self.polars.Decimal(_WIDEST, MOST_DECIMALS)
        return usual

    def distinct(self, texts: Any) -> Any:
        """Texts of which many are the same."""
        values = texts.drop_nulls().unique()
        numbers, states = read_values(values.to_list(), self.fact)
        read = self.placed(len(values), range(len(values)), numbers, states)
        both = texts.to_frame().join(
            read.with_columns(values.alias(_VALUE)), on=_VALUE, how="left", maintain_order="left"
        )
        return both.select(NUMBER, self.polars.col(STATE).fill_null(0))

    def typed(self, series: Any) -> Any:
        """The *series* of a type that columns of the fact have."""
        dtype = nw.from_native(series, series_only=True).dtype
        return self.read(series.to_frame().lazy(), dtype)

    def read(self, frame: Any, dtype: Any, *others: str) -> Any:
        """The column `_VALUE` of a lazy *frame*, of *dtype*, and its columns *others*."""
        polars = self.polars
        column = PolarsReader(polars, self.fact, _VALUE, lazy=True).column(dtype)
        given = polars.lit(value=False) if column.given is None else column.given
        number = column.number.cast(polars.Int64)
        frame = frame.select(number.alias(NUMBER), given.alias(STATE), *others)
        is_read = polars.col(NUMBER).is_not_null()
        unknown, was_given, invalid = (polars.lit(state, polars.Int8) for state in range(3))
        state = polars.when(is_read).then(was_given).when(polars.col(STATE)).then(invalid)
        state = state.otherwise(unknown).alias(STATE)
        return frame.with_columns(state).collect(engine="streaming")

    def placed(
        self, count: int, places: Sequence[int], numbers: Sequence[int], states: Sequence[int]
    ) -> Any:
        """A result of *count* rows, unknown except in *places*."""
        polars = self.polars
        none = polars.Series(NUMBER, [None], polars.Int64).new_from_index(0, count)
        zero = polars.Series(STATE, [0], polars.Int8).new_from_index(0, count)
        pairs = zip(numbers, states, strict=True)
        given = [number if state == 1 else None for number, state in pairs]
        return polars.DataFrame([none.scatter(places, given), zero.scatter(places, states)])

    def together(self, parts: Sequence[Any]) -> Any:
        """The parts of one column; each row is unknown in all of them, or in all but one."""
        first, *others = parts
        if not others:
            return first
        number = self.polars.coalesce(part[NUMBER] for part in parts)
        state = self.polars.max_horizontal(part[STATE] for part in parts)
        return first.select(number.alias(NUMBER), state.alias(STATE))
