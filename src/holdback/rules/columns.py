"""Checked trees to dataframe expressions: the reader of rules for a whole portfolio.

A column holds a fact in whole numbers of its type's scale, as prepared facts do; its name is the fact's.
Money, rounding and NaN are never left to the dataframe engine, whose answers differ. A flag is written
down twice, once as the condition under which it is true and once as the one under which it is false; it is
unknown where neither holds, as in `closure.py`.

There are two ways to read a fact that may be unknown. By `Number.careful` a missing value becomes a nought
that nobody looks at, beside a flag that says where it is known: no condition is ever null, on any engine. By
`Number.nullable` the nulls stay in the column, and the engine's own three-valued logic carries them: faster,
and right only where the tests have shown that engine's answers equal on whole numbers.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import frozen

from holdback.rules import scale
from holdback.rules.operators import OPPOSITES
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
class Number:
    """
    A fact's column: its whole numbers, and where they are `known`, None when that is said by nulls alone.

    Where `certain`, no value is missing.
    """

    value: nw.Expr
    known: nw.Expr | None = None
    certain: bool = False

    @classmethod
    def careful(cls, name: str) -> Number:
        """The column *name*, with a nought for every null."""
        return cls(nw.col(name).fill_null(0), ~nw.col(name).is_null())

    @classmethod
    def nullable(cls, name: str) -> Number:
        """The column *name* as it is, its nulls to be carried by the engine."""
        return cls(nw.col(name))

    @property
    def missing(self) -> nw.Expr:
        """Where it is unknown; never null."""
        return self.value.is_null() if self.known is None else ~self.known


@frozen
class Columns:
    """
    A flag over a frame: where it is `true`, where it is `false`, and where it is `unknown`.

    A null in `true` or `false` means no, as in `when`; there is none where every fact is read carefully.
    `unknown` is never null, and None where all facts that are read are certain.
    """

    true: nw.Expr
    false: nw.Expr
    unknown: nw.Expr | None


def columns(checked: Checked, number: Callable[[str], Number] = Number.careful) -> Columns:
    """
    The expressions of *checked*, a flag, over a frame with a column of whole numbers for each fact it reads.

    *number* says how the column of a fact is read. The columns are 64-bit whole numbers; `check` has seen to it
    that nothing here can pass 62 bits.

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
    return _Writer({name: number(name) for name in checked.names}).rule(checked.tree)


