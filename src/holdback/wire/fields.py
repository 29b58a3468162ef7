"""Readers of single values and of objects with named fields.

A reader takes a value, its JSON path and a list of errors. It returns what it read, or adds to the
list and returns None. Numbers are `Verbatim`, as `read_json` leaves them. No message holds a value,
because a value may be personal data.

Types are compared with `type(value) is str`: `Verbatim` is a `str` and `bool` an `int`, so
`isinstance` would accept a number for a text, and a flag for a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final, TypeAlias

from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact.bounds import TOO_MUCH
from holdback.exact.exact_json import Json, Opaque, Verbatim, field_path
from holdback.exact.money import MINOR_UNITS, Currency, Money
from holdback.exact.written_numbers import readings
from holdback.merchant import instants as timestamps
from holdback.merchant.instants import DAY_EXPECTED, INSTANT_EXPECTED, calendar_day
from holdback.wire.strict_json import checked_tree, is_number, tree_and_errors


class Errors(list[ErrorDetail]):
    """
    The errors of one document.

    `refused` are the paths of values that are not exact JSON, such as NaN. Any other error of
    such a value follows from that, and is left out.
    """

    refused: frozenset[str | None] = frozenset()


Reader: TypeAlias = Callable[[Json, str, Errors], Any]

# Lengths in characters: an identifier of a partner or of a host, and a free text. The sample host's
# `schemas.json` has them as well.
ID_LENGTH: Final = 200
FREE_TEXT_LENGTH: Final = 1_000

# Entries or days of takings in one call: more than a busy quarter has.
MOST_ENTRIES: Final = 1_000

# Finding a similar name takes time, so a document full of unknown fields gets only a few hints.
_MOST_HINTS: Final = 20

# Compiled when first used: text that is not printable is rare, and so are errors.
_CONTROLS: Final = "[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_CONTROLS_BUT_LINES: Final = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"
# The first field of a path, and the place of the item in it.
_TOP_FIELD: Final = r"\$\.([^.\[]+)(?:\[([0-9]+)\])?"


def read_document(body: bytes | str | Mapping[str, Json], errors: Errors) -> Json:
    """
    Return the tree of *body*, which is JSON text or a parsed mapping; add the errors of its values.

    `errors.refused` then names the values that are not exact JSON, whose other errors follow.

    Raises:
        InvalidDocument: *body* is not JSON.
    """
    tree, wrong = checked_tree(body) if isinstance(body, Mapping) else tree_and_errors(body)
    errors += wrong
    # A field that is written twice has a value, which can have errors of its own.
    errors.refused = frozenset(error.path for error in wrong if error.code != "duplicate")
    return tree


def raise_if_any(errors: Errors, tree: Json) -> None:
    """Raise `InvalidDocument` if there are *errors*, in the order of the document *tree*."""
    if not errors:
        return
    # The errors of values that are not exact JSON come first.
    reported = set[str | None]()
    independent = list[ErrorDetail]()
    for error in errors:
        if error.path not in errors.refused or error.path not in reported:
            independent.append(error)
        reported.add(error.path)
    places = {name: place for place, name in enumerate(tree if isinstance(tree, dict) else ())}

    def place(error: ErrorDetail) -> tuple[int, int]:
        match = re.match(_TOP_FIELD, error.path or "")
        if match is None:
            return len(places), 0
        return places.get(match[1], len(places)), int(match[2] or 0)

    raise InvalidDocument(sorted(independent, key=place))


def add_error(code: str, message: str, path: str, errors: Errors, hint: str | None = None) -> None:
    """Add an error of the value at *path*."""
    errors.append(ErrorDetail(code=code, message=message, path=path, hint=hint))


def kind_of(value: Json) -> str:
    """Return the JSON type of *value* in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a flag"
    if isinstance(value, Verbatim | int | Decimal):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "an object" if isinstance(value, Mapping) else "an array"


def add_type_error(value: Json, expected: str, path: str, errors: Errors) -> None:
    """Add the error that *value* is not of the type *expected*."""
    hint = "leave the field out" if value is None else None
    add_error("wrong_type", f"expected {expected}, not {kind_of(value)}", path, errors, hint)


def missing_field(path: str, why: str = "the field is missing") -> ErrorDetail:
    """The error that a required field is missing."""
    return ErrorDetail(code="missing", message=why, path=path)


