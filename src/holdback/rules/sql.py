"""Checked trees to the text of SQL conditions: the reader of rules for a database.

A column holds a fact in 64-bit whole numbers of its type's scale, null where it is unknown, and the
database's own three-valued logic carries the nulls. A flag is written twice, as the condition under
which it is true and as the one under which it is false, with every negation carried down to a
comparison, as in `closure`.

The conditions divide nothing, and call nothing but `abs` and the least and the greatest of some
numbers. SQLite turns a whole number of more than 64 bits into a float, and the others refuse it:
here none can occur, because `check` has bounded every result to 2**62 for facts in their ranges.
The columns must be in the ranges of their facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from holdback.frozen_classes import frozen
from holdback.rules import scaling
from holdback.rules.operators import OPPOSITES, by_operator
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation, leaves
from holdback.rules.types import Kind

DUCKDB, SPARK, POSTGRES, SQLITE = "duckdb", "spark", "postgres", "sqlite"
# The dialects, each of which is tested against its own database.
DIALECTS: Final = (DUCKDB, SPARK, POSTGRES, SQLITE)
# What DuckDB and other databases have in common: it is translated into their dialects.
PORTABLE: Final = "portable"
BIGQUERY, SNOWFLAKE, TRINO = "bigquery", "snowflake", "trino"
# Those dialects, and the databases' names.
TRANSLATED: Final = {BIGQUERY: "BigQuery", SNOWFLAKE: "Snowflake", TRINO: "Trino"}
# What Polars reads, in which frames in memory are assessed.
POLARS: Final = "polars"

# How each operator is written, on operands of one scale. Flags are written by `_Writer.true` and
# `_Writer.false`. `negate` is a difference, because `--1` begins a comment.
_SQL: Final[Mapping[str, str]] = by_operator(
    "the writer of SQL",
    {
        "==": "{} = {}",
        "!=": "{} <> {}",
        "<": "{} < {}",
        "<=": "{} <= {}",
        ">": "{} > {}",
        ">=": "{} >= {}",
        "in": "{} = {}",
        "not in": "{} <> {}",
        "+": "({} + {})",
        "-": "({} - {})",
        "*": "({} * {})",
        "negate": "(0 - {})",
        "abs": "abs({})",
        "min": "least({}, {})",
        "max": "greatest({}, {})",
    },
)
_OPPOSITES: Final = by_operator("the writer of SQL", {**OPPOSITES, "in": "not in"})
# SQLite's `min` and `max` of several numbers are what the others call `least` and `greatest`.
_SQLITE: Final = {"min": "min({}, {})", "max": "max({}, {})"}
# Of nulls and numbers, some databases give the least number and others null, so the nulls of their
# operands are put back.
_PASS_OVER_NULLS: Final = ("min", "max")
# A comparison with each of several numbers: DuckDB would make a join of a list of five or more.
_WITH_EACH: Final = {"in": "or", "not in": "and"}


@frozen
class FlagSql:
    """
    The SQL of a flag: where it is `true`, where it is `false`, and where it is `unknown`.

    A null in `true` or `false` means no, as in `case when`. `unknown` is never null.
    """

    true: str
    false: str
    unknown: str


def literal(number: int) -> str:
    """
    Return *number* as SQL.

    >>> literal(5), literal(-5)
    ('5', '(-5)')
    """
    return str(number) if number >= 0 else f"({number})"


def flag_sql(
    checked: Checked,
    numbers: Mapping[str, str],
    dialect: str,
    constant: Callable[[int], str] = literal,
) -> FlagSql:
    """
    Return the SQL of *checked*, a flag, in the *dialect* of a database.

    *numbers* has the SQL of a column of 64-bit whole numbers by the name of the fact; `check` has
    verified that no result can pass 2**62. *constant* writes the numbers of the rule itself.

    >>> from holdback.exact.money import Currency
    >>> from holdback.rules import Catalogue, Fact, Type, check, parse
    >>> silence = Fact(name="silence", type=Type(Kind.DAYS), low=0, high=100)
    >>> known = Catalogue(facts=(silence,), currency=Currency.of("GBP"))
    >>> rule = check(parse("not silence > 14 days"), known)
    >>> flag_sql(rule, {"silence": "silence"}, "duckdb")
    FlagSql(true='silence <= 14', false='silence > 14', unknown='silence is null')
    """
    assert checked.type.kind is Kind.FLAG, "a rule is a flag"
    assert dialect in (*DIALECTS, PORTABLE, POLARS), dialect
    return _Writer(numbers, dialect, constant).rule(checked.tree)


def always_unknown_without(checked: Checked) -> bool:
    """Return whether *checked* reads one fact, and is unknown wherever that fact is."""
    return len(_names([checked.tree])) == 1 and not _has_constant_flag(checked.tree)


@frozen
class _Writer:
    """The columns that a rule reads, the dialect, and how numbers of the rule are written."""

    numbers: Mapping[str, str]
    dialect: str
    constant: Callable[[int], str]

    def rule(self, node: Node) -> FlagSql:
        """Return the three conditions of the flag *node*."""
        true = self.true(node)
        return FlagSql(true, self.false(node), self.unknown(node, true))

    def unknown(self, node: Node, true: str) -> str:
        """Return where *node* is unknown; *true* is its condition from `self.true`."""
        names = _names([node])
        if not names:
            return "false"
        if len(names) == 1 and not _has_constant_flag(node):
            return f"{self.numbers[names[0]]} is null"
        # `false` is null in the same rows.
        return f"({true}) is null"

    def true(self, node: Node) -> str:
        """Return the condition under which the flag *node* is true."""
        match node:
            case Constant():
                return "true" if node.number else "false"
            case FactRead():
                return f"{self.numbers[node.name]} <> 0"
            case Operation(operator="not", operands=(operand,)):
                return self.false(operand)
            case Operation(operator="and", operands=operands):
                return self.joined("and", [self.true(operand) for operand in operands])
            case Operation(operator="or", operands=operands):
                return self.joined("or", [self.true(operand) for operand in operands])
            case _:
                return self.compared(node.operator, node.operands)

    def false(self, node: Node) -> str:
        """Return the condition under which the flag *node* is false."""
        match node:
            case Constant():
                return "false" if node.number else "true"
            case FactRead():
                return f"{self.numbers[node.name]} = 0"
            case Operation(operator="not", operands=(operand,)):
                return self.true(operand)
            case Operation(operator="and", operands=operands):
                return self.joined("or", [self.false(operand) for operand in operands])
            case Operation(operator="or", operands=operands):
                return self.joined("and", [self.false(operand) for operand in operands])
            case _:
                return self.compared(_OPPOSITES[node.operator], node.operands)

    def compared(self, operator: str, operands: Sequence[Node]) -> str:
        """Return the condition under which the comparison is true, null where it is unknown."""
        places = scaling.most_places(operands)
        return self.operation_sql(operator, [self.number(operand, places) for operand in operands])

    def number(self, node: Node, places: int) -> str:
        """Return *node* in units of 10**-*places*."""
        multiplier = scaling.multiplier(node, places)
        # INVARIANT: every product here stays within 2**62, because `check` has bounded the operands
        # at the scale of their comparison.
        if scaling.is_constant(node):
            return self.constant(node.low * multiplier)
        match node:
            case FactRead():
                number = self.numbers[node.name]
            case Operation(operator="*", operands=(left, right)):
                multiple = scaling.factor(left, right)
                assert multiple is not None, "check lets no other product pass"
                operand = self.number(multiple.operand, multiple.operand.places)
                number = self.operation_sql("*", [operand, self.constant(multiple.number)])
            case Operation(operator=operator, operands=operands):
                number = self.calculated(operator, operands, node.places)
            case _:
                raise AssertionError(node)
        return number if multiplier == 1 else self.operation_sql("*", [number, literal(multiplier)])

    def calculated(self, operator: str, operands: Sequence[Node], places: int) -> str:
        """Return the number of *operator* on *operands* in units of 10**-*places*."""
        number = self.operation_sql(
            operator, [self.number(operand, places) for operand in operands]
        )
        if operator not in _PASS_OVER_NULLS:
            return number
        given = " and ".join(f"{self.numbers[name]} is not null" for name in _names(operands))
        return f"case when {given} then {number} end"

    def operation_sql(self, operator: str, operands: Sequence[str]) -> str:
        """Return *operator* on *operands*, which are written already."""
        first, *others = operands
        form = _SQL[operator]
        if operator in _WITH_EACH:
            compared = [form.format(first, number) for number in others]
            return self.joined(_WITH_EACH[operator], compared)
        if self.dialect == SQLITE:
            form = _SQLITE.get(operator, form)
        if self.dialect == POLARS and operator in _TURNED and _depth(first) < _depth(others[0]):
            return _TURNED[operator].format(others[0], first)
        # `min` and `max` take any number of operands after the first.
        return form.format(first, ", ".join(others))

    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return *conditions* with *word* between them."""
        if len(conditions) == 1:
            return conditions[0]
        if self.dialect == POLARS:
            conditions = sorted(conditions, key=_depth, reverse=True)
        return f"({f' {word} '.join(conditions)})"


# Polars reads at most some fifty levels: one for each parenthesis, and one more if anything stands
# before it. So the deepest operand comes first, and no rule of the language is too deep.
_TURNED: Final = {"+": "({} + {})", "-": "({} * (-1) + {})"}


def _depth(text: str) -> int:
    """The most parentheses of *text* that are within each other."""
    return max(accumulate((sign == "(") - (sign == ")") for sign in text), default=0)


def _names(nodes: Sequence[Node]) -> list[str]:
    """Return the names of the facts that *nodes* read, once each."""
    read = (leaf for node in nodes for leaf in leaves(node))
    return sorted({leaf.name for leaf in read if isinstance(leaf, FactRead)})


def _has_constant_flag(node: Node) -> bool:
    """Return whether a part of *node* has an answer without any fact."""
    constants = (leaf for leaf in leaves(node) if isinstance(leaf, Constant))
    return any(leaf.type.kind is Kind.FLAG for leaf in constants)
