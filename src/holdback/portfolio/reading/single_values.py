"""
Columns that Python reads value by value, because their dtype does not tell what they hold.

They hold texts such as "64.5%", objects such as Python's decimals and dates, or datetimes of NumPy.
Each distinct value is read once, by `Fact.read`; a float by the rule that `column_readers` has for
columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite, isnan
from typing import Any, Final

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import MAX_DIGITS, unscaled
from holdback.rules.types import Fact, Kind

_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_NUMBERS: Final = (Kind.PERCENT, Kind.MONEY, Kind.RATIO)
# Dataframe libraries write a column of whole numbers with a missing one as 231.0.
_WHOLE_TEXT: Final = re.compile(r"(-?(?:0|[1-9][0-9]{0,16}))(?:\.0+)?")
_FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}
# The states of a value.
_UNKNOWN, _GIVEN, _INVALID = 0, 1, 2


def read_values(values: Sequence[Any], fact: Fact) -> tuple[list[int], list[int]]:
    """
    Return the *values* as numbers of *fact*, and the state of each: 0 unknown, 1 given, 2 invalid.

    The number is 0 unless the state is 1.
    """
    read: dict[tuple[type, Any], tuple[int, int]] = {}
    results = []
    for value in values:
        key = (type(value), value)  # a dictionary takes True, 1 and 1.0 for one key
        try:
            result = read.get(key)
        except TypeError:  # a list or a dictionary has no hash, and cannot be a fact
            result = (0, _INVALID)
        if result is None:
            result = read[key] = _read(value, fact)
        results.append(result)
    return [number for number, _ in results], [state for _, state in results]


def _read(value: Any, fact: Fact) -> tuple[int, int]:
    try:
        number = fact.read(_plain(value, fact))
    except ValueError:
        return 0, _INVALID
    return (0, _UNKNOWN) if number is None else (number, _GIVEN)


def _plain(value: Any, fact: Fact) -> Any:
    """
    *value* as a facts document has it.

    Frames hold counts as decimals or texts, flags as texts, and floats, which are read by a rule.
    """
    kind = fact.type.kind
    if isinstance(value, float) and kind in _NUMBERS and not isnan(value):
        places = fact.type.places
        return unscaled(read_float(value, places, down=fact.rounded_down), places)
    if isinstance(value, Decimal) and kind in _WHOLE and value.is_finite():
        return int(value) if value == int(value) else value
    if isinstance(value, str) and kind in _WHOLE:
        match = _WHOLE_TEXT.fullmatch(value)
        return int(match[1]) if match and not has_two_meanings(value) else value
    if isinstance(value, str) and kind is Kind.FLAG:
        return _FLAGS.get(value.lower(), value)
    return value


# "77.125": a point, or thousands. A currency may be in front, and a sign or a unit behind.
TWO_MEANINGS: Final = r"^([A-Z]{3} *)?-?[1-9][0-9]{0,2}\.[0-9]{3}( *%| days?)?$"
_TWO_MEANINGS: Final = re.compile(TWO_MEANINGS)


def has_two_meanings(text: str) -> bool:
    """
    Return whether the point in *text* may be before decimals, and may be between thousands.

    >>> has_two_meanings("1.000"), has_two_meanings("0.125"), has_two_meanings("1.00")
    (True, False, False)
    """
    return _TWO_MEANINGS.search(text) is not None


_TOO_LARGE: Final[int] = 10**MAX_DIGITS
# Up to here no two numbers of the same decimals have the same nearest float.
_UNIQUE: Final = 2**50


def read_float(value: float, places: int, *, down: bool = False) -> int:
    """
    Return the float *value* as an integer of 10**-*places*.

    It is the decimal number of that many places whose nearest float *value* is; with *down*, a
    float with more decimals is rounded down (docs/reference/portfolio.md#floats).

    >>> read_float(0.29, 4), read_float(0.1 + 0.2, 2, down=True)
    (2900, 30)

    Raises:
        ValueError: when *value* is infinite, or has more decimals.
    """
    if not isfinite(value):
        raise InvalidValue("wrong_value", "expected a finite number")
    if abs(value) >= _TOO_LARGE:
        raise InvalidValue("too_large", f"a number has at most {MAX_DIGITS} digits")
    scale: int = 10**places
    near = round(value * scale)
    # Nearly always: text is read as the nearest float, exactly.
    if abs(near) < _UNIQUE and float(f"{near}e-{places}") == value:
        return near
    numerator, denominator = value.as_integer_ratio()
    below = numerator * scale // denominator
    for candidate in (below + 1, below):
        if float(unscaled(candidate, places)) == value:
            return candidate
    if down:
        return below
    raise InvalidValue("not_exact", f"at most {places} decimals")
