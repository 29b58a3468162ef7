"""The ids that the service issues: version 5 UUIDs, made from the host's secret namespace."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Final, TypeAlias

# A function from a name, in parts, to the id of that name.
IdFactory: TypeAlias = Callable[..., str]
# The digit that holds the variant, for each digit of a hash: its two highest bits are 10.
_VARIANTS: Final = {f"{digit:x}": f"{digit & 3 | 8:x}" for digit in range(16)}


def id_factory(namespace: uuid.UUID, *scope: str) -> IdFactory:
    """
    Return a function from the parts of a name to the `uuid5` of *scope* and those parts.

    Scope and parts are joined as a JSON list, so two different lists never give the same name.

    >>> make_id = id_factory(uuid.NAMESPACE_URL, "a")
    >>> make_id("b", "c") == str(uuid.uuid5(uuid.NAMESPACE_URL, '["a","b","c"]'))
    True
    """
    # What `uuid.uuid5` does, with the part of the hash that all names share made once.
    begun = hashlib.sha1(namespace.bytes, usedforsecurity=False)
    begun.update(f"[{','.join(map(encode_basestring, scope))}".encode())
    first = not scope

    def make_id(*parts: str) -> str:
        names = ",".join(map(encode_basestring, parts))
        sha1 = begun.copy()
        sha1.update(f"{'' if first or not parts else ','}{names}]".encode())
        return _version_5(sha1.digest()[:16].hex())

    return make_id


def _version_5(text: str) -> str:
    """Return 32 hexadecimal digits as a UUID of version 5, in the variant of RFC 9562."""
    variant = _VARIANTS[text[16]]
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"
