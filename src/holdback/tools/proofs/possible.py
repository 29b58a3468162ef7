"""Deals that can exist: those of which the relations between facts hold."""

from __future__ import annotations

from holdback.eligibility.facts import relations
from holdback.exact.money import Currency
from holdback.rules import Facts, interpret


def is_possible(facts: Facts, currency: Currency) -> bool:
    """Return whether a deal with prepared *facts* can exist; a missing fact contradicts nothing."""
    return all(interpret(relation, facts) is not False for relation in relations(currency))
