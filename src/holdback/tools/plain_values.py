"""What a tool found as plain values, as `--format json` prints it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from attrs import fields, has

from holdback.exact.exact_json import Json

# A name that Python keeps for itself is written differently there.
_KEYS: Final = {"since": "from"}


def plain_values(record: Any, *names: str) -> dict[str, Json]:
    """
    Return the attributes *names* of *record*, or all that its class declares, as plain values.

    Dates are texts, and a part that has a method `plain` says itself what is shown of it.

    >>> from holdback.errors import ErrorDetail
    >>> plain_values(ErrorDetail(code="missing", message="missing field"), "code", "line")
    {'code': 'missing', 'line': None}
    """
    chosen = names or [field.name for field in fields(type(record))]
    return {_KEYS.get(name, name): _plain(getattr(record, name)) for name in chosen}


def _plain(value: Any) -> Json:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if has(type(value)):
        return value.plain() if hasattr(value, "plain") else plain_values(value)
    return value
