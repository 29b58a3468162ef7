"""The operators of the rule language: one table, read by every part of it.

A row says what an operator is called, how it is written, what kinds of value it takes, what it
means in words, and what it means exactly: a function on values. Values are true and false for
flags, exact fractions for numbers (50% is a half), whole numbers for dates and texts; None is
unknown.

1. `and`, `or` and `not` are strong Kleene logic: an answer that the unknown part cannot change is
   known.
2. Every other operator is unknown as soon as one operand is: `0 * x` and `x - x` too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

from attrs import frozen

from holdback.rules.types import Kind

Value: TypeAlias = bool | int | Fraction | None
Meaning: TypeAlias = Callable[..., Value]


@frozen
class Operator:
    """A row of the table. `takes` are the kinds of its operands, which are alike except for `*`."""

    name: str
    signature: str
    takes: frozenset[Kind]
    summary: str
    value: Meaning


def either(*flags: bool | None) -> bool | None:
    """Kleene `or`: true when one is true, else unknown when one is unknown, else false."""
    return True if True in flags else None if None in flags else False


def both(*flags: bool | None) -> bool | None:
    """Kleene `and`: false when one is false, else unknown when one is unknown, else true."""
    return False if False in flags else None if None in flags else True


def negated(flag: bool | None) -> bool | None:
    """Kleene `not`: unknown stays unknown."""
    return None if flag is None else not flag


def _known(meaning: Meaning) -> Meaning:
    """*meaning* where every operand is known, else unknown."""
    return lambda *values: None if None in values else meaning(*values)


def _one_of(value: Value, *choices: Value) -> bool:
    return value in choices


FLAGS: Final = frozenset({Kind.FLAG})
NUMBERS: Final = frozenset({Kind.COUNT, Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.DAYS})
ORDERED: Final = NUMBERS | {Kind.DATE}
SIMPLE: Final = ORDERED | {Kind.TEXT}
FACTORS: Final = NUMBERS - {Kind.DAYS}

# fmt: off
_ROWS: Final = (
    Operator("or", "a or b", FLAGS, "true when one is true, false when all are false", either),
    Operator("and", "a and b", FLAGS, "false when one is false, true when all are true", both),
    Operator("not", "not a", FLAGS, "true when false, false when true", negated),
    Operator("==", "a == b", SIMPLE, "whether both are the same", _known(operator.eq)),
    Operator("!=", "a != b", SIMPLE, "whether they differ", _known(operator.ne)),
    Operator("<", "a < b", ORDERED, "whether the left is less, or earlier", _known(operator.lt)),
    Operator("<=", "a <= b", ORDERED, "whether the left is not more", _known(operator.le)),
    Operator(">", "a > b", ORDERED, "whether the left is more, or later", _known(operator.gt)),
    Operator(">=", "a >= b", ORDERED, "whether the left is not less", _known(operator.ge)),
    Operator("in", "a in [b, c]", SIMPLE, "whether it is one of the constants", _known(_one_of)),
    Operator("+", "a + b", NUMBERS, "the sum", _known(operator.add)),
    Operator("-", "a - b", NUMBERS, "the difference", _known(operator.sub)),
    Operator("negate", "-a", NUMBERS, "the number with its sign changed", _known(operator.neg)),
    Operator("*", "a * b", FACTORS, "the product with a constant", _known(operator.mul)),
    Operator("min", "min(a, b)", ORDERED, "the least, or earliest", _known(min)),
    Operator("max", "max(a, b)", ORDERED, "the greatest, or latest", _known(max)),
    Operator("abs", "abs(a)", NUMBERS, "the number without its sign", _known(abs)),
)
# fmt: on

OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType({row.name: row for row in _ROWS})

# The comparison that is false exactly where this one is true.
OPPOSITES: Final[Mapping[str, str]] = MappingProxyType(
    {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
)
# The same comparison with its sides exchanged.
MIRRORED: Final[Mapping[str, str]] = MappingProxyType({"<": ">", "<=": ">=", ">": "<", ">=": "<="})
FUNCTIONS: Final = ("min", "max", "abs")
