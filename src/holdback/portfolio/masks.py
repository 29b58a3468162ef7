"""How an assessed row says its answer in whole numbers, and how to read them.

The outcome is a place in `OUTCOMES`. What fails and what is needed are masks: 64-bit numbers of which each
bit stands for a rule of the row's rulebook, or for a fact of its catalogue. A mask costs a million rows
nothing, where a million lists cost more than the rules do.
"""

from __future__ import annotations

from typing import Final

from holdback import eligibility
from holdback.jurisdictions.rulebook import Rulebook

# A row that the service would refuse to read: a value out of range, an unknown jurisdiction.
INVALID: Final = "invalid"

OUTCOMES: Final = (
    eligibility.ELIGIBLE,
    eligibility.REFERRED,
    eligibility.INELIGIBLE,
    eligibility.UNDETERMINED,
    eligibility.NOT_ASSESSED,
    INVALID,
)

PLACES: Final = {outcome: place for place, outcome in enumerate(OUTCOMES)}

# Rules have the bits under it, of which there are at most 60 (design 4).
FLOOR_BIT: Final = 60
# Facts have the bits under these, of which there are at most 58: 18 built in, 40 of a jurisdiction's own.
JURISDICTION_BIT: Final = 61
ON_BIT: Final = 62


def words(outcome: str) -> str:
    """
    The *outcome* in a sentence.

    >>> words("not_assessed")
    'not assessed'
    """
    return outcome.replace("_", " ")


def codes(rulebook: Rulebook, failing: int) -> tuple[str, ...]:
    """
    The codes of the rules in the mask *failing* of a row that *rulebook* assessed, in order of priority.

    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> codes(load_jurisdictions().resolve("GB", on=date(2026, 7, 1)), 0b101)
    ('GB-R-01', 'GB-R-03')
    """
    rules = rulebook.renewal.rules
    found = tuple(rule.code for bit, rule in enumerate(rules) if failing >> bit & 1)
    return (*found, eligibility.FLOOR_CODE) if failing >> FLOOR_BIT & 1 else found


def needed(rulebook: Rulebook, needs: int) -> tuple[str, ...]:
    """
    The names in the mask *needs* of a row: the facts that are missing, or that are at fault where it is invalid.

    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> needed(load_jurisdictions().resolve("GB", on=date(2026, 7, 1)), 0b11)
    ('progress', 'performance')
    """
    facts = rulebook.catalogue.facts
    return tuple(fact.name for place, fact in enumerate(facts) if needs >> place & 1)
