"""Values as people and hosts write them, to scaled whole numbers, exactly, and back to text.

1. No float is read: a float has already been rounded. Only NaN is, which means *missing*.
2. Nothing is rounded, except a derived percentage: down, where the caller asks for it.

A reader returns None for an unknown value and raises `InvalidValue` for an invalid one. A message
says what was expected and never shows the value, which may be personal data.
"""

from __future__ import annotations

import datetime as dt
import operator
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final, TypeAlias

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import MAX_DIGITS, read_decimal, scaled, scaled_down
from holdback.exact.money import Currency, Money

# The value of a fact, or of a host's evidence, as a plain value: exact, so never a float. None is
# unknown. Text is also a percentage, an amount or a day as people write it: "64.5%", "GBP 1200.00".
FactValue: TypeAlias = str | int | Decimal | dt.date | Money | None

# Texts with one reading: those of `rules.written` are not asked for. Anything else is asked.
_CLEAR: Final[Mapping[str, re.Pattern[str]]] = {
    "percent": re.compile(r"-?[0-9]+(\.[0-9]+)?%|-?[0-9]+"),
    "ratio": re.compile(r"-?[0-9]+(\.[0-9]+)?"),
    "money": re.compile(r"([A-Z]{3} )?-?[0-9]+(\.[0-9]{1,2})?"),
    "days": re.compile("-?[0-9]+ days?"),
    "date": re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
}
_DAYS: Final = re.compile(r"(-?(?:0|[1-9][0-9]{0,9})) days?")
# Up to here every whole number is a float of its own.
_EXACT_FLOAT: Final = 2**53
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_missing(value: object) -> bool:
    """
    Return whether *value* means missing: None, NaN, or the NaT and NA of dataframe libraries.

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
        different = value != value  # noqa: PLR0124 - only a missing value differs from itself
        return bool(different)
    except (TypeError, ValueError):
        return different is value  # comparing pandas' NA gives NA, which is neither true nor false


def is_clear(text: str, kind: str) -> bool:
    """
    Return whether *text*, in the form of the language, has one reading as a value of *kind*.

    >>> is_clear("GBP 500.00", "money"), is_clear("GBP 500.000", "money")
    (True, False)
    """
    return kind in _CLEAR and _CLEAR[kind].fullmatch(text) is not None


def is_bare_number(value: object) -> bool:
    """
    Return whether *value* is a number, or plain digits as text.

    >>> is_bare_number("12.5"), is_bare_number(3), is_bare_number("12.5%"), is_bare_number(True)
    (True, True, False, False)
    """
    if isinstance(value, str):
        return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value) is not None
    if isinstance(value, Decimal):
        return value.is_finite()
    try:
        return whole(value, "a number") is not None
    except InvalidValue:
        return False


def _python_value(value: object) -> object:
    """Return a scalar of NumPy as Python's own; any other *value* unchanged."""
    item = getattr(value, "item", None)
    return item() if callable(item) else value


def number(value: object, places: int, expected: str, *, down: bool = False) -> int:
    """
    Return the number *value* as an integer of 10**-*places*; *down* rounds further decimals down.

    >>> number(Decimal("64.5"), 4, "a percentage")
    645000
    """
    if not isinstance(value, str | int | Decimal):
        value = _python_value(value)
    if isinstance(value, float):
        raise InvalidValue(
            "not_exact", f"a float is not exact; write {expected} as text or as a Decimal"
        )
    if isinstance(value, str):
        value = read_decimal(value)
    if not isinstance(value, Decimal):
        return scaled(whole(value, expected), places)
    if not value.is_finite():
        raise InvalidValue("wrong_value", "expected a finite number")
    if down:
        return scaled_down(value, places)
    result = scaled(value, places)
    # Text of 28 digits can need more of them once it is scaled.
    if abs(result) >= 10**MAX_DIGITS and len(str(abs(result)).rstrip("0")) > MAX_DIGITS:
        raise InvalidValue("too_large", f"a number has at most {MAX_DIGITS} digits")
    return result


def whole(value: object, expected: str) -> int:
    """Return *value*, an integer of any library, or a whole float; a flag or text is refused."""
    # Python's flags are integers, but a flag where a number is expected is a mistake. NumPy's have
    # an index, too, in some of its versions.
    value = _python_value(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT_FLOAT:
        return int(value)
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]  # what has no index says so
        except TypeError:
            pass
    raise InvalidValue("wrong_type", f"expected {expected}")


def read_flag(value: object) -> int:
    """Return a flag, Python's or NumPy's, as 0 or 1."""
    value = _python_value(value)
    if not isinstance(value, bool):
        raise InvalidValue("wrong_type", "expected true or false")
    return int(value)


