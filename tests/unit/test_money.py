"""Money and currencies."""

from __future__ import annotations

import re

import iso4217
import pytest
from hypothesis import given
from hypothesis import strategies as st

from every_case import for_every
from holdback import Money
from holdback.exact.exact_numbers import read_decimal
from holdback.exact.money import MINOR_UNITS, Currency


def test_minor_units_are_those_of_iso_4217():
    """
    The table of minor units agrees with the `iso4217` package.
    """
    theirs = {
        each.code.upper(): each.exponent for each in iso4217.Currency if each.exponent is not None
    }
    retired = {"BGN", "HRK"}  # old deals stay readable

    assert {code: places for code, places in MINOR_UNITS.items() if code not in retired} == theirs


def test_currencies_do_not_mix():
    """
    Amounts of two currencies do not add, and do not compare.
    """
    with pytest.raises(ValueError, match="do not mix"):
        assert Money.parse("GBP 1.00") + Money.parse("EUR 1.00")
    with pytest.raises(ValueError, match="do not mix"):
        assert Money.parse("GBP 1.00") < Money.parse("EUR 1.00")
    assert Money.parse("GBP 1.00") != Money.parse("EUR 1.00")


@for_every("text", ["GBP 1.001", "JPY 1.5", "XXX 1", "GBP", "1.00 GBP", "GBP  1"])
def test_money_with_too_many_decimals_or_no_currency_is_refused(text):
    """
    An amount with too many decimals is an error; it is never rounded.
    """
    with pytest.raises(ValueError):  # noqa: PT011  # each says something else
        Money.parse(text)


def test_a_currency_is_found_by_its_code():
    """
    JPY has no minor units.
    """
    assert Currency.of("JPY").places == 0
    assert str(Money.parse("JPY 1200")) == "JPY 1200"


AMOUNTS = st.from_regex(r"-?[0-9]{0,30}(\.[0-9]{0,5})?", fullmatch=True) | st.text(
    "0123456789.٣ -e"
)


def answer(function, *arguments):
    """What *function* returns, or the sentence with which it refuses."""
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error)


@given(code=st.sampled_from(["GBP", "JPY", "KWD", "CLF"]), amount=AMOUNTS)
def test_an_amount_is_parsed_as_its_decimal(code, amount):
    """
    Money is parsed as the exact decimal that is written there, or refused as that is.

    It is refused as well where its decimals may be thousands, which its own decimals never are.
    """
    plain = answer(lambda: Money.of(read_decimal(amount), code))

    parsed = answer(Money.parse, f"{code} {amount}")
    may_be_thousands = re.fullmatch(r"-?[1-9][0-9]{0,2}\.[0-9]{3}", amount)
    if isinstance(plain, Money) and may_be_thousands and plain.currency.places != 3:
        assert "more than one reading" in parsed
    else:
        assert parsed == plain
