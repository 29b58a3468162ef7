"""Mutants of an expression: its text with one small change, each with another meaning.

The text is changed where the checked tree has a part, so that each mutant is something that a
person could have written by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from holdback.rules import Checked, Kind, Type
from holdback.rules.operators import OPERATORS, OPPOSITES, Role
from holdback.rules.tree import Constant, FactRead, Node, Operation


def expression_mutants(checked: Checked) -> Iterator[str]:
    """
    Yield the source of *checked* with one small change, in every way.

    A literal moves by one unit up or down; a comparison becomes any other; `and` and `or`, `+` and
    `-`, `min` and `max` are swapped; `not` is added to a flag or left out; an item of a list is
    left out or added; a text is replaced by any other option.
    """
    seen = {checked.source}
    for text in _changes(checked.tree, checked.source):
        if text not in seen:
            seen.add(text)
            yield text


def _changes(node: Node, source: str) -> Iterator[str]:
    """Yield *source* with a change at *node* or at one of its parts; a text may come twice."""

    def put(start: int, end: int, text: str) -> str:
        return f"{source[:start]}{text}{source[end:]}"

    match node:
        case Constant(name=None, type=type_):
            for number in neighbours(type_, node.number):
                yield put(node.start, node.end, type_.literal(number))
        case FactRead(type=type_) if type_.kind is Kind.FLAG:
            yield put(node.start, node.end, f"(not {node.name})")
        case Operation(operator="in", operands=(operand, *choices)):
            yield from _lists(node, source)
            # For texts, `_lists` has every change already.
            for part in (operand, *(item for item in choices if isinstance(item, Constant))):
                if part.type.kind is not Kind.TEXT:
                    yield from _changes(part, source)
        case Operation(operator="not", operands=(operand,)):
            gap = source[node.start : operand.start]
            yield put(node.start, operand.start, gap.replace("not", "", 1))
            yield from _changes(operand, source)
        case Operation(operands=operands):
            yield from _operators(node, source)
            for operand in operands:
                yield from _changes(operand, source)
            yield from _functions(node, source)
        case _:
            return


def neighbours(type_: Type, number: int) -> list[int]:
    """Return the values one unit from *number*; for a text or flag, all other values."""
    if type_.kind is Kind.TEXT:
        return [place for place in range(len(type_.options)) if place != number]
    if type_.kind is Kind.FLAG:
        return [1 - number]
    both = [number + 1, number - 1]
    if type_.kind is Kind.DATE:  # the calendar ends in the year 9999
        return [ordinal for ordinal in both if 1 <= ordinal <= date.max.toordinal()]
    return both


def _operators(node: Operation, source: str) -> Iterator[str]:
    """Yield *source* with another operator in each gap between the operands of *node*."""
    for left, right in pairwise(node.operands):
        start = source.find(node.operator, left.end, right.start)
        # A function has commas there. The two halves of a chain share their middle, so that the
        # `and` between them is not written.
        if start >= 0:
            for operator in _mistaken_for(node.operator):
                yield f"{source[:start]}{operator}{source[start + len(node.operator) :]}"


def _functions(node: Operation, source: str) -> Iterator[str]:
    """Yield *source* with another function in the place of *node*, which may not be one."""
    if OPERATORS[node.operator].is_call:
        for function in _mistaken_for(node.operator):
            end = node.start + len(node.operator)
            yield f"{source[: node.start]}{function}{source[end:]}"


def _mistaken_for(operator: str) -> list[str]:
    """Return the operators that a person could write for *operator* without an error of types."""
    row = OPERATORS[operator]
    if row.role is Role.COMPARISON:
        return [name for name in OPPOSITES if name != operator]
    form = row.role, row.is_call, row.is_unary
    return [
        name
        for name, line in OPERATORS.items()
        if name != operator and (line.role, line.is_call, line.is_unary) == form
    ]


def _lists(node: Operation, source: str) -> Iterator[str]:
    """Yield *source* with an item of the list of *node* left out, or another one added."""
    _, *choices = node.operands
    texts = [source[choice.start : choice.end] for choice in choices]
    start, end = choices[0].start, choices[-1].end
    for place in range(len(texts)):
        if len(texts) > 1:
            rest = [text for at, text in enumerate(texts) if at != place]
            yield f"{source[:start]}{', '.join(rest)}{source[end:]}"
    type_ = choices[0].type
    if type_.kind is Kind.TEXT:
        listed = {choice.low for choice in choices}
        for number in range(len(type_.options)):
            if number not in listed:
                more = ", ".join([*texts, type_.literal(number)])
                yield f"{source[:start]}{more}{source[end:]}"
