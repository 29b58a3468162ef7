"""Exact JSON, and digests of it.

The standard `json` module reads exact decimals through a hook but cannot write them, so holdback
writes its own JSON: whole numbers, `Decimal`s in plain digits, and `Verbatim` text unchanged.
Floats are refused. A value has one canonical text (keys sorted, no spaces, UTF-8), so one digest.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias

from attrs import field

from holdback.errors import InvalidDocument, printable
from holdback.exact.exact_numbers import plain
from holdback.frozen_classes import frozen

# Plain values, nested: the values that `write_json` takes.
Json: TypeAlias = Any

# The names of fields that a JSON path shows.
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}")
_LONGEST_NAME: Final = 60


class Verbatim(str):
    """JSON text that is written unchanged: a number with its digits, or a document kept opaque."""

    __slots__ = ()


def write_json(value: Json) -> str:
    """
    Return *value* as JSON on one line, without spaces, its numbers exact.

    >>> write_json({"amount": Decimal("10000.00"), "n": 1, "as_it_came": Verbatim("0.10")})
    '{"amount":10000.00,"n":1,"as_it_came":0.10}'
    """
    return _text(value, sort=False)


def write_plain(value: Json) -> str:
    """
    Return what `write_json` does, many times faster for values without `Decimal` and `Opaque`.

    The caller knows that *value* has neither floats nor `Verbatim`, and that its names are text.

    >>> write_plain({"a": [1, None, "x"]}), write_plain({"a": Decimal("0.10")})
    ('{"a":[1,null,"x"]}', '{"a":0.10}')
    """
    try:
        return _PLAIN_ENCODER.encode(value)
    except TypeError:  # the standard `json` can write neither
        return write_json(value)


_PLAIN_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def field_path(path: str, name: object) -> str:
    """
    Return the JSON path of the field *name* of the object at *path*.

    A name that is not plain is replaced by `*`, because it may be personal data.

    >>> field_path("$.company", "name"), field_path("$", "Nine Lives Ltd")
    ('$.company.name', '$[*]')
    """
    plain = isinstance(name, str) and _PLAIN_NAME.fullmatch(name)
    return f"{path}.{name}" if plain else f"{path}[*]"


def shown_path(path: str, name: object) -> str:
    """
    Return the same for a *name* that the host chose, such as a column: it is always shown.

    >>> shown_path("$", "performance"), shown_path("$", "as of")
    ('$.performance', '$["as of"]')
    """
    if isinstance(name, str) and _PLAIN_NAME.fullmatch(name):
        return f"{path}.{name}"
    return f"{path}[{printable(encode_basestring(str(name)[:_LONGEST_NAME]))}]"


def canonical(value: Json) -> bytes:
    """
    Return the canonical form of *value*: keys sorted by code point, no spaces, UTF-8.

    >>> canonical({"b": 1, "a": True})
    b'{"a":true,"b":1}'
    """
    return _text(value, sort=True).encode()


def digest(value: Json) -> str:
    """Return the SHA-256 of *value* in canonical form, as `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(canonical(value)).hexdigest()}"


# How a value without parts is written, by its exact type: a subclass can have another `repr`.
_LEAVES: Final[dict[type, Callable[[Any], str]]] = {
    str: encode_basestring,
    int: int.__repr__,
    Decimal: plain,
    Verbatim: str,
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
}


def _text(value: Json, *, sort: bool) -> str:
    leaf = _LEAVES.get(type(value))
    if leaf is not None:
        return leaf(value)
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, Mapping):
        return _object(value, sort=sort)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return f"[{','.join([_text(item, sort=sort) for item in value])}]"
    raise TypeError(f"{type(value).__name__} is not exact JSON")


def _object(value: Mapping[str, Json], *, sort: bool) -> str:
    parts: list[str] = []
    for name, item in sorted(value.items()) if sort else value.items():
        leaf = _LEAVES.get(type(item))
        text = _text(item, sort=sort) if leaf is None else leaf(item)
        parts.append(f"{encode_basestring(name)}:{text}")
    return f"{{{','.join(parts)}}}"


def _tree(text: str) -> Json:
    return json.loads(text, parse_float=Verbatim, parse_int=Verbatim)


def _content(text: str) -> bytes:
    return canonical(_tree(text))


def _closed(text: str) -> Verbatim:
    """Return *text* without spaces; a `Verbatim` was written by `write_json` already."""
    if type(text) is Verbatim:
        return text
    tree: Json = None
    try:
        tree = _tree(text)
    except (ValueError, TypeError, RecursionError):
        # Raised below and not here, because the error's context would carry the whole document,
        # which may hold personal data.
        readable = False
    else:
        readable = True
    if not readable:
        raise InvalidDocument.of("wrong_type", "expected a document as JSON text")
    return Verbatim(write_json(tree))


@frozen(repr=False)
class Opaque:
    """
    A partner's document that holdback keeps and never reads, such as a company's profile.

    It is kept as JSON text on one line, so its numbers keep their digits and nothing can change it.
    Two are equal when their content is, in any order of keys. A `repr` never shows the content.

    >>> profile = Opaque('{"name": "Nine Lives", "share": 0.10}')
    >>> profile
    Opaque(...)
    >>> profile.value["share"]
    Decimal('0.10')
    """

    text: str = field(eq=_content, converter=_closed)

    @classmethod
    def of(cls, value: Json) -> Opaque:
        """Return the opaque document with the content of *value*, a plain exact value."""
        return cls(Verbatim(write_json(value)))

    @property
    def value(self) -> Json:
        """The content as plain values, decimals exact; a new copy at each call."""
        return json.loads(self.text, parse_float=Decimal)

    def canonical(self) -> bytes:
        """Return the content in canonical form; its numbers keep their digits."""
        return _content(self.text)

    def __repr__(self) -> str:
        return "Opaque(...)"
