"""
Plain columns to scaled integers, exactly, in any dataframe engine.

A column may hold what `Fact.read` accepts from a facts document. It may also hold 64-bit floats,
and days as midnights without a time zone, which only frames have. As in `Fact.read`, each value is
a number, unknown, or invalid: one that the engine would refuse.

A float is read as the decimal number with the type's places to which it is the nearest float, so
that 0.1 is one tenth. If it is the nearest to none, it has more decimals than the type allows and
is invalid; a derived percentage is rounded down instead, as such percentages always are. NaN is
unknown. Decimals are only compared, multiplied by at most a million and rounded down, which gives
the same result in all engines (`decisions/portfolios`). `PolarsReader` has the same rules in fewer
passes.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import field

from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_columns import Expr, chain, converted_column
from holdback.rules.types import Fact, Kind, Type

# Engines have decimals of 38 digits: 19 for the widest range, these after the point, and one or two
# from scaling.
MOST_DECIMALS: Final = 15
# Any integer of 18 digits fits into 64 bits.
MOST_DIGITS: Final = 18
# Up to here, a scaled float differs by at most 1 from the integer that it stands for.
_MOST_OF_FLOATS: Final = 2**50

_SMALL: Final = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
_LARGE: Final = (nw.UInt64, nw.Int128, nw.UInt128)
_TEXTS: Final = (nw.String, nw.Categorical, nw.Enum)
_WHOLE: Final = (Kind.COUNT, Kind.DAYS)


@frozen
class Column:
    """
    A column in the scaled integers of a fact.

    `number` is null where the value is unknown or invalid. It is invalid where `number` is null
    although a value was `given`; `given` is None if no value can be invalid. The columns `scratch`
    are computed first, each from those before it.
    """

    number: Expr
    given: Expr | None = None
    scratch: tuple[tuple[str, Expr], ...] = ()

    def unreadable(self, number: Expr) -> Expr | None:
        """Where the value is invalid; *number* is the column that `number` was computed into."""
        return None if self.given is None else self.given & number.is_null()


def day_fact(name: str) -> Fact:
    """The column with a row's day, described as a fact so that the readers of dates can read it."""
    return Fact(name=name, type=Type(Kind.DATE), low=1, high=date.max.toordinal())


def type_error(fact: Fact, dtype: Any) -> str | None:
    """Return what was expected of the column of *fact*, or None if one of *dtype* can be read."""
    kind = fact.type.kind
    if kind is Kind.TEXT:
        return None if isinstance(dtype, _TEXTS) else "expected text"
    if kind is Kind.FLAG:
        return None if dtype == nw.Boolean else "expected true and false (a column of Booleans)"
    if kind is Kind.DATE:
        return _date_type_error(dtype)
    what = "whole numbers" if kind in _WHOLE else "numbers"
    if isinstance(dtype, nw.Decimal) and dtype.scale > MOST_DECIMALS:
        return f"expected {what} of at most {MOST_DECIMALS} decimals"
    if dtype == nw.Float32:
        return f"expected {what}; a 32-bit float has too few digits to tell them apart"
    if dtype == nw.Float64 and max(-fact.low, fact.high) > _MOST_OF_FLOATS:
        return f"expected {what}; the range of this fact needs decimals, not floats"
    numeric = isinstance(dtype, (*_SMALL, *_LARGE, nw.Float64, nw.Decimal))
    return None if numeric else f"expected {what}"


def _date_type_error(dtype: Any) -> str | None:
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        return "expected days; the day of an instant depends on the time zone: give its local date"
    return None if isinstance(dtype, nw.Date | nw.Datetime) else "expected days (a column of dates)"


