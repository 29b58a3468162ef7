"""The columns of an assessed frame, and those from which they are computed."""

from __future__ import annotations

from typing import Final

OUTCOME, ELIGIBLE, FAILING, NEEDS, CODES = "outcome", "eligible", "failing", "needs", "codes"
RESULTS: Final = (OUTCOME, ELIGIBLE, FAILING, NEEDS)
# The column of a prepared frame with the mask of the facts that could not be read.
INVALID_COLUMN: Final = "invalid"

# Columns whose names begin with it are dropped from the result.
PREFIX: Final = "__holdback_"
# INVARIANT: names of facts follow `fact_`, and codes of rules `rule_`, which no other name begins
# with, so that a jurisdiction may declare a fact called `rulebook`.
_FACT_PREFIX: Final = f"{PREFIX}fact_"
_RULE_PREFIX: Final = f"{PREFIX}rule_"
RULEBOOK: Final = f"{PREFIX}rulebook"
UNREADABLE: Final = f"{PREFIX}unreadable"
BALANCE: Final = f"{PREFIX}balance"
# The masks of the rules that are false and of those that are unknown, also below the floor and in
# rows that are invalid. The floor has its bit in one or the other where progress is below it or
# unknown.
FALSE_RULES: Final = f"{PREFIX}false_rules"
UNKNOWN_RULES: Final = f"{PREFIX}unknown_rules"
# While they are computed, the results of a row, and the same as texts, have names that no user has.
RESULT_COLUMNS: Final = {name: f"{PREFIX}{name}" for name in RESULTS}
TEXT_COLUMNS: Final = {name: f"{PREFIX}text_{name}" for name in (OUTCOME, CODES, NEEDS)}
# The columns of a readable result, and those that they are computed as.
READABLE: Final = {
    OUTCOME: TEXT_COLUMNS[OUTCOME],
    ELIGIBLE: RESULT_COLUMNS[ELIGIBLE],
    CODES: TEXT_COLUMNS[CODES],
    NEEDS: TEXT_COLUMNS[NEEDS],
}


def converted_column(name: str) -> str:
    """The column of the fact *name* in scaled integers, if it is not the user's own."""
    return f"{_FACT_PREFIX}{name}"


def rule_column(code: str) -> str:
    """The column with the rule's own answer, of the rule *code*."""
    return f"{_RULE_PREFIX}{code}"


# The variant of a column of days that is read to find each row's rulebook.
DAY: Final = -1


def number_column(name: str, variant: int) -> str:
    """The column of the fact *name* as Polars reads it, in one of several ways: the *variant*."""
    return f"{converted_column(name)}_{variant}_number"


def given_column(name: str, variant: int) -> str:
    """The column that says where a value was given, of which some cannot be read."""
    return f"{converted_column(name)}_{variant}_given"
