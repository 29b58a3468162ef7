"""The documents that a host stores: a merchant's state, its profile and its events, as JSON.

Each carries a `format` and is readable for ever (decisions/wire). Each ends with a checksum of
the text before it. A document whose text is unchanged is read fast; any other is read with care,
and accepted only if it still says what was written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_args, get_origin

import attrs
from attrs import evolve
from cattrs import Converter

from holdback.errors import ErrorDetail, StateError, did_you_mean
from holdback.exact.exact_json import Json, Opaque, Verbatim, field_path, write_json, write_plain
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.lifecycle.events import EVENT_TYPES, Event, event_type
from holdback.lifecycle.operation import Outcome
from holdback.merchant.consistency import merchant_errors
from holdback.merchant.deal import Deal
from holdback.merchant.instants import calendar_day
from holdback.merchant.ledger import Entry
from holdback.merchant.merchant import Merchant, Takings
from holdback.merchant.profile import SALT_BYTES, Profile
from holdback.merchant.rows import BETWEEN_ROWS, Rows
from holdback.wire import formats
from holdback.wire.converter import (
    ADDED_FIELDS,
    Structure,
    UnexpectedError,
    class_hook,
    event_converter,
    exact_decimal,
    make_converter,
    structured,
    unstructure_fn,
    with_python_numbers,
)
from holdback.wire.fields import kind_of
from holdback.wire.formats import DocumentKind, fields_of, format_in, tree_of
from holdback.wire.strict_json import STATE_DEPTH, STATE_LIMIT, nested_deeper, read_json

_T = TypeVar("_T")
_CHECKSUM: Final = b',"checksum":"'
_CHECKSUM_DIGITS: Final = 16


def _with_checksum(
    fields: dict[str, Any], write: Callable[[dict[str, Any]], str] = write_json
) -> bytes:
    """
    Return *fields* as JSON that ends with the checksum of the text before it.

    INVARIANT: what is written can be read again. What cannot is refused before anybody stores it.
    """
    # Of a profile that a partner has filled, each copy takes a millisecond.
    text = memoryview(write(fields).encode())[:-1]
    body = b"".join((text, _CHECKSUM, _checksum(text).encode(), b'"}'))
    if len(body) > STATE_LIMIT:
        raise _unreadable(f"it has {len(body)} bytes, and {STATE_LIMIT} can be read")
    return body


def _unreadable(why: str) -> StateError:
    message = f"the document could not be read again: {why}"
    hint = "store nothing of this operation: the merchant stays as it is stored"
    return StateError.of("too_large", message, path="$", hint=hint)


def _checksum(text: bytes | memoryview) -> str:
    return hashlib.sha256(text).hexdigest()[:_CHECKSUM_DIGITS]


def _is_unchanged(body: bytes) -> bool:
    """Return whether the text of *body* is as it was written."""
    text, mark, rest = body.rpartition(_CHECKSUM)
    return bool(mark) and rest == _checksum(text).encode() + b'"}'


def write_merchant(merchant: Merchant) -> bytes:
    """
    Return the state of *merchant* as JSON; the same merchant always gives the same bytes.

    Raises:
        StateError: it is larger than can be read again.

    >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    >>> write_merchant(merchant)[:40]
    b'{"format":1,"partner":"acme","merchant_i'
    >>> read_merchant(write_merchant(merchant)) == merchant
    True
    """
    return _with_checksum(
        {"format": formats.FORMAT, **state_converter(unchanged=True).unstructure(merchant)},
        state_text,
    )


def read_merchant(body: bytes) -> Merchant:
    """
    Return the merchant that *body* holds.

    Raises:
        StateError: *body* is not what `write_merchant` returns; every error is named.
    """
    decode = partial(state_fields, _AS_WRITTEN.decode)
    return _read(body, "state", _merchant, write_merchant, decode)


def _merchant(fields: dict[str, Any], *, unchanged: bool) -> Merchant:
    # Of an unchanged document nothing has to be named.
    if unchanged:
        merchant = state_converter(unchanged=True).structure(fields, Merchant)
    else:
        merchant = structured(state_converter(unchanged=False), fields, Merchant)
    errors = merchant_errors(merchant, rows=not unchanged)
    if errors:
        raise StateError(errors)
    return merchant


def write_profile(profile: Profile) -> bytes:
    """
    Return *profile* as JSON; the same profile always gives the same bytes.

    Raises:
        StateError: it is larger than can be read again, or nested more deeply.
    """
    sections = {digest: profile.sections[digest] for digest in sorted(profile.sections)}
    salt = None if profile.salt is None else profile.salt.hex()
    # Only a host that makes sections itself can nest them so.
    if any(nested_deeper(sections[digest].text, STATE_DEPTH - 2) for digest in sections):
        raise _unreadable(f"brackets are nested more than {STATE_DEPTH} deep")
    return _with_checksum({"format": formats.FORMAT, "salt": salt, "sections": sections})


def read_profile(body: bytes) -> Profile:
    """
    Return the profile that *body* holds.

    Raises:
        StateError: *body* is not what `write_profile` returns. No message holds personal data.
    """
    # The strict reader, because a section keeps its numbers as they were spelled.
    tree = tree_of(body)
    if not _is_unchanged(body):
        return _verified(tree, "profile", _profile, write_profile)
    fields = fields_of(tree, "profile")
    fields.pop("checksum", None)
    return _profile(fields, unchanged=True)


def _profile(fields: dict[str, Any], *, unchanged: bool) -> Profile:  # noqa: ARG001 - as `_merchant`
    errors = [
        ErrorDetail(code="unknown_field", message="unknown field", path=field_path("$", name))
        for name in fields
        if name not in {"salt", "sections"}
    ]
    salt, sections = fields.get("salt"), fields.get("sections")
    profile = Profile(salt=None)
    try:
        profile = Profile(salt=None if salt is None else bytes.fromhex(_text(salt)))
    except ValueError:
        message = f"expected a salt of at least {SALT_BYTES} bytes in hexadecimal digits, or null"
        errors.append(ErrorDetail(code="wrong_value", message=message, path="$.salt"))
    if not isinstance(sections, dict):
        message = f"expected an object, not {kind_of(sections)}"
        errors.append(ErrorDetail(code="wrong_type", message=message, path="$.sections"))
    if errors or not isinstance(sections, dict):
        raise StateError(errors)
    for digest, content in sections.items():
        if profile.is_erased or profile.digest(content) != digest:
            message = "a section is not the one that its digest names"
            raise StateError.of("contradiction", message, path="$.sections[*]")
    return evolve(profile, sections={n: Opaque.of(content) for n, content in sections.items()})


def _text(value: Json) -> str:
    if type(value) is not str:
        raise ValueError("expected text")
    return value


def write_event(event: Event) -> bytes:
    """Return *event* as JSON; the same event always gives the same bytes."""
    return _with_checksum(_event_fields(event), write_plain)


def read_event(body: bytes | str) -> Event:
    """
    Return the event that *body* holds.

    Raises:
        StateError: *body* is not what `write_event` returns; every error is named.
    """
    return _read(body, "event", _event, write_event)


def event_to_dict(event: Event) -> dict[str, Json]:
    """
    Return *event* as plain values: `type`, `format`, `at`, its other fields, and the checksum.

    Numbers are `int` and `Decimal`, or `Verbatim` if these would be written differently.
    """
    checksum = _checksum(write_json(_event_fields(event)).encode()[:-1])
    fields = {name: _unpack_opaque(value) for name, value in _event_fields(event).items()}
    return {**fields, "checksum": checksum}


def event_from_dict(fields: Mapping[str, Json]) -> Event:
    """
    Return the event that *fields* hold.

    Raises:
        StateError: *fields* are not what `event_to_dict` returns; every error is named.
    """
    return _verified(tree_of(fields), "event", _event, write_event)


def _event_fields(event: Event) -> dict[str, Json]:
    head = {"type": event_type(event), "format": formats.FORMAT}
    return {**head, **event_converter(unchanged=True).unstructure(event)}


def _event(fields: dict[str, Any], *, unchanged: bool) -> Event:
    name = fields.pop("type", None)
    kind = EVENT_TYPES.get(name) if type(name) is str else None
    if kind is None:
        hint = did_you_mean(name, EVENT_TYPES) if type(name) is str else None
        message = "expected the type of an event"
        raise StateError.of("unknown_name", message, path="$.type", hint=hint)
    event: Event
    if unchanged:
        event = event_converter(unchanged=True).structure(fields, kind)
    else:
        event = structured(event_converter(), fields, kind)
    return event


@frozen(kw_only=True)
class StoredDocuments:
    """
    What a host stores after an operation, in one transaction.

    `profile` is None where none was given, and the host keeps the one that it has stored.
    """

    state: bytes
    profile: bytes | None
    events: tuple[bytes, ...]


def write_stored(outcome: Outcome[Any]) -> StoredDocuments:
    """
    Return the documents of *outcome*.

    Raises:
        StateError: a document could not be read again, so nothing may be stored.
    """
    return StoredDocuments(
        state=write_merchant(outcome.merchant),
        profile=None if outcome.profile is None else write_profile(outcome.profile),
        events=tuple(write_event(event) for event in outcome.events),
    )


def read_stored(state: bytes, profile: bytes | None) -> tuple[Merchant, Profile | None]:
    """
    Return the merchant and the profile that a host has stored, in any format ever written.

    Raises:
        StateError: a document cannot be read; every error is named.
    """
    return read_merchant(state), None if profile is None else read_profile(profile)


# A document that is as it was written needs no strict reader: its numbers are exact, and whole
# numbers are `int`.
_AS_WRITTEN: Final = json.JSONDecoder(
    parse_float=exact_decimal, parse_int=lambda text: Decimal(text) if text == "-0" else int(text)
)


def _read(
    body: bytes | str,
    kind: DocumentKind,
    make: Callable[..., _T],
    write: Callable[[_T], bytes],
    decode: Callable[[str], dict[str, Any]] = _AS_WRITTEN.decode,
) -> _T:
    fields = _fields_as_written(body, decode)
    if fields is not None:
        try:
            return make(fields, unchanged=True)
        except Exception:  # noqa: BLE001, S110  # somebody made the checksum anew
            pass  # the careful reader says what is wrong
    tree = tree_of(body)
    if format_in(tree) < formats.FORMAT and not _is_unchanged(_as_bytes(body)):
        raise _changed(kind)
    return _verified(tree, kind, make, write)


def _as_bytes(body: bytes | str) -> bytes:
    return body.encode() if isinstance(body, str) else body


def _fields_as_written(
    body: object, decode: Callable[[str], dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the fields of *body*, None unless its text is as holdback wrote it."""
    try:
        written = body.encode() if isinstance(body, str) else body
        if not isinstance(written, bytes) or not _is_unchanged(written):
            return None
        fields = decode(written.decode())
    except (ValueError, LookupError, TypeError, RecursionError):
        return None  # the strict reader says what is wrong
    number, _ = fields.pop("format", None), fields.pop("checksum")
    return fields if type(number) is int and number == formats.FORMAT else None


