"""The documents that a host stores: a merchant's state, its profile and its events, as JSON.

Each carries a `format` and is readable for ever (decisions/formats). Each ends with a checksum of
the text before it. A document whose text is unchanged is read fast; any other is read with care,
and accepted only if it still says what was written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final, TypeVar

from attrs import evolve

from holdback.errors import ErrorDetail, StateError, did_you_mean
from holdback.exact.exact_json import Json, Opaque, Verbatim, field_path, write_json, write_plain
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import FIRST_FORMAT, NEWEST_FORMAT
from holdback.lifecycle.decision import Outcome
from holdback.lifecycle.events import EVENT_TYPES, Event, OffersIssued, event_type
from holdback.merchant.consistency import merchant_errors, offer_set_errors
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import SALT_BYTES, Profile
from holdback.wire.converter import (
    event_converter,
    exact_decimal,
    with_python_numbers,
)
from holdback.wire.fields import kind_of
from holdback.wire.formats import Document, fields_of, format_of, tree_of
from holdback.wire.state_rows import state_converter, state_fields, state_text
from holdback.wire.strict_json import STATE_DEPTH, STATE_LIMIT, read_json
from holdback.wire.structuring import structured

_T = TypeVar("_T")
_CHECKSUM: Final = b',"checksum":"'
_CHECKSUM_DIGITS: Final = 16


def _sealed(fields: dict[str, Any], write: Callable[[dict[str, Any]], str] = write_json) -> bytes:
    """Return *fields* as JSON that ends with the checksum of the text before it."""
    text = write(fields).encode()[:-1]
    return text + _CHECKSUM + _checksum(text).encode() + b'"}'


def _checksum(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:_CHECKSUM_DIGITS]


def _is_unchanged(body: bytes) -> bool:
    """Return whether the text of *body* is as it was written."""
    text, mark, rest = body.rpartition(_CHECKSUM)
    return bool(mark) and rest == _checksum(text).encode() + b'"}'


def write_merchant(merchant: Merchant) -> bytes:
    """
    Return the state of *merchant* as JSON; the same merchant always gives the same bytes.

    >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    >>> write_merchant(merchant)[:40]
    b'{"format":2,"partner":"acme","merchant_i'
    >>> read_merchant(write_merchant(merchant)) == merchant
    True
    """
    return _sealed(
        {"format": NEWEST_FORMAT, **state_converter(unchanged=True).unstructure(merchant)},
        state_text,
    )


def read_merchant(body: bytes) -> Merchant:
    """
    Return the merchant that *body* holds.

    A state of format 1 holds the profile too: read it with `read_stored`.

    Raises:
        StateError: *body* is not what `write_merchant` returns; every error is named.
    """
    return _read(body, _merchant, write_merchant, partial(state_fields, _AS_WRITTEN.decode))


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
    """Return *profile* as JSON; the same profile always gives the same bytes."""
    sections = {digest: profile.sections[digest] for digest in sorted(profile.sections)}
    salt = None if profile.salt is None else profile.salt.hex()
    return _sealed({"format": NEWEST_FORMAT, "salt": salt, "sections": sections})


def read_profile(body: bytes) -> Profile:
    """
    Return the profile that *body* holds.

    Raises:
        StateError: *body* is not what `write_profile` returns. No message holds personal data.
    """
    # The strict reader, because a section keeps its numbers as they were spelled.
    tree = tree_of(body)
    if not _is_unchanged(body):
        return _verified(tree, _profile, write_profile)
    fields = _fields(tree)
    del fields["checksum"]
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
    return _sealed(_event_fields(event), write_plain)


def read_event(body: bytes | str) -> Event:
    """
    Return the event that *body* holds.

    Raises:
        StateError: *body* is not what `write_event` returns; every error is named.
    """
    return _read(body, _event, write_event)


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
    return _verified(tree_of(fields), _event, write_event)


def _event_fields(event: Event) -> dict[str, Json]:
    head = {"type": event_type(event), "format": NEWEST_FORMAT}
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
    errors = offer_set_errors(event.offer_set) if isinstance(event, OffersIssued) else ()
    if errors:
        raise StateError(errors)
    return event


@frozen(kw_only=True)
class Stored:
    """
    What a host stores after an operation, in one transaction.

    `profile` is None where the host keeps the stored profile: none was given, or format 1 is
    written, in which the state holds it.
    """

    state: bytes
    profile: bytes | None
    events: tuple[bytes, ...]


def write_stored(outcome: Outcome[Any], *, format: int | None = None) -> Stored:  # noqa: A002 - the word of the documents
    """
    Return the documents of *outcome* in *format*, by default the one that the engine writes.

    After a rolling upgrade a merchant that is stored in format 2 stays in it: give the newer one of
    `engine.format` and `format_of` the stored state (how-to/upgrade).

    Raises:
        ValueError: *format* is another one.
        TypeError: the profile is missing, which a state of format 1 holds.
        ConfigurationError: format 1 cannot say what the outcome holds; everything is named.
    """
    format = outcome.format if format is None else format  # noqa: A001 - as above
    if format == NEWEST_FORMAT:
        return Stored(
            state=write_merchant(outcome.merchant),
            profile=None if outcome.profile is None else write_profile(outcome.profile),
            events=tuple(write_event(event) for event in outcome.events),
        )
    if format != FIRST_FORMAT:
        raise ValueError(f"expected format {FIRST_FORMAT} or {NEWEST_FORMAT}")
    if outcome.profile is None:
        raise TypeError("a state of format 1 holds the profile: give `profile=` to `carry_out`")
    from holdback.wire import first_format  # noqa: PLC0415 - few hosts write it

    return Stored(
        state=first_format.write_state(outcome.merchant, outcome.profile),
        profile=None,
        events=first_format.write_events(outcome, outcome.profile),
    )


def read_stored(
    state: bytes, profile: bytes | None, *, salt: bytes, sequence: int = 0
) -> tuple[Merchant, Profile | None]:
    """
    Return the merchant and the profile that a host has stored, in any format ever written.

    A state of format 1 holds the profile and has neither *salt* nor *sequence*: the host draws the
    salt at random, and gives the number of the merchant's events, 0 if it stores none.

    Raises:
        StateError: a document cannot be read; every error is named.
    """
    if format_of(state) == FIRST_FORMAT:
        from holdback.wire import first_format  # noqa: PLC0415 - old documents are rare

        return first_format.read_state(state, salt=salt, sequence=sequence)
    return read_merchant(state), None if profile is None else read_profile(profile)


def read_stored_event(
    document: Document, *, partner: str, merchant_id: str, sequence: int
) -> Event:
    """
    Return the event that a host has stored at the place *sequence*, in any format ever written.

    It is for readers of single events, such as an outbox. Format 1 has `OffersIssued`,
    `OfferAccepted` and `DetailsSupplied` with personal data: those are read with their whole
    journal, by `upcast_journal`.

    >>> body = b'{"type":"DealReopened","format":1,"at":"2026-07-01T10:00:00Z","deal_id":"d-1"}'
    >>> read_stored_event(body, partner="acme", merchant_id="m-1", sequence=7).deal_id
    'd-1'

    Raises:
        StateError: the event cannot be read, or not by itself.
    """
    if format_of(document) == FIRST_FORMAT:
        from holdback.wire import first_format  # noqa: PLC0415 - old documents are rare

        return first_format.read_event(
            document, partner=partner, merchant_id=merchant_id, sequence=sequence
        )
    return read_event(document) if isinstance(document, bytes | str) else event_from_dict(document)


def upcast_journal(
    journal: Iterable[Document], *, partner: str, merchant_id: str, jurisdiction: str, salt: bytes
) -> tuple[tuple[Event, ...], Profile]:
    """
    Return the events of a merchant's *journal* of format 1 in format 2, and the profile after them.

    They lead to the merchant that `read_stored` returns for the state beside them, with the same
    *salt* and their number. If the journal was continued in format 2, hand in what comes before,
    with the salt of the profile that is stored; the profile that is returned is then an old one.

    Raises:
        StateError: an event cannot be read, or is of another format; every error is named.
        HistoryError: the events do not follow one another.
    """
    from holdback.wire import first_format  # noqa: PLC0415 - old documents are rare

    return first_format.upcast_journal(
        journal, partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction, salt=salt
    )


# A document that is as it was written needs no strict reader: its numbers are exact, and whole
# numbers are `int`.
_AS_WRITTEN: Final = json.JSONDecoder(
    parse_float=exact_decimal, parse_int=lambda text: Decimal(text) if text == "-0" else int(text)
)


def _read(
    body: bytes | str,
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
    return _verified(tree_of(body), make, write)


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
    return fields if type(number) is int and number == NEWEST_FORMAT else None


def _verified(tree: Json, make: Callable[..., _T], write: Callable[[_T], bytes]) -> _T:
    """Return what *make* makes of *tree*, if it says what its checksum was made of."""
    fields = _fields(tree)
    checksum = fields.pop("checksum", None)
    value = make(fields, unchanged=False)
    if write(value).rpartition(_CHECKSUM)[2][:-2] != str(checksum).encode():
        message = "the document is not as it was written: its checksum is that of another content"
        hint = "restore it" + (", or rebuild it from the events" if make is _merchant else "")
        raise StateError.of("contradiction", message, path="$.checksum", hint=hint)
    return value


def _fields(tree: Json) -> dict[str, Any]:
    return fields_of(
        tree, NEWEST_FORMAT, instead="`read_stored` and `upcast_journal` read format 1"
    )


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
