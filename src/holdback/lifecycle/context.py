"""The context of one attempt: its instant, its request id and the results of the host's checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

from attrs import evolve, field
from pendulum import DateTime

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, shown_path
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.merchant.instants import as_instant
from holdback.merchant.validators import Validator, flag, text
from holdback.rules.values import FactValue, is_missing

# The results of checks by the names of their facts.
FactValues: TypeAlias = Mapping[str, FactValue]


def exact_values(facts: object, path: str) -> dict[str, Json]:
    """
    Return *facts* as exact JSON values, which can be stored; missing values are left out.

    Raises:
        InvalidDocument: naming every value that is not exact.
    """
    if not isinstance(facts, Mapping):
        raise InvalidDocument.of("wrong_type", "expected evidence by fact name", path=path)
    errors = []
    values: dict[str, Json] = {}
    for name, value in facts.items():
        if is_missing(value):
            continue
        if isinstance(value, Money):
            values[name] = str(value)
        elif isinstance(value, date) and not isinstance(value, datetime):
            values[name] = value.isoformat()
        elif type(value) in {str, bool, int, Decimal}:
            values[name] = value
        else:
            message = f"expected a plain exact value, not {type(value).__name__}"
            where = shown_path(path, name)
            errors.append(ErrorDetail(code="wrong_type", message=message, path=where))
    if errors:
        raise InvalidDocument(errors)
    return values


def _facts(facts: FactValues) -> Mapping[str, Json]:
    return FrozenMapping(exact_values(facts, "$.facts"))


def _made_at(value: datetime) -> DateTime:
    return as_instant(value, "$.made_at")


@frozen(kw_only=True)
class CheckResult:
    """
    The result of one check, as a host hands it in: the facts that it gave, by name.

    `check` is a name of `required_checks`, such as `consumer_credit`. `made_at` is the instant at
    which the check was made. A fact of the check that is not among `facts` is unknown from then on.

    >>> import pendulum
    >>> made_at = pendulum.datetime(2026, 12, 1, 9)
    >>> CheckResult(check="consumer_credit", made_at=made_at, facts={"credit_score": 640}).check
    'consumer_credit'

    Raises:
        InvalidDocument: the instant has no zone, or a value is not exact.
    """

    check: str = field(validator=text)
    made_at: DateTime = field(converter=_made_at)
    facts: Mapping[str, Json] = field(converter=_facts, repr=False)


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
