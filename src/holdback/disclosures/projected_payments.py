"""
Projected payments: what a merchant is expected to pay, and on which days.

A deal is repaid from a share of the takings, so that a law asks for payments on the assumption of
takings that are the same in every month. The law leaves open how many days such a month has, on
which day the first payment falls, and what the last one is (decisions/disclosures, K1 to K3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from itertools import count, pairwise
from types import MappingProxyType
from typing import Final

from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.effective_rate import EffectiveRate
from holdback.disclosures.figure_facts import MOST_DAYS
from holdback.disclosures.unit_periods import (
    AFTER_THE_LAST_DAY,
    AVERAGE_MONTH,
    UnitPeriod,
    months_from,
    years_between,
)
from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import divide
from holdback.frozen_classes import frozen
from holdback.merchant.disclosure import Frequency
from holdback.rulebooks.regime import EFFECTIVE, RateMethod

_FRIDAY: Final = 4
_OF_DAYS: Final = ("day", "week")
_DAYS_OF_A_YEAR: Final = 365

# More payments, 27 years of daily ones, would be a slip, and are not counted out.
MOST_PAYMENTS: Final = 10_000

UNIT_PERIODS: Final[Mapping[Frequency, UnitPeriod]] = MappingProxyType(
    {
        "daily": UnitPeriod("day"),
        "weekday": UnitPeriod("day"),
        "weekly": UnitPeriod("week"),
        "monthly": UnitPeriod("month"),
    }
)


@frozen
class Payment:
    """A payment of *amount*, in minor units, expected on a *day*."""

    day: date
    amount: int


@frozen
class ProjectedPayments:
    """
    The payments that are expected after a day on which the merchant is bound, in their order.

    `unit` is their unit-period, where it is not that of the frequency.

    Raises:
        InvalidValue: when there are none or too many, or one is not after that day, a hundred years
            after it or out of order.
    """

    consummation: date
    frequency: Frequency
    payments: tuple[Payment, ...]
    unit: UnitPeriod | None = None

    def __attrs_post_init__(self) -> None:
        _check_number(len(self.payments))
        days = [payment.day for payment in self.payments]
        if not days or days[0] <= self.consummation or days != sorted(days):
            raise InvalidValue("wrong_value", "expected payments in order, after consummation")
        # A rate over thousands of years would take minutes.
        if self.term_days > MOST_DAYS:
            raise InvalidValue("out_of_range", f"`term`: expected 0 days to {MOST_DAYS} days")

    @property
    def total(self) -> int:
        """The sum of the payments, in minor units."""
        return sum(payment.amount for payment in self.payments)

    @property
    def term_days(self) -> int:
        """The days from consummation to the last payment (K6)."""
        return (self.payments[-1].day - self.consummation).days

    def annual_rate(self, amount_financed: int) -> AnnualRate:
        """
        Return the annual rate of an *amount_financed*, in minor units, repaid by these payments.

        The unit-period is that of the frequency (K4): a day for daily and weekday payments. That of
        one payment within a year is the term (Appendix J, (b)(5)(vii)).
        """
        unit, start = self.unit or UNIT_PERIODS[self.frequency], self.consummation
        advanced = {Fraction(0): {0: amount_financed}}
        first, last = (self.payments[at].day for at in (0, -1))
        within = (first - start).days
        if first == last and unit.unit in _OF_DAYS and within <= _DAYS_OF_A_YEAR:
            once = {Fraction(0): {1: self.total}}
            return AnnualRate(advanced, once, Fraction(_DAYS_OF_A_YEAR, within))
        return AnnualRate(advanced, self._times(unit), unit.per_year)

    def _times(self, unit: UnitPeriod) -> Mapping[Fraction, Mapping[int, int]]:
        """
        Return the payments by their time from consummation, in unit-periods.

        Several of one time are added: two on a day, or on the last two days of a month.
        """
        start = self.consummation
        if unit.unit == "day":
            # Thousands of payments have whole days, which take no division.
            days: defaultdict[int, int] = defaultdict(int)
            for payment in self.payments:
                days[(payment.day - start).days] += payment.amount
            return {Fraction(0): days}
        # Half months end on two days of a month.
        last_day = max(payment.day.day for payment in self.payments)
        day = None if unit.unit == "half_month" else last_day
        paid: defaultdict[Fraction, defaultdict[int, int]] = defaultdict(partial(defaultdict, int))
        for payment in self.payments:
            time = unit.between(start, payment.day, day=day)
            whole = int(time)
            paid[time - whole][whole] += payment.amount
        return paid

    def effective_rate(self, amount_financed: int) -> EffectiveRate:
        """
        Return the effective rate of an *amount_financed*, in minor units, repaid by these payments.

        Weekly and monthly payments are whole weeks and months away, of which a year has 52 and 12;
        those on other days are days away (E1).
        """
        unit, start = UNIT_PERIODS[self.frequency], self.consummation
        day = max(payment.day.day for payment in self.payments)
        paid: defaultdict[Fraction, int] = defaultdict(int)
        for payment in self.payments:
            time = unit.between(start, payment.day, day=day)
            whole = unit.unit != "day" and time.denominator == 1
            years = time / unit.per_year if whole else years_between(start, payment.day)
            paid[years] += payment.amount
        return EffectiveRate(amount_financed, paid)

    def rate(self, amount_financed: int, method: RateMethod) -> AnnualRate | EffectiveRate:
        """Return the annual rate by *method*."""
        by = self.effective_rate if method == EFFECTIVE else self.annual_rate
        return by(amount_financed)


def _check_number(number: int) -> None:
    if number > MOST_PAYMENTS:
        message = f"{number:,} payments: expected at most {MOST_PAYMENTS:,}"
        raise InvalidValue("too_large", message)


def payment_of(
    monthly_takings: int, split: Fraction, frequency: Frequency, month: Fraction = AVERAGE_MONTH
) -> int:
    """
    Return the *split* of the takings of a day, week or month, in minor units, half up (K1).

    A *month* has 30.4 days, or 30 as in the illustrations of the regulators.

    >>> payment_of(15_000_00, Fraction("0.15"), "daily", Fraction(30))
    7500
    """
    exact = split * monthly_takings / per_month(frequency, month)
    return divide(exact.numerator, exact.denominator, "half_up")


def per_month(frequency: Frequency, month: Fraction = AVERAGE_MONTH) -> Fraction:
    """
    Return the payments of a *month* of that number of days (K1).

    >>> per_month("weekday")
    Fraction(152, 7)
    """
    in_a_month = {"daily": month, "weekday": month * 5 / 7, "weekly": month / 7}
    return in_a_month.get(frequency, Fraction(1))


def payment_days(
    consummation: date, frequency: Frequency, *, holidays: frozenset[date] = frozenset()
) -> Iterator[date]:
    """
    Yield the days on which payments are processed after *consummation* (K3).

    The first is the next day, the next weekday, the same day of the next week or month. A holiday
    has no daily or weekday payment.
    """
    match frequency:
        case "daily" | "weekday":
            for days in count(1):
                day = consummation + timedelta(days)
                is_weekend = frequency == "weekday" and day.weekday() > _FRIDAY
                if not is_weekend and day not in holidays:
                    yield day
        case "weekly":
            for weeks in count(1):
                yield consummation + timedelta(weeks=weeks)
        case _:
            for months in count(1):
                yield months_from(consummation, months, consummation.day)


def project(
    *,
    total: int,
    payment: int,
    consummation: date,
    frequency: Frequency,
    days: Iterator[date] | None = None,
) -> ProjectedPayments:
    """
    Return the payments that add up to *total*: equal ones, and the remainder as the last (K2).

    They fall on *days*, which are in order, or on those of the frequency.

    >>> short = project(
    ...     total=5600_00, payment=263_16, consummation=date(2025, 11, 10), frequency="daily"
    ... )
    >>> len(short.payments), short.payments[-1]
    (22, Payment(day=datetime.date(2025, 12, 2), amount=7364))

    Raises:
        InvalidValue: when nothing is paid, or in more than 10,000 payments, or *days* are too few
            or not one after another.
    """
    if payment <= 0 or total <= 0:
        raise InvalidValue("wrong_value", "a payment and the total of payments are above zero")
    number = -(-total // payment)
    _check_number(number)
    days = payment_days(consummation, frequency) if days is None else days
    amounts = [payment] * (number - 1) + [total - payment * (number - 1)]
    try:
        payments = tuple(Payment(day, amount) for day, amount in zip(days, amounts, strict=False))
    except OverflowError:
        raise InvalidValue("too_large", AFTER_THE_LAST_DAY) from None
    ordered = [consummation, *(payment.day for payment in payments)]
    if len(payments) < number or any(after <= before for before, after in pairwise(ordered)):
        raise InvalidValue(
            "wrong_value", f"expected {number} days after consummation, each after the one before"
        )
    return ProjectedPayments(consummation, frequency, payments)
