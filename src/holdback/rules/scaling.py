"""Numbers of one scale: what must be multiplied by how much before two of them meet.

A number n with p decimals means n x 10**-p. Sums, comparisons, `min` and `max` bring their
operands to the most decimals that one of them has. A product has the decimals of both sides, the
trailing zeros of its constant left out: money times 1.50 has one decimal more than money.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdback.rules.tree import FactRead, Node, leaves
from holdback.rules.types import Kind

# "50% of" is 50 hundredths: a percentage that multiplies has two decimals more.
_HUNDREDTHS = 2


class Factor(NamedTuple):
    """A product: `operand` times the constant `number`, which has `places` decimals."""

    operand: Node
    number: int
    places: int


def is_constant(node: Node) -> bool:
    """Whether *node* reads no fact."""
    return not any(isinstance(leaf, FactRead) for leaf in leaves(node))


def factor(left: Node, right: Node) -> Factor | None:
    """The product of *left* and *right*, one of which must be constant; None when neither is."""
    if is_constant(right):
        operand, constant = left, right
    elif is_constant(left):
        operand, constant = right, left
    else:
        return None
    number, places = constant.low, constant.places
    while places and number % 10 == 0:
        number, places = number // 10, places - 1
    if Kind.PERCENT in (left.type.kind, right.type.kind):
        places += _HUNDREDTHS
    return Factor(operand, number, places)


def most_places(nodes: Sequence[Node]) -> int:
    """The decimals of the common denominator of *nodes*."""
    return max(node.places for node in nodes)


def multiplier(node: Node, places: int) -> int:
    """What brings *node* to *places* decimals."""
    multiplier: int = 10 ** (places - node.places)
    return multiplier


def ends(nodes: Sequence[Node], places: int) -> list[tuple[int, int]]:
    """The low and the high end of each of *nodes* in units of 10**-*places*."""
    return [
        (node.low * multiplier(node, places), node.high * multiplier(node, places))
        for node in nodes
    ]


def interval(operator: str, pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """What the value of *operator* lies between, on operands that lie between the *pairs*."""
    lows, highs = zip(*pairs, strict=True)
    match operator:
        case "+":
            return sum(lows), sum(highs)
        case "-":
            return lows[0] - highs[1], highs[0] - lows[1]
        case "negate":
            return -highs[0], -lows[0]
        case "min":
            return min(lows), min(highs)
        case "max":
            return max(lows), max(highs)
        case _:
            low, high = lows[0], highs[0]
            nearest = 0 if low <= 0 <= high else min(abs(low), abs(high))
            return nearest, max(abs(low), abs(high))
