"""The built-in calculators, compared with exact fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdback import (
    FactorRateCalculator,
    LimitsCalculator,
    Money,
    SplitPercentageCalculator,
    TermCalculator,
)
from holdback.eligibility.facts import catalogue
from holdback.exact.money import Currency
from holdback.offers.calculator import PricingCase, Term
from holdback.offers.shipped_calculators import (
    Affordability,
    Band,
    BandedRate,
    Chosen,
    FixedLimits,
    FixedTerm,
    FlatRate,
    TakingsMultiple,
    TakingsPace,
    days_to_repay,
)

GBP = Currency.of("GBP")
FACTS = catalogue(GBP)


def case(*, renewal=False, rounding="half_even", **facts):
    return PricingCase(
        facts=FACTS.prepare(facts),
        catalogue=FACTS,
        renewal=renewal,
        currency=GBP,
        rounding=rounding,
    )


def pounds(text):
    return Money.parse(f"GBP {text}")


FIXED = FixedLimits(minimum=pounds("500"), maximum=pounds("5000"))
MULTIPLE = TakingsMultiple(
    minimum=pounds("1000"),
    maximum=pounds("300000"),
    multiple=Decimal("1.2"),
    step=pounds("100"),
)
FLAT = FlatRate(rate=Decimal("1.25"), renewal_discount=Decimal("0.01"))
BANDED = BandedRate(
    on="performance",
    bands=(
        Band(900_000, Decimal("1.25")),
        Band(1_100_000, Decimal("1.2")),
        Band(None, Decimal("1.15")),
    ),
    renewal_discount=Decimal("0.01"),
)
CHOSEN = Chosen(choices=(Decimal(8), Decimal(10)))
AFFORDABLE = Affordability(
    choices=(Decimal(8), Decimal(10), Decimal("12.5")), longest_term_months=12
)


@pytest.mark.parametrize(
    ("kind", "calculators"),
    [
        (LimitsCalculator, [FIXED, MULTIPLE]),
        (FactorRateCalculator, [FLAT, BANDED]),
        (SplitPercentageCalculator, [CHOSEN, AFFORDABLE]),
        (TermCalculator, [TakingsPace(), FixedTerm(months=6)]),
    ],
)
def test_the_built_in_ones_are_of_their_kind(kind, calculators):
    """
    Each built-in calculator satisfies the protocol of its kind.
    """
    assert all(isinstance(each, kind) for each in calculators)


def test_fixed_limits_are_the_same_for_everyone():
    """
    `fixed` limits do not depend on the case.
    """
    assert FIXED(case()) == FIXED.configured
    assert FIXED.configured.maximum == pounds("5000")


@pytest.mark.parametrize(
    ("takings", "maximum"),
    [("20000.00", "24000"), ("20083.32", "24000"), ("20083.34", "24100"), ("1000000", "300000")],
)
def test_a_multiple_of_takings_in_whole_steps(takings, maximum):
    """
    `takings_multiple` rounds down to whole steps and keeps to the minimum and the maximum.
    """
    assert MULTIPLE(case(average_monthly_takings=takings)).maximum == pounds(maximum)


@pytest.mark.parametrize("calculator", [MULTIPLE, AFFORDABLE, TakingsPace()])
def test_unknown_takings_give_no_answer(calculator):
    """
    A calculator that needs unknown takings returns None.
    """
    arguments = {MULTIPLE: (), AFFORDABLE: (pounds("1"),)}.get(
        calculator, (pounds("1"), Decimal(8))
    )

    assert calculator(case(), *arguments) is None


def test_a_renewal_costs_less_and_never_less_than_nothing():
    """
    The renewal discount lowers a factor rate, never below 1.
    """
    thin = FlatRate(rate=Decimal("1.005"), renewal_discount=Decimal("0.01"))

    assert FLAT(case(), pounds("1")) == Decimal("1.25")
    assert FLAT(case(renewal=True), pounds("1")) == Decimal("1.24")
    assert thin(case(renewal=True), pounds("1")) == 1


@pytest.mark.parametrize(
    ("performance", "rate"),
    [
        ("89.9999%", "1.25"),
        ("90%", "1.2"),
        ("109.9999%", "1.2"),
        ("110%", "1.15"),
        (None, "1.25"),
    ],
)
def test_a_band_holds_what_is_below_its_bound(performance, rate):
    """
    A band holds values below its bound; the highest rate applies to an unknown fact.
    """
    assert BANDED(case(performance=performance), pounds("1")) == Decimal(rate)


@pytest.mark.parametrize(
    "bands",
    [
        (),
        (Band(5, Decimal(1)),),
        (Band(None, Decimal(1)), Band(None, Decimal(1))),
        (Band(9, Decimal(1)), Band(5, Decimal(1)), Band(None, Decimal(1))),
    ],
)
def test_bands_are_in_order_and_the_last_is_open(bands):
    """
    Bands are in ascending order, and only the last has no bound.
    """
    with pytest.raises(ValueError, match="band"):
        BandedRate(on="performance", bands=bands)


def test_the_chosen_split_gives_an_offer_for_each_choice():
    """
    `chosen` makes an offer for each choice.
    """
    assert CHOSEN(case(), pounds("1")) == (Decimal(8), Decimal(10))


@pytest.mark.parametrize(
    ("repayment", "split"),
    [("9600", ("8",)), ("9600.01", ("10",)), ("15000", ("12.5",)), ("15000.01", ())],
)
def test_the_smallest_affordable_split(repayment, split):
    """
    `affordability` takes the smallest choice that repays within the longest term.

    At takings of 10,000 a month, 8% repays 800 a month, so 9,600 in twelve months, to the day.
    """
    found = AFFORDABLE(case(average_monthly_takings="10000.00"), pounds(repayment))

    assert found == tuple(Decimal(each) for each in split)


@given(
    repayment=st.integers(1, 10**10),
    takings=st.integers(1, 10**10),
    split=st.integers(1, 1_000_000),
)
def test_the_pace_of_takings_is_exact(repayment, takings, split):
    """
    The term is repayment / (average daily takings x split) in whole days, rounded up.
    """
    percent = Decimal(split).scaleb(-4)
    daily = Fraction(takings) * 12 / 365 * Fraction(percent) / 100

    assert days_to_repay(Money(repayment, GBP), takings, percent) == ceil(repayment / daily)


@given(amount=st.integers(0, 10**12), rate=st.integers(1_000_000, 3_000_000), data=st.data())
def test_a_factor_is_applied_exactly(amount, rate, data):
    """
    `repayment_amount = funded_amount x factor_rate`, rounded once, by name.
    """
    rounding = data.draw(st.sampled_from(["half_even", "half_up", "down", "up"]))
    exact = Fraction(amount * rate, 10**6)
    whole = case(rounding=rounding).times(Money(amount, GBP), Decimal(rate).scaleb(-6)).minor

    assert abs(exact - whole) < 1
    if rounding in {"half_even", "half_up"}:
        assert abs(exact - whole) <= Fraction(1, 2)
    assert {"down": whole <= exact, "up": whole >= exact}.get(rounding, True)


@given(days=st.integers(1, 20_000))
def test_months_of_days_are_near(days):
    """
    The months of a term are rounded to two decimals; its days are exact.
    """
    months = Fraction(Term.of_days(days).months)

    assert abs(months - Fraction(days * 12, 365)) <= Fraction(1, 200)
