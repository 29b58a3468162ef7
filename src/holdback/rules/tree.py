"""The nodes of a rule, data only: first as written, then as checked.

`parse` gives a `Tree` of literals, names and expressions. `check` turns it into `Checked`, a tree
of the same shape in which every name is a fact's place or a parameter's number, and every node
knows its type, its scale and its range. Every reader of a rule works on these nodes.

A node's `start` and `end` delimit its characters in the source. They are not part of its meaning:
two nodes that mean the same are equal wherever they were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final, TypeAlias

from attrs import field

from holdback.frozen_classes import frozen
from holdback.rules.operators import by_operator
from holdback.rules.types import Catalogue, Kind, Type


@frozen(kw_only=True)
class Literal:
    """A constant as written: `value` in digits or letters, without its unit or quotes."""

    kind: Kind
    value: str
    currency: str | None = None
    start: int = field(eq=False)
    end: int = field(eq=False)

    @property
    def depth(self) -> int:
        """A leaf is one deep."""
        return 1


@frozen(kw_only=True)
class Name:
    """The name of a fact or a parameter."""

    name: str
    start: int = field(eq=False)
    end: int = field(eq=False)

    @property
    def depth(self) -> int:
        """A leaf is one deep."""
        return 1


@frozen(kw_only=True)
class Expression:
    """
    An operator, by its name in the table of `operators`, and its operands.

    A chain `a < b <= c` is stored as `a < b and b <= c`, which is what it means.
    """

    operator: str
    operands: tuple[Syntax, ...]
    depth: int = field(eq=False)
    start: int = field(eq=False)
    end: int = field(eq=False)


Syntax: TypeAlias = Literal | Name | Expression


@frozen(kw_only=True)
class Tree:
    """An expression as written: its outermost part, and the source that it was read from."""

    root: Syntax
    source: str = field(eq=False)

    @property
    def names(self) -> Iterator[str]:
        """The names that it reads, from left to right, whether or not anything has that name."""
        return _names(self.root)

    @property
    def size(self) -> int:
        """The number of its parts: literals, names and operators."""
        return _size(self.root)


def _size(syntax: Syntax) -> int:
    if not isinstance(syntax, Expression):
        return 1
    return 1 + sum(_size(operand) for operand in syntax.operands)


def _names(syntax: Syntax) -> Iterator[str]:
    if isinstance(syntax, Name):
        yield syntax.name
    elif isinstance(syntax, Expression):
        for operand in syntax.operands:
            yield from _names(operand)


class Rounding(Enum):
    """
    The direction in which a number was rounded.

    A derived percentage is rounded down. `check` allows only comparisons that the rounding cannot
    change, and for that it has to know the direction.
    """

    NONE = "exact"
    DOWN = "rounded down"
    UP = "rounded up"
    MIXED = "rounded"


@frozen(kw_only=True)
class Constant:
    """A literal, or a parameter (`name`) at its value on the date: `number` x 10**-`places`."""

    type: Type
    number: int
    name: str | None = field(default=None, eq=False)
    start: int = field(eq=False)
    end: int = field(eq=False)

    @property
    def places(self) -> int:
        """The number of decimals: its type's."""
        return self.type.places

    @property
    def low(self) -> int:
        """The number itself."""
        return self.number

    @property
    def high(self) -> int:
        """The number itself."""
        return self.number

    @property
    def rounding(self) -> Rounding:
        """A constant is exact."""
        return Rounding.NONE


@frozen(kw_only=True)
class FactRead:
    """The value of the fact at `place` of the catalogue, between `low` and `high`."""

    type: Type
    place: int
    name: str
    low: int
    high: int
    rounding: Rounding = Rounding.NONE
    start: int = field(eq=False)
    end: int = field(eq=False)

    @property
    def places(self) -> int:
        """The number of decimals: its type's."""
        return self.type.places


@frozen(kw_only=True)
class Operation:
    """
    An operator applied to checked operands.

    Its value is a flag, or a number x 10**-`places` between `low` and `high`. A product may have
    more decimals than its type.
    """

    operator: str
    operands: tuple[Node, ...]
    type: Type
    places: int
    # The ends are never too narrow, and may be too wide: operands are taken to vary freely.
    low: int
    high: int
    rounding: Rounding = Rounding.NONE
    start: int = field(eq=False)
    end: int = field(eq=False)


Node: TypeAlias = Constant | FactRead | Operation


def leaves(node: Node) -> Iterator[Constant | FactRead]:
    """Yield the constants and facts in *node*, from left to right."""
    if not isinstance(node, Operation):
        yield node
        return
    for operand in node.operands:
        yield from leaves(operand)


# Whether a true operand speaks for the whole being true, or a false one does.
_OPERAND_TRUTH: Final[Mapping[str, bool]] = by_operator(
    "the search for comparisons", {"or": True, "and": True, "not": False}
)


def comparisons(node: Node, *, truth: bool = True) -> Iterator[tuple[Operation, bool]]:
    """
    Yield the comparisons in *node*, `in` among them, from left to right.

    Each comes with the value that speaks for *node* having the value *truth*, which is the opposite
    one under a `not`. Under `or` one of them may be enough. An operator on flags is logic, and any
    other compares.
    """
    if isinstance(node, Operation):
        if node.operands[0].type.kind is not Kind.FLAG:
            yield node, truth
        else:
            for operand in node.operands:
                yield from comparisons(operand, truth=truth == _OPERAND_TRUTH[node.operator])


@frozen(kw_only=True)
class Checked:
    """
    A checked expression: it has a type and, on prepared facts, a value, which may be unknown.

    `facts` are the places of the facts that it reads and `names` their names, in the order in
    which they first appear; `parameters` are the names of the parameters that it reads.
    """

    tree: Node
    source: str
    facts: tuple[int, ...]
    names: tuple[str, ...]
    parameters: tuple[str, ...]
    catalogue: Catalogue = field(repr=False)

    @property
    def type(self) -> Type:
        """The type of its value."""
        return self.tree.type
