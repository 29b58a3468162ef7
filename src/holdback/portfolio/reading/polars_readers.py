"""
Plain columns to scaled integers, and the rulebook of a row, in Polars.

The rules are those of `column_readers` and `row_rulebooks`, in fewer passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import inf
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_columns import RULEBOOK, Expr, chain
from holdback.portfolio.assessing.rulebook_columns import KEY_BITS, RulebookColumns
from holdback.portfolio.reading.column_readers import MOST_DIGITS, Column, ColumnReader

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

        The sum below rounds a scaled float x to a nearest whole number n. If x stands for a number
        of the range of a fact, which ends before 2**50, it stands for n: x is at most 2**-53 of
        itself from that number, and so is its product, so that the two are less than a half apart.
        Whether it stands for n shows a division, which is correctly rounded. If it stands for
        none, the whole number below x is n, or the one before it if n divided is above x.

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


@frozen
class PolarsRulebooks(RulebookColumns):
    """
    Expressions over a frame in memory, which look up what others compare with every rulebook.

    A lookup is not among the expressions that Polars evaluates part by part over a lazy frame.
    """

    def place(self, code: Expr, day: Expr | None) -> Expr:
        """From a table by code, and by how many of all days of change have come."""
        rulebooks = self.rulebooks.rulebooks
        days = (
            sorted({rulebook.on.toordinal() for rulebook in rulebooks}) if day is not None else [0]
        )
        places: list[int | None] = []
        for own in self.rulebooks.codes:
            changes = {
                rulebook.on.toordinal() if day is not None else 0: place
                for place, rulebook in enumerate(rulebooks)
                if rulebook.code == own
            }
            in_force: int | None = None
            places.append(in_force)
            for change in days:
                in_force = changes.get(change, in_force)
                places.append(in_force)
        come: Expr | int = 1
        if day is not None:
            counts = range(len(days), 0, -1)
            come = chain(self.api, [(day >= days[n - 1], n) for n in counts], 0)
        return self.looked_up(places, code * (len(days) + 1) + come).cast(self.api.Int32)

    def read_bits(self, mask: Expr) -> Expr:
        """From a table by rulebook, if they differ."""
        everywhere = sum(1 << bit for bit in KEY_BITS)
        read = [everywhere] * len(self.rulebooks.rulebooks)
        for bit, places in self.bits_read():
            for place in places:
                read[place] |= 1 << bit
        alike = len(set(read)) == 1
        own = read[0] if alike else self.looked_up(read, self.api.col(RULEBOOK))
        return mask.cast(self.api.Int64) & own

    def looked_up(self, values: Sequence[int | None], place: Expr) -> Expr:
        """The one of *values* at each row's *place*, null where that is null."""
        return self.api.lit(self.api.Series(values, dtype=self.api.Int64)).gather(place)
