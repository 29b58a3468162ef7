"""What documents of every format have: they are JSON objects, and they say their format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from holdback.errors import InvalidDocument, StateError
from holdback.exact.exact_json import Json, Verbatim
from holdback.lifecycle.configuration import FIRST_FORMAT, NEWEST_FORMAT
from holdback.wire.fields import kind_of
from holdback.wire.strict_json import STATE_DEPTH, STATE_LIMIT, read_json, read_tree

# A stored document: JSON text, or what another parser made of it, as a database may return it.
Document: TypeAlias = bytes | str | Mapping[str, Json]

# How documents of every format begin that are as they were written.
_HEAD: Final = re.compile(rb'\{(?:"type":"[A-Za-z]{1,40}",)?"format":([12]),')


def format_of(document: Document) -> int:
    """
    Return the format of a stored document, without reading the rest of it.

    A migration looks for documents of format 1 with it.

    >>> format_of(b'{"type":"DealReopened","format":1,"at":"2026-07-01T10:00:00Z","deal_id":"d-1"}')
    1

    Raises:
        StateError: the document has no format, or a newer one than this version reads.
    """
    if isinstance(document, bytes):
        head = _HEAD.match(document)
        if head is not None:
            return int(head[1])
    return format_in(tree_of(document))


def format_in(tree: Json) -> int:
    """Return the format of the document *tree*; it raises as `format_of`."""
    if not isinstance(tree, dict):
        raise StateError.of("wrong_type", f"expected an object, not {kind_of(tree)}", path="$")
    written = tree.get("format")
    if type(written) is not Verbatim or not written.isdecimal():
        raise StateError.of("missing", "expected the number of a format", path="$.format")
    if int(written) > NEWEST_FORMAT:
        message = f"format {written[:9]} is of a newer version of holdback; this one reads "
        message += f"formats up to {NEWEST_FORMAT}"
        hint = "run the newer version, or restore the document of before"
        raise StateError.of("newer_format", message, path="$.format", hint=hint)
    if int(written) < FIRST_FORMAT:
        message = f"expected a format from {FIRST_FORMAT} to {NEWEST_FORMAT}"
        raise StateError.of("wrong_value", message, path="$.format")
    return int(written)


def fields_of(tree: Json, expected: int, *, instead: str) -> dict[str, Any]:
    """
    Return the fields of *tree*, a document of the format *expected*, without its format.

    Raises:
        StateError: as `format_of`, or the document is of another format; *instead* says what reads
            that.
    """
    written = format_in(tree)
    if written != expected:
        message = f"expected format {expected}, not {written}"
        raise StateError.of("wrong_value", message, path="$.format", hint=instead)
    return {name: value for name, value in tree.items() if name != "format"}


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
