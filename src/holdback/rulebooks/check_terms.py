"""The checks of a jurisdiction on a day: what each gives, and for how long a result holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen

_AGE: Final = "_age_days"


@frozen(kw_only=True)
class CheckTerms:
    """
    A check on a day, with the facts that it gives.

    A result that is older than `max_age_days` is unknown; None where results do not age. `consent`
    is the one that the merchant must have given before the check is made, if there is one.
    """

    name: str
    facts: tuple[str, ...]
    max_age_days: int | None = None
    consent: str | None = None


def age_name(check: str) -> str:
    """
    Return the name of the fact that is the age of *check*.

    >>> age_name("identity")
    'identity_age_days'
    """
    return f"{check}{_AGE}"


def check_with_age(name: str) -> str | None:
    """
    Return the check whose age the fact *name* would be; None if it has no such name.

    >>> check_with_age("identity_age_days"), check_with_age("progress")
    ('identity', None)
    """
    return name.removesuffix(_AGE) if name.endswith(_AGE) else None


def age_limits(checks: Mapping[str, CheckTerms]) -> dict[str, Json]:
    """
    Return what a digest covers of *checks*, as a setting; nothing where no result ages.

    Facts are part of it: they decide together whether they are too old.
    """
    limits = {
        name: {"max_age_days": check.max_age_days, "facts": list(check.facts)}
        for name, check in checks.items()
        if check.max_age_days is not None
    }
    return {"checks": limits} if limits else {}
