"""
Comparisons that stay exact for a percentage that was rounded down.

A `performance` shown as 79.9999% may really be 79.99995%. `>= 80%` and `< 80%` still answer
correctly; `> 79.9999%` does not. So a number carries the direction in which it was rounded, and a
comparison where that matters is refused, with what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from holdback.rules.operators import MIRRORED, by_operator
from holdback.rules.scaling import is_constant
from holdback.rules.tree import Constant, Node, Rounding

_OPPOSITE: Final = {
    Rounding.NONE: Rounding.NONE,
    Rounding.DOWN: Rounding.UP,
    Rounding.UP: Rounding.DOWN,
    Rounding.MIXED: Rounding.MIXED,
}


def _sum(left: Rounding, right: Rounding) -> Rounding:
    """
    Return the rounding of a sum: that of its one rounded side, or MIXED when both are rounded.

    Also when both are rounded down: the error may be two units, so `>=` could be wrong.
    """
    if Rounding.NONE in (left, right):
        return left if right is Rounding.NONE else right
    return Rounding.MIXED


def _lost(*operands: Rounding) -> Rounding:
    """Return MIXED as soon as one operand is rounded: its direction is lost."""
    return Rounding.NONE if set(operands) == {Rounding.NONE} else Rounding.MIXED


def _selected(*operands: Rounding) -> Rounding:
    """
    Return the rounding of one operand selected by size.

    `min` and `max` of values rounded the same way are rounded that way too.
    """
    directions = set(operands) - {Rounding.NONE}
    return directions.pop() if len(directions) == 1 else _lost(*operands)


_RESULTS: Final[Mapping[str, Callable[..., Rounding]]] = by_operator(
    "the rounding of a result",
    {
        "+": _sum,
        "-": lambda left, right: _sum(left, _OPPOSITE[right]),
        "negate": lambda operand: _OPPOSITE[operand],
        "*": _lost,
        "min": _selected,
        "max": _selected,
        "abs": _lost,
    },
)

# The roundings of the left side with which a comparison is exact against an exact right side. The
# exact side has no more decimals than the rounded one, so floor(x) < t exactly when x < t.
_EXACT: Final[Mapping[str, tuple[Rounding, ...]]] = by_operator(
    "the exactness of a comparison",
    {
        "==": (Rounding.NONE,),
        "!=": (Rounding.NONE,),
        "<": (Rounding.NONE, Rounding.DOWN),
        "<=": (Rounding.NONE, Rounding.UP),
        ">": (Rounding.NONE, Rounding.UP),
        ">=": (Rounding.NONE, Rounding.DOWN),
        "in": (Rounding.NONE,),
    },
)


def rounding(operator: str, operands: tuple[Node, ...]) -> Rounding:
    """Return how the value of *operator* on *operands* is rounded."""
    return _RESULTS[operator](*(operand.rounding for operand in operands))


def is_exact(operator: str, left: Node, right: Node) -> bool:
    """Return whether comparing the rounded numbers always answers as the exact ones would."""
    if right.rounding is Rounding.NONE:
        return left.rounding in _EXACT[operator]
    if left.rounding is Rounding.NONE:
        return right.rounding in _EXACT[MIRRORED[operator]]
    return False


def suggestion(operator: str, left: Node, right: Node, texts: tuple[str, str]) -> str | None:
    """Return what to write instead of an inexact comparison whose sides are written *texts*."""
    if right.rounding is Rounding.DOWN and left.rounding is Rounding.NONE:
        return suggestion(MIRRORED[operator], right, left, texts[::-1])
    if left.rounding is not Rounding.DOWN or right.rounding is not Rounding.NONE:
        return None
    if operator not in (">", "<="):
        return f"write it with `>=` and `<`, as `{texts[0]} >= {texts[1]}`"
    instead = ">=" if operator == ">" else "<"
    if not is_constant(right):
        return f"write `{texts[0]} {instead} {texts[1]}`"
    if isinstance(right, Constant) and right.name is not None:
        return f"write `{texts[0]} {instead} {texts[1]}`, and raise the parameter by 0.0001%"
    if right.low >= left.high:
        always = "never more than" if operator == ">" else "always at most"
        return f"leave it out: `{texts[0]}` is {always} {texts[1]}"
    # The next threshold up: no number of this scale lies between, so `> t` is `>= t + one unit`.
    return f"write `{texts[0]} {instead} {right.type.literal(right.low + 1)}`"
