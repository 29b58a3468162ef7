"""Plain facts to prepared ones, fast, for ordinary values.

A host hands in the facts of every deal, and reading them takes longer than answering the rules. So
the steps are generated once as a Python function, as rules are in `closure`: its source is made of
places and numbers, and a fact's name is a constant next to it. Anything out of the ordinary (text
for a number, NaN, a number out of range, an unknown name) is left to `Catalogue`, whose careful
reader reads all facts again and says what is wrong.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

from holdback.exact.exact_numbers import floor, multiply, whole


class FactShape(NamedTuple):
    """The properties of a fact that its reader depends on."""

    name: str
    kind: str
    places: int
    low: int
    high: int
    rounded_down: bool
    options: tuple[str, ...]


# The prepared facts, or None when the careful reader is needed.
Prepared = tuple[int | None, ...] | None
Preparer = Callable[[Mapping[str, object]], Prepared]

_IN_UNITS: Final = ("percent", "ratio", "money")
_WHOLE: Final = ("count", "days")


@lru_cache(maxsize=32)
def preparer(shapes: tuple[FactShape, ...]) -> Preparer:
    """
    Return a function from plain facts, by name, to prepared ones in the order of *shapes*.

    Where the careful reader is needed, the function returns None or raises `ArithmeticError` or
    `ValueError`.
    """
    namespace: dict[str, Any] = {
        "__builtins__": {"type": type, "int": int, "len": len},
        "Decimal": Decimal,
        "date": dt.date,
        "str": str,
        "names": frozenset(shape.name for shape in shapes),
    }
    lines = ["def function(facts):", " get = facts.get", " missing = 0"]
    for place, shape in enumerate(shapes):
        lines += [f" v = get(n{place})", *(f" {line}" for line in _steps(place, shape))]
        lines += [
            " elif v is None:",
            f"  a{place} = None",
            "  missing += 1",
            " else:",
            "  return None",
        ]
        namespace |= _constants(place, shape)
    # The names in *facts* are looked at only when their number differs from that of the values
    # read: then a value was an explicit None, or a name does not belong to a fact.
    lines += [f" if len(facts) + missing != {len(shapes)} and not facts.keys() <= names:"]
    lines += ["  return None", f" return ({''.join(f'a{n}, ' for n in range(len(shapes)))})"]
    exec(compile("\n".join(lines), "<facts>", "exec"), namespace)  # noqa: S102 - made of places and numbers
    function: Preparer = namespace["function"]
    return function


def _constants(place: int, shape: FactShape) -> dict[str, Any]:
    """Return the constants that the steps of *shape* name."""
    ordinals = {option: number for number, option in enumerate(shape.options)}
    return {
        f"n{place}": shape.name,
        f"s{place}": Decimal(10**shape.places),
        f"t{place}": multiply,
        f"w{place}": floor if shape.rounded_down else whole,
        f"o{place}": ordinals.get,
    }


def _steps(n: int, shape: FactShape) -> list[str]:
    """Return the lines, the first an `if`, that read `v`, the value of the fact at place *n*."""
    in_range = [f" if not {shape.low} <= a{n} <= {shape.high}:", "  return None"]
    if shape.kind in _IN_UNITS:
        return [
            "if type(v) is Decimal:",
            f" a{n} = int(w{n}(t{n}(v, s{n})))",
            *in_range,
            "elif type(v) is int:",
            f" a{n} = v * {10**shape.places}",
            *in_range,
        ]
    if shape.kind in _WHOLE:
        return ["if type(v) is int:", f" a{n} = v", *in_range]
    if shape.kind == "flag":
        return ["if v is True:", f" a{n} = 1", "elif v is False:", f" a{n} = 0"]
    if shape.kind == "date":
        return ["if type(v) is date:", f" a{n} = v.toordinal()", *in_range]
    return ["if type(v) is str:", f" a{n} = o{n}(v)"]
