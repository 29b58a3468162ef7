"""Effective annual rates against an independent solver, in days, weeks, months and years."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random

import mpmath
import pytest

from counts import count
from every_case import for_every
from holdback.disclosures.effective_rate import EffectiveRate
from holdback.disclosures.projected_payments import UNIT_PERIODS, project
from holdback.disclosures.unit_periods import years_between
from holdback.errors import InvalidValue

SCHEDULES = count("schedules of payments with an effective rate")
PLACES = 28


def schedule(seed):
    """The projected payments of a drawn deal, and what was advanced."""
    draw = Random(f"effective rate {seed}")
    frequency = draw.choice([*UNIT_PERIODS])
    advanced = draw.randrange(1_000, 10 ** draw.randrange(4, 10))
    total = advanced * (10_000 + draw.randrange(1, draw.choice((999, 4_000, 20_000)))) // 10_000
    number = int(draw.choice((3, 30, 300)) ** draw.random())
    payment = -(-total // number)
    start = date.fromordinal(date(2023, 1, 1).toordinal() + draw.randrange(3_000))
    return advanced, frequency, project(
        total=total, payment=payment, consummation=start, frequency=frequency
    )  # fmt: skip


def years_of(projected):
    """The years to each payment, as the annex counts them, in a second reading of it."""
    for place, payment in enumerate(projected.payments, start=1):
        if projected.frequency in ("weekly", "monthly"):
            yield Fraction(place, {"weekly": 52, "monthly": 12}[projected.frequency]), payment
            continue
        whole, day = 0, payment.day
        while (back := year_before(day)) >= projected.consummation:
            whole, day = whole + 1, back
        rest = (day - projected.consummation).days
        yield whole + Fraction(rest, (day - year_before(day)).days), payment


def worth(projected, rate):
    return mpmath.fsum(
        payment.amount * (1 + rate) ** -(mpmath.mpf(time.numerator) / time.denominator)
        for time, payment in years_of(projected)
    )


def year_before(day):
    leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year - 1, day=28 if leap_day else day.day)


def test_an_effective_rate_is_that_of_an_independent_solver():
    """
    "APR by the European effective method": sum C (1 + X)^-t = sum D (1 + X)^-s, which in 80 digits
    of mpmath changes its sign within half of the last of 28 decimals.
    """
    met = Counter()
    for seed in range(SCHEDULES):
        advanced, frequency, projected = schedule(seed)
        rate = projected.effective_rate(advanced)
        with mpmath.workdps(80):
            if worth(projected, mpmath.mpf(10) ** 10) > advanced:
                with pytest.raises(InvalidValue, match="trillion"):
                    rate.percent(PLACES)
                continue
            shown = rate.percent(PLACES)
            half = mpmath.mpf(10) ** -PLACES / 2
            below, above = (
                worth(projected, at / 100) - advanced
                for at in (mpmath.mpf(str(shown)) - half, mpmath.mpf(str(shown)) + half)
            )
            assert below >= 0 >= above, (seed, shown)
        assert rate.percent(2, "down") <= rate.percent(2) <= rate.percent(2, "up")
        assert rate.percent(2, "up") - rate.percent(2, "down") <= Decimal("0.01")
        met[frequency] += 1
        met["above 1000%"] += shown > 1000
        met["below 20%"] += shown < 20
    for what in (*UNIT_PERIODS, "above 1000%", "below 20%"):
        assert met[what] >= SCHEDULES // 20, met


BORDERS = {
    "of a year": ({Fraction(1): 1_050}, "5"),
    "of half a year, 1.1 squared": ({Fraction(1, 2): 1_100}, "21"),
    "of two years, the root of 1.21": ({Fraction(2): 1_210}, "10"),
    "of a day, with no cost": ({Fraction(1, 365): 1_000}, "0"),
    "of many days, with no cost": ({Fraction(day, 366): 10 for day in range(1, 101)}, "0"),
    "of years apart": ({Fraction(1): 100, Fraction(2): 1_100}, "10"),
    "of halves of years": ({Fraction(1, 2): 550, Fraction(1): 605}, "21"),
}


@for_every("name", BORDERS)
def test_a_border_of_an_effective_rate_is_decided_exactly(name):
    """
    A rate that is a border itself is rounded as one, and a deal without a cost has exactly 0.
    """
    payments, percent = BORDERS[name]
    rate = EffectiveRate(1_000, payments)
    shown = {rate.percent(places, way) for places in (0, 4) for way in ("down", "up", "half_up")}
    assert shown == {Decimal(percent)}
    assert rate.side(Fraction(percent) / 100) == 0


def test_an_effective_rate_is_above_the_actuarial_one_where_there_is_a_cost():
    """
    Interest on interest is counted: for the same payments the effective rate is the higher one.
    """
    projected = project(
        total=6_500_00, payment=25_00, consummation=date(2026, 3, 2), frequency="daily"
    )
    rates = [
        (projected.effective_rate(by), projected.annual_rate(by)) for by in (5_000_00, 6_000_00)
    ]
    assert all(effective.percent(2) > actuarial.percent(2) for effective, actuarial in rates)
    assert [str(effective.percent(1)) for effective, _ in rates] == ["115.7", "25.5"]


def test_days_are_counted_for_the_year_before_them():
    """
    "dividing this period by the number of days (365 or 366 days) of the complete year counted
    backwards from the last day to the same day of the previous year" (2014/17/EU, Annex I)
    """
    start = date(2027, 12, 1)
    assert years_between(start, date(2028, 2, 28)) == Fraction(89, 365)
    assert years_between(start, date(2028, 3, 1)) == Fraction(91, 366)
    assert years_between(start, date(2028, 12, 1)) == 1
    assert years_between(start, date(2029, 12, 2)) == 2 + Fraction(1, 365)
    times = [years_between(start, date.fromordinal(start.toordinal() + by)) for by in range(1_500)]
    assert all(earlier < later for earlier, later in pairwise(times))


def test_what_has_no_effective_rate_is_refused():
    """
    "Refuses what has no rate, saying why."
    """
    with pytest.raises(InvalidValue, match="no rate"):
        EffectiveRate(1_000, {Fraction(1): 999})
    with pytest.raises(InvalidValue, match="trillion"):
        EffectiveRate(1, {Fraction(1, 365): 1_000_000}).percent(2)
