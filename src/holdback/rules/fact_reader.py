"""From plain facts to prepared ones, fast, for the values that most facts are.

A host hands in the facts of every deal, and reading them takes longer than answering the rules.
So the steps are written down once as a Python function, as rules are in `closure`: its source is
made of places and numbers, and a fact's name is a constant beside it. What is not usual (text,
NaN, a number out of range, an unknown name) it leaves to the long way, which reads it again and
says what is wrong.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

from holdback.rules import values


class Column(NamedTuple):
    """What must be known of a fact to read its usual values."""

    name: str
    kind: str
    places: int
    low: int
    high: int
    derived: bool
    options: tuple[str, ...]


# The function's answer: the prepared facts, or None when something in them is not usual.
Prepared = tuple[int | None, ...] | None
Preparer = Callable[[Mapping[str, object]], Prepared]

_IN_UNITS: Final = ("percent", "ratio", "money")
_WHOLE: Final = ("count", "days")


@lru_cache(maxsize=32)
def preparer(columns: tuple[Column, ...]) -> Preparer:
    """
    A function from plain facts, by name, to prepared ones in the order of *columns*.

    It answers None, or raises `ArithmeticError` or `ValueError`, where the long way must be taken.
    """
    namespace: dict[str, Any] = {
        "__builtins__": {"type": type, "int": int, "len": len},
        "Decimal": Decimal,
        "date": dt.date,
        "str": str,
        "names": frozenset(column.name for column in columns),
    }
    lines = ["def function(facts):", " get = facts.get", " missing = 0"]
    for place, column in enumerate(columns):
        lines += [f" v = get(n{place})", *(f" {line}" for line in _steps(place, column))]
        lines += [
            " elif v is None:",
            f"  a{place} = None",
            "  missing += 1",
            " else:",
            "  return None",
        ]
        namespace |= _constants(place, column)
    # Every name that is there was asked for, unless there are more names than answers: then some
    # values were None, or some names were never asked for.
    lines += [f" if len(facts) + missing != {len(columns)} and not facts.keys() <= names:"]
    lines += ["  return None", f" return ({''.join(f'a{n}, ' for n in range(len(columns)))})"]
    exec(compile("\n".join(lines), "<facts>", "exec"), namespace)  # noqa: S102 - see the first lines
    function: Preparer = namespace["function"]
    return function


def _constants(place: int, column: Column) -> dict[str, Any]:
    """The constants that the steps of *column* name."""
    times, whole = values.DOWN if column.derived else values.EXACTLY
    ordinals = {option: number for number, option in enumerate(column.options)}
    return {
        f"n{place}": column.name,
        f"s{place}": Decimal(10**column.places),
        f"t{place}": times,
        f"w{place}": whole,
        f"o{place}": ordinals.get,
    }


def _steps(n: int, column: Column) -> list[str]:
    """The lines, beginning with an `if`, that read `v`, the value of the fact at place *n*."""
    in_range = [f" if not {column.low} <= a{n} <= {column.high}:", "  return None"]
    if column.kind in _IN_UNITS:
        return [
            "if type(v) is Decimal:",
            f" a{n} = int(w{n}(t{n}(v, s{n})))",
            *in_range,
            "elif type(v) is int:",
            f" a{n} = v * {10**column.places}",
            *in_range,
        ]
    if column.kind in _WHOLE:
        return ["if type(v) is int:", f" a{n} = v", *in_range]
    if column.kind == "flag":
        return ["if v is True:", f" a{n} = 1", "elif v is False:", f" a{n} = 0"]
    if column.kind == "date":
        return ["if type(v) is date:", f" a{n} = v.toordinal()", *in_range]
    return ["if type(v) is str:", f" a{n} = o{n}(v)"]
