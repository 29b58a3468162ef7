"""Values as the files of a jurisdiction have them: with their units, in TOML on one line."""

from __future__ import annotations

from collections.abc import Mapping

from holdback.exact.exact_json import Json, write_json
from holdback.rules import Kind, Type


def value_of(type_: Type, number: int) -> Json:
    """
    Return *number* as a plain value with its unit.

    >>> value_of(Type(Kind.DAYS), 14), value_of(Type(Kind.COUNT), 3)
    ('14 days', 3)
    """
    if type_.kind in {Kind.MONEY, Kind.DAYS}:
        return type_.show(number)
    return type_.plain(number)


def written(type_: Type, number: int) -> str:
    """
    Return *number* as a file of rules has it: a date without quotes.

    >>> written(Type(Kind.DAYS), 14), written(Type(Kind.DATE), 739_798)
    ('"14 days"', '2026-07-01')
    """
    value = value_of(type_, number)
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