@frozen
class ColumnReader:
    """
    A reader of the column *name* as *fact*, with expressions made by *api*.

    In memory, a part that is used more than once becomes a scratch column, so that it is computed
    once. A *lazy* engine finds common parts by itself, and scratch columns would slow it down.
    """

    api: Any
    fact: Fact
    name: str
    variant: int = 0
    lazy: bool = False
    _scratch: list[tuple[str, Expr]] = field(factory=list, init=False)

    def column(self, dtype: Any) -> Column:
        """Return the column, whose *dtype* has no `type_error`."""
        kind, column = self.fact.type.kind, self.api.col(self.name)
        if kind is Kind.TEXT:
            return Column(self.text(column, dtype))
        if kind is Kind.FLAG:
            return Column(chain(self.api, [(column, 1), (~column, 0)]))
        if kind is Kind.DATE:
            return self.date(column, dtype)
        if isinstance(dtype, nw.Decimal):
            return self.decimal(column, dtype)
        if isinstance(dtype, nw.Float64):
            return self.float(column)
        return self.integer(column, dtype)

    def shared(self, expr: Expr) -> Expr:
        """*expr*, which is used more than once."""
        if self.lazy:
            return expr
        name = f"{converted_column(self.name)}_{self.variant}_{len(self._scratch)}"
        self._scratch.append((name, expr))
        return self.api.col(name)

    def text(self, column: Expr, dtype: Any) -> Expr:
        """The place of a text among the declared ones; a text that is not declared is unknown."""
        text = column if isinstance(dtype, nw.String) else column.cast(self.api.String)
        options = enumerate(self.fact.type.options)
        return chain(self.api, [(text == self.api.lit(option), place) for place, option in options])

    def integer(self, column: Expr, dtype: Any) -> Column:
        """Integers in major units; only those near the range are scaled, so that none overflows."""
        places = self.fact.type.places
        if isinstance(dtype, _SMALL):
            narrow = self.shared(column.cast(self.api.Int64))
            if places:
                narrow = self.api.when(self.near(narrow)).then(narrow)
        else:
            near = self.near(column)
            if dtype in (nw.UInt64, nw.UInt128):
                # PyArrow and DuckDB compare these correctly with their own type only.
                own = self.api.UInt64 if dtype == nw.UInt64 else self.api.UInt128
                near = column <= self.api.lit(max(0, _around(self.fact)[1]), own)
            narrow = self.api.when(near).then(column).cast(self.api.Int64)
        scaled = narrow * 10**places if places else narrow
        return self.within(scaled, ~column.is_null())

    def decimal(self, column: Expr, dtype: Any) -> Column:
        """Decimals, only compared, multiplied and rounded down: no engine does that in floats."""
        scale, places = self.fact.type.places, dtype.scale
        narrow, lit = column, self.api.lit
        if dtype.precision + scale > MOST_DIGITS:
            low, high = _around(self.fact)
            near = (column >= lit(Decimal(low))) & (column <= lit(Decimal(high)))
            digits = len(str(max(-low, high))) + places
            if digits + scale > MOST_DIGITS:
                # DuckDB gives the product of short decimals 18 digits, and fails if it needs more.
                digits = max(digits, MOST_DIGITS + 1)
            narrow = self.api.when(near).then(column).cast(self.api.Decimal(digits, places))
        scaled = narrow * lit(Decimal(10**scale))
        if places > scale:
            scaled = self.shared(scaled)
            down = self.shared(scaled.floor())
            scaled = down if self.fact.rounded_down else self.api.when(down == scaled).then(down)
        return self.within(scaled.cast(self.api.Int64), ~column.is_null())

    def float(self, column: Expr) -> Column:
        """Floats, by the rule at the top of this file."""
        near = self.shared(self.api.when(self.near(column)).then(column))
        # A column, because Polars replaces division by a literal with multiplication by its rounded
        # reciprocal.
        scale = self.shared(near * 0 + 10**self.fact.type.places)
        about = self.shared((near * scale).floor())  # off by at most 1
        cases = [((about + 1) / scale <= near, about + 1), (about / scale <= near, about)]
        down = self.shared(chain(self.api, cases, about - 1))
        exact = down if self.fact.rounded_down else self.api.when(down / scale == near).then(down)
        given = ~(column.is_null() | column.is_nan())
        return self.within(exact.cast(self.api.Int64), given)

    def date(self, column: Expr, dtype: Any) -> Column:
        """The proleptic Gregorian ordinal of a day, as `date.toordinal` has it."""
        wide = self.api.Int64
        before = self.shared(column.dt.year().cast(wide) - 1)
        leap_days = before // 4 - before // 100 + before // 400
        number = before * 365 + leap_days + column.dt.ordinal_day().cast(wide)
        if isinstance(dtype, nw.Datetime):
            # DuckDB has nanoseconds only for the years 1677 to 2262, and tells the hour of seconds
            # and milliseconds by them. Of the lazy engines, only DuckDB has such columns here.
            exact = self.lazy and dtype.time_unit in ("s", "ms")
            at = (column.cast(nw.Datetime("us")) if exact else column).dt
            least = at.nanosecond() if dtype.time_unit == "ns" else at.microsecond()
            parts = (at.hour(), at.minute(), at.second(), least)
            midnight = sum(part.cast(wide) for part in parts) == 0
            number = self.api.when(midnight).then(number)
        return self.within(number, ~column.is_null())

    def near(self, column: Expr) -> Expr:
        """Where *column*, in major units, is so near the range that scaling cannot overflow."""
        low, high = _around(self.fact)
        return (column >= low) & (column <= high)

    def within(self, number: Expr, given: Expr) -> Column:
        """*number* where it is in the range of the fact; a value was *given* elsewhere too."""
        scaled = self.shared(number)
        inside = (scaled >= self.fact.low) & (scaled <= self.fact.high)
        return Column(self.api.when(inside).then(scaled), given, tuple(self._scratch))


