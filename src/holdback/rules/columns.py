"""Checked trees to dataframe expressions: the reader of rules for a whole portfolio.

A column holds a fact in whole numbers of its type's scale, as prepared facts do; its name is the fact's.
Money, rounding and NaN are never left to the dataframe engine, whose answers differ. A flag is written
down twice, once as the condition under which it is true and once as the one under which it is false, with
every negation carried down to a comparison, as in `closure.py`.

What is unknown is a null, and the engine's own three-valued logic carries it: the tests have shown that on
whole numbers every engine answers as the interpreter does.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType, ModuleType
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import frozen

from holdback.rules import scaling
from holdback.rules.operators import OPPOSITES
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Kind

_COMPARED: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
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
    """A fact's column of whole numbers, null where it is unknown; *certain* where none is."""

    value: Any
    certain: bool = False


@frozen
class Columns:
    """
    A flag over a frame: where it is `true`, where it is `false`, and where it is `unknown`.

    A null in `true` or `false` means no, as in `when`. `unknown` is never null, and None where all facts that
    are read are certain.
    """

    true: Any
    false: Any
    unknown: Any | None


def columns(checked: Checked, numbers: Mapping[str, Number], make: ModuleType = nw) -> Columns:
    """
    The expressions of *checked*, a flag, over a frame with a column of whole numbers for each fact it reads.

    *numbers* are the columns of the facts by name: 64-bit whole numbers; `check` has seen to it that nothing here
    can pass 62 bits. *make* makes the expressions: narwhals for any frame, or Polars for its own, which has
    functions of the same names.

    >>> import polars as pl
    >>> from holdback.money import Currency
    >>> from holdback.rules import Catalogue, Fact, Type, check, parse
    >>> silence = Fact(name="silence", type=Type(Kind.DAYS), low=0, high=100)
    >>> known = Catalogue(facts=(silence,), currency=Currency.of("GBP"))
    >>> rule = check(parse("silence <= 14 days"), known)
    >>> frame = nw.from_native(pl.DataFrame({"silence": [14, 15, None]}))
    >>> frame.select(true=columns(rule, {"silence": Number(nw.col("silence"))}).true)["true"].to_list()
    [True, False, None]
    """
    assert checked.type.kind is Kind.FLAG, "a rule is a flag"
    return _Writer(numbers, make).rule(checked.tree)


def always_unknown_without(checked: Checked) -> bool:
    """Whether *checked* reads one fact, and is unknown wherever that is."""
    return _is_of_one_fact(checked.tree)


@frozen
class _Writer:
    """Writes expressions over the *numbers* of the facts."""

    numbers: Mapping[str, Number]
    make: Any

    def rule(self, node: Node) -> Columns:
        true, false = self.true(node), self.false(node)
        return Columns(true, false, self.unknown(node, true))

    def unknown(self, node: Node, true: Any) -> Any | None:
        read = [self.numbers[name] for name in _names([node])]
        if all(number.certain for number in read):
            return None
        if _is_of_one_fact(node):
            return read[0].value.is_null()  # whatever else it says, it says it of this fact
        return true.is_null()

    def true(self, node: Node) -> Any:
        """The condition under which the flag *node* is true."""
        match node:
            case Constant():
                return self.make.lit(bool(node.number))
            case FactRead():
                return self.numbers[node.name].value != 0
            case Operation(operator="not", operands=(operand,)):
                return self.false(operand)
            case Operation(operator="and", operands=operands):
                return _all([self.true(operand) for operand in operands])
            case Operation(operator="or", operands=operands):
                return _any([self.true(operand) for operand in operands])
            case _:
                return self.compared(node.operator, node.operands)

    def false(self, node: Node) -> Any:
        """The condition under which the flag *node* is false."""
        match node:
            case Constant():
                return self.make.lit(not node.number)
            case FactRead():
                return self.numbers[node.name].value == 0
            case Operation(operator="not", operands=(operand,)):
                return self.true(operand)
            case Operation(operator="and", operands=operands):
                return _any([self.false(operand) for operand in operands])
            case Operation(operator="or", operands=operands):
                return _all([self.false(operand) for operand in operands])
            case _:
                opposite = OPPOSITES.get(node.operator, "not in")
                return self.compared(opposite, node.operands)

    def compared(self, operator: str, operands: Sequence[Node]) -> Any:
        """The condition under which the comparison is true; null where something that it reads is."""
        places = scaling.most_places(operands)
        first, *others = (self.number(operand, places) for operand in operands)
        match operator:
            case "in":
                return _any([first == other for other in others])
            case "not in":
                return _all([first != other for other in others])
            case _:
                return _COMPARED[operator](first, others[0])

    def number(self, node: Node, places: int) -> Any:
        """The number *node* in units of 10**-*places*: an expression, or a plain number when it is constant."""
        multiplier = scaling.multiplier(node, places)
        if scaling.is_constant(node):
            return node.low * multiplier
        match node:
            case FactRead():
                number = self.numbers[node.name].value
            case Operation(operator="*", operands=(left, right)):
                multiple = scaling.factor(left, right)
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
                return self.of_several(operands, self.make.min_horizontal(*self.expressions(parts)))
            case _:
                return self.of_several(operands, self.make.max_horizontal(*self.expressions(parts)))

    def of_several(self, operands: Sequence[Node], horizontal: Any) -> Any:
        """*horizontal*, which passes over nulls, with a null wherever one of *operands* has one."""
        numbers = (self.numbers[name] for name in _names(operands))
        known = [~number.value.is_null() for number in numbers if not number.certain]
        return self.make.when(_all(known)).then(horizontal) if known else horizontal

    def expressions(self, parts: Sequence[Any]) -> list[Any]:
        return [self.make.lit(part) if isinstance(part, int) else part for part in parts]


def _all(parts: Sequence[Any]) -> Any:
    return reduce(lambda one, other: one & other, parts)


def _any(parts: Sequence[Any]) -> Any:
    return reduce(lambda one, other: one | other, parts)


def _names(nodes: Sequence[Node]) -> list[str]:
    """The names of the facts that *nodes* read, each once."""
    read = (leaf for node in nodes for leaf in leaves(node))
    return sorted({leaf.name for leaf in read if isinstance(leaf, FactRead)})


def _is_of_one_fact(node: Node) -> bool:
    """Whether *node* reads one fact, and has no part that is true or false whatever that is."""
    constant = (each for each in leaves(node) if isinstance(each, Constant))
    return len(_names([node])) == 1 and not any(each.type.kind is Kind.FLAG for each in constant)
