"""
Plain columns to scaled integers, exactly, in Polars.

A column may hold what `Fact.read` accepts from a facts document. It may also hold 64-bit floats,
and days as midnights without a time zone, which only frames have. As in `Fact.read`, each value is
a number, unknown, or invalid: one that the engine would refuse.

A float is read as the decimal number with the type's places to which it is the nearest float, so
that 0.1 is one tenth. If it is the nearest to none, it has more decimals than the type allows and
is invalid; a derived percentage is rounded down instead, as such percentages always are. NaN is
unknown. `sql.plan` has the same readers for databases.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import reduce
from math import inf
from typing import Any, Final

import narwhals.stable.v2 as nw
import polars as pl

from holdback.frozen_classes import frozen
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
class Column:
    """
    A column in the scaled integers of a fact.

    `number` is null where the value is unknown or invalid. It is invalid where `number` is null
    although a value was `given`.
    """

    number: pl.Expr
    given: pl.Expr


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
class ColumnReader:
    """A reader of the column *name* as *fact*."""

    fact: Fact
    name: str

    def column(self, dtype: Any) -> Column:
        """Return the column, whose *dtype* has no `type_error`."""
        kind, column = self.fact.type.kind, pl.col(self.name)
        if kind is Kind.TEXT:
            return self.text(column)
        if kind is Kind.FLAG:
            return Column(column.cast(pl.Int64), pl.lit(value=False))
        if kind is Kind.DATE:
            return self.date(column, dtype)
        if isinstance(dtype, nw.Decimal):
            return self.decimal(column, dtype)
        if isinstance(dtype, nw.Float64):
            return self.float(column)
        return self.integer(column, dtype)

    def text(self, column: pl.Expr) -> Column:
        """The place of a text among the declared ones; a text that is not declared is unknown."""
        text, none = column.cast(pl.String), pl.lit(None, pl.Int64)
        options = reversed(tuple(enumerate(self.fact.type.options)))
        number = reduce(
            lambda rest, option: (
                pl.when(text == pl.lit(option[1])).then(pl.lit(option[0], pl.Int64)).otherwise(rest)
            ),
            options,
            none,
        )
        return Column(number, pl.lit(value=False))

    def integer(self, column: pl.Expr, dtype: Any) -> Column:
        """Integers in major units; only those near the range are scaled, so that none overflows."""
        places = self.fact.type.places
        narrow = column
        if places or isinstance(dtype, _LARGE):
            low, high = _around(self.fact)
            near = (column >= low) & (column <= high)
            if dtype in (nw.UInt64, nw.UInt128):  # it compares these correctly with their own type
                own = pl.UInt64 if dtype == nw.UInt64 else pl.UInt128
                near = column <= pl.lit(max(0, high), own)
            narrow = pl.when(near).then(column)
        return self.within(narrow.cast(pl.Int64) * 10**places, column.is_not_null())

    def decimal(self, column: pl.Expr, dtype: Any) -> Column:
        """Decimals, of which those of up to 18 digits are integers of 64 bits, with their scale."""
        places, scale = self.fact.type.places, dtype.scale
        if dtype.precision + max(0, places - scale) > MOST_DIGITS:
            # Only those near the range are scaled: their digits fit.
            low, high = _around(self.fact)
            near = (column >= pl.lit(Decimal(low))) & (column <= pl.lit(Decimal(high)))
            narrow = pl.Decimal(len(str(max(-low, high))) + scale, scale)
            scaled = pl.when(near).then(column).cast(narrow) * pl.lit(Decimal(10**places))
            down = scaled.floor()
            if not self.fact.rounded_down and scale > places:
                down = pl.when(down == scaled).then(down)
            return self.within(down.cast(pl.Int64), column.is_not_null())
        units = column.to_physical().cast(pl.Int64, wrap_numerical=True)
        if scale <= places:
            return self.within(units * 10 ** (places - scale), column.is_not_null())
        step = 10 ** (scale - places)
        down = units // step
        if not self.fact.rounded_down:
            down = pl.when(down * step == units).then(down)
        return self.within(down, column.is_not_null())

    def float(self, column: pl.Expr) -> Column:
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
        scale = 10**self.fact.type.places
        whole = (column * float(scale) + _WHOLE_FLOATS) - _WHOLE_FLOATS
        # Polars multiplies by a rounded reciprocal where it divides by a literal.
        nearest = whole / (column * 0 + float(scale))
        if self.fact.rounded_down:
            whole -= (nearest - column).ceil()  # 1 where it is above, else 0
        inside = (whole >= self.fact.low) & (whole <= self.fact.high)
        if not self.fact.rounded_down:
            inside &= nearest == column
        number = whole.cast(pl.Int64, wrap_numerical=True)
        return Column(pl.when(inside).then(number), column <= inf)

    def date(self, column: pl.Expr, dtype: Any) -> Column:
        """Days, and midnights, which are numbers of days and of shorter units since 1970."""
        days = column.to_physical().cast(pl.Int64)
        if isinstance(dtype, nw.Datetime):
            units = _UNITS_A_DAY[dtype.time_unit]
            days = pl.when(days % units == 0).then(days // units)
        return self.within(days + _FIRST_DAY, column.is_not_null())

    def within(self, number: pl.Expr, given: pl.Expr) -> Column:
        """*number* where it is in the range of the fact; a value was *given* elsewhere too."""
        inside = (number >= self.fact.low) & (number <= self.fact.high)
        return Column(pl.when(inside).then(number), given)


def _around(fact: Fact) -> tuple[int, int]:
    """Integers of major units below and above the range of *fact*, with a margin of one unit."""
    scale: int = 10**fact.type.places
    # `//` rounds down, which may lose up to a unit at the upper end: hence 2 there.
    return fact.low // scale - 1, fact.high // scale + 2
