"""
Columns that Python reads value by value, because their dtype does not tell what they hold.

They hold texts such as "64.5%", objects such as Python's decimals and dates, or datetimes of NumPy.
Each distinct value is read once, by `Fact.read`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

from holdback.rules.types import Fact, Kind

_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
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
    """*value* as a facts document has it; frames hold counts as decimals, and days as midnights."""
    if isinstance(value, datetime):
        return _day(value)
    is_whole = isinstance(value, Decimal) and fact.type.kind in _WHOLE and value.is_finite()
    return int(value) if is_whole and value == int(value) else value


def _day(value: datetime) -> date | datetime:
    """The date of a midnight without a time zone; any other *value* unchanged."""
    if value != value or value.tzinfo is not None:  # noqa: PLR0124  # NaT differs from itself
        return value
    # `time` of a pandas Timestamp leaves its nanoseconds out.
    is_midnight = value.time() == time() and not getattr(value, "nanosecond", 0)
    return value.date() if is_midnight else value
