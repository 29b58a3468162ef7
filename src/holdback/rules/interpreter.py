"""What a rule means: slow, obvious, and the measure of every other reader.

A value is looked up, scaled to the number that it stands for, and handed to the function that the
operator's row in the table has. Nothing here knows how `check` scales numbers or how `closure`
writes them down, so that a mistake there cannot be made here as well.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from attrs import field, frozen

from holdback.rules.operators import OPERATORS, Value
from holdback.rules.render import text_of
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation
from holdback.rules.types import Facts, Kind, Type


@frozen
class Trace:
    """
    One part of a rule on some facts: its value, and the traces of its own parts.

    `value` is a flag, or a number of the scale of `node`; None is unknown.
    """

    node: Node = field(repr=False)
    value: bool | int | None
    children: tuple[Trace, ...] = ()

    @property
    def text(self) -> str:
        """The canonical text of the part."""
        return text_of(self.node)

    @property
    def shown(self) -> str:
        """The value for people: `79.9999%`, `yes`, `unknown`."""
        return (
            "unknown" if self.value is None else self.node.type.show(self.value, self.node.places)
        )

    def __str__(self) -> str:
        """The trace as lines, each part under what it is a part of."""
        return "\n".join(self._lines(0))

    def _lines(self, indent: int) -> list[str]:
        lines = [f"{'  ' * indent}{self.text}: {self.shown}"]
        for child in self.children:
            lines.extend(child._lines(indent + 1))
        return lines


def interpret(checked: Checked, facts: Facts) -> bool | int | None:
    """
    The value of *checked* on prepared *facts*: a flag, or a number of its scale; None when unknown.

    A number has the `places` of the checked tree, which for a product are more than its type's.
    """
    return _number(checked.tree, _value(checked.tree, facts))


def trace(checked: Checked, facts: Facts) -> Trace:
    """The value of *checked* on prepared *facts*, and of everything in it."""
    return _trace(checked.tree, facts)


def _value(node: Node, facts: Facts) -> Value:
    """What *node* means on *facts*."""
    match node:
        case Constant():
            return _meant(node.type, node.number)
        case FactRead():
            number = facts[node.place]
            return None if number is None else _meant(node.type, number)
        case Operation():
            operands = [_value(operand, facts) for operand in node.operands]
            return OPERATORS[node.operator].value(*operands)


def _trace(node: Node, facts: Facts) -> Trace:
    parts = node.operands if isinstance(node, Operation) else ()
    return Trace(
        node, _number(node, _value(node, facts)), tuple(_trace(part, facts) for part in parts)
    )


# One of a percentage's units is 10**-4 percent, which is 10**-6.
_HUNDREDTHS: Final = 2


def _decimals(type_: Type, places: int) -> int:
    return places + _HUNDREDTHS if type_.kind is Kind.PERCENT else places


def _meant(type_: Type, number: int) -> Value:
    """The value that *number* of *type_* stands for: 500000 of percent is a half."""
    if type_.kind is Kind.FLAG:
        return bool(number)
    return Fraction(number, 10 ** _decimals(type_, type_.places))


def _number(node: Node, value: Value) -> bool | int | None:
    """*value* in whole numbers of the scale of *node*."""
    if value is None or isinstance(value, bool):
        return value
    scale: int = 10 ** _decimals(node.type, node.places)
    number = Fraction(value) * scale
    assert number.denominator == 1, "a checked number is whole in its scale"
    return number.numerator
