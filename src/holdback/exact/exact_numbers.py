"""Exact numbers: integers inside, `Decimal` at the edge, rounding by name.

A *scaled* number is an integer that counts units of 10**-places: 12.5% with 4 decimals is 125000.

1. No float is taken: a float has already been rounded.
2. No ambient decimal context is used. Every decimal operation is a method of the one context below,
   so a host that sets another precision, rounding or trap changes nothing here.
3. Nothing is rounded without a name: `divide` takes the name of a rounding, `scaled_down` has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import (
    MIN_EMIN,
    ROUND_FLOOR,
    Context,
    Decimal,
    FloatOperation,
    Inexact,
    InvalidOperation,
    Overflow,
)
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from holdback.errors import InvalidValue

# The decimals of a percentage and of a ratio in the rule language (decisions/rule-language).
PERCENT_PLACES: Final = 4
RATIO_PLACES: Final = 6
# 100 percent, scaled.
HUNDRED_PERCENT: Final = 100 * 10**PERCENT_PLACES

# Numbers are exact to 28 digits; a longer one is refused, never shortened (decisions/wire).
MAX_DIGITS: Final = 28
_PLAIN: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")

# No digit is lost in this context: a number of more digits raises. Only `to_integral_value` rounds,
# always down. `Emax` bounds the integer that an amount such as 1E+999999999 could ask for.
# Threads can share it: only the flags of a context ever change, and nothing reads them.
_CONTEXT: Final = Context(
    prec=10_000,
    rounding=ROUND_FLOOR,
    Emax=2 * MAX_DIGITS,
    Emin=MIN_EMIN,
    traps=[Inexact, InvalidOperation, Overflow, FloatOperation],
)
# The operations of the context, for callers that cannot afford another call (`rules.types`).
# `whole` raises `Inexact` for a number with decimals, and `floor` rounds it down.
multiply: Final[Callable[[Decimal, Decimal], Decimal]] = _CONTEXT.multiply
whole: Final[Callable[[Decimal], Decimal]] = _CONTEXT.to_integral_exact
floor: Final[Callable[[Decimal], Decimal]] = _CONTEXT.to_integral_value
_shift: Final = _CONTEXT.scaleb


def read_decimal(text: str) -> Decimal:
    """
    Return the number written in *text*: digits, at most one point, no exponent, up to 28 digits.

    >>> read_decimal("10000.00")
    Decimal('10000.00')

    Raises:
        ValueError: when *text* is anything else.
    """
    if _PLAIN.fullmatch(text) is None:
        raise InvalidValue("wrong_value", "expected a plain decimal number such as `12.50`")
    if len(text.replace(".", "").lstrip("-0")) > MAX_DIGITS:
        raise InvalidValue("too_large", f"a number has at most {MAX_DIGITS} digits")
    return Decimal(text)


# -- scaling


def scaled(value: Decimal | int, places: int) -> int:
    """
    Return *value* as an integer of 10**-*places*, exactly.

    >>> scaled(Decimal("12.5"), 4)
    125000

    Raises:
        ValueError: when *value* has more than *places* decimals that are not zero.
    """
    if type(value) is int:
        return value * int(10**places)
    if type(value) is Decimal and value.is_finite():
        return _scaled(value, places)
    return int(_shifted(value, places))  # which raises for what is not an exact number


# Rates, percentages and terms of a rulebook are few, and are scaled in every request.
@lru_cache(maxsize=1_024)
def _scaled(value: Decimal, places: int) -> int:
    shifted = _shifted(value, places)
    try:
        return int(whole(shifted))
    except Inexact:
        raise InvalidValue("not_exact", f"at most {places} decimals") from None


def scaled_down(value: Decimal | int, places: int) -> int:
    """
    Return *value* as an integer of 10**-*places*, rounded down (towards minus infinity).

    >>> scaled_down(Decimal("64.12349"), 4)
    641234
    """
    if type(value) is int:
        return value * int(10**places)
    return int(floor(_shifted(value, places)))


def _shifted(value: object, places: int) -> Decimal:
    """Return *value* times 10**places, exactly."""
    if not isinstance(value, Decimal):
        raise TypeError(f"expected an exact number, not {type(value).__name__}")
    if value.is_finite():
        try:
            return _shift(value, places)
        except ArithmeticError:
            pass
    message = f"expected a finite number of at most {MAX_DIGITS} digits"
    raise InvalidValue("too_large" if value.is_finite() else "wrong_value", message)


def unscaled(number: int, places: int) -> Decimal:
    """
    Return the `Decimal` of *number* times 10**-*places*, with exactly *places* decimals.

    >>> unscaled(1000000, 2)
    Decimal('10000.00')
    """
    return _shift(Decimal(number), -places)


def trimmed(number: int, places: int) -> Decimal:
    """
    Return the `Decimal` of *number* times 10**-*places*, without trailing zeros.

    >>> trimmed(125000, 4), trimmed(500000, 4)
    (Decimal('12.5'), Decimal('50'))
    """
    return Decimal(digits(number, places, 0))


# -- writing


def plain(value: Decimal | int) -> str:
    """
    Return *value* in plain digits, its decimals kept and without exponent.

    >>> plain(Decimal("0.10")), plain(Decimal("1E+2")), plain(Decimal("0.0000001"))
    ('0.10', '100', '0.0000001')
    """
    if type(value) is int:  # `format(value, "f")` would pass through a float
        return str(value)
    if not isinstance(value, Decimal) or not value.is_finite() or value.adjusted() > MAX_DIGITS:
        raise ValueError("expected an exact, finite number of ordinary size")
    return format(value, "f")


def without_zeros(text: str) -> str:
    """
    Return the plain digits *text* without the trailing zeros of its decimals.

    >>> without_zeros("12.50"), without_zeros("5.00"), without_zeros("100")
    ('12.5', '5', '100')
    """
    return text.rstrip("0").rstrip(".") if "." in text else text


# As for `scaled`.
@lru_cache(maxsize=1_024)
def plain_digits(value: Decimal) -> str:
    """
    Return *value* in plain digits without trailing zeros.

    >>> plain_digits(Decimal("12.50")), plain_digits(Decimal("1E+2")), plain_digits(Decimal("-0.0"))
    ('12.5', '100', '0')
    """
    text = without_zeros(plain(value))
    return "0" if text == "-0" else text


def digits(number: int, places: int, least: int | None = None) -> str:
    """
    Return *number* times 10**-*places* in plain digits.

    All decimals are written; with *least*, that number of them and more only where needed.

    >>> digits(-5, 2), digits(1200, 0), digits(120000, 2)
    ('-0.05', '1200', '1200.00')
    >>> digits(125000, 4, 0), digits(500000, 4, 0), digits(1500000, 6, 1)
    ('12.5', '50', '1.5')
    """
    if not places:
        return str(number)
    text = str(abs(number)).zfill(places + 1)
    units, decimals = text[:-places], text[-places:]
    if least is None and number >= 0:
        return f"{units}.{decimals}"
    if least is not None:
        decimals = decimals[:least] + decimals[least:].rstrip("0")
    return f"{'-' if number < 0 else ''}{units}{'.' if decimals else ''}{decimals}"


# -- arithmetic


def subtract(value: Decimal, subtrahend: Decimal) -> Decimal:
    """
    Return *value* less *subtrahend*, exactly.

    >>> subtract(Decimal("1.25"), Decimal("0.01"))
    Decimal('1.24')
    """
    return _CONTEXT.subtract(value, subtrahend)


def _half_even(number: int, divisor: int) -> int:
    quotient, remainder = divmod(number, divisor)
    doubled = 2 * remainder
    is_up = doubled > divisor or (doubled == divisor and quotient % 2 == 1)
    return quotient + 1 if is_up else quotient


def _half_up(number: int, divisor: int) -> int:
    quotient, remainder = divmod(abs(number), divisor)
    quotient += 2 * remainder >= divisor
    return quotient if number >= 0 else -quotient


# Python's names (decimal.ROUND_HALF_EVEN ...): `down` is towards zero, `up` away from it.
RoundingMode: TypeAlias = Literal["half_even", "half_up", "down", "up"]
ROUNDINGS: Final[Mapping[RoundingMode, Callable[[int, int], int]]] = MappingProxyType(
    {
        "half_even": _half_even,
        "half_up": _half_up,
        "down": lambda number, divisor: number // divisor if number >= 0 else -(-number // divisor),
        "up": lambda number, divisor: -(-number // divisor) if number >= 0 else number // divisor,
    }
)


def divide(number: int, divisor: int, rounding: RoundingMode) -> int:
    """
    Return *number* / *divisor* rounded to a whole number by the named *rounding*.

    >>> [divide(25, 10, name) for name in ("half_even", "half_up", "down", "up")]
    [2, 3, 2, 3]
    """
    assert divisor > 0
    return ROUNDINGS[rounding](number, divisor)
