"""The ids that the service issues: version 5 UUIDs, made from the host's secret namespace."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import TypeAlias

# A function from a name, in parts, to the id of that name.
IdFactory: TypeAlias = Callable[..., str]


def id_factory(namespace: uuid.UUID, *scope: str) -> IdFactory:
    """
    Return a function from the parts of a name to the `uuid5` of *scope* and those parts.

    Scope and parts are joined as a JSON list, so two different lists never give the same name.

    >>> make_id = id_factory(uuid.NAMESPACE_URL, "a")
    >>> make_id("b", "c") == str(uuid.uuid5(uuid.NAMESPACE_URL, '["a","b","c"]'))
    True
    """

    def make_id(*parts: str) -> str:
        names = ",".join(map(encode_basestring, (*scope, *parts)))
        return str(uuid.uuid5(namespace, f"[{names}]"))

    return make_id