def _verified(
    tree: Json, kind: DocumentKind, make: Callable[..., _T], write: Callable[[_T], bytes]
) -> _T:
    """
    Return what *make* makes of *tree*, if it says what its checksum was made of.

    The checksum is of a text. Plain values of an earlier format, whose text can no longer be
    written, are read without this proof.
    """
    fields = fields_of(tree, kind)
    if format_in(tree) < formats.FORMAT:
        return make(fields, unchanged=False)
    checksum = fields.pop("checksum", None)
    value = make(fields, unchanged=False)
    if write(value).rpartition(_CHECKSUM)[2][:-2] != str(checksum).encode():
        raise _changed(kind)
    return value


def _changed(kind: DocumentKind) -> StateError:
    message = "the document is not as it was written: its checksum is that of another content"
    hint = "restore it" + (", or rebuild it from the events" if kind == "state" else "")
    return StateError.of("contradiction", message, path="$.checksum", hint=hint)


def _unpack_opaque(value: Json) -> Json:
    """Return *value* with the content of every opaque document in its place."""
    if isinstance(value, Opaque):
        return _as_numbers(read_json(value.text, limit=STATE_LIMIT, depth=STATE_DEPTH))
    if isinstance(value, dict):
        return {name: _unpack_opaque(item) for name, item in value.items()}
    return [_unpack_opaque(item) for item in value] if isinstance(value, list | tuple) else value


