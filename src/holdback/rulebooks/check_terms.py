"""The checks of a jurisdiction on a day: what each gives, and for how long a result holds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen

_AGE: Final = "_age_days"
# The sections of a profile that say who a merchant is.
PEOPLE: Final = ("applicants", "company")
# Whom the built-in checks are about; one that a jurisdiction adds is about both.
_ABOUT: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "identity": ("applicants",),
        "business": ("company",),
        "consumer_credit": ("applicants",),
        "takings": ("company",),
    }
)


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

    @property
    def about(self) -> tuple[str, ...]:
        """The sections of the profile that its results are about (decisions/evidence)."""
        return _ABOUT.get(self.name, PEOPLE)


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
