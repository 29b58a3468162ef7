"""The meaning of a rule: slow, obvious, and the measure of every other reader.

A fact is looked up, turned into the exact number that it stands for, and passed to the function in
the operator's line of the table. Nothing here shares code with the way `check` scales numbers or
`closure` writes them, so a mistake there shows as a difference from here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from attrs import field

from holdback.frozen_classes import frozen
from holdback.rules.operators import OPERATORS, Value
from holdback.rules.render import text_of
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation
from holdback.rules.types import Facts, Kind, Type


@frozen
class Trace:
    """
    The value of one part of a rule on some facts, with the traces of its own parts.

    `value` is a flag, or a number in the scale of `node`; None is unknown.
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
        """The value for people, such as `79.9999%`, `yes` or `unknown`."""
        if self.value is None:
            return "unknown"
        return self.node.type.show(self.value, self.node.places)

    def __str__(self) -> str:
        """Return the trace as lines, the parts of a part indented under it."""
        return "\n".join(_lines(self, 0))


def _lines(trace: Trace, indent: int) -> list[str]:
    lines = [f"{'  ' * indent}{trace.text}: {trace.shown}"]
    for child in trace.children:
        lines.extend(_lines(child, indent + 1))
    return lines


def interpret(checked: Checked, facts: Facts) -> bool | int | None:
    """
    Return the value of *checked* on prepared *facts*, None when it is unknown.

    A number has the `places` of the checked tree, which for a product are more than its type's.
    """
    return _number(checked.tree, _value(checked.tree, facts))


def answer(node: Node, facts: Facts) -> bool | None:
    """Return the answer of the flag *node*, a part of a rule, on *facts*; None when unknown."""
    value = _value(node, facts)
    return None if value is None else bool(value)


def trace(checked: Checked, facts: Facts) -> Trace:
    """Return the value of *checked* on prepared *facts*, and of each of its parts."""
    return _trace(checked.tree, facts)


def _value(node: Node, facts: Facts) -> Value:
    """Return the value of *node* on *facts*."""
    match node:
        case Constant():
            return _exact(node.type, node.number)
        case FactRead():
            number = facts[node.place]
            return None if number is None else _exact(node.type, number)
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


def _exact(type_: Type, number: int) -> Value:
    """Return the exact value that *number* of *type_* stands for: 500000 of percent is a half."""
    if type_.kind is Kind.FLAG:
        return bool(number)
    return Fraction(number, 10 ** _decimals(type_, type_.places))


def _number(node: Node, value: Value) -> bool | int | None:
    """Return *value* as a whole number in the scale of *node*."""
    if value is None or isinstance(value, bool):
        return value
    scale: int = 10 ** _decimals(node.type, node.places)
    # A result that is not whole would be a mistake of `check` about the scale of a product.
    number = Fraction(value) * scale
    assert number.denominator == 1, "a checked number is whole in its scale"
    return number.numerator
