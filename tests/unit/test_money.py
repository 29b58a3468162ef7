"""Money and exact numbers."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import iso4217
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import Money
from holdback.money import (
    MINOR_UNITS,
    Currency,
    divide,
    plain,
    read_decimal,
    scaled,
    scaled_down,
    trimmed,
    unscaled,
)


def test_minor_units_are_those_of_iso_4217():
    """
    "its minor units are checked against ISO 4217 in the tests" (design 5)
    """
    theirs = {
        each.code.upper(): each.exponent for each in iso4217.Currency if each.exponent is not None
    }
    retired = {"BGN", "HRK"}  # old deals stay readable

    assert {code: places for code, places in MINOR_UNITS.items() if code not in retired} == theirs


@for_every(
    "text",
    ["", "1e5", "1_0", " 1", "1 ", "+1", ".5", "5.", "01", "NaN", "Infinity", "１", "1" * 29],
)
def test_numbers_that_are_not_plain_are_refused(text):
    """
    "Numbers are exact both ways, to 28 digits" (design 7)
    """
    with pytest.raises(ValueError, match="number"):
        read_decimal(text)


@pytest.mark.parametrize("value", [1.5, True, float("nan"), "1", None])
def test_what_is_not_exact_is_refused(value):
    """
    "No float decides anything."
    """
    with pytest.raises(TypeError):
        scaled(value, 2)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "sNaN", "1E+999999999"])
def test_what_is_not_finite_is_refused(value):
    """
    An infinite or immense number is an error at the edge, and costs nothing.
    """
    with pytest.raises(ValueError, match=r"finite|digits"):
        scaled(Decimal(value), 2)


@given(number=st.integers(-(10**27), 10**27), places=st.integers(0, 12))
def test_scaling_there_and_back(number, places):
    """
    Every scaled integer is the same decimal at the edge, under any ambient context.
    """
    with decimal.localcontext(decimal.Context(prec=1, traps=[decimal.Inexact])):
        value = unscaled(number, places)
        assert scaled(value, places) == number
        assert scaled(trimmed(number, places), places) == number
        assert scaled_down(value, places) == number
        assert read_decimal(plain(value)) == value


@given(number=st.integers(-(10**20), 10**20), places=st.integers(1, 9), fewer=st.integers(1, 5))
def test_rounding_down_is_the_floor(number, places, fewer):
    """
    "Derived percentages are facts of a fixed scale, rounded down" (design 4)
    """
    kept = max(0, places - fewer)
    exact = Fraction(number, 10**places)

    assert scaled_down(unscaled(number, places), kept) == (exact * 10**kept).__floor__()


@given(number=st.integers(-(10**20), 10**20), divisor=st.integers(1, 10**9))
def test_rounding_is_pythons_by_name(number, divisor):
    """
    "half_up, half_even, down, up: Python's names, for money" (design 5)
    """
    context = decimal.Context(prec=60)
    exact = context.divide(Decimal(number * 10**12), Decimal(divisor))
    for name in ("half_even", "half_up", "down", "up"):
        if Fraction(number * 10**12, divisor) != Fraction(exact):
            continue
        rounding = getattr(decimal, f"ROUND_{name.upper()}")
        expected = exact.scaleb(-12, context).to_integral_value(rounding=rounding)
        assert divide(number, divisor, name) == int(expected)


def test_currencies_do_not_mix():
    """
    "money only with the same currency" (design 4)
    """
    with pytest.raises(ValueError, match="do not mix"):
        assert Money.parse("GBP 1.00") + Money.parse("EUR 1.00")
    with pytest.raises(ValueError, match="do not mix"):
        assert Money.parse("GBP 1.00") < Money.parse("EUR 1.00")
    assert Money.parse("GBP 1.00") != Money.parse("EUR 1.00")


@for_every("text", ["GBP 1.001", "JPY 1.5", "XXX 1", "GBP", "1.00 GBP", "GBP  1"])
def test_money_with_too_many_decimals_or_no_currency_is_refused(text):
    """
    "an amount with more decimals is an error, never rounded" (design 4)
    """
    with pytest.raises(ValueError):  # noqa: PT011  # each says something else
        Money.parse(text)


def or_refused(read, *given):
    try:
        return read(*given)
    except ValueError:
        return None


AMOUNTS = st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,5})?", fullmatch=True) | st.text("-+.0 9e_\u0663")


@given(st.sampled_from(["GBP", "JPY", "BHD", "CLF", "XXX", "gbp"]), AMOUNTS)
def test_money_as_written_is_read_as_its_decimal_number_is(code, amount):
    """
    Money of ordinary size is read without a detour over `Decimal`, and is the same money.
    """
    expected = or_refused(lambda: Money.of(read_decimal(amount), code))
    assert or_refused(Money.parse, f"{code} {amount}") == expected


def test_a_currency_is_found_by_its_code():
    """
    JPY has no minor units.
    """
    assert Currency.of("JPY").places == 0
    assert str(Money.parse("JPY 1200")) == "JPY 1200"
