"""The context of one attempt: what the host says each time it asks for something."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias

from attrs import evolve, field
from pendulum import DateTime

from holdback.errors import ConfigurationError, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.lifecycle.evidence.check_results import CheckResult, FactValues, exact_values
from holdback.merchant.instants import as_instant
from holdback.merchant.validators import Validator, flag, text

# The results of a host's checks: by fact name, if they were made just now, or check by check.
Evidence: TypeAlias = FactValues | Iterable[CheckResult]


def _instant(value: datetime) -> DateTime:
    """Return *value*, what the host's clock says, as an instant."""
    try:
        return as_instant(value)
    except InvalidDocument as error:
        raise ConfigurationError(error.errors) from None


def _as_configuration_error(validator: Validator) -> Validator:
    """Return *validator* with configuration errors: no partner can correct what a host says."""

    def validate(instance: Any, attribute: Any, value: Any) -> None:
        try:
            validator(instance, attribute, value)
        except InvalidDocument as error:
            raise ConfigurationError(error.errors) from None

    return validate


def _evidence(evidence: Evidence) -> Mapping[str, Json] | tuple[CheckResult, ...]:
    """Return *evidence* as exact JSON values, which can be stored; missing values are left out."""
    if isinstance(evidence, Iterable) and not isinstance(evidence, Mapping | str | bytes):
        results = tuple(evidence)
        if all(isinstance(result, CheckResult) for result in results):
            return results
        message = "expected results of checks, `CheckResult`"
        raise ConfigurationError.of("wrong_type", message, path="$.evidence")
    try:
        return FrozenMapping(exact_values(evidence, "$.evidence"))
    except InvalidDocument as error:
        raise ConfigurationError(error.errors) from None


@frozen(kw_only=True)
class Context:
    """
    The context of one attempt: its instant, its request id and the evidence for it.

    `at` is read from the host's clock once for each attempt. `request_id` is the host's: random,
    never reused for another request, and the same on a retry. `evidence` holds the results of the
    host's checks: by fact name, made at the instant of this context, or as `CheckResult`s, with an
    instant each. Each value is a `holdback.rules.FactValue`, which is never a float. `sure` says
    that `at` is right, however far it is from the last event of the merchant: the host has compared
    its clock with another one (decisions/engine#a-far-clock).

    >>> import pendulum
    >>> Context(at=pendulum.datetime(2026, 7, 1), request_id="r-1").at.isoformat()
    '2026-07-01T00:00:00+00:00'

    Raises:
        ConfigurationError: naming what the host says wrong: a time without a zone, an empty id, or
            every value of the evidence that is not exact.
    """

    at: DateTime = field(converter=_instant)
    request_id: str = field(validator=_as_configuration_error(text))
    evidence: Mapping[str, Json] | tuple[CheckResult, ...] = field(
        factory=FrozenMapping, converter=_evidence, repr=False
    )
    sure: bool = field(default=False, validator=_as_configuration_error(flag))

    def not_before(self, last_seen_at: DateTime | None) -> Context:
        """Return this context, moved to *last_seen_at* if the host's clock has gone back."""
        # INVARIANT: the events of a merchant are in the order of their instants (decisions/engine).
        if last_seen_at is None or self.at >= last_seen_at:
            return self
        return evolve(self, at=last_seen_at)


# -- The ids that the service issues: version 5 UUIDs, made from the host's secret namespace.

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
