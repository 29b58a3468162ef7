"""Readers of single values, and of objects with named fields, that put every fault on one list.

A reader takes a value, its JSON path and the list of faults; it gives what it read, or None after a
fault. Numbers are `Verbatim`, as `read_json` leaves them. No message holds a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeAlias

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact_json import Json, Opaque, Verbatim
from holdback.model.validators import TOO_MUCH
from holdback.money import Currency, Money
from holdback.wire.strict_json import field_path, is_number, read_json, read_tree
from holdback.wire.timestamps import DAY_EXPECTED, calendar_day

Faults: TypeAlias = list[ErrorDetail]
Reader: TypeAlias = Callable[[Json, str, Faults], Any]

# Lengths in characters: an identifier of a partner or of a host, and a free text.
ID_LENGTH: Final = 200
FREE_TEXT_LENGTH: Final = 1_000

# One call carries at most so many entries or days of takings: a busy quarter and more.
MOST_ENTRIES: Final = 1_000

# Looking for near names costs time: a document of nothing but unknown fields gets a few hints.
_MOST_HINTS: Final = 20

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROLS_BUT_LINES: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def read_document(body: bytes | str | Mapping[str, Json]) -> Json:
    """The tree of *body*: JSON text, or a mapping that was parsed already."""
    return read_tree(body) if isinstance(body, Mapping) else read_json(body)


def checked(faults: Faults) -> None:
    """Raise `InvalidDocument` with *faults*, if there are any."""
    if faults:
        raise InvalidDocument(faults)


def kind_of(value: Json) -> str:
    """What *value* is, in the words of JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a flag"
    if isinstance(value, Verbatim | int | Decimal):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "an object" if isinstance(value, Mapping) else "an array"


def wrong_kind(value: Json, expected: str, path: str, faults: Faults) -> None:
    """Add the fault that *value* is not what was *expected*."""
    hint = "leave the field out" if value is None else None
    faults.append(
        ErrorDetail(message=f"expected {expected}, not {kind_of(value)}", path=path, hint=hint)
    )


def missing(path: str, why: str = "the field is missing") -> ErrorDetail:
    """The fault that a required field is not there."""
    return ErrorDetail(message=why, path=path)


def read_object(
    value: Json,
    path: str,
    faults: Faults,
    fields: Mapping[str, Reader],
    required: Iterable[str] = (),
) -> dict[str, Any]:
    """
    The *fields* of an object, each read by its reader; every other field is a fault.

    What is absent is absent from the answer too; after a fault in a field its value is None.
    """
    if type(value) is not dict:
        wrong_kind(value, "an object", path, faults)
        return {}
    read = {}
    for name, item in value.items():
        reader = fields.get(name)
        if reader is None:
            hint = did_you_mean(name, fields) if len(faults) < _MOST_HINTS else None
            faults.append(
                ErrorDetail(message="unknown field", path=field_path(path, name), hint=hint)
            )
        else:
            read[name] = reader(item, f"{path}.{name}", faults)
    for name in required:
        if name not in value:
            faults.append(missing(f"{path}.{name}"))
    return read


def object_of(fields: Mapping[str, Reader], required: Iterable[str] = ()) -> Reader:
    """A reader of an object with *fields*."""
    required = tuple(required)

    def read(value: Json, path: str, faults: Faults) -> dict[str, Any]:
        return read_object(value, path, faults, fields, required)

    return read


def text_of(longest: int, *, lines: bool = False) -> Reader:
    """A reader of text, not empty, of at most *longest* characters; *lines* allows line breaks."""
    controls = _CONTROLS_BUT_LINES if lines else _CONTROLS

    def read(value: Json, path: str, faults: Faults) -> str | None:
        if type(value) is not str:
            wrong_kind(value, "text", path, faults)
            return None
        if 0 < len(value) <= longest and value.isprintable() and not value.isspace():
            return value
        message = None
        if len(value) > longest:
            message = f"expected at most {longest} characters"
        elif not value or value.isspace():
            message = "expected text that is not empty"
        elif controls.search(value):
            message = "expected text without control characters"
        if message is not None:
            faults.append(ErrorDetail(message=message, path=path))
        return value

    return read


