"""The jurisdictions with rules of their own: any other decides as its parent does."""

from __future__ import annotations

from holdback import Jurisdictions


def with_own_rules(jurisdictions):
    """Return those of *jurisdictions* whose folders have rules."""
    return Jurisdictions(each for each in jurisdictions if each.policy.own.all_rules)
