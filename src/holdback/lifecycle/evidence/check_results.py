"""The results of checks, as a host hands them in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TypeAlias

from attrs import field
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, shown_path
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.merchant.instants import as_instant
from holdback.merchant.validators import text
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
