"""Values with a unit in a jurisdiction's files, such as `"75%"` and `"GBP 5000.00"`."""

from __future__ import annotations

from datetime import date

from holdback.jurisdictions.toml import Node
from holdback.rules import Kind, Type
from holdback.rules.right_text import right_text, unit_hint


def read_quantity(node: Node, type_: Type) -> int | None:
    """Return the value of *node* as the scaled integer of *type_*; None when absent or invalid."""
    if node.absent or node.is_blank() or lacks_unit(node, type_):
        return None
    if isinstance(node.value, date) and type_.kind is not Kind.DATE:
        node.add_type_error(str(type_))
        return None
    if type_.kind is Kind.DATE:
        day = node.day()
        return None if day is None else day.toordinal()
    return node.converted(type_.read, lambda value: right_text(value, type_))


def lacks_unit(node: Node, type_: Type) -> bool:
    """Return whether *node* is a percentage or money without its unit, and add an error if so."""
    hint = unit_hint(node.value, type_)
    if hint is not None:
        node.add_error("wrong_value", f"expected {type_} in quotes, with its unit", hint)
    return hint is not None