def _around(fact: Fact) -> tuple[int, int]:
    """Integers of major units below and above the range of *fact*, with a margin of one unit."""
    scale: int = 10**fact.type.places
    # `//` rounds down, which may lose up to a unit at the upper end: hence 2 there.
    return fact.low // scale - 1, fact.high // scale + 2


# Between 2**52 and 2**53, floats are the whole numbers: a sum with this is rounded to one.
_WHOLE_FLOATS: Final = float(3 * 2**51)
# Polars counts days from 1970.
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()
_MILLISECONDS: Final = 86_400 * 10**3
# It has milliseconds where other libraries have seconds.
_UNITS_A_DAY: Final = {
    "s": _MILLISECONDS,
    "ms": _MILLISECONDS,
    "us": _MILLISECONDS * 10**3,
    "ns": _MILLISECONDS * 10**6,
}


@frozen
class PolarsReader(ColumnReader):
    """A reader of columns of Polars, whose decimals are integers of 128 bits."""

    def float(self, column: Expr) -> Column:
        """
        Floats, by the rule of `column_readers`.

        The sum below rounds a float, multiplied by the scale, to a nearest whole number n. If the
        float stands for a number in the range of a fact, that number is n: the range ends before
        2**50, the float is at most 2**-53 of itself from its number, and the multiplication adds at
        most as much, so that the product and the number are less than a half apart.

        Dividing n by the scale shows whether the float stands for n: a division is correctly
        rounded, so the quotient is then the float. If it is not, the whole number below the product
        is n, or n - 1 where the quotient is above the float.

        NaN is above all numbers, and infinity above all others.
        """
        api, scale = self.api, 10**self.fact.type.places
        whole = (column * float(scale) + _WHOLE_FLOATS) - _WHOLE_FLOATS
        # Polars multiplies by a rounded reciprocal where it divides by a literal.
        nearest = whole / (column * 0 + float(scale))
        if self.fact.rounded_down:
            whole -= (nearest - column).ceil()  # 1 where it is above, else 0
        inside = (whole >= self.fact.low) & (whole <= self.fact.high)
        if not self.fact.rounded_down:
            inside &= nearest == column
        number = whole.cast(api.Int64, wrap_numerical=True)
        return Column(api.when(inside).then(number), column <= inf)

    def decimal(self, column: Expr, dtype: Any) -> Column:
        """Decimals, of which those of up to 18 digits are integers of 64 bits, with their scale."""
        places, scale = self.fact.type.places, dtype.scale
        if dtype.precision + max(0, places - scale) > MOST_DIGITS:
            return super().decimal(column, dtype)
        units = column.to_physical().cast(self.api.Int64, wrap_numerical=True)
        if scale <= places:
            scaled = units * 10 ** (places - scale) if scale < places else units
            return self.within(scaled, column.is_not_null())
        step = 10 ** (scale - places)
        down = units // step
        if not self.fact.rounded_down:
            down = self.api.when(down * step == units).then(down)
        return self.within(down, column.is_not_null())

    def date(self, column: Expr, dtype: Any) -> Column:
        """Days, and midnights, which are numbers of days and of shorter units since 1970."""
        days = column.to_physical().cast(self.api.Int64)
        if isinstance(dtype, nw.Datetime):
            units = _UNITS_A_DAY[dtype.time_unit]
            days = self.api.when(days % units == 0).then(days // units)
        return self.within(days + _FIRST_DAY, column.is_not_null())
