"""What stays exact about a percentage that was rounded down.

A derived percentage d stands for an exact one e with d <= e < d + one unit. On thresholds of d's
scale `e >= t` is `d >= t` and `e < t` is `d < t`; every other comparison can come out wrong for
an e between two units. So a number carries the direction in which it was rounded, and a
comparison where that matters is refused, with what to write instead.
"""

from __future__ import annotations

from typing import Final

from holdback.rules.operators import MIRRORED
from holdback.rules.scaling import is_constant
from holdback.rules.tree import Constant, Node, Rounding

_OPPOSITE: Final = {
    Rounding.NONE: Rounding.NONE,
    Rounding.DOWN: Rounding.UP,
    Rounding.UP: Rounding.DOWN,
    Rounding.MIXED: Rounding.MIXED,
}
# The left side's rounding, and the comparisons that are exact against an exact right side.
_EXACT_ON_THE_LEFT: Final = {
    Rounding.NONE: ("==", "!=", "<", "<=", ">", ">=", "in"),
    Rounding.DOWN: (">=", "<"),
    Rounding.UP: (">", "<="),
    Rounding.MIXED: (),
}


def rounding(operator: str, operands: tuple[Node, ...]) -> Rounding:
    """How the value of *operator* on *operands* is rounded."""
    if operator == "negate":
        return _OPPOSITE[operands[0].rounding]
    if operator == "-":
        return _sum(operands[0].rounding, _OPPOSITE[operands[1].rounding])
    if operator == "+":
        return _sum(operands[0].rounding, operands[1].rounding)
    directions = {operand.rounding for operand in operands} - {Rounding.NONE}
    if not directions:
        return Rounding.NONE
    # The least of two numbers rounded down is the least of the two, rounded down.
    if operator in ("min", "max") and len(directions) == 1:
        return directions.pop()
    return Rounding.MIXED


def _sum(left: Rounding, right: Rounding) -> Rounding:
    """One rounding stays what it is beside an exact number of its scale; two come to nothing."""
    if Rounding.NONE in (left, right):
        return left if right is Rounding.NONE else right
    return Rounding.MIXED


def is_exact(operator: str, left: Node, right: Node) -> bool:
    """Whether comparing *left* with *right* gives what the exact numbers would give."""
    if right.rounding is Rounding.NONE:
        return operator in _EXACT_ON_THE_LEFT[left.rounding]
    if left.rounding is Rounding.NONE:
        return MIRRORED.get(operator) in _EXACT_ON_THE_LEFT[right.rounding]
    return False


def suggestion(operator: str, left: Node, right: Node, texts: tuple[str, str]) -> str | None:
    """What to write instead of an inexact comparison whose sides are written *texts*."""
    if right.rounding is Rounding.DOWN and left.rounding is Rounding.NONE:
        return suggestion(MIRRORED.get(operator, operator), right, left, texts[::-1])
    if left.rounding is not Rounding.DOWN or right.rounding is not Rounding.NONE:
        return None
    if operator not in (">", "<="):
        return f"write it with `>=` and `<`, as `{texts[0]} >= {texts[1]}`"
    instead = ">=" if operator == ">" else "<"
    if not is_constant(right):
        return f"write `{texts[0]} {instead} {texts[1]}`"
    if isinstance(right, Constant) and right.name is not None:
        return f"write `{texts[0]} {instead} {texts[1]}`, and let the parameter be 0.0001% more"
    if right.low >= left.high:
        always = "never more than" if operator == ">" else "always at most"
        return f"leave it out: `{texts[0]}` is {always} {texts[1]}"
    return f"write `{texts[0]} {instead} {right.type.literal(right.low + 1)}`"