def _as_numbers(value: Json) -> Json:
    """Return *value* with its numbers as `int` or `Decimal` if they are written the same again."""
    if isinstance(value, dict):
        return {name: _as_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_numbers(item) for item in value]
    if type(value) is Verbatim:
        read = with_python_numbers(value)
        return read if write_json(read) == value else value
    return value


# -- The rows of a state: long lists, which are read when somebody looks at them.
#
# A deal has hundreds of entries, and a decision looks at few of them. So a list of entries, takings
# or requests is kept as the text that was stored until its items are asked for, and what follows
# from all entries of a deal is stored beside them (decisions/wire#rows).


@frozen
class RowsText:
    """A list of a state as JSON, its rows apart: see `Rows`."""

    rows: str


def _lazy_rows(kind: Any, converter: Converter) -> Structure:
    """Return a hook for the stored rows of a list, each of which is made when it is asked for."""
    (item,) = get_args(kind)
    structure = converter.get_structure_hook(item)

    def make(row: str) -> Any:
        try:
            return structure(_AS_WRITTEN.decode(row), item)
        except Exception:  # noqa: BLE001, S110  # somebody edited the row, with its checksum
            pass
        return structured(state_converter(unchanged=False), tree_of(row), item)

    return lambda value, _: Rows(value, make)


