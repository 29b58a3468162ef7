"""Small changes to the text of an expression, each of which means something else.

The text is changed where the checked tree says that a part stands, so what comes out is what a person
could have written by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from holdback.rules import Checked, Kind, Type
from holdback.rules.operators import OPPOSITES
from holdback.rules.tree import Constant, FactRead, Node, Operation

_OTHER = {"min": "max", "max": "min"}


def rewritten(checked: Checked) -> Iterator[str]:
    """
    The source of *checked* with one thing changed, in every way.

    Every literal by one unit up and down, every comparison to every other, `and` for `or`, `not` left out,
    every item of a list left out, and every other text of a declared set in the place of one.
    """
    seen = {checked.source}
    for text in _changes(checked.tree, checked.source):
        if text not in seen:
            seen.add(text)
            yield text


def _changes(node: Node, source: str) -> Iterator[str]:
    def put(start: int, end: int, text: str) -> str:
        return f"{source[:start]}{text}{source[end:]}"

    match node:
        case Constant(name=None, type=type_):
            for number in beside(type_, node.number):
                yield put(node.start, node.end, type_.literal(number))
        case FactRead(type=type_) if type_.kind is Kind.FLAG:
            yield put(node.start, node.end, f"(not {node.name})")
        case Operation(operator="in", operands=(operand, *choices)):
            yield from _lists(node, source)
            for part in (operand, *(each for each in choices if isinstance(each, Constant))):
                if part.type.kind is not Kind.TEXT:
                    yield from _changes(part, source)
        case Operation(operator="not", operands=(operand,)):
            gap = source[node.start : operand.start]
            yield put(node.start, operand.start, gap.replace("not", "", 1))
            yield from _changes(operand, source)
        case Operation(operator=operator, operands=operands):
            yield from _operators(node, source)
            for operand in operands:
                yield from _changes(operand, source)
            if operator in _OTHER:
                yield put(node.start, node.start + len(operator), _OTHER[operator])
        case _:
            return


def beside(type_: Type, number: int) -> list[int]:
    """The numbers one unit beside *number*; the other texts of a set, the other flag."""
    if type_.kind is Kind.TEXT:
        return [other for other in range(len(type_.options)) if other != number]
    if type_.kind is Kind.FLAG:
        return [1 - number]
    both = [number + 1, number - 1]
    if type_.kind is Kind.DATE:  # the calendar has an end
        return [each for each in both if 1 <= each <= date.max.toordinal()]
    return both


def _operators(node: Operation, source: str) -> Iterator[str]:
    """*source* with another operator in each gap between the operands of *node*."""
    for left, right in zip(node.operands, node.operands[1:], strict=False):
        gap = source[left.end : right.start]
        if node.operator in OPPOSITES:
            found, others = re.search(r"[=!<>]+", gap), [*OPPOSITES]
        elif node.operator in ("and", "or"):
            found, others = re.search(r"\b(and|or)\b", gap), ["and", "or"]
        elif node.operator in ("+", "-"):
            found, others = re.search(r"[+-]", gap), ["+", "-"]
        else:
            continue
        if found is None:
            continue  # a chain: its middle stands once, and each half is written as the whole
        start = left.end + found.start()
        for other in others:
            if other != found[0]:
                yield f"{source[:start]}{other}{source[start + len(found[0]) :]}"


def _lists(node: Operation, source: str) -> Iterator[str]:
    """*source* with an item of the list of *node* left out, or one more in it."""
    _, *choices = node.operands
    texts = [source[each.start : each.end] for each in choices]
    start, end = choices[0].start, choices[-1].end
    for place in range(len(texts)):
        if len(texts) > 1:
            rest = [text for at, text in enumerate(texts) if at != place]
            yield f"{source[:start]}{', '.join(rest)}{source[end:]}"
    type_ = choices[0].type
    if type_.kind is Kind.TEXT:
        taken = {choice.low for choice in choices}
        for number in range(len(type_.options)):
            if number not in taken:
                more = ", ".join([*texts, type_.literal(number)])
                yield f"{source[:start]}{more}{source[end:]}"
