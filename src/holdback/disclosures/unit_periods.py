"""
Unit-periods: the periods in which an annual rate counts time (Appendix J, (b)(4) and (5)).

The unit-period is the most frequent period between payments. Payments on each day or each weekday
have the day, of which a year has 365.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import MAXYEAR, MINYEAR, date
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from attrs import field

from holdback.errors import InvalidValue
from holdback.frozen_classes import frozen

Unit: TypeAlias = Literal["day", "week", "half_month", "month", "year"]

# The days of a month in projections and in words, for 365 in twelve (10 CCR 900(a)(12)).
AVERAGE_MONTH: Final = Fraction("30.4")
MONTHS_OF_A_YEAR: Final = 12
AFTER_THE_LAST_DAY: Final = "a date would be after the last day of a calendar, in the year 9999"
_DAYS_OF_A_MONTH: Final = 30  # of what is left of a unit-period
_DAYS_OF_A_YEAR: Final = 365


@frozen
class UnitPeriod:
    """
    A number of weeks or months, or one day, half month or year.

    >>> UnitPeriod("week", 2).per_year
    Fraction(26, 1)
    """

    unit: Unit
    number: int = field(default=1)

    @number.validator
    def _is_possible(self, _: object, number: int) -> None:
        if number < 1 or (number > 1 and self.unit not in {"week", "month"}):
            raise InvalidValue("wrong_value", "only weeks and months are counted in several")

    @property
    def per_year(self) -> Fraction:
        """How many unit-periods a year has, as the appendix counts them: 365 days, 52 weeks."""
        in_a_year = {"day": 365, "week": 52, "half_month": 24, "month": 12, "year": 1}
        return Fraction(in_a_year[self.unit], self.number)

    def between(self, first: date, second: date, *, day: int | None = None) -> Fraction:
        """
        Return the unit-periods from *first* to *second*, counted back from *second*.

        Months are counted to the *day* of the month on which payments fall, that of *second* unless
        it is given: 31 for payments at the end of each month.

        >>> UnitPeriod("month").between(date(2025, 2, 13), date(2025, 4, 1))
        Fraction(23, 15)
        """
        days = (second - first).days
        match self.unit:
            case "day":
                return Fraction(days)
            case "week":
                return Fraction(days, 7 * self.number)
        day = second.day if day is None else day
        months = (second.year - first.year) * MONTHS_OF_A_YEAR + second.month - first.month
        while months and months_from(second, -months, day) < first:
            months -= 1
        if self.unit == "year":
            years, months = divmod(months, MONTHS_OF_A_YEAR)
            rest = (months_from(second, -MONTHS_OF_A_YEAR * years, day) - first).days
            if months_from(second, -MONTHS_OF_A_YEAR * years - months, day) == first:
                return years + Fraction(months, MONTHS_OF_A_YEAR)
            return years + Fraction(rest, _DAYS_OF_A_YEAR)
        days = _DAYS_OF_A_MONTH * months + (months_from(second, -months, day) - first).days
        of_a_period = _DAYS_OF_A_MONTH * self.number
        return Fraction(days, of_a_period // 2 if self.unit == "half_month" else of_a_period)


def years_between(start: date, end: date) -> Fraction:
    """
    Return the years from *start* to *end*: whole ones, then days, both counted back from *end*.

    The days are for those of the complete year before them, 365 or 366 (Directive 2014/17/EU,
    Annex I, (c)(iii), which says what Directive 2008/48/EC leaves open).

    >>> years_between(date(2027, 3, 1), date(2028, 3, 2))
    Fraction(366, 365)
    """
    years = end.year - start.year
    while years and months_from(end, -MONTHS_OF_A_YEAR * years, end.day) < start:
        years -= 1
    back = months_from(end, -MONTHS_OF_A_YEAR * years, end.day)
    year = back - months_from(back, -MONTHS_OF_A_YEAR, back.day)
    return years + Fraction((back - start).days, year.days)


def months_from(start: date, months: int, day: int) -> date:
    """
    Return the *day* of the month that is *months* after that of *start*, or its last day.

    >>> months_from(date(2025, 1, 31), 1, 31), months_from(date(2025, 2, 28), -1, 31)
    (datetime.date(2025, 2, 28), datetime.date(2025, 1, 31))

    Raises:
        InvalidValue: when it is in no year from 1 to 9999.
    """
    year, month = divmod(start.year * MONTHS_OF_A_YEAR + start.month - 1 + months, MONTHS_OF_A_YEAR)
    if not MINYEAR <= year <= MAXYEAR:
        raise InvalidValue("too_large", AFTER_THE_LAST_DAY)
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))