def _written_rows(kind: Any, converter: Converter) -> Callable[[Any], RowsText]:
    """Return a hook that writes a list; the rows that were read lazily are written as they came."""
    write = converter.get_unstructure_hook(get_args(kind)[0])

    def unstructure(items: Any) -> RowsText:
        stored, more = Rows.as_stored(items) if isinstance(items, Rows) else ("", items)
        rows = [write_plain(write(item)) for item in more]
        return RowsText(BETWEEN_ROWS.join([stored, *rows] if stored else rows))

    return unstructure


def _deal(structure: Structure, *, lazily: bool) -> Structure:
    """Return a hook for a stored deal, which has what follows from its entries beside it."""

    def read(value: Any, kind: Any) -> Deal:
        if type(value) is not dict:
            raise UnexpectedError(f"expected an object, not {kind_of(value)}")
        fields = dict(value)
        derived = {name: fields.pop(name, None) for name in _OF_ENTRIES}
        deal: Deal = structure(fields, kind)
        if lazily:  # otherwise it is worked out again
            repaid_on, credited = derived["repaid_on"], derived["credits"] or {}
            sums = {kind: Money.parse(amount) for kind, amount in credited.items()}
            object.__setattr__(deal, "remitted", Money.parse(derived["remitted"]))
            object.__setattr__(deal, "credits", FrozenMapping(sums))
            object.__setattr__(
                deal, "repaid_on", None if repaid_on is None else calendar_day(repaid_on)
            )
        return deal

    return read


# What is worked out from a deal's entries, and stored so that a reader need not look at them.
_OF_ENTRIES: Final = ("remitted", "repaid_on", "credits")


def _of_entries(deal: Deal) -> dict[str, Json]:
    day = deal.repaid_on
    derived: dict[str, Json] = {
        "remitted": str(deal.remitted),
        "repaid_on": None if day is None else day.isoformat(),
    }
    if deal.credits:
        derived["credits"] = {kind: str(money) for kind, money in deal.credits.items()}
    return derived


# -- The text of a state, and its converters.


def state_text(fields: Mapping[str, Any]) -> str:
    """Return *fields*, those of a state, as JSON: what `write_json` does, many times faster."""
    pieces: list[str] = []
    run: dict[str, Json] = {}
    for name, value in fields.items():
        if type(value) is RowsText:
            text = f"[\n{value.rows}\n]"
        elif name == "deals":
            text = f"[{','.join(map(state_text, value))}]"
        else:
            run[name] = value
            continue
        _add_run(pieces, run)
        pieces.append(f'"{name}":{text}')
    _add_run(pieces, run)
    return f"{{{','.join(pieces)}}}"


