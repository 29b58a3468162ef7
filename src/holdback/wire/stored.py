"""The documents that a host stores: the state of a merchant and its events, as JSON.

Both carry a `format` and stay readable (decisions/formats). A field that a later version adds has a
default, so older documents can be read; a document of a later format is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.exact_json import Json, Opaque, Verbatim, write_json
from holdback.lifecycle.events import EVENT_TYPES, Event, event_type
from holdback.model.deal import Deal
from holdback.model.merchant import Merchant
from holdback.wire.converter import CONVERTER, structured, with_python_numbers
from holdback.wire.fields import kind_of
from holdback.wire.strict_json import STATE_DEPTH, STATE_LIMIT, read_json, read_tree

STATE_FORMAT: Final = 1
EVENT_FORMAT: Final = 1


def write_merchant(merchant: Merchant) -> bytes:
    """
    Return the state of *merchant* as JSON; the same merchant always gives the same bytes.

    >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
    >>> write_merchant(merchant)[:40]
    b'{"format":1,"partner":"acme","merchant_i'
    >>> read_merchant(write_merchant(merchant)) == merchant
    True
    """
    body = write_json({"format": STATE_FORMAT, **CONVERTER.unstructure(merchant)}).encode()
    if len(body) > STATE_LIMIT:
        raise InvalidDocument.of(f"the state is larger than {STATE_LIMIT} bytes: it is not stored")
    return body


def read_merchant(body: bytes) -> Merchant:
    """
    Return the merchant that *body* holds.

    Raises:
        InvalidDocument: *body* is not what `write_merchant` returns; every error is named.
    """
    fields = _fields(read_json(body, limit=STATE_LIMIT, depth=STATE_DEPTH), STATE_FORMAT)
    merchant = structured(fields, Merchant)
    errors = [
        error
        for place, deal in enumerate(merchant.deals)
        for error in _deal_errors(deal, f"$.deals[{place}]")
    ]
    if errors:
        raise InvalidDocument(errors)
    return merchant


def event_to_dict(event: Event) -> dict[str, Json]:
    """
    Return *event* as plain values: `type`, `format`, `at`, and its other fields.

    Numbers are `int` and `Decimal`, or `Verbatim` if these would be written differently.
    """
    return {name: _unpack_opaque(value) for name, value in _unstructured(event).items()}


def event_from_dict(fields: Mapping[str, Json]) -> Event:
    """
    Return the event that *fields* hold.

    Raises:
        InvalidDocument: *fields* are not what `event_to_dict` returns; every error is named.
    """
    return _event(read_tree(fields, depth=STATE_DEPTH))


def write_event(event: Event) -> bytes:
    """Return *event* as JSON; the same event always gives the same bytes."""
    return write_json(_unstructured(event)).encode()


def read_event(body: bytes | str) -> Event:
    """
    Return the event that *body* holds.

    Raises:
        InvalidDocument: *body* is not what `write_event` returns; every error is named.
    """
    return _event(read_json(body, limit=STATE_LIMIT, depth=STATE_DEPTH))


def _unstructured(event: Event) -> dict[str, Json]:
    head = {"type": event_type(event), "format": EVENT_FORMAT}
    return {**head, **CONVERTER.unstructure(event)}


def _event(tree: Json) -> Event:
    fields = _fields(tree, EVENT_FORMAT)
    name = fields.pop("type", None)
    kind = EVENT_TYPES.get(name) if type(name) is str else None
    if kind is None:
        hint = did_you_mean(name, EVENT_TYPES) if type(name) is str else None
        raise InvalidDocument.of("expected the type of an event", path="$.type", hint=hint)
    event: Event = structured(fields, kind)
    return event


def _fields(tree: Json, newest: int) -> dict[str, Any]:
    """Return the fields of *tree* without its format, which must be *newest*."""
    if not isinstance(tree, dict):
        raise InvalidDocument.of(f"expected an object, not {kind_of(tree)}", path="$")
    written = tree.get("format")
    if type(written) is not Verbatim or written != str(newest):
        message = f"expected format {newest}, the one that this version of holdback reads"
        raise InvalidDocument.of(message, path="$.format")
    return {name: value for name, value in tree.items() if name != "format"}


def _deal_errors(deal: Deal, path: str) -> list[ErrorDetail]:
    """Return the errors of amounts that no deal can have, and with which no sum is defined."""
    amounts = [deal.funded_amount, deal.settled, *(entry.amount for entry in deal.entries)]
    if any(amount.currency != deal.repayment_amount.currency for amount in amounts):
        return [ErrorDetail(message="the amounts of a deal have one currency", path=path)]
    if deal.repayment_amount.minor <= 0:
        message = "expected an amount above zero"
        return [ErrorDetail(message=message, path=f"{path}.repayment_amount")]
    return []


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
