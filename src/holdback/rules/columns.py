"""Checked trees to dataframe expressions: the reader of rules for a whole portfolio.

A column holds a fact in whole numbers of its type's scale, or null where it is unknown, as prepared facts
do; its name is the fact's. Money, rounding and missing values are never left to the dataframe engine, whose
answers differ (NaN, boolean nulls, decimals): a flag is written down twice, once as the condition under which
it is true and once as the one under which it is false, each a condition that is never null. It is unknown where
neither holds, as in `closure.py`.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import frozen

from holdback.rules import scale
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Kind

_COMPARED: Final[Mapping[str, Callable[[Any, Any], nw.Expr]]] = MappingProxyType(
    {
        "==": python.eq,
        "!=": python.ne,
        "<": python.lt,
        "<=": python.le,
        ">": python.gt,
        ">=": python.ge,
    }
)


@frozen
class Columns:
    """A flag over a frame: where it is `true` and where it is `false`; elsewhere it is unknown."""

    true: nw.Expr
    false: nw.Expr


def columns(checked: Checked) -> Columns:
    """
    The expressions of *checked*, a flag, over a frame with a column of whole numbers for each fact it reads.

    The columns are 64-bit whole numbers with nulls. `check` has seen to it that nothing here can pass 62 bits.

    >>> import polars as pl
    >>> from holdback.money import Currency
    >>> from holdback.rules import Catalogue, Fact, Type, check, parse
    >>> silence = Fact(name="silence", type=Type(Kind.DAYS), low=0, high=100)
    >>> known = Catalogue(facts=(silence,), currency=Currency.of("GBP"))
    >>> rule = check(parse("silence <= 14 days"), known)
    >>> frame = nw.from_native(pl.DataFrame({"silence": [14, 15, None]}))
    >>> frame.select(true=columns(rule).true)["true"].to_list()
    [True, False, False]
    """
    assert checked.type.kind is Kind.FLAG, "a rule is a flag"
    return _flag(checked.tree)


def _flag(node: Node) -> Columns:
    match node:
        case Constant():
            yes = nw.lit(bool(node.number))
            return Columns(yes, ~yes)
        case FactRead():
            value = _value(node)
            return Columns(_known(node) & (value != 0), _known(node) & (value == 0))
        case Operation(operator="not", operands=(operand,)):
            denied = _flag(operand)
            return Columns(denied.false, denied.true)
        case Operation(operator="and", operands=operands):
            parts = [_flag(operand) for operand in operands]
            return Columns(_all([p.true for p in parts]), _any([p.false for p in parts]))
        case Operation(operator="or", operands=operands):
            parts = [_flag(operand) for operand in operands]
            return Columns(_any([p.true for p in parts]), _all([p.false for p in parts]))
        case _:
            answer, known = _comparison(node), _known(node)
            return Columns(known & answer, known & ~answer)


def _comparison(node: Operation) -> nw.Expr:
    places = scale.most_places(node.operands)
    first, *others = (_number(operand, places) for operand in node.operands)
    if node.operator == "in":
        return _any([first == other for other in others])
    return _COMPARED[node.operator](first, others[0])


def _all(parts: list[nw.Expr]) -> nw.Expr:
    return reduce(lambda one, other: one & other, parts)


def _any(parts: list[nw.Expr]) -> nw.Expr:
    return reduce(lambda one, other: one | other, parts)


def _known(node: Node) -> nw.Expr:
    """Where all facts that *node* reads are known."""
    names = sorted({leaf.name for leaf in leaves(node) if isinstance(leaf, FactRead)})
    return _all([~nw.col(name).is_null() for name in names])


def _value(fact: FactRead) -> nw.Expr:
    """The number of a fact, with a nought that nobody looks at where it is unknown."""
    return nw.col(fact.name).fill_null(0)


def _number(node: Node, places: int) -> nw.Expr:
    multiplier = scale.multiplier(node, places)
    if scale.is_constant(node):
        return nw.lit(node.low * multiplier)
    match node:
        case FactRead():
            number = _value(node)
        case Operation(operator="*", operands=(left, right)):
            multiple = scale.factor(left, right)
            assert multiple is not None, "check lets no other product pass"
            number = _number(multiple.operand, multiple.operand.places) * multiple.number
        case Operation(operator=operator, operands=operands):
            number = _calculated(operator, [_number(each, node.places) for each in operands])
        case _:
            raise AssertionError(node)
    return number if multiplier == 1 else number * multiplier


def _calculated(operator: str, parts: list[nw.Expr]) -> nw.Expr:
    match operator:
        case "+":
            return parts[0] + parts[1]
        case "-":
            return parts[0] - parts[1]
        case "negate":
            return 0 - parts[0]
        case "min":
            return nw.min_horizontal(*parts)
        case "max":
            return nw.max_horizontal(*parts)
        case _:
            return parts[0].abs()