def read_percent(value: object, places: int, *, down: bool) -> int:
    """Return a percentage, `"64.5%"` or the number 64.5, in units of 10**-*places* percent."""
    if isinstance(value, str):
        # These mistakes have a better message than "expected a plain decimal number".
        if re.fullmatch(r"[^0-9]*|.*[ ,].*", value):
            raise InvalidValue(
                "wrong_value",
                "expected a percentage such as `64.5%`: a plain decimal number, no space, a point",
            )
        value = value.removesuffix("%")
    return number(value, places, "a percentage such as `64.5%`", down=down)


def read_money(value: object, currency: Currency) -> int:
    """Return an amount, `"GBP 1200.00"`, the number 1200 or `Money`, in minor units."""
    if isinstance(value, str) and not re.fullmatch(r"([A-Z]{3} )?-?[0-9.eE+]+", value):
        raise InvalidValue(
            "wrong_value",
            f"expected an amount such as `{currency} 1200.00`: a plain decimal number, "
            "nothing between thousands",
        )
    if isinstance(value, str) and " " in value:
        value = Money.parse(value)
    if isinstance(value, Money):
        if value.currency != currency:
            raise InvalidValue(
                "wrong_currency", f"expected an amount in {currency}, not in {value.currency}"
            )
        return value.minor
    return number(value, currency.places, f"an amount such as `{currency} 1200`")


def read_days(value: object) -> int:
    """Return a number of days: `"21 days"` or 21."""
    if isinstance(value, str):
        match = _DAYS.fullmatch(value)
        if match is None:
            raise InvalidValue("wrong_value", "expected days such as `21 days`")
        return int(match[1])
    return whole(value, "days such as `21 days`")


def read_date(value: object) -> int:
    """
    Return a day as its number in the Gregorian calendar.

    It is a `date`, a text such as `"2026-03-01"`, or a midnight without a time zone, of Python or
    of a dataframe library.

    >>> read_date(dt.datetime(2026, 3, 1)) == read_date("2026-03-01")
    True
    """
    if isinstance(value, str) and _DATE.fullmatch(value):
        day = day_number(value)
        if day is None:
            raise InvalidValue("wrong_value", "there is no such day in the calendar")
        return day
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date | str):
        value = _day_of(value)
    if not isinstance(value, dt.date):
        code = "wrong_value" if isinstance(value, str) else "wrong_type"
        raise InvalidValue(code, "expected a date such as `2026-03-01`")
    return value.toordinal()


def _day_of(value: object) -> dt.date | None:
    """The day of a midnight without a time zone, of any library; None for anything else."""
    as_days = getattr(value, "astype", None)
    if callable(as_days) and getattr(getattr(value, "dtype", None), "kind", "") == "M":
        day = as_days("datetime64[D]")  # NumPy's: its `item` is a number where it has nanoseconds
        return day.item() if bool(day == value) else None
    # A `datetime` is a `date` to Python, and its day depends on a time zone that nobody named.
    if not isinstance(value, dt.datetime) or value.tzinfo is not None:
        return None
    # `time` of a pandas Timestamp leaves its nanoseconds out.
    is_midnight = value.time() == dt.time() and not getattr(value, "nanosecond", 0)
    return value.date() if is_midnight else None


def read_text(value: object, ordinals: Mapping[str, int]) -> int | None:
    """Return the place of the text *value* in its declared set; any other text is unknown."""
    if not isinstance(value, str):
        raise InvalidValue("wrong_type", "expected text")
    return ordinals.get(value)


def scaled_number(text: str, places: int) -> int | None:
    """
    Return the plain digits *text* as an integer of 10**-*places*; None when that is not exact.

    >>> scaled_number("12.50", 1), scaled_number("12.55", 1)
    (125, None)
    """
    whole_digits, _, decimals = text.partition(".")
    if decimals[places:].strip("0"):
        return None
    return int(whole_digits + decimals[:places].ljust(places, "0"))


def day_number(text: str) -> int | None:
    """
    Return the Gregorian number of the day written in *text*; None when there is no such day.

    >>> day_number("2026-03-01"), day_number("2026-02-30")
    (739676, None)
    """
    try:
        return dt.date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def day_text(number: int) -> str:
    """
    Return the day with the Gregorian *number*, as `2026-03-01`.

    >>> day_text(dt.date(2026, 3, 1).toordinal())
    '2026-03-01'
    """
    return dt.date.fromordinal(number).isoformat()


def days_text(number: int) -> str:
    """
    Return *number* with the right form of "day".

    >>> days_text(1), days_text(21)
    ('1 day', '21 days')
    """
    return f"{number} day" if abs(number) == 1 else f"{number} days"