def read_object(
    value: Json,
    path: str,
    errors: Errors,
    fields: Mapping[str, Reader],
    required: Iterable[str] = (),
) -> dict[str, Any]:
    """
    Return the *fields* of an object, each read by its reader; any other field is an error.

    Absent fields are absent from the result. A field that cannot be read is None in it.
    """
    if type(value) is not dict:
        add_type_error(value, "an object", path, errors)
        return {}
    read = {}
    for name, item in value.items():
        reader = fields.get(name)
        if reader is None:
            hint = did_you_mean(name, fields) if len(errors) < _MOST_HINTS else None
            add_error("unknown_field", "unknown field", field_path(path, name), errors, hint)
        else:
            read[name] = reader(item, f"{path}.{name}", errors)
    for name in required:
        if name not in value:
            errors.append(missing_field(f"{path}.{name}"))
    return read


def object_of(fields: Mapping[str, Reader], required: Iterable[str] = ()) -> Reader:
    """Return a reader of objects with *fields*."""
    required = tuple(required)

    def read(value: Json, path: str, errors: Errors) -> dict[str, Any]:
        return read_object(value, path, errors, fields, required)

    return read


def text_of(longest: int, *, lines: bool = False) -> Reader:
    """
    Return a reader of non-empty text up to *longest* characters, without control characters.

    *lines* allows line breaks and tabs.
    """
    controls = _CONTROLS_BUT_LINES if lines else _CONTROLS

    def read(value: Json, path: str, errors: Errors) -> str | None:
        if type(value) is not str:
            add_type_error(value, "text", path, errors)
            return None
        # Most text is printable, which is quick to see. What is not may still be valid.
        if 0 < len(value) <= longest and value.isprintable() and not value.isspace():
            return value
        code = message = None
        if len(value) > longest:
            code, message = "too_large", f"expected at most {longest} characters"
        elif not value or value.isspace():
            code, message = "missing", "expected text that is not empty"
        elif re.search(controls, value):
            code, message = "wrong_value", "expected text without control characters"
        if code is None or message is None:
            return value
        add_error(code, message, path, errors)
        return None

    return read


identifier: Final = text_of(ID_LENGTH)
free_text: Final = text_of(FREE_TEXT_LENGTH, lines=True)


def _code_of_text(value: Json) -> str:
    """Return the code for *value*, which is not one of the texts that were expected."""
    return "wrong_value" if type(value) is str else "wrong_type"


def or_null(reader: Reader) -> Reader:
    """Return a reader of null and of what *reader* reads."""

    def read(value: Json, path: str, errors: Errors) -> Any:
        return None if value is None else reader(value, path, errors)

    return read


def one_of(words: Iterable[str], named: Iterable[str] = ()) -> Reader:
    """Return a reader of a closed vocabulary; errors list *named*, by default all of *words*."""
    words = tuple(words)
    expected = "expected " + " or ".join(f"`{word}`" for word in tuple(named) or words)

    def read(value: Json, path: str, errors: Errors) -> str | None:
        if type(value) is str and value in words:
            return value
        hint = did_you_mean(value, words) if type(value) is str else None
        errors.append(
            ErrorDetail(code=_code_of_text(value), message=expected, path=path, hint=hint)
        )
        return None

    return read


def flag(value: Json, path: str, errors: Errors) -> bool | None:
    """Read true or false."""
    if type(value) is bool:
        return value
    add_type_error(value, "true or false", path, errors)
    return None


def day(value: Json, path: str, errors: Errors) -> date | None:
    """Read a day, `YYYY-MM-DD`."""
    try:
        return calendar_day(value if type(value) is str else None)
    except ValueError:
        add_error(_code_of_text(value), DAY_EXPECTED, path, errors)
        return None


def instant(value: Json, path: str, errors: Errors) -> DateTime | None:
    """Read an instant, an RFC 3339 timestamp."""
    try:
        return timestamps.instant(value if type(value) is str else None)
    except ValueError:
        add_error(_code_of_text(value), INSTANT_EXPECTED, path, errors)
        return None


