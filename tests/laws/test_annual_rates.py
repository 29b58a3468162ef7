"""Annual rates against an independent solver, over every unit-period and odd first periods."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from random import Random

import mpmath
import pytest

from counts import count
from every_case import for_every
from holdback.disclosures.annual_rate import AnnualRate
from holdback.errors import InvalidValue

SCHEDULES = count("schedules of payments with a rate")
DIGITS = 30
# Unit-periods in a year, and the parts into which the rest of one is divided.
UNITS = {365: 1, 52: 7, 26: 14, 24: 15, 12: 30, 4: 90, 1: 365}
NOW = Fraction(0)


def schedule(seed):
    """The advances and payments of a random schedule, and its unit-periods a year."""
    draw = Random(f"rate {seed}")
    per_year = draw.choice([*UNITS])
    rate = Decimal(10) ** Decimal(draw.uniform(-4, 2.7)) / per_year
    number = int(1000 ** draw.random())
    first = draw.choice((0, 1, 1, 1, draw.randrange(1, 30)))
    rest = Fraction(draw.randrange(UNITS[per_year]), UNITS[per_year])
    level = draw.randrange(1, 10 ** draw.randrange(3, 9))
    alike = draw.random() < 0.5
    times, time = {}, max(first, 0 if rest else 1)
    for _ in range(number):
        times[time] = level if alike else draw.randrange(1, level + 1)
        time += 1 if alike else draw.choice((1, 1, 1, 2, 3, 7))
    worth = sum(
        amount / ((1 + rate * rest.numerator / rest.denominator) * (1 + rate) ** at)
        for at, amount in times.items()
    )
    advanced = max(int(worth), 1)
    advances = {NOW: {0: advanced}}
    # Now and then a part is advanced later, but before anything is paid.
    if min(times) > 1 and advanced > 2:
        later = draw.randrange(1, advanced)
        advances = {NOW: {0: advanced - later, draw.randrange(1, min(times)): later}}
    return advances, {rest: times}, per_year


def value(flows, rate):
    return mpmath.fsum(
        amount / ((1 + rate * mpmath.mpf(rest.numerator) / rest.denominator) * (1 + rate) ** time)
        for rest, times in flows.items()
        for time, amount in times.items()
    )


def test_a_rate_is_that_of_an_independent_solver():
    """
    "The APR solver against mpmath on random schedules (1 to 1,000 payments, APR from 0.01% to
    50,000%, all unit-periods, odd periods): equal to 30 digits."

    The equation, in 80 digits of mpmath, changes its sign within half of the last digit.
    """
    met = Counter()
    for seed in range(SCHEDULES):
        advances, payments, per_year = schedule(seed)
        try:
            rate = AnnualRate(advances, payments, Fraction(per_year))
        except InvalidValue:
            # What was advanced was rounded, so that now and then less is paid back.
            (times,) = payments.values()
            assert sum(times.values()) < sum(advances[NOW].values())
            continue
        rough = rate.per_unit_period(8)
        places = DIGITS - rough.adjusted() if rough else DIGITS + 8
        shown = rate.per_unit_period(places)

        with mpmath.workdps(80):
            half = mpmath.mpf(10) ** -places / 2
            below, above = (
                value(payments, at) - value(advances, at)
                for at in (mpmath.mpf(str(shown)) - half, mpmath.mpf(str(shown)) + half)
            )
            assert below >= 0 >= above, (seed, shown)
        percent = rate.percent(2)
        assert rate.percent(2, "down") <= percent <= rate.percent(2, "up")
        assert rate.percent(2, "up") - rate.percent(2, "down") <= Decimal("0.01")
        met[per_year] += 1
        met["odd"] += NOW not in payments
        met["several advances"] += len(advances[NOW]) > 1
        met["below 1%"] += percent < 1
        met["above 1000%"] += percent > 1000
        met["many"] += len(*payments.values()) > 300
    for what in (*UNITS, "odd", "several advances", "below 1%", "above 1000%", "many"):
        assert met[what] >= SCHEDULES // 40, met


def level(amount, number, advanced):
    return AnnualRate(
        {NOW: {0: advanced}}, {NOW: dict.fromkeys(range(1, number + 1), amount)}, Fraction(365)
    )


def test_a_rate_rises_with_the_charge_and_falls_with_the_term():
    """
    "APR rises with the charge and falls with the term."
    """
    total = 13_000_00
    costs = [level(total // 100, 100, 10_000_00 - by).percent(6) for by in range(0, 500_00, 50_00)]
    assert costs == sorted(set(costs))
    terms = [level(total // number, number, 10_000_00).percent(6) for number in (50, 100, 200, 400)]
    assert terms == sorted(set(terms), reverse=True)


def test_a_border_is_decided_exactly():
    """
    A rate that is a border itself is rounded as one: 0.005% up to 0.01, and 5% is at most 5%.
    """
    half = AnnualRate({NOW: {0: 20_000}}, {NOW: {1: 20_001}}, Fraction(1))
    assert str(half.percent(2)) == "0.01"
    assert str(half.percent(2, "down")) == "0.00"
    exact = AnnualRate({NOW: {0: 100}}, {NOW: {1: 105}}, Fraction(1))
    shown = {
        exact.percent(places, way) for places in (0, 2, 9) for way in ("down", "up", "half_up")
    }
    assert shown == {Decimal(5)}
    assert exact.side(Fraction(5, 100)) == 0
    free = level(100, 50, 5_000)
    assert {free.percent(2), free.percent(2, "up"), free.per_unit_period(30)} == {0}


REFUSED = {
    "payments below what was advanced": ({0: 100}, {1: 60, 2: 39}, "no rate"),
    "advanced again after more was paid": ({0: 100, 3: 70}, {1: 160, 4: 20}, "several rates"),
    "paid at once": ({0: 100}, {0: 100, 1: 5}, "first advance"),
    "nothing advanced": ({}, {1: 5}, "first advance"),
    "advanced from the second period on": ({1: 100}, {2: 105}, "first advance"),
    "nothing paid": ({0: 100}, {}, "no rate"),
    "a payment of nothing": ({0: 100}, {1: 0, 2: 105}, "above zero"),
    "an advance below zero": ({0: -100}, {1: 105}, "above zero"),
}


@for_every("name", REFUSED)
def test_what_has_no_rate_is_refused(name):
    """
    "Refuses what has no rate, saying why."
    """
    advances, payments, why = REFUSED[name]
    with pytest.raises(InvalidValue, match=why):
        AnnualRate({NOW: advances}, {NOW: payments}, Fraction(12))
