"""The formats of stored documents: every one is a JSON object that says its format.

A later format is a number, what this version writes, and a function here that carries a document of
the format before over to it. Documents of every format are then read for ever (decisions/wire).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

from holdback.errors import InvalidDocument, StateError
from holdback.exact.exact_json import Json, Verbatim
from holdback.wire.fields import kind_of
from holdback.wire.strict_json import STATE_DEPTH, STATE_LIMIT, read_json, read_tree

# A stored document: JSON text, or what another parser made of it, as a database may return it.
Document: TypeAlias = bytes | str | Mapping[str, Json]
DocumentKind: TypeAlias = Literal["state", "profile", "event"]
# From the fields of a document, without its format and checksum, to those in the next format.
CarryOver: TypeAlias = Callable[[DocumentKind, dict[str, Any]], dict[str, Any]]

# The format that this version writes.
FORMAT: Final = 1
# For each earlier format, what carries its documents over to the next. None was ever released.
CARRY_OVER: Final[Mapping[int, CarryOver]] = {}

# How documents begin that are as they were written.
_HEAD: Final = re.compile(rb'\{(?:"type":"[A-Za-z]{1,40}",)?"format":([1-9][0-9]{0,8}),')


def format_of(document: Document) -> int:
    """
    Return the format of a stored document, without reading the rest of it.

    >>> format_of(b'{"type":"DealReopened","format":1,"at":"2026-07-01T10:00:00Z","deal_id":"d-1"}')
    1

    Raises:
        StateError: the document has no format, or a newer one than this version reads.
    """
    head = _HEAD.match(document) if isinstance(document, bytes) else None
    if head is not None and int(head[1]) <= FORMAT:
        return int(head[1])
    return format_in(tree_of(document))


def format_in(tree: Json) -> int:
    """Return the format of the document *tree*; it raises as `format_of`."""
    if not isinstance(tree, dict):
        raise StateError.of("wrong_type", f"expected an object, not {kind_of(tree)}", path="$")
    written = tree.get("format")
    if type(written) is not Verbatim or not written.isdecimal():
        raise StateError.of("missing", "expected the number of a format", path="$.format")
    if int(written) > FORMAT:
        message = f"format {written[:9]} is of a newer version of holdback; this one reads "
        message += f"formats up to {FORMAT}"
        hint = "run the newer version, or restore the document of before"
        raise StateError.of("newer_format", message, path="$.format", hint=hint)
    if int(written) < 1:
        message = f"expected a format from 1 to {FORMAT}"
        raise StateError.of("wrong_value", message, path="$.format")
    return int(written)


def fields_of(tree: Json, kind: DocumentKind) -> dict[str, Any]:
    """
    Return the fields of a document, carried over to the format of today, without its format.

    Raises:
        StateError: as `format_of`.
    """
    written = format_in(tree)
    assert isinstance(tree, dict)
    fields: dict[str, Any] = {name: value for name, value in tree.items() if name != "format"}
    if written < FORMAT:
        fields.pop("checksum", None)
    for earlier in range(written, FORMAT):
        fields = CARRY_OVER[earlier](kind, fields)
    return fields


def tree_of(document: Document) -> Json:
    """
    Return the JSON tree of *document*, with its numbers as `Verbatim`.

    Raises:
        StateError: it is not JSON, or too large.
    """
    try:
        if isinstance(document, Mapping):
            return read_tree(document, depth=STATE_DEPTH)
        return read_json(document, limit=STATE_LIMIT, depth=STATE_DEPTH)
    except InvalidDocument as error:
        errors = error.errors
    # Raised outside the handler, whose error is a partner's.
    raise StateError(errors)