@frozen
class _Writer:
    """Writes expressions over the *numbers* of the facts."""

    numbers: Mapping[str, Number]

    def rule(self, node: Node) -> Columns:
        true, false = self.true(node), self.false(node)
        return Columns(true, false, self.unknown(node, true, false))

    def unknown(self, node: Node, true: nw.Expr, false: nw.Expr) -> nw.Expr | None:
        read = {name: self.numbers[name] for name in _names([node])}
        if all(number.certain for number in read.values()):
            return None
        if len(read) == 1 and not _has_constant_flag(node):
            (number,) = read.values()
            return number.missing  # whatever else it says, it says it of this fact
        careful = all(number.known is not None or number.certain for number in read.values())
        return ~(true | false) if careful else true.is_null()

    def true(self, node: Node) -> nw.Expr:
        """The condition under which the flag *node* is true."""
        match node:
            case Constant():
                return nw.lit(bool(node.number))
            case FactRead():
                return self.where_known([node], self.numbers[node.name].value != 0)
            case Operation(operator="not", operands=(operand,)):
                return self.false(operand)
            case Operation(operator="and", operands=operands):
                return _all([self.true(operand) for operand in operands])
            case Operation(operator="or", operands=operands):
                return _any([self.true(operand) for operand in operands])
            case _:
                return self.compared(node.operator, node.operands)

    def false(self, node: Node) -> nw.Expr:
        """The condition under which the flag *node* is false."""
        match node:
            case Constant():
                return nw.lit(not node.number)
            case FactRead():
                return self.where_known([node], self.numbers[node.name].value == 0)
            case Operation(operator="not", operands=(operand,)):
                return self.true(operand)
            case Operation(operator="and", operands=operands):
                return _any([self.false(operand) for operand in operands])
            case Operation(operator="or", operands=operands):
                return _all([self.false(operand) for operand in operands])
            case _:
                opposite = OPPOSITES.get(node.operator, "not in")
                return self.compared(opposite, node.operands)

    def compared(self, operator: str, operands: Sequence[Node]) -> nw.Expr:
        """The condition under which the comparison is true, and all that it reads is known."""
        places = scale.most_places(operands)
        first, *others = (self.number(operand, places) for operand in operands)
        match operator:
            case "in":
                answer = _any([first == other for other in others])
            case "not in":
                answer = _all([first != other for other in others])
            case _:
                answer = _COMPARED[operator](first, others[0])
        return self.where_known(operands, answer)

    def where_known(self, nodes: Sequence[Node], answer: nw.Expr) -> nw.Expr:
        """*answer* where all that *nodes* read is known, as far as nulls do not say so themselves."""
        known = [self.numbers[name].known for name in _names(nodes)]
        return _all([*(each for each in known if each is not None), answer])

    def number(self, node: Node, places: int) -> Any:
        """The number *node* in units of 10**-*places*: an expression, or a plain number when it is constant."""
        multiplier = scale.multiplier(node, places)
        if scale.is_constant(node):
            return node.low * multiplier
        match node:
            case FactRead():
                number = self.numbers[node.name].value
            case Operation(operator="*", operands=(left, right)):
                multiple = scale.factor(left, right)
                assert multiple is not None, "check lets no other product pass"
                number = self.number(multiple.operand, multiple.operand.places) * multiple.number
            case Operation(operator=operator, operands=operands):
                number = self.calculated(operator, operands, node.places)
            case _:
                raise AssertionError(node)
        return number if multiplier == 1 else number * multiplier

    def calculated(self, operator: str, operands: Sequence[Node], places: int) -> Any:
        parts = [self.number(operand, places) for operand in operands]
        match operator:
            case "+":
                return parts[0] + parts[1]
            case "-":
                return parts[0] - parts[1]
            case "negate":
                return 0 - parts[0]
            case "abs":
                return parts[0].abs()
            case "min":
                return self.of_several(operands, nw.min_horizontal(*_expressions(parts)))
            case _:
                return self.of_several(operands, nw.max_horizontal(*_expressions(parts)))

    def of_several(self, operands: Sequence[Node], horizontal: nw.Expr) -> nw.Expr:
        """*horizontal*, which passes over nulls, with a null wherever one of *operands* has one."""
        numbers = (self.numbers[name] for name in _names(operands))
        nullable = [each.value for each in numbers if each.known is None and not each.certain]
        if not nullable:
            return horizontal
        return nw.when(_all([~value.is_null() for value in nullable])).then(horizontal)


def _all(parts: Sequence[nw.Expr]) -> nw.Expr:
    return reduce(lambda one, other: one & other, parts)


def _any(parts: Sequence[nw.Expr]) -> nw.Expr:
    return reduce(lambda one, other: one | other, parts)


def _expressions(parts: Sequence[Any]) -> list[nw.Expr]:
    return [nw.lit(part) if isinstance(part, int) else part for part in parts]


def _names(nodes: Sequence[Node]) -> list[str]:
    """The names of the facts that *nodes* read, each once."""
    read = (leaf for node in nodes for leaf in leaves(node))
    return sorted({leaf.name for leaf in read if isinstance(leaf, FactRead)})


def _has_constant_flag(node: Node) -> bool:
    """Whether *node* has a part that is true or false whatever the facts are."""
    return any(leaf.type.kind is Kind.FLAG and isinstance(leaf, Constant) for leaf in leaves(node))
