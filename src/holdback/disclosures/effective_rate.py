"""
The annual rate by the European effective method (Directive 2008/48/EC, Annex I).

It is the X at which the payments, each divided by (1 + X)^t, are worth what was advanced; t is in
years. A border of X is a root in the shorter periods between payments, and most roots have no last
digit. So a border is asked for between two numbers that close in on it (decisions/disclosures).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from itertools import count
from math import lcm
from typing import Final

from attrs import field

from holdback.disclosures.annual_rate import AnnualRate, Rounding, rounded
from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import unscaled
from holdback.frozen_classes import FrozenMapping, frozen

_NOW: Final = Fraction(0)
# The digits of the two numbers around a border; if these are too far apart, twice as many.
_DIGITS: Final = 48
# A rate of a trillion percent is that of a slip, and its digits would fill a page.
_MOST: Final = Fraction(10**10)


@frozen(eq=False)
class EffectiveRate:
    """
    The effective annual rate of an amount *advanced* that is repaid by *payments*.

    Amounts are in minor units, and payments by their time from the advance, in years.

    >>> EffectiveRate(100_000, {Fraction(1, 12): 55_000, Fraction(2, 12): 55_000}).percent(1)
    Decimal('115.2')

    Raises:
        InvalidValue: when less is paid than was advanced, or at once.
    """

    advanced: int
    payments: Mapping[Fraction, int] = field(converter=FrozenMapping)
    # Every payment is a whole number of such parts of a year away.
    _parts: int = field(init=False, repr=False)
    _equation: AnnualRate = field(init=False, repr=False)

    @_parts.default
    def _of_a_year(self) -> int:
        return lcm(*(time.denominator for time in self.payments))

    @_equation.default
    def _in_parts(self) -> AnnualRate:
        times = {int(time * self._parts): amount for time, amount in self.payments.items()}
        return AnnualRate({_NOW: {0: self.advanced}}, {_NOW: times}, Fraction(self._parts))

    def percent(self, places: int, rounding: Rounding = "half_up") -> Decimal:
        """Return the effective rate in percent, with *places* decimals, as `AnnualRate` does."""
        unit = Fraction(1, 100 * 10**places)
        context = Context(prec=2 * _DIGITS)
        growth = 1 + self._equation.guess(unit / (self._parts << 10))
        exact = context.divide(growth.numerator, growth.denominator)
        guess = Fraction(context.power(exact, self._parts)) - 1
        if guess > _MOST:
            raise InvalidValue("too_large", "the effective rate is above a trillion percent")
        return unscaled(rounded(self.side, unit, rounding, guess), places)

    def side(self, rate: Fraction) -> int:
        """Return 1 where a *rate* of a year is below the root, -1 above it, and 0 at it."""
        for doublings in count():
            low, high = _around_root(1 + rate, self._parts, _DIGITS << doublings)
            if self._equation.side(high - 1) >= 0:
                return 1
            if self._equation.side(max(low - 1, _NOW)) <= 0 and low > 1:
                return -1
            if not doublings and self._is_root(rate):
                return 0
        raise AssertionError("a root that is not the border is on one side of it")

    def _is_root(self, rate: Fraction) -> bool:
        """
        Return whether *rate* satisfies the equation, exactly.

        With v = (1 + rate)^(-1/parts) = q^(1/k), where q has no further root among the fractions,
        1, v, ..., v^(k-1) are linearly independent over these. So a sum of powers of v is zero
        exactly where the coefficient of each of them is, with v^k replaced by q.
        """
        discount, root = _least_root(1 / (1 + rate), self._parts)
        coefficients: defaultdict[int, Fraction] = defaultdict(
            Fraction, {0: -Fraction(self.advanced)}
        )
        for time, amount in self.payments.items():
            whole, part = divmod(int(time * self._parts), root)
            coefficients[part] += amount * discount**whole
        return not any(coefficients.values())


def _around_root(number: Fraction, parts: int, digits: int) -> tuple[Fraction, Fraction]:
    """
    Return a number below and one above the root of *number* that is its growth in one of *parts*.

    Each of these operations is rounded correctly, to half of the last of the *digits*. So the
    exponent is wrong by less than its own size and one of them, and its power by that and one more.
    """
    context = Context(prec=digits)
    growth = context.divide(number.numerator, number.denominator)
    exponent = context.divide(context.ln(growth), parts)
    root = Fraction(context.exp(exponent))
    lost = root * (4 * int(exponent) + 8) / 10 ** (digits - 1)
    return root - lost, root + lost


def _least_root(number: Fraction, degree: int) -> tuple[Fraction, int]:
    """
    Return a fraction and a degree whose root is that of *number* of *degree*, the degree least.

    >>> _least_root(Fraction(100, 121), 12)
    (Fraction(10, 11), 6)
    """
    for prime in range(2, degree + 1):
        while degree % prime == 0:
            over, under = (_root(part, prime) for part in (number.numerator, number.denominator))
            if over is None or under is None:
                break
            number, degree = Fraction(over, under), degree // prime
    return number, degree


def _root(number: int, degree: int) -> int | None:
    """Return the whole root of a *number* above zero, or None."""
    low, high = 1, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < number else (low, middle)
    return low if low**degree == number else None
