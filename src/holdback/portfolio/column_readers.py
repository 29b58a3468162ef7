"""Plain columns to whole numbers of a fact's scale, exactly, on any dataframe engine.

What a column may hold is what `Fact.read` takes of a facts document, with two things more, because frames have
them: a 64-bit float, and a day as midnight without a time zone. The answer is the one of `Fact.read`: a
number, or unknown, or a value that the service would refuse, which is at fault.

A float is read as the decimal number of the type's places to which it is the nearest float, so that 0.1 is one
tenth. One that is nearest to none has more decimals than the type: it is at fault, and of a derived percentage it is
rounded down, as such percentages always are. NaN is unknown. An engine's own decimals are only compared,
multiplied by a million or less and rounded down, in which all engines agree.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import field, frozen

from holdback.portfolio.outcome_columns import OURS, Expr, chain
from holdback.rules.types import Fact, Kind

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
_WHOLE: Final = (Kind.COUNT, Kind.DAYS)


@frozen
class Column:
    """
    A plain column as whole numbers of a fact's scale.

    `number` is null where it is unknown or at fault. It is at fault where it is null and something was `given`,
    which is None where nothing can be at fault. First the columns `scratch` are worked out, each from those before.
    """

    number: Expr
    given: Expr | None = None
    scratch: tuple[tuple[str, Expr], ...] = ()

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
    """
    Reads the plain column *name* as *fact*, with the functions of *make*: narwhals, or Polars, whose have the same
    names. In memory, what is looked at more than once is put down in a column first; a lazy engine sees by itself
    what it is asked twice, and is slower where it has to put it down.
    """

    make: Any
    fact: Fact
    name: str
    variant: int = 0
    lazy: bool = False
    _scratch: list[tuple[str, Expr]] = field(factory=list, init=False)

    def column(self, dtype: Any) -> Column:
        """The column, of *dtype*, which is not mistyped."""
        kind, column = self.fact.type.kind, self.make.col(self.name)
        if kind is Kind.TEXT:
            return Column(self.text(column, dtype))
        if kind is Kind.FLAG:
            return Column(chain(self.make, [(column, 1), (~column, 0)]))
        if kind is Kind.DATE:
            return self.date(column, dtype)
        if isinstance(dtype, nw.Decimal):
            return self.decimal(column, dtype)
        if isinstance(dtype, nw.Float64):
            return self.float(column)
        return self.integer(column, dtype)

    def put(self, expr: Expr) -> Expr:
        """*expr*, to be looked at more than once."""
        if self.lazy:
            return expr
        name = f"{OURS}{self.name}_{self.variant}_{len(self._scratch)}"
        self._scratch.append((name, expr))
        return self.make.col(name)

    def text(self, column: Expr, dtype: Any) -> Expr:
        """The place of a text among the options; one that is not there is unknown."""
        text = column if isinstance(dtype, nw.String) else column.cast(self.make.String)
        options = enumerate(self.fact.type.options)
        return chain(self.make, [(text == self.make.lit(each), place) for place, each in options])

    def integer(self, column: Expr, dtype: Any) -> Column:
        """Whole major units, of which those are scaled that are near the range."""
        places = self.fact.type.places
        if isinstance(dtype, _SMALL):
            narrow = self.put(column.cast(self.make.Int64))
            if places:
                narrow = self.make.when(self.near(narrow)).then(narrow)
        else:
            near = self.near(column)
            if dtype in (
                nw.UInt64,
                nw.UInt128,
            ):  # PyArrow and DuckDB compare them well with their own kind alone
                own = self.make.UInt64 if dtype == nw.UInt64 else self.make.UInt128
                near = column <= self.make.lit(max(0, _around(self.fact)[1]), own)
            narrow = self.make.when(near).then(column).cast(self.make.Int64)
        scaled = narrow * 10**places if places else narrow
        return self.within(scaled, ~column.is_null())

    def decimal(self, column: Expr, dtype: Any) -> Column:
        """By comparing, multiplying and rounding down, which no engine does in floats."""
        scale, places = self.fact.type.places, dtype.scale
        narrow, lit = column, self.make.lit
        if dtype.precision + scale > _MOST_DIGITS:
            low, high = _around(self.fact)
            near = (column >= lit(Decimal(low))) & (column <= lit(Decimal(high)))
            digits = len(str(max(-low, high))) + places
            if (
                digits + scale > _MOST_DIGITS
            ):  # or DuckDB's product has no more digits either, and fails
                digits = max(digits, _MOST_DIGITS + 1)
            narrow = self.make.when(near).then(column).cast(self.make.Decimal(digits, places))
        scaled = narrow * lit(Decimal(10**scale))
        if places > scale:
            scaled = self.put(scaled)
            down = self.put(scaled.floor())
            scaled = down if self.fact.derived else self.make.when(down == scaled).then(down)
        return self.within(scaled.cast(self.make.Int64), ~column.is_null())

    def float(self, column: Expr) -> Column:
        """By the rule at the head of this file."""
        near = self.put(self.make.when(self.near(column)).then(column))
        # By a column, since Polars does not divide by a number but multiplies by what is about its reciprocal.
        scale = self.put(near * 0 + 10**self.fact.type.places)
        about = self.put((near * scale).floor())  # at most one off
        cases = [((about + 1) / scale <= near, about + 1), (about / scale <= near, about)]
        down = self.put(chain(self.make, cases, about - 1))
        exact = down if self.fact.derived else self.make.when(down / scale == near).then(down)
        given = ~(column.is_null() | column.is_nan())
        return self.within(exact.cast(self.make.Int64), given)

    def date(self, column: Expr, dtype: Any) -> Column:
        """The proleptic Gregorian number of a day: the days of the years before it, and its own in the year."""
        wide = self.make.Int64
        before = self.put(column.dt.year().cast(wide) - 1)
        leap_days = before // 4 - before // 100 + before // 400
        number = before * 365 + leap_days + column.dt.ordinal_day().cast(wide)
        if isinstance(dtype, nw.Datetime):
            at = column.dt
            # DuckDB asks an instant in seconds for its nanoseconds only near our time.
            least = at.nanosecond() if dtype.time_unit == "ns" else at.microsecond()
            parts = (at.hour(), at.minute(), at.second(), least)
            midnight = sum(part.cast(wide) for part in parts) == 0
            number = self.make.when(midnight).then(number)
        return self.within(number, ~column.is_null())

    def near(self, column: Expr) -> Expr:
        """Where *column*, in major units, is about in the range of the fact, and so can be scaled safely."""
        low, high = _around(self.fact)
        return (column >= low) & (column <= high)

    def within(self, number: Expr, given: Expr) -> Column:
        """*number*, *given* a value, where it is in the range of the fact."""
        known = self.put(number)
        inside = (known >= self.fact.low) & (known <= self.fact.high)
        return Column(self.make.when(inside).then(known), given, tuple(self._scratch))


def _around(fact: Fact) -> tuple[int, int]:
    """Whole major units below and above the range of *fact*."""
    scale: int = 10**fact.type.places
    return fact.low // scale - 1, fact.high // scale + 2