def amount_in(currency: Currency, *, signed: bool = False) -> Reader:
    """
    Return a reader of amounts of *currency*, as a number or as text.

    Those that are *signed* may be below zero. A text that a person may have written for another
    amount is refused (decisions/rule-language#numbers-as-people-write-them).
    """
    example = Money(1250 * 10**currency.places // 100, currency).amount
    expected = f"expected an amount such as `{example}`"

    def read(value: Json, path: str, errors: Errors) -> Money | None:
        text = value if isinstance(value, str) else ""
        code, space, digits = text.partition(" ")
        if not space:
            code, digits = currency.code, text
        if code in MINOR_UNITS and code != currency.code:
            add_error("wrong_currency", f"{expected}, in {currency}", path, errors)
            return None
        is_text = type(value) is str
        if code != currency.code or not is_number(digits) or (is_text and "e" in digits.lower()):
            plain = f"{expected}: a point before decimals, nothing between thousands"
            add_error(_code_of_text(value), plain if is_text else expected, path, errors)
            return None
        if is_text and len(readings(digits, currency.places)) > 1:
            twice = f"{expected}: the point in it may be before decimals or between thousands"
            add_error("wrong_value", twice, path, errors)
            return None
        try:
            money = Money.of(Decimal(digits), currency)
        except ValueError:
            message = f"{currency} amounts have at most {currency.places} decimals"
            add_error("not_exact", message, path, errors)
            return None
        if (0 if not signed else 1 - TOO_MUCH) <= money.minor < TOO_MUCH:
            return money
        message = "expected an amount that is not negative"
        if signed or money.minor > 0:
            message = "the amount is too large"
        add_error("out_of_range", message, path, errors)
        return None

    return read


def list_of(reader: Reader, *, most: int = MOST_ENTRIES) -> Reader:
    """Return a reader of arrays of at most *most* items, each read by *reader*."""

    def read(value: Json, path: str, errors: Errors) -> tuple[Any, ...]:
        if type(value) is not list:
            add_type_error(value, "an array", path, errors)
            return ()
        if len(value) > most:
            add_error("too_large", f"expected at most {most} items", path, errors)
            return ()
        return tuple(reader(item, f"{path}[{place}]", errors) for place, item in enumerate(value))

    return read


def opaque_object(value: Json, path: str, errors: Errors) -> Opaque | None:
    """Read an object as an opaque document: its content is stored and never interpreted."""
    if type(value) is dict:
        return Opaque.of(value)
    add_type_error(value, "an object", path, errors)
    return None


def opaque_objects(value: Json, path: str, errors: Errors) -> Opaque | None:
    """Read an array of at least one object as an opaque document."""
    if type(value) is not list:
        add_type_error(value, "an array of objects", path, errors)
        return None
    if not value:
        add_error("missing", "expected at least one object", path, errors)
    for place, item in enumerate(value):
        if type(item) is not dict:
            add_type_error(item, "an object", f"{path}[{place}]", errors)
    return Opaque.of(value)


def number(text: Verbatim) -> int | Decimal:
    """Return the number written as *text*: an `int` if it has neither point nor exponent."""
    # -0 stays a `Decimal`: an `int` would lose the sign, and the same bytes could not be written.
    return int(text) if text.lstrip("-").isdigit() and text != "-0" else Decimal(text)


def whole_number(value: Json, path: str, errors: Errors) -> int | None:
    """Read a whole number."""
    if type(value) is Verbatim and type(made := number(value)) is int:
        return made
    add_error(_code_of_text(value), "expected a whole number", path, errors)
    return None


def exact_number(value: Json, path: str, errors: Errors) -> Decimal | None:
    """Read a number as an exact `Decimal`."""
    if type(value) is Verbatim:
        return Decimal(value)
    add_error(_code_of_text(value), "expected a number such as 12.5", path, errors)
    return None


def exact_facts(value: Json, path: str, errors: Errors) -> dict[str, Json]:
    """Read facts by name as exact values: text, flags, null, `int`, `Decimal`."""
    facts: dict[str, Json] = {}
    if type(value) is not dict:
        add_type_error(value, "an object", path, errors)
        return facts
    for name, item in value.items():
        if isinstance(item, dict | list):
            add_type_error(item, "one value", field_path(path, name), errors)
        else:
            facts[name] = number(item) if isinstance(item, Verbatim) else item
    return facts


def texts_by_name(value: Json, path: str, errors: Errors) -> dict[str, str]:
    """Read an object of free texts."""
    if type(value) is not dict:
        add_type_error(value, "an object", path, errors)
        return {}
    read = {name: free_text(item, field_path(path, name), errors) for name, item in value.items()}
    return {name: item for name, item in read.items() if item is not None}


def flags_by_name(value: Json, path: str, errors: Errors) -> dict[str, bool]:
    """Read an object of true and false, at least one."""
    if type(value) is not dict:
        add_type_error(value, "an object", path, errors)
        return {}
    if not value:
        add_error("missing", "expected at least one name", path, errors)
    read = {name: flag(item, field_path(path, name), errors) for name, item in value.items()}
    return {name: item for name, item in read.items() if item is not None}
