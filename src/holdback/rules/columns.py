"""Checked trees to dataframe expressions: the reader of rules for a whole portfolio.

A column holds a fact in whole numbers of its type's scale, as prepared facts do, and has the fact's
name. Money, rounding and NaN are never left to the dataframe engine, because engines differ in
them. A flag is written twice, as the condition under which it is true and as the one under which
it is false, with every negation carried down to a comparison, as in `closure`.

An unknown value is a null, and the engine's own three-valued logic carries it: the tests show that,
on whole numbers, every supported engine answers as the interpreter does.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import ModuleType
from typing import Any, Final

import narwhals.stable.v2 as nw

from holdback.frozen_classes import frozen
from holdback.rules import scaling
from holdback.rules.operators import OPPOSITES, by_operator
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Kind


@frozen
class FactColumn:
    """A fact's column of whole numbers, null where it is unknown; *never_null* when it has none."""

    value: Any
    never_null: bool = False


@frozen
class FlagColumns:
    """
    A flag over a frame: where it is `true`, where it is `false`, and where it is `unknown`.

    A null in `true` or `false` means no, as in the engine's `when().then()`. `unknown` is never
    null, and is None where all columns that are read are `never_null`.
    """

    true: Any
    false: Any
    unknown: Any | None


# How each comparison is made, from the first operand and a sequence of the others.
_COMPARISONS: Final[Mapping[str, Callable[[Any, Sequence[Any]], Any]]] = by_operator(
    "the writer of columns",
    {
        "==": lambda first, others: first == others[0],
        "!=": lambda first, others: first != others[0],
        "<": lambda first, others: first < others[0],
        "<=": lambda first, others: first <= others[0],
        ">": lambda first, others: first > others[0],
        ">=": lambda first, others: first >= others[0],
        "in": lambda first, others: _any([first == value for value in others]),
        "not in": lambda first, others: _all([first != value for value in others]),
    },
)
_OPPOSITES: Final = by_operator("the writer of columns", {**OPPOSITES, "in": "not in"})

# How each number is made, from the writer and the operands. `negate` is a difference, because
# engines disagree about the type of `-column`. `*` is absent: `_Writer.number` multiplies a number
# by a constant, in a scale of its own.
_NUMBERS: Final[Mapping[str, Callable[[_Writer, Sequence[Any]], Any]]] = by_operator(
    "the writer of columns",
    {
        "+": lambda _, parts: parts[0] + parts[1],
        "-": lambda _, parts: parts[0] - parts[1],
        "negate": lambda _, parts: 0 - parts[0],
        "abs": lambda _, parts: parts[0].abs(),
        "min": lambda writer, parts: writer.make.min_horizontal(*writer.expressions(parts)),
        "max": lambda writer, parts: writer.make.max_horizontal(*writer.expressions(parts)),
    },
)
# These pass over nulls, in every engine, so the nulls of their operands are put back.
_PASS_OVER_NULLS: Final = ("min", "max")


def columns(
    checked: Checked, numbers: Mapping[str, FactColumn], make: ModuleType = nw
) -> FlagColumns:
    """
    Return the expressions of *checked*, a flag, over a frame with the columns *numbers*.

    *numbers* are columns of 64-bit whole numbers by the name of the fact; `check` has verified that
    no result can pass 2**62. *make* makes the expressions: narwhals for any frame, or Polars, whose
    functions have the same names, for its own.

    >>> import polars as pl
    >>> from holdback.exact.money import Currency
    >>> from holdback.rules import Catalogue, Fact, Type, check, parse
    >>> silence = Fact(name="silence", type=Type(Kind.DAYS), low=0, high=100)
    >>> known = Catalogue(facts=(silence,), currency=Currency.of("GBP"))
    >>> rule = check(parse("silence <= 14 days"), known)
    >>> frame = nw.from_native(pl.DataFrame({"silence": [14, 15, None]}))
    >>> answer = columns(rule, {"silence": FactColumn(nw.col("silence"))})
    >>> frame.select(true=answer.true)["true"].to_list()
    [True, False, None]
    """
    assert checked.type.kind is Kind.FLAG, "a rule is a flag"
    return _Writer(numbers, make).rule(checked.tree)


def always_unknown_without(checked: Checked) -> bool:
    """Return whether *checked* reads one fact, and is unknown wherever that fact is."""
    return _is_of_one_fact(checked.tree)


@frozen
class _Writer:
    """The columns that a rule reads, and the module that makes its expressions."""

    numbers: Mapping[str, FactColumn]
    make: Any

    def rule(self, node: Node) -> FlagColumns:
        """Return the three expressions of the flag *node*."""
        true, false = self.true(node), self.false(node)
        return FlagColumns(true, false, self.unknown(node, true))

    def unknown(self, node: Node, true: Any) -> Any | None:
        """
        Return where *node* is unknown; None when it never can be.

        *true* is its expression from `self.true`.
        """
        read = [self.numbers[name] for name in _names([node])]
        if all(number.never_null for number in read):
            return None
        # The null mask of a column is there already; that of a condition is another pass.
        if _is_of_one_fact(node):
            return read[0].value.is_null()
        # `false` is null in the same rows.
        return true.is_null()

    def true(self, node: Node) -> Any:
        """Return the condition under which the flag *node* is true."""
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
        """Return the condition under which the flag *node* is false."""
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
                return self.compared(_OPPOSITES[node.operator], node.operands)

    def compared(self, operator: str, operands: Sequence[Node]) -> Any:
        """Return the condition under which the comparison is true, null where it is unknown."""
        places = scaling.most_places(operands)
        first, *others = (self.number(operand, places) for operand in operands)
        return _COMPARISONS[operator](first, others)

    def number(self, node: Node, places: int) -> Any:
        """Return *node* in units of 10**-*places*: an expression, or an integer for a constant."""
        multiplier = scaling.multiplier(node, places)
        # INVARIANT: every product here stays within 2**62, because `check` has bounded the operands
        # at the scale of their comparison.
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
        """Return the number of *operator* on *operands* in units of 10**-*places*."""
        number = _NUMBERS[operator](self, [self.number(operand, places) for operand in operands])
        if operator not in _PASS_OVER_NULLS:
            return number
        columns = (self.numbers[name] for name in _names(operands))
        given = [~column.value.is_null() for column in columns if not column.never_null]
        return self.make.when(_all(given)).then(number) if given else number

    def expressions(self, parts: Sequence[Any]) -> list[Any]:
        """Return *parts* with integers made expressions, as functions of several columns need."""
        return [self.make.lit(part) if isinstance(part, int) else part for part in parts]


def _all(conditions: Sequence[Any]) -> Any:
    return reduce(python.and_, conditions)


def _any(conditions: Sequence[Any]) -> Any:
    return reduce(python.or_, conditions)


def _names(nodes: Sequence[Node]) -> list[str]:
    """Return the names of the facts that *nodes* read, once each."""
    read = (leaf for node in nodes for leaf in leaves(node))
    return sorted({leaf.name for leaf in read if isinstance(leaf, FactRead)})


def _is_of_one_fact(node: Node) -> bool:
    """Return whether *node* reads one fact, and no part has an answer without that fact."""
    constants = (leaf for leaf in leaves(node) if isinstance(leaf, Constant))
    return len(_names([node])) == 1 and not any(leaf.type.kind is Kind.FLAG for leaf in constants)
