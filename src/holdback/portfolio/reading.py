"""Plain columns to whole numbers of a fact's scale, exactly, on any dataframe engine.

What a column may hold is what `Fact.read` takes of a facts document, with two things more, because frames have
them: a 64-bit float, and a day as midnight without a time zone. The answer is the one of `Fact.read`: a
number, or unknown, or a value that the service would refuse, which is at fault.

A float is read as the decimal number of the type's places to which it is the nearest float, so that 0.1 is one
tenth. One that is nearest to none has more decimals than the type: it is at fault, and of a derived percentage it is
rounded down, as such percentages always are. NaN is unknown. An engine's own decimals are only compared,
multiplied by ten thousand or less and rounded down, in which all engines agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import frozen

from holdback.rules.types import Fact, Kind

Expr = Any

# An engine's decimals have up to 38 digits: the 19 of the widest range, these after the point, and one or two
# that scaling adds.
MOST_DECIMALS: Final = 15
# So many digits are a whole number of 64 bits, whatever they are.
_MOST_DIGITS: Final = 18
# Up to here a float, scaled, is at most one beside the whole number that it is meant to be.
_MOST_OF_FLOATS: Final = 2**50

_SMALL: Final = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
_LARGE: Final = (nw.UInt64, nw.Int128, nw.UInt128)
_TEXTS: Final = (nw.String, nw.Categorical, nw.Enum)
_IN_UNITS: Final = (Kind.PERCENT, Kind.RATIO, Kind.MONEY)
_WHOLE: Final = (Kind.COUNT, Kind.DAYS)


@frozen
class Column:
    """
    A plain column as whole numbers of a fact's scale.

    `number` is null where it is unknown or at fault. It is at fault where it is null and something was `given`,
    which is None where nothing can be at fault.
    """

    number: Expr
    given: Expr | None = None

    def fault(self, number: Expr) -> Expr | None:
        """Where it is at fault, *number* being the column in which `number` was put down."""
        return None if self.given is None else self.given & number.is_null()


def mistyped(fact: Fact, dtype: Any) -> str | None:
    """What was expected of a column of *fact*, where one of *dtype* cannot be read as a whole; else None."""
    kind = fact.type.kind
    if kind is Kind.TEXT:
        return None if isinstance(dtype, _TEXTS) else "expected text"
    if kind is Kind.FLAG:
        return None if dtype == nw.Boolean else "expected true and false (a column of Booleans)"
    if kind is Kind.DATE:
        return _mistyped_date(dtype)
    what = "whole numbers" if kind in _WHOLE else "numbers"
    if isinstance(dtype, nw.Decimal) and dtype.scale > MOST_DECIMALS:
        return f"expected {what} of at most {MOST_DECIMALS} decimals"
    if dtype == nw.Float32:
        return f"expected {what}; a 32-bit float has too few digits to tell them apart"
    if dtype == nw.Float64 and max(-fact.low, fact.high) > _MOST_OF_FLOATS:
        return (
            f"expected {what}; floats are too coarse for the range of this fact, decimals are not"
        )
    numeric = isinstance(dtype, (*_SMALL, *_LARGE, nw.Float64, nw.Decimal))
    return None if numeric else f"expected {what}"


def _mistyped_date(dtype: Any) -> str | None:
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        return "expected days; an instant's day depends on a time zone: take its date where the merchant is"
    return None if isinstance(dtype, nw.Date | nw.Datetime) else "expected days (a column of dates)"


@frozen
class Reader:
    """Reads plain columns with the functions of *make*: narwhals, or Polars, whose have the same names."""

    make: Any

    def column(self, fact: Fact, name: str, dtype: Any) -> Column:
        """The column *name* of *dtype*, which is not mistyped, as *fact*."""
        kind, column = fact.type.kind, self.make.col(name)
        if kind is Kind.TEXT:
            return Column(self.text(column, fact.type.options, dtype))
        if kind is Kind.FLAG:
            return Column(self.chain([(column, 1), (~column, 0)]))
        if kind is Kind.DATE:
            return self.date(fact, column, dtype)
        if isinstance(dtype, nw.Decimal):
            return self.decimal(fact, column, dtype)
        if isinstance(dtype, nw.Float64):
            return self.float(fact, column)
        return self.integer(fact, column, dtype)

    def text(self, column: Expr, options: Sequence[str], dtype: Any) -> Expr:
        """The place of a text among *options*; one that is not there is unknown."""
        text = column if isinstance(dtype, nw.String) else column.cast(self.make.String)
        return self.chain([(text == self.make.lit(each), n) for n, each in enumerate(options)])

    def integer(self, fact: Fact, column: Expr, dtype: Any) -> Column:
        """Whole major units, of which those are scaled that are near the range."""
        if isinstance(dtype, _SMALL):
            narrow = column.cast(self.make.Int64)
            if fact.type.places:
                narrow = self.make.when(self.near(fact, narrow)).then(narrow)
        else:
            near = self.near(fact, column, signed=dtype not in (nw.UInt64, nw.UInt128))
            narrow = self.make.when(near).then(column).cast(self.make.Int64)
        scaled = narrow * 10**fact.type.places if fact.type.places else narrow
        return self.within(fact, scaled, ~column.is_null())

    def decimal(self, fact: Fact, column: Expr, dtype: Any) -> Column:
        """By comparing, multiplying and rounding down, which no engine does in floats."""
        scale, places = fact.type.places, dtype.scale
        narrow, lit = column, self.make.lit
        if dtype.precision - places + scale > _MOST_DIGITS:
            low, high = _around(fact)
            near = (column >= lit(Decimal(low))) & (column <= lit(Decimal(high)))
            digits = len(str(max(-low, high))) + places
            narrow = self.make.when(near).then(column).cast(self.make.Decimal(digits, places))
        scaled = narrow * lit(Decimal(10**scale))
        if places <= scale:
            number = scaled.cast(self.make.Int64)
        else:
            down = scaled.floor()
            whole = down if fact.derived else self.make.when(down == scaled).then(down)
            number = whole.cast(self.make.Int64)
        return self.within(fact, number, ~column.is_null())

    def float(self, fact: Fact, column: Expr) -> Column:
        """By the rule at the head of this file."""
        near = self.make.when(self.near(fact, column)).then(column)
        # By a column, since Polars does not divide by a number but multiplies by what is about its reciprocal.
        scale = near * 0 + 10**fact.type.places
        about = (near * scale).floor()  # at most one off
        down = self.chain(
            [((about + 1) / scale <= near, about + 1), (about / scale <= near, about)], about - 1
        )
        known = down if fact.derived else self.make.when(down / scale == near).then(down)
        given = ~(column.is_null() | column.is_nan())
        return self.within(fact, known.cast(self.make.Int64), given)

    def date(self, fact: Fact, column: Expr, dtype: Any) -> Column:
        """The proleptic Gregorian number of a day: the days of the years before it, and its own in the year."""
        wide = self.make.Int64
        before = column.dt.year().cast(wide) - 1
        leap_days = before // 4 - before // 100 + before // 400
        number = before * 365 + leap_days + column.dt.ordinal_day().cast(wide)
        if isinstance(dtype, nw.Datetime):
            parts = (
                column.dt.hour(),
                column.dt.minute(),
                column.dt.second(),
                column.dt.nanosecond(),
            )
            midnight = sum(part.cast(wide) for part in parts) == 0
            number = self.make.when(midnight).then(number)
        return self.within(fact, number, ~column.is_null())

    def near(self, fact: Fact, column: Expr, *, signed: bool = True) -> Expr:
        """Where *column*, in major units, is about in the range of *fact*, and so can be scaled safely."""
        low, high = _around(fact)
        return (column >= low) & (column <= high) if signed else column <= high

    def within(self, fact: Fact, number: Expr, given: Expr) -> Column:
        """*number*, *given* a value, where it is in the range of *fact*."""
        inside = (number >= fact.low) & (number <= fact.high)
        return Column(self.make.when(inside).then(number), given)

    def chain(self, cases: Sequence[tuple[Expr, Expr | int]], otherwise: Any = None) -> Expr:
        """What stands beside the first condition of *cases* that is true."""
        (condition, value), *others = cases
        chosen = self.make.when(condition).then(value)
        for condition, value in others:
            chosen = chosen.when(condition).then(value)
        return chosen if otherwise is None else chosen.otherwise(otherwise)


def _around(fact: Fact) -> tuple[int, int]:
    """Whole major units below and above the range of *fact*."""
    scale: int = 10**fact.type.places
    return fact.low // scale - 1, fact.high // scale + 2
