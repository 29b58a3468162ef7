"""
The annual percentage rate by the actuarial method (12 CFR 1026, Appendix J).

The rate is the root of an equation, and digits computed of a root do not tell on which side of a
border it lies. So nothing that was computed is rounded: a rounding asks the equation on which side
of the border its root is. That is answered in integers whose error has a bound, with more bits
where it is too close, and by exact fractions at last (decisions/disclosures).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal, TypeAlias

from attrs import field

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import unscaled
from holdback.frozen_classes import FrozenMapping, frozen

# The bits behind the point with which a sign is looked for, one after the other.
_BITS: Final = (112, 224)
# The guess from which a rounding starts. It decides nothing: a wrong one costs time.
_GUESS: Final = Context(prec=60)
_MOST_STEPS: Final = 12
# Of a unit-period: finer than any rate that is shown, so that its roundings share one guess.
_FINE: Final = Fraction(1, 10**20)

# Amounts in minor units, by their time from the first advance: by its rest *f*, and by its whole
# unit-periods *t*. An amount is divided by (1 + f i) (1 + i)^t.
Flows: TypeAlias = Mapping[Fraction, Mapping[int, int]]
# The same, with the last amounts first.
_Sorted: TypeAlias = Mapping[Fraction, Sequence[tuple[int, int]]]
Rounding: TypeAlias = Literal["half_up", "down", "up"]


def _sorted(flows: Flows) -> _Sorted:
    return FrozenMapping(
        {rest: tuple(sorted(times.items(), reverse=True)) for rest, times in flows.items()}
    )


@frozen
class AnnualRate:
    """
    The rate at which the present value of *payments* is that of *advances*.

    >>> week = AnnualRate(
    ...     advances={Fraction(0): {0: 100_000}}, payments={Fraction(0): {1: 105_000}},
    ...     unit_periods_per_year=Fraction(365, 7),
    ... )
    >>> week.percent(2)
    Decimal('260.71')

    Raises:
        InvalidValue: when no rate, or more than one, may satisfy the equation.
    """

    advances: _Sorted = field(converter=_sorted)
    payments: _Sorted = field(converter=_sorted)
    unit_periods_per_year: Fraction

    def __attrs_post_init__(self) -> None:
        _check(self.advances, self.payments)

    def percent(self, places: int, rounding: Rounding = "half_up") -> Decimal:
        """
        Return the annual rate in percent, with *places* decimals.

        With `up`, the rate is at most a figure of *places* decimals exactly where the result is.
        """
        unit = Fraction(1, 100 * 10**places) / self.unit_periods_per_year
        return unscaled(self._rounded(unit, rounding), places)

    def per_unit_period(self, places: int, rounding: Rounding = "half_up") -> Decimal:
        """Return the rate of a unit-period, a fraction of one, with *places* decimals."""
        return unscaled(self._rounded(Fraction(1, 10**places), rounding), places)

    def _rounded(self, unit: Fraction, rounding: Rounding) -> int:
        return rounded(self.side, unit, rounding, self.guess(unit))

    def side(self, rate: Fraction) -> int:
        """
        Return 1 where *rate*, of a unit-period, is below the root, -1 above it, and 0 at it.

        It is the sign of the present value of the payments less that of the advances, exactly.
        """
        for bits in _BITS:
            paid, paid_bound = _value(self.payments, rate, bits)
            advanced, advanced_bound = _value(self.advances, rate, bits)
            if abs(paid - advanced) > paid_bound + advanced_bound:
                return 1 if paid > advanced else -1
        difference = _exact(self.payments, rate) - _exact(self.advances, rate)
        return (difference > 0) - (difference < 0)

    def guess(self, unit: Fraction) -> Fraction:
        """Return the rate of a unit-period to about *unit*."""
        return self._fine_guess if unit >= _FINE else self._by_steps(unit)

    @cached_property
    def _fine_guess(self) -> Fraction:
        return self._by_steps(_FINE)

    def _by_steps(self, unit: Fraction) -> Fraction:
        """
        Return the rate of a unit-period to about *unit*.

        Newton's method on the logarithms of both sides, over that of 1 + i: there they are almost
        straight lines, so that a few steps suffice from any start.
        """
        bits = 48 + (unit.denominator // unit.numerator).bit_length()
        near = _GUESS.sqrt(_GUESS.divide(unit.numerator, 16 * unit.denominator))
        growth = Decimal(1)
        for _ in range(_MOST_STEPS):
            paid, late = _value_and_time(self.payments, growth, bits)
            advanced, early = _value_and_time(self.advances, growth, bits)
            if late <= early or not advanced:
                break
            ratio = _GUESS.divide(paid, advanced)
            change = _GUESS.power(ratio, _GUESS.divide(1, _GUESS.subtract(late, early)))
            growth = max(_GUESS.multiply(growth, change), Decimal(1))
            if abs(_GUESS.subtract(change, 1)) < near:
                break
        return Fraction(_GUESS.subtract(growth, 1))


def _check(advances: _Sorted, payments: _Sorted) -> None:
    """
    Refuse flows that have no rate or may have several.

    There is one where what is outstanding, interest aside, is positive from the first advance on
    and negative from where more was paid than had been advanced (Norstrom's criterion).
    """
    if any(amount <= 0 for flows in (advances, payments)
           for times in flows.values() for _, amount in times):  # fmt: skip
        raise InvalidValue("wrong_value", "an advance and a payment are above zero")
    # By time. Most are whole, and comparing fractions would take longer than finding the rate.
    changes: defaultdict[int | Fraction, int] = defaultdict(int)
    for sign, flows in ((1, advances), (-1, payments)):
        for rest, times in flows.items():
            for time, amount in times:
                changes[time + rest if rest else time] += sign * amount
    in_order = sorted(changes.items())
    first, advanced = in_order[0] if in_order else (0, 0)
    if first or advanced <= 0:
        raise InvalidValue(
            "wrong_value",
            "times are counted from the first advance, which is more than is paid then",
        )
    outstanding, was_paid = 0, False
    for _, change in in_order:
        outstanding += change
        was_paid = was_paid or outstanding < 0
        if was_paid and outstanding > 0:
            raise InvalidValue(
                "wrong_value",
                "several rates may fit: more was paid than advanced, and then advanced again",
            )
    if outstanding > 0:
        raise InvalidValue(
            "wrong_value", "there is no rate: the payments are less than what was advanced"
        )


def rounded(
    side: Callable[[Fraction], int], unit: Fraction, rounding: Rounding, guess: Fraction
) -> int:
    """
    Return how many times *unit* a root is, as a whole number, started from a *guess*.

    *side* returns 1 for a number below the root, -1 for one above it, and 0 for the root.
    """

    def holds(number: int) -> bool:
        match rounding:
            case "down":
                return side(number * unit) >= 0
            case "half_up":
                return number <= 0 or side((2 * number - 1) * unit / 2) >= 0
            case "up":
                return number <= 0 or side((number - 1) * unit) > 0

    return _last(holds, round(guess / unit))


def _last(holds: Callable[[int], bool], guess: int) -> int:
    """Return the last number that *holds*, where all up to it do and 0 does."""
    step, low = 1, max(guess, 0)
    while not holds(low):
        low, step = max(low - step, 0), 2 * step
    step, high = 1, low + 1
    while holds(high):
        low, high, step = high, high + 2 * step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _value(flows: _Sorted, rate: Fraction, bits: int) -> tuple[int, int]:
    """
    Return the present value of *flows*, scaled by 2**bits, and how much too low it may be.

    A power of v = 1 / (1 + i) is at most twice its exponent too low, in units of the last bit: one
    for v itself and one for each product. Each step multiplies what is at most the sum of all
    amounts, and rounds once. A division by 1 + f i, which is at least 1, rounds once more.
    """
    value = error = 0
    over, under = rate.numerator, rate.denominator
    discount = (under << bits) // (over + under)
    for rest, times in flows.items():
        total, amounts = _discounted(times, discount, bits)[0], sum(a for _, a in times)
        divisor = rest.denominator * under + rest.numerator * over
        value += total * rest.denominator * under // divisor
        error += amounts * 2 * times[0][0] + len(times) + 2
    return value, error


def _discounted(times: Sequence[tuple[int, int]], discount: int, bits: int) -> tuple[int, int]:
    """Return the discounted sum of amounts, scaled, and that of amounts by their times."""
    powers: dict[int, int] = {}
    total = moment = 0
    later = times[0][0]
    for time, amount in (*times, (0, 0)):
        gap = later - time
        if gap:
            power = powers.get(gap)
            if power is None:
                power = powers[gap] = _power(discount, gap, bits)
            moment = (moment + gap * total) * power >> bits
            total = total * power >> bits
        total += amount << bits
        later = time
    return total, moment


def _power(number: int, exponent: int, bits: int) -> int:
    """Return *number*, scaled by 2**bits, to the power of *exponent*, each product rounded down."""
    result = 1 << bits
    while exponent:
        if exponent & 1:
            result = result * number >> bits
        number = number * number >> bits
        exponent >>= 1
    return result


def _exact(flows: _Sorted, rate: Fraction) -> Fraction:
    """Return the present value of *flows*, exactly."""
    growth = 1 + rate
    value = Fraction(0)
    for rest, times in flows.items():
        last = times[0][0]
        over, under = growth.denominator, growth.numerator
        total = sum(amount * over**time * under ** (last - time) for time, amount in times)
        value += Fraction(total, under**last) / (1 + rest * rate)
    return value


def _value_and_time(flows: _Sorted, growth: Decimal, bits: int) -> tuple[Decimal, Decimal]:
    """Return the present value of *flows*, scaled, and the mean time of what it consists of."""
    discount = int(_GUESS.divide(Decimal(1 << bits), growth))
    value, weighted = Decimal(0), Decimal(0)
    for rest, times in flows.items():
        total, moment = map(Decimal, _discounted(times, discount, bits))
        part = _GUESS.divide(rest.numerator, rest.denominator)
        divisor = _GUESS.add(1, _GUESS.multiply(part, _GUESS.subtract(growth, 1)))
        # The rest counts as a time too: the derivative of its divisor over the logarithm.
        late = _GUESS.divide(_GUESS.multiply(part, growth), divisor)
        value += _GUESS.divide(total, divisor)
        weighted += _GUESS.divide(_GUESS.add(moment, _GUESS.multiply(late, total)), divisor)
    return value, _GUESS.divide(weighted, value) if value else value
