"""Columns that are read value by value, because only Python knows what is in them.

Texts such as "64.5%", Python's own decimals and dates in an object column, the instants of NumPy: each value
that occurs is read once, by the one reader of facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

from holdback.rules.types import Fact, Kind

_WHOLE: Final = (Kind.COUNT, Kind.DAYS)
_UNKNOWN, _GIVEN, _FAULT = 0, 1, 2


def read_values(values: Sequence[Any], fact: Fact) -> tuple[list[int], list[int]]:
    """
    The *values* as numbers of *fact*, nought where there is none, and of each what it is: 0 unknown, 1 a
    number, 2 at fault.
    """
    read: dict[tuple[type, Any], tuple[int, int]] = {}
    found = []
    for value in values:
        key = (type(value), value)  # true is 1 to a dictionary, and 1.0 too
        try:
            answer = read.get(key)
        except TypeError:  # it has no hash: a list, a dictionary
            answer = (0, _FAULT)
        if answer is None:
            answer = read[key] = _read(value, fact)
        found.append(answer)
    return [number for number, _ in found], [state for _, state in found]


def _read(value: Any, fact: Fact) -> tuple[int, int]:
    try:
        number = fact.read(_plain(value, fact))
    except ValueError:
        return 0, _FAULT
    return (0, _UNKNOWN) if number is None else (number, _GIVEN)


def _plain(value: Any, fact: Fact) -> Any:
    """*value* as a facts document has it: in frames a decimal may be a whole number, and a midnight a day."""
    if isinstance(value, datetime):
        return _day(value)
    is_whole = isinstance(value, Decimal) and fact.type.kind in _WHOLE and value.is_finite()
    return int(value) if is_whole and value == int(value) else value


def _day(value: datetime) -> date | datetime:
    """The day of a midnight without a time zone, as frames write days; else *value*, which is no day."""
    if value != value or value.tzinfo is not None:
        return value
    # The time of an instant of pandas leaves its nanoseconds out.
    return (
        value
        if value.time() != time() or bool(getattr(value, "nanosecond", False))
        else value.date()
    )
