"""The operators of the rule language: one table, one line for each.

A line says what an operator is called, how it is written, how it reads in plain words, which kinds
of value it takes, what it means in a sentence, and what it means exactly: a function on values.
Values are true and false for flags and exact fractions for the rest (50% is a half, and dates and
texts are whole numbers); None is unknown.

1. `and`, `or` and `not` are strong Kleene logic: an answer that the unknown part cannot change is
   known.
2. Every other operator is unknown as soon as one operand is, even `0 * x` and `x - x`.

Only the interpreter takes the meaning from here. The other readers (ranges, rounding, the closure,
columns, SQL) each have a table of their own, made with `by_operator`, so that a mistake in one
shows as a difference from the interpreter. A reader refuses an operator that has no line in its
table.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from holdback.frozen_classes import frozen
from holdback.rules.types import Kind

if TYPE_CHECKING:
    from fractions import Fraction

Value: TypeAlias = "bool | int | Fraction | None"
Meaning: TypeAlias = Callable[..., Value]

_Line = TypeVar("_Line")


class _Lines(dict[str, _Line]):
    """A reader's lines by the name of the operator."""

    def __init__(self, reader: str, lines: Mapping[str, _Line]) -> None:
        super().__init__(lines)
        self.reader = reader

    def __missing__(self, name: str) -> _Line:
        raise NotImplementedError(
            f"{self.reader} has no line for the operator `{name}`; "
            "CONTRIBUTING.md lists the tables that an operator needs"
        )


def by_operator(reader: str, lines: Mapping[str, _Line]) -> Mapping[str, _Line]:
    """
    Return the *lines* of a *reader* as a read-only table.

    A silent default would answer for an operator that nobody thought of, so a missing one raises
    `NotImplementedError`, which names the reader.
    """
    return MappingProxyType(_Lines(reader, lines))


class Role(Enum):
    """What an operator takes and gives, which is how `check` verifies it."""

    LOGIC = "flags to a flag"
    COMPARISON = "values of one type to a flag"
    ARITHMETIC = "numbers of one type to a number of that type"
    PRODUCT = "a number and a constant to a number"


@frozen
class Operator:
    """One line of the table. All operands of an operator are of one type, except those of `*`."""

    name: str
    signature: str
    words: str
    takes: frozenset[Kind]
    summary: str
    value: Meaning
    role: Role

    @property
    def is_call(self) -> bool:
        """Whether it is written as a function: `min(a, b)`."""
        return self.signature.startswith(f"{self.name}(")

    @property
    def is_unary(self) -> bool:
        """Whether it takes exactly one operand. Of the functions, the others take two or more."""
        # Signatures name their operands `a` and `b`.
        return "b" not in self.signature.removeprefix(self.name)


def either(*flags: bool | None) -> bool | None:
    """Return Kleene `or`: true when one is true, else unknown when one is unknown, else false."""
    return True if True in flags else None if None in flags else False


def both(*flags: bool | None) -> bool | None:
    """Return Kleene `and`: false when one is false, else unknown when one is unknown, else true."""
    return False if False in flags else None if None in flags else True


def negated(flag: bool | None) -> bool | None:  # noqa: FBT001 - a value of the language
    """Return Kleene `not`: unknown stays unknown."""
    return None if flag is None else not flag


def _one_of(value: Value, *choices: Value) -> bool:
    return value in choices


def _strict(meaning: Meaning) -> Meaning:
    """Return *meaning* made unknown as soon as one operand is."""
    return lambda *values: None if None in values else meaning(*values)


FLAGS: Final = frozenset({Kind.FLAG})
NUMBERS: Final = frozenset({Kind.COUNT, Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.DAYS})
ORDERED: Final = NUMBERS | {Kind.DATE}
SIMPLE: Final = ORDERED | {Kind.TEXT}
FACTORS: Final = NUMBERS - {Kind.DAYS}


def _logic(name: str, signature: str, words: str, summary: str, value: Meaning) -> Operator:
    return Operator(name, signature, words, FLAGS, summary, value, Role.LOGIC)


def _compares(  # noqa: PLR0913, PLR0917 - the columns of the table
    name: str, signature: str, words: str, takes: frozenset[Kind], summary: str, value: Meaning
) -> Operator:
    return Operator(name, signature, words, takes, summary, _strict(value), Role.COMPARISON)


def _computes(  # noqa: PLR0913, PLR0917 - the columns of the table
    name: str, signature: str, words: str, takes: frozenset[Kind], summary: str, value: Meaning
) -> Operator:
    role = Role.PRODUCT if name == "*" else Role.ARITHMETIC
    return Operator(name, signature, words, takes, summary, _strict(value), role)


# fmt: off
_ROWS: Final = (
    _logic("or", "a or b", "or", "true when one is true, false when all are false", either),
    _logic("and", "a and b", "and", "false when one is false, true when all are true", both),
    _logic("not", "not a", "not", "true when false, false when true", negated),
    _compares("==", "a == b", "is", SIMPLE, "whether both are the same", operator.eq),
    _compares("!=", "a != b", "is not", SIMPLE, "whether they differ", operator.ne),
    _compares("<", "a < b", "is below", ORDERED,
              "whether the left is less, or earlier", operator.lt),
    _compares("<=", "a <= b", "is at most", ORDERED, "whether the left is not more", operator.le),
    _compares(">", "a > b", "is above", ORDERED,
              "whether the left is more, or later", operator.gt),
    _compares(">=", "a >= b", "is at least", ORDERED, "whether the left is not less", operator.ge),
    _compares("in", "a in [b, c]", "is", SIMPLE, "whether it is one of the constants", _one_of),
    _computes("+", "a + b", "plus", NUMBERS, "the sum", operator.add),
    _computes("-", "a - b", "less", NUMBERS, "the difference", operator.sub),
    _computes("negate", "-a", "minus", NUMBERS, "the number with its sign changed", operator.neg),
    _computes("*", "a * b", "times", FACTORS, "the product with a constant", operator.mul),
    _computes("min", "min(a, b)", "the least of", ORDERED, "the least, or earliest", min),
    _computes("max", "max(a, b)", "the greatest of", ORDERED, "the greatest, or latest", max),
    _computes("abs", "abs(a)", "the size of", NUMBERS, "the number without its sign", abs),
)
# fmt: on

OPERATORS: Final = by_operator("the table of operators", {row.name: row for row in _ROWS})
FUNCTIONS: Final = tuple(row.name for row in _ROWS if row.is_call)

# The comparison that is false exactly where this one is true. `in` has none that can be written.
OPPOSITES: Final = by_operator(
    "the table of opposite comparisons",
    {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"},
)
# The same comparison with its sides exchanged. `in` has a list on its right, so it has none.
MIRRORED: Final = by_operator(
    "the table of mirrored comparisons",
    {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="},
)
