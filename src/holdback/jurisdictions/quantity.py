"""Values with a unit in a jurisdiction's files, such as `"75%"` and `"GBP 5000.00"`."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Final

from holdback.exact_numbers import scaled, trimmed
from holdback.rules import Kind, Type
from holdback.toml import MAX_DIGITS, Node

_BARE_NUMBER: Final = r"-?[0-9]+(\.[0-9]+)?"
# A longer number is not repeated in a hint.
_MAX_REPEATED: Final = 14


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
    return node.converted(type_.read)


def lacks_unit(node: Node, type_: Type) -> bool:
    """Return whether *node* is a percentage or money without its unit, and add an error if so."""
    hint = _unit_hint(node.value, type_)
    if hint is not None:
        node.add_error("wrong_value", f"expected {type_} in quotes, with its unit", hint)
    return hint is not None


def _unit_hint(value: object, type_: Type) -> str | None:
    """Return what to write instead of a number whose unit is missing; None when none is."""
    if type(value) not in (int, Decimal, str):
        return None
    number = str(value)
    if not re.fullmatch(_BARE_NUMBER, number):
        return None
    if type_.kind is Kind.PERCENT:
        if len(number) > _MAX_REPEATED:
            return 'as `"12.5%"`'
        # 0.7 may mean 70% or 0.7%. Both are offered: guessing could be wrong a hundredfold.
        is_fraction = abs(Decimal(number)) <= 1
        whole = f' or `"{trimmed(scaled(Decimal(number), 12), 10)}%"`' if is_fraction else ""
        return f'write `"{number}%"`{whole}'
    if type_.kind is not Kind.MONEY:
        return None
    return f'write `"{type_.currency} {number[:MAX_DIGITS]}"`'
