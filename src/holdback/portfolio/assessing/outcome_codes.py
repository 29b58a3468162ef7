"""
The outcome of a row as whole numbers, and how to read them.

The outcome is a place in `OUTCOMES`. The rules that fail and the facts that are needed are masks:
64-bit numbers in which each bit stands for a rule of the row's rulebook, or for a fact of its
catalogue. A mask adds next to nothing to a million rows, while a million lists cost more than the
rules do.
"""

from __future__ import annotations

from typing import Final

from holdback.eligibility import assessment as eligibility
from holdback.eligibility.facts import BUILT_IN_FACTS
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.eligibility.ruleset import MOST_RULES
from holdback.jurisdictions.declared_facts import MAX_FACTS
from holdback.rulebooks.rulebook import Rulebook

# A row for which the engine would raise `InvalidDocument`: a value out of range, an unknown
# jurisdiction.
INVALID: Final = "invalid"

# The outcomes, in the order of the numbers in the column `outcome`.
OUTCOMES: Final = (
    eligibility.ELIGIBLE,
    eligibility.REFERRED,
    eligibility.INELIGIBLE,
    eligibility.UNDETERMINED,
    eligibility.NOT_ASSESSED,
    INVALID,
)

PLACES: Final = {outcome: place for place, outcome in enumerate(OUTCOMES)}

# INVARIANT: a rulebook has at most `MOST_RULES` rules, so the floor's bit is never a rule's.
FLOOR_BIT: Final = 60
assert MOST_RULES <= FLOOR_BIT, "a rule has the bit of the floor"
# INVARIANT: a catalogue has at most `BUILT_IN_FACTS` + `MAX_FACTS` facts, including those that the
# parents of a jurisdiction declare, so these two bits are never those of a fact.
JURISDICTION_BIT: Final = 61
ON_BIT: Final = 62
assert BUILT_IN_FACTS + MAX_FACTS <= JURISDICTION_BIT, "a fact has the bit of a key column"


def words(outcome: str) -> str:
    """
    Return the words for the *outcome* in a sentence.

    >>> words("not_assessed")
    'not assessed'
    """
    return outcome.replace("_", " ")


def codes(rulebook: Rulebook, failing: int) -> tuple[str, ...]:
    """
    Return the codes in the mask *failing* of a row that *rulebook* assessed, by priority.

    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> codes(load_jurisdictions().resolve("GB", on=date(2026, 7, 1)), 0b101)
    ('GB-R-01', 'GB-R-03')
    """
    rules = rulebook.renewal.rules
    failed = tuple(rule.code for bit, rule in enumerate(rules) if failing >> bit & 1)
    return (*failed, FLOOR_CODE) if failing >> FLOOR_BIT & 1 else failed


def needed(rulebook: Rulebook, needs: int) -> tuple[str, ...]:
    """
    Return the names of the facts in the mask *needs* of a row that *rulebook* assessed.

    They are missing, or in a row that is invalid, they cannot be read.

    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> needed(load_jurisdictions().resolve("GB", on=date(2026, 7, 1)), 0b11)
    ('progress', 'performance')
    """
    facts = rulebook.catalogue.facts
    return tuple(fact.name for place, fact in enumerate(facts) if needs >> place & 1)
