"""Deals and balances by outcome, as the cells of an answer: numbers, and the currency apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from holdback.eligibility import ELIGIBLE
from holdback.jurisdictions.rulebook import Rulebook
from holdback.money import Money
from holdback.portfolio.aggregation import Answer, DealTotals, sum_totals
from holdback.portfolio.outcome_codes import OUTCOMES
from holdback.portfolio.row_rulebooks import Rules

# The columns of an answer with a column for each outcome, and the balance of the eligible deals.
EACH_OUTCOME: Final = (*OUTCOMES, "balance", "currency")
# Decimals of a share.
_PLACES: Final = 4

# The deals of each jurisdiction by outcome.
Counts = Mapping[str, Mapping[str, DealTotals]]


def share(part: int, whole: int) -> Decimal | None:
    """
    Return *part* of *whole* as a number from 0 to 1, rounded half up; None of nothing.

    >>> share(1, 3), share(0, 0)
    (Decimal('0.3333'), None)
    """
    if not whole:
        return None
    scaled = (2 * part * 10**_PLACES + whole) // (2 * whole)
    return Decimal(scaled).scaleb(-_PLACES)


def amount(minor: int, rulebook: Rulebook | None) -> tuple[Decimal | None, str | None]:
    """An amount of the jurisdiction of *rulebook* and its currency; None without one."""
    if rulebook is None:
        return None, None
    return Money(minor, rulebook.currency).amount, str(rulebook.currency)


def by_jurisdiction(
    answers: Iterable[tuple[Answer, DealTotals]],
) -> tuple[Counts, Mapping[str, Rulebook | None]]:
    """The *answers* by jurisdiction and outcome, and a rulebook of each jurisdiction."""
    parts = list(answers)
    sums = sum_totals(((answer.jurisdiction, answer.outcome), totals) for answer, totals in parts)
    counts: dict[str, dict[str, DealTotals]] = {}
    for (jurisdiction, outcome), totals in sorted(sums.items(), key=lambda item: item[0][0]):
        counts.setdefault(jurisdiction, {})[outcome] = totals
    return counts, {answer.jurisdiction: answer.rulebook for answer, _ in parts}


def outcome_cells(
    counts: Mapping[str, DealTotals], rulebook: Rulebook | None
) -> Iterator[Any]:
    """The cells of `EACH_OUTCOME`."""
    for outcome in OUTCOMES:
        yield counts[outcome].deals if outcome in counts else 0
    eligible = counts.get(ELIGIBLE, DealTotals())
    yield from amount(eligible.minor, rulebook)


def proposal_notes(rules: Rules) -> tuple[str, ...]:
    """What is proposed instead of the files, in sentences."""
    rulebooks = (rules,) if isinstance(rules, Rulebook) else ()
    return tuple(
        f"{rulebook.code} is a proposal: {sentence}"
        for rulebook in rulebooks
        for sentence in rulebook.proposal
    )