identifier: Final = text_of(ID_LENGTH)
free_text: Final = text_of(FREE_TEXT_LENGTH, lines=True)


def or_null(reader: Reader) -> Reader:
    """A reader of what *reader* reads, or of null."""

    def read(value: Json, path: str, faults: Faults) -> Any:
        return None if value is None else reader(value, path, faults)

    return read


def one_of(words: Iterable[str]) -> Reader:
    """A reader of one of a few *words*."""
    words = tuple(words)
    expected = "expected " + " or ".join(f"`{word}`" for word in words)

    def read(value: Json, path: str, faults: Faults) -> str | None:
        if type(value) is str and value in words:
            return value
        hint = did_you_mean(value, words) if type(value) is str else None
        faults.append(ErrorDetail(message=expected, path=path, hint=hint))
        return None

    return read


def flag(value: Json, path: str, faults: Faults) -> bool | None:
    """Read true or false."""
    if type(value) is bool:
        return value
    wrong_kind(value, "true or false", path, faults)
    return None


def day(value: Json, path: str, faults: Faults) -> date | None:
    """Read a day, `YYYY-MM-DD`."""
    try:
        return calendar_day(value if type(value) is str else None)
    except ValueError:
        faults.append(ErrorDetail(message=DAY_EXPECTED, path=path))
        return None


def amount_in(currency: Currency) -> Reader:
    """A reader of an amount of *currency* that is not negative: a number, or text."""
    example = Money(1250 * 10**currency.places // 100, currency).amount
    expected = f"expected an amount such as `{example}`"

    def read(value: Json, path: str, faults: Faults) -> Money | None:
        digits = value if isinstance(value, str) else None
        if type(value) is str:
            digits = value.removeprefix(f"{currency} ")
        if digits is None or not is_number(digits):
            faults.append(ErrorDetail(message=expected, path=path))
            return None
        money = None
        try:
            money = Money.of(Decimal(digits), currency)
        except ValueError:
            message = f"{currency} amounts have at most {currency.places} decimals"
            faults.append(ErrorDetail(message=message, path=path))
        if money is not None and money.minor < 0:
            faults.append(ErrorDetail(message="expected an amount that is not negative", path=path))
        elif money is not None and money.minor >= TOO_MUCH:
            faults.append(ErrorDetail(message="the amount is too large", path=path))
        return money

    return read


def list_of(reader: Reader, *, most: int = MOST_ENTRIES) -> Reader:
    """A reader of an array of at most *most* items that *reader* reads."""

    def read(value: Json, path: str, faults: Faults) -> tuple[Any, ...]:
        if type(value) is not list:
            wrong_kind(value, "an array", path, faults)
            return ()
        if len(value) > most:
            faults.append(ErrorDetail(message=f"expected at most {most} items", path=path))
            return ()
        return tuple(reader(item, f"{path}[{place}]", faults) for place, item in enumerate(value))

    return read


def closed_object(value: Json, path: str, faults: Faults) -> Opaque | None:
    """Keep an object closed."""
    if type(value) is dict:
        return Opaque.of(value)
    wrong_kind(value, "an object", path, faults)
    return None


def closed_objects(value: Json, path: str, faults: Faults) -> Opaque | None:
    """Keep an array of objects closed; it has at least one."""
    if type(value) is not list:
        wrong_kind(value, "an array of objects", path, faults)
        return None
    if not value:
        faults.append(ErrorDetail(message="expected at least one object", path=path))
    for place, item in enumerate(value):
        if type(item) is not dict:
            wrong_kind(item, "an object", f"{path}[{place}]", faults)
    return Opaque.of(value)


def number(text: Verbatim) -> int | Decimal:
    """The number written as *text*: a whole one when it has neither point nor exponent."""
    # Minus nought stays one: as an `int` it would be written otherwise.
    return int(text) if text.lstrip("-").isdigit() and text != "-0" else Decimal(text)
