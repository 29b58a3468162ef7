"""Numbers of one scale: factors that bring operands to a common denominator, and ranges.

A number n with p decimals means n x 10**-p. Sums, comparisons, `min` and `max` bring their
operands to the most decimals that one of them has. A product has the decimals of both sides, the
trailing zeros of its constant left out: money times 1.50 has one decimal more than money.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from holdback.rules.operators import by_operator
from holdback.rules.tree import FactRead, Node, leaves
from holdback.rules.types import Kind

# "50% of" is 50 hundredths: a percentage that multiplies has two decimals more.
_HUNDREDTHS: Final = 2

Ends: TypeAlias = tuple[int, int]


class Factor(NamedTuple):
    """A product: `operand` times the constant `number`, which has `places` decimals."""

    operand: Node
    number: int
    places: int


def is_constant(node: Node) -> bool:
    """Return whether *node* reads no fact."""
    return not any(isinstance(leaf, FactRead) for leaf in leaves(node))


def factor(left: Node, right: Node) -> Factor | None:
    """Return the product of *left* and *right*, one of which is constant; None when neither is."""
    if is_constant(right):
        operand, constant = left, right
    elif is_constant(left):
        operand, constant = right, left
    else:
        return None
    number, places = constant.low, constant.places
    # Each zero dropped here keeps the product a decimal shorter, and so further from 2**62.
    while places and number % 10 == 0:
        number, places = number // 10, places - 1
    if Kind.PERCENT in (left.type.kind, right.type.kind):
        places += _HUNDREDTHS
    return Factor(operand, number, places)


def most_places(nodes: Sequence[Node]) -> int:
    """Return the decimals of the common denominator of *nodes*."""
    return max(node.places for node in nodes)


def multiplier(node: Node, places: int) -> int:
    """Return the factor that brings *node* to *places* decimals."""
    multiplier: int = 10 ** (places - node.places)
    return multiplier


def ends(nodes: Sequence[Node], places: int) -> list[Ends]:
    """Return the low and the high end of each of *nodes* in units of 10**-*places*."""
    return [
        (node.low * multiplier(node, places), node.high * multiplier(node, places))
        for node in nodes
    ]


def _size(low: int, high: int) -> Ends:
    nearest = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return nearest, max(abs(low), abs(high))


# The ends of a result, from the low ends and the high ends of the operands. Operands are taken to
# vary freely, so `x - x` is given more room than it needs: an interval may be too wide, never too
# narrow, because the bound of 2**62 rests on it.
_INTERVALS: Final[Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], Ends]]] = by_operator(
    "the interval of a result",
    {
        "+": lambda lows, highs: (sum(lows), sum(highs)),
        "-": lambda lows, highs: (lows[0] - highs[1], highs[0] - lows[1]),
        "negate": lambda lows, highs: (-highs[0], -lows[0]),
        "min": lambda lows, highs: (min(lows), min(highs)),
        "max": lambda lows, highs: (max(lows), max(highs)),
        "abs": lambda lows, highs: _size(lows[0], highs[0]),
    },
)


def interval(operator: str, operands: Sequence[Ends]) -> Ends:
    """
    Return the lowest and highest value that *operator* can give, from those of its *operands*.

    The operands are in units of one scale, and so is the result. `*` has no line here, because its
    result has another scale: `check.product` bounds it.
    """
    lows, highs = zip(*operands, strict=True)
    return _INTERVALS[operator](lows, highs)
