"""Numbers as people write them: every number that a text may stand for.

A point may be before decimals or between thousands, and so may a comma; spaces, apostrophes and
underscores are between thousands, and India writes 12,34,567. A number with several readings is
refused, and all of them are named (decisions/rule-language#numbers-as-people-write-them).
"""

from __future__ import annotations

import re
from typing import Final

from holdback.errors import InvalidValue

# Signs that look alike mean the same: spaces that do not break, apostrophes, minus signs.
ALIKE: Final = str.maketrans("\u00a0\u202f\u2009\u2019\u2212\u2013", "   '--")
# A longer number is not repeated in a hint; no bounded number of holdback has as many digits.
_MOST_DIGITS: Final = 18
# The signs between thousands: of an amount or a count, and of a rate, in which a point is always
# before decimals.
ANY: Final = ".,' _"
RATE: Final = ",' _"


def readings(text: str, places: int | None, between: str = ANY) -> tuple[str, ...]:
    """
    Return the numbers that *text* may be, in plain digits, the one with a decimal point first.

    A number with more than *places* decimals is none, unless *places* is None; further zeros are
    left out. *between* has the signs that may be between thousands.

    >>> readings("500.000", 2), readings("500.000", 3), readings("1 234,50", 2)
    (('500.00', '500000'), ('500.000',), ('1234.50',))
    >>> readings("12,34,567.00", 2), readings("0.625", 2), readings("1.250", 4, RATE)
    (('1234567.00',), (), ('1.250',))
    """
    match = re.fullmatch("([+-]?) ?([^+-]*[0-9][^+-]*)", text.strip().translate(ALIKE))
    if match is None or sum(map("0123456789".__contains__, match[2])) > _MOST_DIGITS:
        return ()
    sign, digits = match[1].strip("+"), match[2]
    meanings: dict[str, str] = {}  # by the number without zeros at its end
    for mark in ".,":
        whole, _, decimals = digits.partition(mark)
        number = _number(_joined(whole, between.replace(mark, "")), decimals, places)
        if number is not None:
            meanings.setdefault(number.rstrip("0").rstrip(".") if "." in number else number, number)
        # As an amount of the currency is written out, with all its decimals and a point.
        if mark == "." and places and len(decimals) == places and number == digits:
            break
    return tuple(f"{sign}{number}" for number in meanings.values())


def several(
    meanings: tuple[str, ...],
    expected: str = "an amount such as `GBP 10000.00`",
    ways: str = "with decimals or with thousands",
) -> InvalidValue:
    """Return the error for a text that is read in several *ways*, where *expected* is one."""
    message = f"expected {expected}: this has more than one reading, {ways}"
    return InvalidValue("wrong_value", message, meanings)


def _joined(whole: str, between: str) -> str | None:
    """Return the digits of *whole* without one of the signs *between* thousands; None for none."""
    if re.fullmatch("[0-9]+", whole):
        return whole.lstrip("0") or "0"
    sign = next((sign for sign in between if sign in whole), None)
    if sign is None:
        return "0" if not whole else None
    thousands = f"[1-9][0-9]{{0,2}}(?:{re.escape(sign)}[0-9]{{3}})+"
    lakhs = "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
    return re.sub("[^0-9]", "", whole) if re.fullmatch(f"{thousands}|{lakhs}", whole) else None


def _number(whole: str | None, decimals: str, places: int | None) -> str | None:
    """Return the number of *whole* and *decimals*; None when it is none of *places* decimals."""
    if whole is None or not re.fullmatch("[0-9]*", decimals):
        return None
    if places is not None:
        if decimals[places:].strip("0"):
            return None
        decimals = decimals[:places]
    return f"{whole}.{decimals}" if decimals else whole
