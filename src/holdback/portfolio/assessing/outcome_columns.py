"""The columns of an assessed frame, and those from which they are computed."""

from __future__ import annotations

from typing import Final

OUTCOME, ELIGIBLE, FAILING, NEEDS, CODES = "outcome", "eligible", "failing", "needs", "codes"
# The columns of a result that is not readable: numbers and masks.
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
# The columns of a readable result, each with the column that it is computed as: the outcome, codes
# and needs are texts, and whether a deal is eligible is a Boolean in either result.
READABLE: Final = {
    OUTCOME: TEXT_COLUMNS[OUTCOME],
    ELIGIBLE: RESULT_COLUMNS[ELIGIBLE],
    CODES: TEXT_COLUMNS[CODES],
    NEEDS: TEXT_COLUMNS[NEEDS],
}


def converted_column(name: str) -> str:
    """
    The name of the column of the fact *name* in scaled integers.

    Where the user's own column already holds these, rules read that one (`SqlPlan.fact_column`).
    """
    return f"{_FACT_PREFIX}{name}"


def rule_column(code: str) -> str:
    """The column with the rule's own answer, of the rule *code*."""
    return f"{_RULE_PREFIX}{code}"


# The variant of a column that is read as the day of each row, to find the row's rulebook. The same
# column may be a fact as well, whose variants count from 0.
DAY: Final = -1


def number_column(name: str, variant: int) -> str:
    """The column of the fact *name* as Polars reads it, in one of several ways: the *variant*."""
    return f"{converted_column(name)}_{variant}_number"


def given_column(name: str, variant: int) -> str:
    """The column that is true where a value was given; it is invalid if its number is null."""
    return f"{converted_column(name)}_{variant}_given"
