"""The rule by which a single float is read; `column_readers` has it for columns."""

from __future__ import annotations

from math import isfinite
from typing import Final

from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import MAX_DIGITS, unscaled

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
