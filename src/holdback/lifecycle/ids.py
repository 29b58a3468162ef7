"""The ids that the service issues: version 5 UUIDs, made from the host's secret namespace."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Final, TypeAlias

# A function from a name, in parts, to the id of that name.
IdFactory: TypeAlias = Callable[..., str]

# The first digit of the fourth group of a UUID has two bits that name the variant (RFC 9562).
_VARIANT_DIGITS: Final = "89ab"


def id_factory(namespace: uuid.UUID, *scope: str) -> IdFactory:
    """
    Return a function from the parts of a name to the `uuid5` of *scope* and those parts.

    Scope and parts are joined as a JSON list, so two different lists never give the same name.

    >>> make_id = id_factory(uuid.NAMESPACE_URL, "a")
    >>> make_id("b", "c") == str(uuid.uuid5(uuid.NAMESPACE_URL, '["a","b","c"]'))
    True
    """
    # The digest of the scope is taken once and copied, and the digits are formatted here:
    # `uuid.UUID` takes longer than pricing an offer (decisions/fast-paths).
    start = "".join(f"{encode_basestring(part)}," for part in scope)
    of_scope = hashlib.sha1(namespace.bytes + f"[{start}".encode(), usedforsecurity=False)

    def make_id(*parts: str) -> str:
        digest = of_scope.copy()
        digest.update(f"{','.join(map(encode_basestring, parts))}]".encode())
        code = digest.hexdigest()
        variant = _VARIANT_DIGITS[int(code[16], 16) & 3]
        return f"{code[:8]}-{code[8:12]}-5{code[13:16]}-{variant}{code[17:20]}-{code[20:32]}"

    return make_id
