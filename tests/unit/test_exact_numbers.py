"""Exact numbers: read, scaled, rounded and written, in any ambient decimal context."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback.exact.exact_numbers import (
    digits,
    divide,
    plain,
    read_decimal,
    scaled,
    scaled_down,
    trimmed,
    unscaled,
)


@for_every(
    "text",
    ["", "1e5", "1_0", " 1", "1 ", "+1", ".5", "5.", "01", "NaN", "Infinity", "１", "1" * 29],
)
def test_numbers_that_are_not_plain_are_refused(text):
    """
    Numbers are plain decimal digits, at most 28 of them (decisions/wire).
    """
    with pytest.raises(ValueError, match="number"):
        read_decimal(text)


@pytest.mark.parametrize("value", [1.5, True, float("nan"), "1", None])
def test_floats_and_flags_are_refused(value):
    """
    A float is refused, because it has been rounded already.
    """
    with pytest.raises(TypeError):
        scaled(value, 2)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "sNaN", "1E+999999999"])
def test_what_is_not_finite_is_refused(value):
    """
    An infinite or immense number is refused without work in proportion to its size.
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
    Rounding down is towards minus infinity (decisions/rule-language).
    """
    kept = max(0, places - fewer)
    exact = Fraction(number, 10**places)

    assert scaled_down(unscaled(number, places), kept) == (exact * 10**kept).__floor__()


@given(number=st.integers(-(10**20), 10**20), divisor=st.integers(1, 10**9))
def test_rounding_is_pythons_by_name(number, divisor):
    """
    `half_up`, `half_even`, `down` and `up` round as Python's `decimal` does.
    """
    context = decimal.Context(prec=60)
    exact = context.divide(Decimal(number * 10**12), Decimal(divisor))
    for name in ("half_even", "half_up", "down", "up"):
        if Fraction(number * 10**12, divisor) != Fraction(exact):
            continue
        rounding = getattr(decimal, f"ROUND_{name.upper()}")
        expected = exact.scaleb(-12, context).to_integral_value(rounding=rounding)
        assert divide(number, divisor, name) == int(expected)


@given(number=st.integers(-(10**20), 10**20), places=st.integers(0, 9), least=st.integers(0, 9))
def test_digits_are_the_number_with_the_decimals_asked_for(number, places, least):
    """
    All decimals are written, or at least *least* of them; the number is the same.
    """
    exact = Fraction(number, 10**places)
    shown = digits(number, places, least)

    assert Fraction(digits(number, places)) == exact == Fraction(shown)
    assert len(digits(number, places).partition(".")[2]) == places
    decimals = shown.partition(".")[2]
    assert min(least, places) <= len(decimals) <= places
    assert not (len(decimals) > least and decimals.endswith("0"))
