"""Format 1: what the first version of holdback stored, read and written for ever.

Its state is one document, with the profile in it; its events have no envelope. `documents` has
their form, `states` and `journals` carry them over, and `downcast` writes them during an upgrade
(how-to/upgrade).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from holdback.errors import ConfigurationError, ErrorDetail, StateError, did_you_mean
from holdback.exact.exact_json import write_json
from holdback.lifecycle.configuration import FIRST_FORMAT
from holdback.lifecycle.decision import Outcome
from holdback.lifecycle.events import Event
from holdback.merchant.consistency import merchant_errors
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.wire.converter import event_converter
from holdback.wire.first_format import documents
from holdback.wire.first_format.downcast import downcast_event, downcast_merchant
from holdback.wire.first_format.journals import upcast_event, upcast_events
from holdback.wire.first_format.states import upcast_merchant
from holdback.wire.formats import Document, fields_of, tree_of
from holdback.wire.strict_json import STATE_LIMIT
from holdback.wire.structuring import structured


def read_state(state: Document, *, salt: bytes, sequence: int) -> tuple[Merchant, Profile]:
    """
    Return the merchant and the profile in *state*, after *sequence* events.

    Raises:
        StateError: *state* is not of format 1, or contradicts itself; every error is named.
    """
    fields = fields_of(tree_of(state), FIRST_FORMAT, instead="read it with `read_merchant`")
    stored = structured(event_converter(), fields, documents.Merchant)
    merchant, profile = upcast_merchant(stored, salt=salt, sequence=sequence)
    errors = [_in_first_format(error) for error in merchant_errors(merchant)]
    if errors:
        raise StateError(errors)
    return merchant, profile


def _in_first_format(error: ErrorDetail) -> ErrorDetail:
    """Return *error* with the path that its place has in format 1."""
    path = error.path or "$"
    if path.startswith("$.fulfilments["):
        path = path.replace("].offer.", "].reply.offer.", 1)
    return attrs.evolve(error, path=path)


def write_state(merchant: Merchant, profile: Profile) -> bytes:
    """
    Return the state of *merchant* with its *profile*, as the first version wrote it.

    Raises:
        ConfigurationError: format 1 cannot say everything that the merchant holds.
    """
    stored = event_converter().unstructure(downcast_merchant(merchant, profile))
    body = write_json({"format": FIRST_FORMAT, **stored}).encode()
    if len(body) > STATE_LIMIT:
        message = f"the first version reads no state of more than {STATE_LIMIT} bytes"
        raise ConfigurationError.of("too_large", message, path="$", hint="write format 2")
    return body


def write_events(outcome: Outcome[Any], profile: Profile) -> tuple[bytes, ...]:
    """
    Return the events of *outcome*, as the first version wrote them.

    Raises:
        ConfigurationError: format 1 cannot say one of them.
    """
    stored = [downcast_event(event, outcome.merchant, profile) for event in outcome.events]
    return tuple(
        write_json(
            {
                "type": type(event).__name__,
                "format": FIRST_FORMAT,
                **event_converter().unstructure(event),
            }
        ).encode()
        for event in stored
    )


def upcast_journal(
    journal: Iterable[Document], *, partner: str, merchant_id: str, jurisdiction: str, salt: bytes
) -> tuple[tuple[Event, ...], Profile]:
    """
    Return the events of a whole *journal* of format 1 in format 2, and the profile after them.

    They lead to the same merchant as the state that was stored after them, upcast with the same
    *salt*. Of a journal that was continued in format 2, hand in the events of format 1, with the
    salt of the profile that is stored.

    Raises:
        StateError: an event cannot be read; its place in the journal is part of the path.
        HistoryError: the events do not follow one another.
    """
    errors: list[ErrorDetail] = []
    stored: list[documents.Event] = []
    for place, document in enumerate(journal):
        try:
            stored.append(_stored_event(document))
        except StateError as error:
            errors += [
                attrs.evolve(item, path=f"$[{place}]{(item.path or '$')[1:]}")
                for item in error.errors
            ]
    if errors:
        raise StateError(errors)
    return upcast_events(
        stored, partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction, salt=salt
    )


def read_event(document: Document, *, partner: str, merchant_id: str, sequence: int) -> Event:
    """
    Return one event of format 1 with its envelope, if it never had personal data.

    Raises:
        StateError: the event cannot be read, or can be carried over only with its whole journal.
    """
    stored = _stored_event(document)
    event = upcast_event(stored, partner=partner, merchant_id=merchant_id, sequence=sequence)
    if event is None:
        message = f"{type(stored).__name__} of format 1 is carried over with its whole journal"
        raise StateError.of("wrong_value", message, path="$.type", hint="use `upcast_journal`")
    return event


def _stored_event(document: Document) -> documents.Event:
    fields = fields_of(tree_of(document), FIRST_FORMAT, instead="read it with `read_event`")
    name = fields.pop("type", None)
    kind = documents.EVENT_TYPES.get(name) if type(name) is str else None
    if kind is None:
        hint = did_you_mean(name, documents.EVENT_TYPES) if type(name) is str else None
        message = "expected the type of an event"
        raise StateError.of("unknown_name", message, path="$.type", hint=hint)
    event: documents.Event = structured(event_converter(), fields, kind)
    return event
