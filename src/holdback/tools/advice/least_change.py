"""The least change of one fact that makes a part of a rule true, or false.

A comparison that one fact moves through is linear in it, with a bend at a `min`, a `max` or an
`abs`. So its answer changes only where two of those lines meet. These critical points are whole
numbers found by division, and the comparison is answered at and beside them: nothing is tried out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from holdback.rules import scaling
from holdback.rules.interpreter import answer
from holdback.rules.operators import by_operator
from holdback.rules.tree import Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Facts, Kind

# The line `slope * fact + constant`, in the scale of the node that it belongs to.
Line: TypeAlias = tuple[int, int]

UP: Final = 1
DOWN: Final = -1


class Range(NamedTuple):
    """The numbers that a fact can move through: in `direction`, from beside its own to `end`."""

    start: int
    end: int
    direction: int


_BEND: Final[Mapping[str, Callable[..., int]]] = {"min": min, "max": max}


def places(node: Node) -> tuple[int, ...]:
    """Return the places of the facts that *node* reads, each once."""
    return tuple(dict.fromkeys(leaf.place for leaf in leaves(node) if isinstance(leaf, FactRead)))


def least(node: Operation, facts: Facts, place: int, span: Range, *, truth: bool) -> int | None:
    """
    Return the number in *span*, nearest to its start, at which *node* has the value *truth*.

    *node* is a comparison, all of whose facts except that at *place* are known and stay. The result
    is None where there is no such number.
    """
    for number in beyond(critical_points(node, facts, place), span):
        if answer(node, moved(facts, place, number)) is truth:
            return number
    return None


def beyond(points: Iterable[int], span: Range) -> Iterator[int]:
    """Yield the start of *span*, then those of *points* that are in it, the nearest first."""
    start, end, direction = span
    inside = {n for n in points if start * direction <= n * direction <= end * direction}
    return iter(sorted({start, *inside}, reverse=direction == DOWN))


def moved(facts: Facts, place: int, number: int | None) -> Facts:
    """Return *facts* with *number* at *place*; None is unknown."""
    return (*facts[:place], number, *facts[place + 1 :])


def helps(node: Operation, facts: Facts, place: int, direction: int, *, truth: bool) -> bool:
    """
    Return whether moving the fact at *place* can bring the comparison nearer to the value *truth*.

    Where it cannot, the comparison stays as far from that value, or gets farther from it.
    """
    # How much the left side gains on the right one with each step in *direction*.
    slopes = {
        (left - right) * direction for (left, _), (right, _) in _facing_lines(node, facts, place)
    }
    if node.operator in {"==", "!=", "in"}:
        return slopes != {0}
    rising = node.operator in {">", ">="}
    return any(slope > 0 if rising == truth else slope < 0 for slope in slopes)


def critical_points(node: Operation, facts: Facts, place: int) -> set[int]:
    """
    Return the numbers at which the comparison *node* can change, as the fact at *place* moves.

    Its answer is the same for all numbers between two that are next to each other in the result.
    """
    points = set()
    for (left_slope, left), (right_slope, right) in _facing_lines(node, facts, place):
        slope = left_slope - right_slope
        if slope:
            # The lines meet at the root or, as it is rounded down, between it and the next number.
            root = (right - left) // slope
            points |= {root - 1, root, root + 1}
    return points


def turning_points(node: Node, facts: Facts, place: int) -> set[int]:
    """Return the numbers of the fact at *place* at which the flag *node* can change its answer."""
    match node:
        case FactRead() if node.place == place:
            return {0, 1}
        case Operation(operands=operands) if place not in places(node):
            return set()
        case Operation(operands=operands) if operands[0].type.kind is Kind.FLAG:
            return set().union(*(turning_points(operand, facts, place) for operand in operands))
        case Operation() if all(facts[read] is not None for read in places(node)):
            return critical_points(node, facts, place)
        case _:  # a comparison with another unknown fact has no answer at any number
            return set()


def _facing_lines(node: Operation, facts: Facts, place: int) -> Iterator[tuple[Line, Line]]:
    """Return all pairs of a line of the left side of *node* and one of a right side."""
    scale = scaling.most_places(node.operands)
    # Only `in` has several right sides, one for each item of its list.
    left, *rights = (_scaled(operand, facts, place, scale) for operand in node.operands)
    return (pair for right in rights for pair in product(left, right))


def _scaled(node: Node, facts: Facts, place: int, scale: int) -> list[Line]:
    """Return the lines of *node* as `_lines` does, in units of *scale* decimal places."""
    factor = scaling.multiplier(node, scale)
    lines = _lines(node, facts, place)
    if factor == 1:
        return lines
    return [(slope * factor, constant * factor) for slope, constant in lines]


def _lines(node: Node, facts: Facts, place: int) -> list[Line]:
    """
    Return the lines that make up *node* as a function of the fact at *place*.

    There is one line, unless a `min`, a `max` or an `abs` bends it. Each is in the scale of *node*.
    """
    match node:
        case Constant():
            return [(0, node.number)]
        case FactRead():
            if node.place == place:
                return [(1, 0)]
            number = facts[node.place]
            assert number is not None, "the other facts are known"
            return [(0, number)]
        case Operation(operator="*", operands=(left, right)):
            multiple = scaling.factor(left, right)
            assert multiple is not None, "check lets no other product pass"
            lines = _lines(multiple.operand, facts, place)
            number = multiple.number
            return [(slope * number, constant * number) for slope, constant in lines]
        case Operation(operator=word, operands=operands):
            sides = [_scaled(operand, facts, place, node.places) for operand in operands]
            return _ARITHMETIC[word](word, sides)


def _bent(word: str, sides: list[list[Line]]) -> list[Line]:
    """Return all lines of a `min` or a `max`; where none depends on the fact, its one value."""
    if all(len(side) == 1 and side[0][0] == 0 for side in sides):
        return [(0, _BEND[word](side[0][1] for side in sides))]
    return list(dict.fromkeys(line for side in sides for line in side))


def _absolute(_: str, sides: list[list[Line]]) -> list[Line]:
    """Return the lines of an `abs` and their mirror images; of a constant, its one value."""
    (side,) = sides
    if len(side) == 1 and side[0][0] == 0:
        return [(0, abs(side[0][1]))]
    signed = ((sign * slope, sign * constant) for slope, constant in side for sign in (1, -1))
    return list(dict.fromkeys(signed))


def _summed(word: str, sides: list[list[Line]]) -> list[Line]:
    sign = -1 if word == "-" else 1
    return [(a + sign * c, b + sign * d) for (a, b), (c, d) in product(*sides)]


_ARITHMETIC: Final[Mapping[str, Callable[[str, list[list[Line]]], list[Line]]]] = by_operator(
    "the lines of a number",
    {
        "+": _summed,
        "-": _summed,
        "negate": lambda _, sides: [(-slope, -constant) for slope, constant in sides[0]],
        "min": _bent,
        "max": _bent,
        "abs": _absolute,
    },
)
