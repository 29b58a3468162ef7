"""The fingerprint of a command: the digest that tells a repetition from another request.

Fingerprints are stored. INVARIANT: a field that is added to a command has a default, and a field
with its default is left out, so a fingerprint made before stays the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Final

import attrs

from holdback.exact.exact_json import Json, Opaque, canonical
from holdback.exact.money import Money
from holdback.lifecycle.operation import Operation
from holdback.merchant.profile import Profile

# 128 bits: enough that no two requests of one merchant share a fingerprint.
_HEX_DIGITS: Final = 32
# What most fields hold, and JSON has.
_LEAVES: Final = frozenset({str, int, bool, Decimal, type(None)})


def fingerprint(operation: Operation[Any], profile: Profile | None) -> str:
    """
    Return the fingerprint of *operation*, by its name and its fields.

    The digest of a command with personal data is keyed by the *profile*'s salt.
    """
    profile = profile if operation.takes_profile else None
    content = {"operation": operation.name, **_fields(operation, profile)}
    if profile is not None:
        return profile.digest(content)
    return hashlib.sha256(canonical(content)).hexdigest()[:_HEX_DIGITS]


def _fields(value: Any, profile: Profile | None) -> dict[str, Json]:
    return {
        alias: _plain(content, profile)
        for alias, name, default in _names(type(value))  # type: ignore[arg-type]  # a class is hashable
        if (content := getattr(value, name)) != _default_in(value, default)
    }


@cache
def _names(kind: type) -> tuple[tuple[str, str, Any], ...]:
    """Return, for each field of *kind*, its name in a fingerprint, its own, and its default."""
    return tuple(
        (attribute.alias or attribute.name, attribute.name, _default(attribute.default))
        for attribute in attrs.fields(kind)
    )


def _default(default: Any) -> Any:
    if isinstance(default, attrs.Factory) and not default.takes_self:  # type: ignore[arg-type]  # a class
        return default.factory()
    return default


def _default_in(value: Any, default: Any) -> Any:
    """Return the *default* of a field of *value*, which may depend on its other fields."""
    return default.factory(value) if isinstance(default, attrs.Factory) else default  # type: ignore[arg-type]  # a class


def _plain(value: Any, profile: Profile | None) -> Json:
    if type(value) in _LEAVES:
        return value
    if isinstance(value, Money):
        return str(value)
    if isinstance(value, date):  # a `datetime` too
        return value.isoformat()
    if isinstance(value, Opaque):
        assert profile is not None, "an operation with personal data takes the profile"
        return profile.digest(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item, profile) for item in value]
    return _fields(value, profile) if attrs.has(type(value)) else value