def _add_run(pieces: list[str], run: dict[str, Json]) -> None:
    """Add the fields of *run* to *pieces*, and empty it."""
    if run:
        pieces.append(write_plain(run)[1:-1])
        run.clear()


def rows_apart(text: str) -> tuple[str, list[str]]:
    r"""
    Return the state *text* with its long lists empty, and the rows of each.

    >>> rows_apart('{"takings":[\n["a"],\n["b"]\n],"requests":[\n\n]}')
    ('{"takings":[],"requests":[]}', ['["a"],\n["b"]', ''])

    Raises:
        ValueError: a list does not end.
    """
    heads, rows, at = [], [], 0
    while (start := text.find("[\n", at)) >= 0:
        end = text.index("\n]", start + 1)
        heads.append(text[at : start + 1])
        rows.append(text[start + 2 : end])
        at = end + 1
    heads.append(text[at:])
    return "".join(heads), rows


def state_fields(decode: Callable[[str], dict[str, Any]], text: str) -> dict[str, Any]:
    """
    Return the fields of the state *text*, whose long lists are rows, as *decode* reads the rest.

    Raises:
        ValueError, LookupError, TypeError: it is not laid out as a state.
    """
    head, rows = rows_apart(text)
    fields = decode(head)
    *entries, takings, requests = rows  # in the order of the document
    for deal, deal_entries in zip(fields["deals"], entries, strict=True):
        deal["entries"] = deal_entries
    return {**fields, "takings": takings, "requests": requests}


# How long the rows of entries are: without a kind, with one, and those of fees.
_WIDTHS: Final[Mapping[type, tuple[int, ...]]] = MappingProxyType({Entry: (6, 8, 10)})


def _add_row(converter: Converter, kind: type) -> None:
    """Let *converter* write and read objects of *kind* as arrays of their fields, in order."""
    fields = [attribute.alias or attribute.name for attribute in attrs.fields(kind)]
    required = len(fields) - len(ADDED_FIELDS.get(kind, ()))
    widths = _WIDTHS.get(kind, (required, len(fields)))
    structure_fields = class_hook(kind, converter)

    def structure(value: Any, _: Any) -> Any:
        if type(value) is not list or len(value) not in widths:
            raise UnexpectedError(f"expected an array of {', '.join(fields)}")
        return structure_fields(dict(zip(fields, value, strict=False)), kind)

    @cache
    def written_fields() -> Callable[[Any], dict[str, Json]]:
        return unstructure_fn(kind, converter)

    def unstructure(item: Any) -> list[Json]:
        written = written_fields()(item)
        # Rows of remittances and their reversals, which are most, do not say so.
        least = max(place for place, name in enumerate(fields, 1) if name in written)
        width = next(width for width in widths if width >= least)
        return [written.get(name) for name in fields[:width]]

    converter.register_structure_hook(kind, structure)
    converter.register_unstructure_hook(kind, unstructure)


def _add_rows(converter: Converter, *, lazily: bool) -> None:
    """Add what distinguishes a state: rows, and deals with what follows from their entries."""
    _add_row(converter, Entry)
    _add_row(converter, Takings)
    if lazily:
        converter.register_structure_hook_factory(
            _is_long, lambda kind: _lazy_rows(kind, converter)
        )
    converter.register_unstructure_hook_factory(
        _is_long, lambda kind: _written_rows(kind, converter)
    )
    read = class_hook(Deal, converter)

    @cache
    def write() -> Callable[[Deal], dict[str, Json]]:
        return unstructure_fn(Deal, converter)

    converter.register_structure_hook(Deal, _deal(read, lazily=lazily))
    converter.register_unstructure_hook(Deal, lambda deal: {**write()(deal), **_of_entries(deal)})


def _is_long(kind: Any) -> bool:
    return get_origin(kind) is Sequence


@cache
def state_converter(*, unchanged: bool) -> Converter:
    """Return the converter of states; one for *unchanged* documents reads lists lazily."""
    converter = make_converter(unchanged=unchanged)
    _add_rows(converter, lazily=unchanged)
    return converter
