"""Plain columns to scaled integers in Polars: the rules of `column_readers` in fewer passes."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from holdback.frozen_classes import frozen
from holdback.portfolio.column_readers import MOST_DIGITS, Column, ColumnReader
from holdback.portfolio.outcome_columns import Expr

# Between 2**52 and 2**53, floats are the whole numbers: a sum with this is rounded to one.
_WHOLE_FLOATS: Final = float(3 * 2**51)


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
