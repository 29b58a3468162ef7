"""A checked tree as text: the canonical text of the language, and plain words.

The canonical text is the meaning of a rule on a date, written in one way only: parameters are
replaced by their values, and there are no spaces or parentheses that could be left out. Parsing and
checking it gives the same tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from holdback.frozen_classes import frozen
from holdback.rules.language import ENGLISH, Language
from holdback.rules.operators import FUNCTIONS, OPERATORS, OPPOSITES, Role, by_operator
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation
from holdback.rules.types import Kind, Type, draft_label

# How tightly each operator binds. A looser operator inside a tighter one needs parentheses.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _LEAF = range(1, 9)
_BINDING: Final[Mapping[str, int]] = by_operator(
    "the canonical text",
    {"or": _OR, "and": _AND, "not": _NOT, "in": _COMPARISON}
    | dict.fromkeys(OPPOSITES, _COMPARISON)
    | {"+": _SUM, "-": _SUM, "*": _PRODUCT, "negate": _SIGN}
    | dict.fromkeys(FUNCTIONS, _LEAF),
)
# What is said of dates instead of "at least" and the like.
_OF_DATES: Final = {
    "<": "is before",
    "<=": "is on or before",
    ">": "is after",
    ">=": "is on or after",
}
# A parameter with its value.
PARAMETER: Final = "the {parameter} of {value}"
# The verb of a label that is a sentence: "not" comes after it.
_VERB: Final = r"(?<=\S )(is|are|was|were|(?:has|have)(?= been))(?= \S)"


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


@frozen(kw_only=True)
class Wording:
    """
    How plain words name facts and parameters, and how they write values.

    `fact` gives the words for a fact, and `parameter` those for a parameter, by name. What is
    computed is said in the `language`, and what is compared in English alone.
    """

    fact: Callable[[str], str] = draft_label
    parameter: Callable[[str], str] = draft_label
    show: Callable[[Type, int], str] = Type.show
    language: Language = ENGLISH


# Names as they are written, with spaces: the words of stored answers, which never change.
_AS_WRITTEN: Final = Wording()


def words(checked: Checked, wording: Wording = _AS_WRITTEN) -> str:
    """Return *checked* in plain words, for people who do not read the language."""
    return words_of(checked.tree, wording)


def words_of(node: Node, wording: Wording = _AS_WRITTEN) -> str:
    """Return one node in plain words. A parameter is named, with its value."""
    match node:
        case Constant(name=None):
            return wording.show(node.type, node.number)
        case Constant(name=str(name)):
            value = wording.show(node.type, node.number)
            parameter = wording.parameter(name)
            return wording.language.say(PARAMETER, parameter=parameter, value=value)
        case FactRead():
            return wording.fact(node.name)
        case Operation(operator="not", operands=(operand,)):
            return _denied(operand, wording)
        case Operation(operator="in", operands=(operand, *choices)):
            return f"{words_of(operand, wording)} is {_listed(choices, 'or', wording)}"
        case Operation(operator=operator, operands=operands) if operator in FUNCTIONS:
            word = wording.language.text(OPERATORS[operator].words)
            return f"{word} {_listed(list(operands), 'and', wording)}"
        case Operation(operator=operator, operands=(operand,)):
            word = wording.language.text(OPERATORS[operator].words)
            return f"{word} {_grouped(operand, wording)}"
        case Operation(operator=operator, operands=(left, right)) if operator in OPPOSITES:
            return _compared(left, operator, right, wording)
        case Operation(operator=operator, operands=operands):
            word = wording.language.text(OPERATORS[operator].words)
            return f" {word} ".join(_grouped(operand, wording) for operand in operands)
        case _:
            raise AssertionError(node)


def threshold_words(operator: str, *, truth: bool) -> str:
    """
    Return, in words, how a measured value has to relate to its threshold.

    *truth* is whether the comparison has to be true, or false.

    >>> threshold_words(">=", truth=True), threshold_words(">", truth=False)
    ('at least', 'at most')
    >>> threshold_words("in", truth=True)
    'one of'
    """
    if operator == "in":
        return "one of" if truth else "none of"
    words = OPERATORS[operator if truth else OPPOSITES[operator]].words
    return words.removeprefix("is").strip()


def _compared(left: Node, operator: str, right: Node, wording: Wording) -> str:
    is_date = left.type.kind is Kind.DATE
    compared = _OF_DATES.get(operator) if is_date else None
    compared = compared or OPERATORS[operator].words
    return f"{words_of(left, wording)} {compared} {words_of(right, wording)}"


def _denied(node: Node, wording: Wording) -> str:
    """Return, in plain words, that *node* is false."""
    match node:
        case Operation(operator=operator, operands=(left, right)) if operator in OPPOSITES:
            return _compared(left, OPPOSITES[operator], right, wording)
        case Operation(operator="in", operands=(operand, *choices)):
            return f"{words_of(operand, wording)} is not {_listed(choices, 'or', wording)}"
        case FactRead():
            label = wording.fact(node.name)
            return denied_sentence(label) or f"not {label}"
        case _:
            return f"not {_grouped(node, wording)}"


def denied_sentence(label: str) -> str | None:
    """
    Return the *label* of a flag denied, where it is a sentence of its own; None where it is not.

    >>> denied_sentence("the repayment is paused")
    'the repayment is not paused'
    """
    denied, verbs = re.subn(_VERB, r"\1 not", label, count=1)
    return denied if verbs else None


def _grouped(node: Node, wording: Wording) -> str:
    """Return *node* in words, in parentheses where the words could be read in two ways."""
    ambiguous = (
        isinstance(node, Operation)
        and OPERATORS[node.operator].role is not Role.COMPARISON
        and node.operator not in ("not", "negate")
    )
    return f"({words_of(node, wording)})" if ambiguous else words_of(node, wording)


def in_words(parts: Iterable[str], word: str = "and") -> str:
    """
    Return *parts* as a sentence lists them.

    >>> in_words(["the balance", "the pace", "the score"])
    'the balance, the pace and the score'
    """
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def _listed(nodes: list[Node], word: str, wording: Wording) -> str:
    word = wording.language.text(word)
    return in_words((words_of(node, wording) for node in nodes), word)
