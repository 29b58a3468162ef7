"""A checked tree as text: the canonical text of the language, and plain words.

The canonical text is the meaning of a rule on a date, written in one way only: parameters are
replaced by their values, and there are no spaces or parentheses that could be left out. Parsing and
checking it gives the same tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.rules.operators import FUNCTIONS, OPERATORS, OPPOSITES, Role, by_operator
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation

# How tightly each operator binds. A looser operator inside a tighter one needs parentheses.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _LEAF = range(1, 9)
_BINDING: Final[Mapping[str, int]] = by_operator(
    "the canonical text",
    {"or": _OR, "and": _AND, "not": _NOT, "in": _COMPARISON}
    | dict.fromkeys(OPPOSITES, _COMPARISON)
    | {"+": _SUM, "-": _SUM, "*": _PRODUCT, "negate": _SIGN}
    | dict.fromkeys(FUNCTIONS, _LEAF),
)


def text(checked: Checked) -> str:
    """Return the canonical text of *checked*, the same for every way of writing it."""
    return text_of(checked.tree)


def text_of(node: Node) -> str:
    """Return the canonical text of one node."""
    match node:
        case Constant():
            return node.type.literal(node.number)
        case FactRead():
            return node.name
        case Operation(operator="not", operands=(operand,)):
            return f"not {_within(operand, _NOT)}"
        case Operation(operator="negate", operands=(Constant() as constant,)):
            return constant.type.literal(-constant.number)
        case Operation(operator="negate", operands=(operand,)):
            return f"-{_within(operand, _SIGN)}"
        case Operation(operator="in", operands=(operand, *choices)):
            listed = ", ".join(text_of(choice) for choice in choices)
            return f"{_within(operand, _SUM)} in [{listed}]"
        case Operation(operator=operator, operands=operands) if operator in FUNCTIONS:
            return f"{operator}({', '.join(text_of(operand) for operand in operands)})"
        case Operation(operator=operator, operands=(first, *others)):
            # The grammar groups to the left, so only the operands after the first need parentheses
            # at the same level. A comparison takes no other comparison on either side.
            level = _BINDING[operator]
            left = _within(first, level + (operator in OPPOSITES))
            return f" {operator} ".join([left, *(_within(right, level + 1) for right in others)])
        case _:
            raise AssertionError(node)


def _within(node: Node, level: int) -> str:
    """Return the text of *node*, in parentheses when it binds less tightly than *level*."""
    binding = _BINDING[node.operator] if isinstance(node, Operation) else _LEAF
    return text_of(node) if binding >= level else f"({text_of(node)})"


def words(checked: Checked) -> str:
    """Return *checked* in plain words, for people who do not read the language."""
    return words_of(checked.tree)


def words_of(node: Node) -> str:
    """Return one node in plain words. A parameter is named, with its value."""
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
        case Operation(operator=operator, operands=operands) if operator in FUNCTIONS:
            return f"{OPERATORS[operator].words} {_listed(list(operands), 'and')}"
        case Operation(operator=operator, operands=(operand,)):
            return f"{OPERATORS[operator].words} {_grouped(operand)}"
        case Operation(operator=operator, operands=(left, right)) if operator in OPPOSITES:
            return f"{words_of(left)} {OPERATORS[operator].words} {words_of(right)}"
        case Operation(operator=operator, operands=operands):
            word = OPERATORS[operator].words
            return f" {word} ".join(_grouped(operand) for operand in operands)
        case _:
            raise AssertionError(node)


def threshold_words(operator: str, *, wanted: bool) -> str:
    """
    Return, in words, how a measured value has to relate to its threshold.

    *wanted* is the answer that the comparison has to have.

    >>> threshold_words(">=", wanted=True), threshold_words(">", wanted=False)
    ('at least', 'at most')
    >>> threshold_words("in", wanted=True)
    'one of'
    """
    if operator == "in":
        return "one of" if wanted else "none of"
    words = OPERATORS[operator if wanted else OPPOSITES[operator]].words
    return words.removeprefix("is").strip()


def _denied(node: Node) -> str:
    """Return, in plain words, that *node* is false."""
    match node:
        case Operation(operator=operator, operands=(left, right)) if operator in OPPOSITES:
            return f"{words_of(left)} {OPERATORS[OPPOSITES[operator]].words} {words_of(right)}"
        case Operation(operator="in", operands=(operand, *choices)):
            return f"{words_of(operand)} is not {_listed(choices, 'or')}"
        case _:
            return f"not {_grouped(node)}"


def _grouped(node: Node) -> str:
    """Return *node* in words, in parentheses where the words could be read in two ways."""
    ambiguous = (
        isinstance(node, Operation)
        and OPERATORS[node.operator].role is not Role.COMPARISON
        and node.operator not in ("not", "negate")
    )
    return f"({words_of(node)})" if ambiguous else words_of(node)


def _listed(nodes: list[Node], word: str) -> str:
    *first, last = (words_of(node) for node in nodes)
    return f"{', '.join(first)} {word} {last}" if first else last


def _spaced(name: str) -> str:
    return name.replace("_", " ")
