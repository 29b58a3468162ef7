"""A checked tree as text: the canonical text of the language, and plain words.

The canonical text is the meaning of a rule on a date, written in one way: parameters are replaced
by their values, spaces and parentheses are where they must be. Reading it again gives the same
tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdback.rules.operators import FUNCTIONS, OPPOSITES
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation

# How tightly each operator binds; the looser ones are parenthesised inside the tighter.
_BINDING: Final[Mapping[str, int]] = MappingProxyType(
    {"or": 1, "and": 2, "not": 3, "in": 4, **dict.fromkeys(OPPOSITES, 4)}
    | {"+": 5, "-": 5, "*": 6, "negate": 7}
)
_LEAF: Final = 8

_COMPARED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "==": "is",
        "!=": "is not",
        "<": "is below",
        "<=": "is at most",
        ">": "is above",
        ">=": "is at least",
    }
)
_CALCULATED: Final[Mapping[str, str]] = MappingProxyType({"+": "plus", "-": "less", "*": "times"})
_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {"min": "the least of", "max": "the greatest of", "abs": "the size of"}
)


def text(checked: Checked) -> str:
    """The canonical text of *checked*: what it means, whatever way it was written in."""
    return text_of(checked.tree)


def text_of(node: Node) -> str:
    """The canonical text of one node."""
    match node:
        case Constant():
            return node.type.literal(node.number)
        case FactRead():
            return node.name
        case Operation(operator="not", operands=(operand,)):
            return f"not {_within(operand, 3)}"
        case Operation(operator="negate", operands=(Constant() as constant,)):
            return constant.type.literal(-constant.number)
        case Operation(operator="negate", operands=(operand,)):
            return f"-{_within(operand, 7)}"
        case Operation(operator="in", operands=(operand, *choices)):
            listed = ", ".join(text_of(choice) for choice in choices)
            return f"{_within(operand, 5)} in [{listed}]"
        case Operation(operator=operator, operands=operands) if operator in FUNCTIONS:
            return f"{operator}({', '.join(text_of(operand) for operand in operands)})"
        case Operation(operator=operator, operands=(first, *others)):
            # The grammar groups to the left, so only the others need parentheses at the same level;
            # a comparison has none inside it on either side.
            level = _BINDING[operator]
            left = _within(first, level + (operator in OPPOSITES))
            return f" {operator} ".join([left, *(_within(other, level + 1) for other in others)])
        case _:
            raise AssertionError(node)


def _within(node: Node, level: int) -> str:
    """*node* where an operator of *level* or tighter stands, in parentheses if need be."""
    binding = _BINDING.get(node.operator, _LEAF) if isinstance(node, Operation) else _LEAF
    return text_of(node) if binding >= level else f"({text_of(node)})"


def words(checked: Checked) -> str:
    """*checked* in plain words, for people who do not read the language."""
    return words_of(checked.tree)


def words_of(node: Node) -> str:
    """One node in plain words. A parameter is named, with its value."""
    match node:
        case Constant(name=None):
            return node.type.show(node.number)
        case Constant(name=str(name)):
            return f"the {_spaced(name)} of {node.type.show(node.number)}"
        case FactRead():
            return _spaced(node.name)
        case Operation(operator="not", operands=(operand,)):
            return _denied(operand)
        case Operation(operator="in", operands=(operand, *choices)):
            return f"{words_of(operand)} is {_listed(choices, 'or')}"
        case Operation(operator="negate", operands=(operand,)):
            return f"minus {_grouped(operand)}"
        case Operation(operator=operator, operands=operands) if operator in _CALLED:
            return f"{_CALLED[operator]} {_listed(list(operands), 'and')}"
        case Operation(operator=operator, operands=(left, right)) if operator in _COMPARED:
            return f"{words_of(left)} {_COMPARED[operator]} {words_of(right)}"
        case Operation(operator=operator, operands=(left, right)) if operator in _CALCULATED:
            return f"{_grouped(left)} {_CALCULATED[operator]} {_grouped(right)}"
        case Operation(operator=operator, operands=operands):
            return f" {operator} ".join(_grouped(operand) for operand in operands)
        case _:
            raise AssertionError(node)


def relation(operator: str, wanted: bool) -> str:
    """
    How what is measured had to stand to a threshold, in words.

    >>> relation(">=", True), relation(">", False), relation("in", True)
    ('at least', 'at most', 'one of')
    """
    if operator == "in":
        return "one of" if wanted else "none of"
    return _COMPARED[operator if wanted else OPPOSITES[operator]].removeprefix("is").strip()


def _denied(node: Node) -> str:
    """That *node* is false, in plain words."""
    match node:
        case Operation(operator=operator, operands=(left, right)) if operator in OPPOSITES:
            return f"{words_of(left)} {_COMPARED[OPPOSITES[operator]]} {words_of(right)}"
        case Operation(operator="in", operands=(operand, *choices)):
            return f"{words_of(operand)} is not {_listed(choices, 'or')}"
        case _:
            return f"not {_grouped(node)}"


def _grouped(node: Node) -> str:
    """*node* in words, in parentheses where it could be read in two ways."""
    loose = ("or", "and", "+", "-", "min", "max", "abs", "*")
    inner = isinstance(node, Operation) and node.operator in loose
    return f"({words_of(node)})" if inner else words_of(node)


def _listed(nodes: list[Node], word: str) -> str:
    *first, last = (words_of(node) for node in nodes)
    return f"{', '.join(first)} {word} {last}" if first else last


def _spaced(name: str) -> str:
    return name.replace("_", " ")
