"""Values with a unit in a jurisdiction's files, such as `"75%"`: read, written, and described."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from holdback.errors import write_instead
from holdback.exact.exact_json import Json, write_json
from holdback.jurisdictions.toml import Node
from holdback.rules import Kind, Type

# How a value of each kind looks in a file, for an editor: less than what the reader checks.
_WHOLE: Final[Json] = {"type": "integer", "minimum": 0, "maximum": 10**9}
PATTERNS: Final[Mapping[Kind, str]] = {
    Kind.MONEY: r"^[A-Z]{3} [0-9]+(\.[0-9]+)?$",
    Kind.PERCENT: r"^[0-9]+(\.[0-9]{1,4})?%$",
    Kind.RATIO: r"^[0-9]+(\.[0-9]{1,6})?$",
    Kind.DAYS: "^[0-9]+ days?$",
}


def quantity_schema(type_: Type, whole: Json = _WHOLE) -> dict[str, Any]:
    """
    Return the JSON Schema of a value of *type_*; *whole* is that of a whole number.

    >>> quantity_schema(Type(Kind.DATE))
    {'type': 'string', 'format': 'date'}
    """
    match type_.kind:
        case Kind.FLAG:
            return {"type": "boolean"}
        case Kind.TEXT:
            return {"type": "string", "enum": list(type_.options)}
        case Kind.DATE:
            return {"type": "string", "format": "date"}
        case Kind.COUNT:
            return dict(whole) if isinstance(whole, Mapping) else {}
    text = {"type": "string", "minLength": 1, "pattern": PATTERNS[type_.kind]}
    bare = {Kind.DAYS: whole, Kind.RATIO: {"type": "number"}}.get(type_.kind)
    return text if bare is None else {"anyOf": [text, bare]}


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
    lacking = type_.lacks_unit(node.value)
    if lacking:
        hint = write_instead(type_.readings(str(node.value)))
        node.add_error("wrong_value", f"expected {type_} in quotes, with its unit", hint)
    return lacking


def value_with_unit(type_: Type, number: int) -> Json:
    """
    Return *number* as a plain value with its unit.

    >>> value_with_unit(Type(Kind.DAYS), 14), value_with_unit(Type(Kind.COUNT), 3)
    ('14 days', 3)
    """
    if type_.kind in {Kind.MONEY, Kind.DAYS}:
        return type_.show(number)
    return type_.plain(number)


def toml_value(type_: Type, number: int) -> str:
    """
    Return *number* as a file of rules has it: a date without quotes.

    >>> toml_value(Type(Kind.DAYS), 14), toml_value(Type(Kind.DATE), 739_798)
    ('"14 days"', '2026-07-01')
    """
    value = value_with_unit(type_, number)
    return str(value) if type_.kind is Kind.DATE else toml_text(value)


def toml_text(value: Json) -> str:
    """
    Return *value* as TOML on one line.

    >>> toml_text({"codes": ["A"], "paused": True})
    '{ codes = ["A"], paused = true }'
    """
    match value:
        case Mapping():
            inside = ", ".join(f"{name} = {toml_text(item)}" for name, item in value.items())
            return f"{{ {inside} }}"
        case bool():
            return "true" if value else "false"
        case str():
            return write_json(value)
        case list() | tuple():
            return f"[{', '.join(map(toml_text, value))}]"
        case _:
            return str(value)
