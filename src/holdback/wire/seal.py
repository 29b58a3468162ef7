"""A keyed seal of stored documents, which nobody can make who can only write the database.

The checksum of a document finds damage. A seal also finds an edit whose checksum was worked out
again (decisions/documents#storing).
"""

from __future__ import annotations

import hmac
from typing import Final

from holdback.errors import StateError

# It is the last field of a document, after the checksum.
_SEAL: Final = b',"seal":"'
# A key of this size cannot be guessed.
_KEY_BYTES: Final = 32


def seal(body: bytes, key: bytes) -> bytes:
    """
    Return the stored document *body* with a seal: the HMAC-SHA256 of its bytes.

    >>> key = bytes(32)  # from your secrets, and never from the database
    >>> sealed = seal(b'{"format":1,"checksum":"d1"}', key)
    >>> sealed[:40]
    b'{"format":1,"checksum":"d1","seal":"61eb'
    >>> unseal(sealed, key)
    b'{"format":1,"checksum":"d1"}'

    Raises:
        ValueError: *key* has fewer than 32 bytes.
    """
    if type(key) is not bytes or len(key) < _KEY_BYTES:
        raise ValueError(f"expected a key of at least {_KEY_BYTES} random bytes")
    mac = hmac.digest(key, body, "sha256").hex().encode()
    return body[:-1] + _SEAL + mac + b'"}'


def unseal(body: bytes, *keys: bytes) -> bytes:
    """
    Return the document in *body* without its seal, which was made with one of the *keys*.

    Raises:
        StateError: it has no seal, or one that none of the keys makes of it.
        ValueError: a key has fewer than 32 bytes.
    """
    text, mark, _ = body.rpartition(_SEAL)
    if not mark:
        message, hint = "the document has no seal", "seal what was stored without one, once"
        raise StateError.of("missing", message, path="$.seal", hint=hint)
    document = text + b"}"
    if not any(hmac.compare_digest(seal(document, key), body) for key in keys):
        message = "the seal is not that of this document: it was edited, or sealed with another key"
        hint = "give every key in use; if there is no other, restore the document"
        raise StateError.of("contradiction", message, path="$.seal", hint=hint)
    return document
