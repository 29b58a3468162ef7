"""How a failed expectation is told: what was expected and what happened instead, nothing personal.

A field that is not shown in a `repr` is personal or long, and is not shown here either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Final

import attrs

from holdback.errors import HoldbackError, InvalidDocument, Refusal, did_you_mean
from holdback.exact_json import Json, Verbatim
from holdback.lifecycle.events import Event, event_type
from holdback.money import Money
from holdback.wire import write_timestamp

# What is personal to a merchant: it may be compared, and is never shown.
PERSONAL: Final = frozenset(
    {
        "account_number",
        "account_type",
        "applicants",
        "bank_details",
        "bank_name",
        "company",
        "consents",
        "evidence",
        "facts",
        "filled",
        "intended_use_of_funds",
        "links",
        "sort_code",
    }
)
_LONGEST_TEXT: Final = 80
_MOST_ITEMS: Final = 3
# A deal within an event is shown with its fields, an offer within its product by its name.
_DEPTH: Final = 2
_ABSENT: Final = object()


def shown(value: object, depth: int = _DEPTH) -> str:
    """
    *value* in short.

    >>> from holdback import BankDetails, Money, Takings
    >>> shown(Takings(on=date(2026, 7, 1), amount=Money.parse("GBP 12.00")))
    'Takings(on=2026-07-01, amount=GBP 12.00)'
    >>> shown(BankDetails(account_number="12345678"))
    'BankDetails()'
    """
    if isinstance(value, datetime):
        return write_timestamp(value)
    if isinstance(value, Money | Decimal | date):
        return str(value)
    if isinstance(value, str):
        short = value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}..."
        return str(short) if isinstance(value, Verbatim) else repr(short)
    if isinstance(value, Mapping):
        return "{...}" if value else "{}"
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        more = len(value) - _MOST_ITEMS
        items = [shown(each, depth - 1) for each in value[:_MOST_ITEMS]]
        return f"[{', '.join([*items, f'and {more} more'] if more > 0 else items)}]"
    if attrs.has(type(value)):
        fields = "..." if depth < 1 else ", ".join(_fields(value, depth - 1))
        return f"{type(value).__name__}({fields})"
    return repr(value)


def _fields(value: Any, depth: int) -> Iterator[str]:
    for each in attrs.fields(type(value)):
        if each.repr and each.name not in PERSONAL:
            yield f"{each.name}={shown(getattr(value, each.name), depth)}"


def told_events(events: Iterable[Event]) -> list[str]:
    """Lines for *events*, each with its fields under it."""
    lines = []
    for event in events:
        lines.append(f"  {event_type(event)}")
        lines += [f"    {field}" for field in _fields(event, _DEPTH)]
    return lines or ["  no event"]


def told_error(error: HoldbackError) -> list[str]:
    """Lines for a refusal with its code and its sentence, or for every fault of an invalid document."""
    if isinstance(error, Refusal):
        lines = [f"  refused: {error.code} ({error.status}): {error.detail}"]
        return lines + [f"    {fault}" for fault in error.errors]
    assert isinstance(error, InvalidDocument), "an operation raises nothing else on purpose"
    return ["  invalid:", *(f"    {fault}" for fault in error.errors)]


def differences(expected: Json, actual: Json, path: str = "$") -> Iterator[str]:
    """
    Where *actual* is not what was *expected*, with its path. An object may have more fields than expected, a
    list has as many items; numbers are compared by what they say.

    >>> list(differences({"balance": 12}, {"balance": Decimal("12.00"), "id": "d-1"}))
    []
    >>> list(differences({"balence": 12}, {"balance": 12}))
    ['$.balence: there is no such field; did you mean `balance`?']
    """
    if isinstance(expected, float):
        raise TypeError(f"{path}: a float is not exact; expect an int, a Decimal, or JSON text")
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for name, item in expected.items():
            if name in actual:
                yield from differences(item, actual[name], f"{path}.{name}")
            else:
                hint = did_you_mean(str(name), actual) or f"there are {', '.join(actual)}"
                told = "there is no such field"
                yield f"{path}.{name}: {told}" + ("" if _personal(path) else f"; {hint}")
    elif _listed(expected) and _listed(actual):
        pairs = zip_longest(expected, actual, fillvalue=_ABSENT)
        for place, (item, found) in enumerate(pairs):
            if item is _ABSENT:
                yield f"{path}[{place}]: not expected"
            elif found is _ABSENT:
                yield f"{path}[{place}]: there is no such item"
            else:
                yield from differences(item, found, f"{path}[{place}]")
    elif not _same(expected, actual):
        told = f"expected {shown(expected)}, not {shown(actual)}"
        yield f"{path}: {'differs, and is personal' if _personal(path) else told}"


def _personal(path: str) -> bool:
    return not PERSONAL.isdisjoint(path.replace("[", ".").split("."))


def _listed(value: Json) -> bool:
    return isinstance(value, list | tuple)


def _number(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | Verbatim):
        return None
    return Decimal(value)


def _same(expected: Json, actual: Json) -> bool:
    number = _number(expected)
    if number is not None:
        return number == _number(actual)
    return type(expected) is type(actual) and bool(expected == actual)
