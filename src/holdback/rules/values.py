"""Plain values to whole numbers of a scale, exactly, and back to text.

1. No float is taken: a float has already been rounded. Only NaN, which says *missing*, is read.
2. Nothing is rounded, except a derived percentage: down, where the caller asks for it.
3. No ambient decimal context is used: the two contexts below are named wherever they work.

Reading gives None for an unknown value and raises `ValueError` for one that cannot be meant. A
message says what was expected and never shows the value, which may be somebody's.
"""

from __future__ import annotations

import datetime as dt
import decimal
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from holdback.money import MAX_DIGITS, Currency, Money, read_decimal
from holdback.money import digits as exact_digits

# Only the flags of these contexts ever change, and nothing reads them. The exponents bound the size
# of an integer that an amount such as 1E+999999999 could ask for.
_EXACT: Final = decimal.Context(
    prec=MAX_DIGITS,
    Emax=99,
    Emin=-99,
    traps=[decimal.InvalidOperation, decimal.Overflow, decimal.Inexact],
)
# Rounding down twice, first to 28 digits and then to whole numbers, is rounding down once.
_DOWN: Final = decimal.Context(
    prec=MAX_DIGITS,
    rounding=decimal.ROUND_FLOOR,
    Emax=99,
    Emin=-99,
    traps=[decimal.InvalidOperation, decimal.Overflow],
)

# The two steps from a `Decimal` to a scaled integer, `int(whole(times(value, 10**places)))`, for
# callers that cannot afford another call (`preparation`).
Step = Callable[[Decimal, Decimal], Decimal]
Whole = Callable[[Decimal], Decimal]
EXACTLY: Final[tuple[Step, Whole]] = (_EXACT.multiply, _EXACT.to_integral_exact)
DOWN: Final[tuple[Step, Whole]] = (_DOWN.multiply, _DOWN.to_integral_value)

_DAYS: Final = re.compile(r"(-?(?:0|[1-9][0-9]{0,9})) days?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_missing(value: object) -> bool:
    """
    Whether *value* says that there is none: None, NaN, or the NaT and NA of dataframe libraries.

    >>> is_missing(None), is_missing(Decimal("NaN")), is_missing(0)
    (True, True, False)
    """
    if value is None:
        return True
    if isinstance(value, Decimal):
        # A signalling NaN refuses to be compared. It is a broken calculation, not a missing value.
        return value.is_qnan()
    different: object = None
    try:
        different = value != value
        return bool(different)  # only a missing value differs from itself
    except (TypeError, ValueError):
        return different is value  # pandas' NA, compared, is NA again and neither true nor false


def number(value: object, places: int, expected: str, *, down: bool = False) -> int:
    """
    The number *value* as an integer of 10**-*places*; *down* rounds further decimals down.

    >>> number(Decimal("64.5"), 4, "a percentage")
    645000
    """
    if isinstance(value, float):
        raise ValueError(f"a float is not exact; write {expected} as text or as a Decimal")
    if isinstance(value, str):
        value = read_decimal(value)
    if isinstance(value, Decimal):
        return _scaled(value, places, down=down)
    factor: int = 10**places
    return whole(value, expected) * factor


def _scaled(value: Decimal, places: int, *, down: bool) -> int:
    if not value.is_finite():
        raise ValueError("expected a finite number")
    times, whole_number = DOWN if down else EXACTLY
    try:
        product = times(value, Decimal(10**places))
    except decimal.DecimalException:
        raise ValueError(f"a number has at most {MAX_DIGITS} digits") from None
    try:
        return int(whole_number(product))
    except decimal.Inexact:
        raise ValueError(f"at most {places} decimals") from None


def whole(value: object, expected: str) -> int:
    """The whole number *value*: an integer of any library, never a flag, a float or text."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]  # what has no index says so
        except TypeError:
            pass
    raise ValueError(f"expected {expected}")


def read_flag(value: object) -> int:
    """A flag as 0 or 1."""
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return int(value)


def read_percent(value: object, places: int, *, down: bool) -> int:
    """A percentage, `"64.5%"` or the number 64.5, in units of 10**-*places* percent."""
    if isinstance(value, str):
        if re.fullmatch(r"[^0-9]*|.*[ ,].*", value):  # said better than of any number
            raise ValueError(
                "expected a percentage such as `64.5%`: a plain decimal number, no space, a point"
            )
        value = value.removesuffix("%")
    return number(value, places, "a percentage such as `64.5%`", down=down)


def read_money(value: object, currency: Currency) -> int:
    """An amount of *currency*: `"GBP 1200.00"`, the number 1200, or `Money`; in minor units."""
    if isinstance(value, str) and not re.fullmatch(r"([A-Z]{3} )?-?[0-9.eE+]+", value):
        raise ValueError(
            f"expected an amount such as `{currency} 1200.00`: a plain decimal number, nothing between thousands"
        )
    if isinstance(value, str) and " " in value:
        value = Money.parse(value)
    if isinstance(value, Money):
        if value.currency != currency:
            raise ValueError(f"expected an amount in {currency}, not in {value.currency}")
        return value.minor
    return number(value, currency.places, f"an amount such as `{currency} 1200`")


def read_days(value: object) -> int:
    """A number of days: `"21 days"` or 21."""
    if isinstance(value, str):
        match = _DAYS.fullmatch(value)
        if match is None:
            raise ValueError("expected days such as `21 days`")
        return int(match[1])
    return whole(value, "days such as `21 days`")


def read_date(value: object) -> int:
    """A day, a `date` or `"2026-03-01"`, as its number in the proleptic Gregorian calendar."""
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            value = dt.date.fromisoformat(value)
        except ValueError:
            raise ValueError("there is no such day in the calendar") from None
    # A `datetime` is a `date` to Python, and its day depends on a time zone that nobody named.
    if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
        raise ValueError("expected a date such as `2026-03-01`")
    return value.toordinal()


def read_text(value: object, ordinals: Mapping[str, int]) -> int | None:
    """The place of the text *value* in its declared set; a text outside the set is unknown."""
    if not isinstance(value, str):
        raise ValueError("expected text")
    return ordinals.get(value)


def written(text: str, places: int) -> int | None:
    """
    The plain digits *text* as an integer of 10**-*places*; None when they are more exact than that.

    >>> written("12.50", 1), written("12.55", 1)
    (125, None)
    """
    whole_digits, _, decimals = text.partition(".")
    if decimals[places:].strip("0"):
        return None
    return int(whole_digits + decimals[:places].ljust(places, "0"))


def digits(number: int, places: int, least: int) -> str:
    """
    *number* x 10**-*places* in plain digits, with *least* decimals, and more only where needed.

    >>> digits(645000, 4, 0), digits(120000, 2, 2)
    ('64.5', '1200.00')
    """
    text = exact_digits(number, places)
    if places > least:
        kept = len(text) - places + least
        text = text[:kept] + text[kept:].rstrip("0")
        return text.rstrip(".")
    return text


def day_text(number: int) -> str:
    """
    The day with the proleptic *number*, as `2026-03-01`.

    >>> day_text(dt.date(2026, 3, 1).toordinal())
    '2026-03-01'
    """
    return dt.date.fromordinal(number).isoformat()


def days_text(number: int) -> str:
    """
    *number* days with its noun.

    >>> days_text(1), days_text(21)
    ('1 day', '21 days')
    """
    return f"{number} day" if abs(number) == 1 else f"{number} days"
