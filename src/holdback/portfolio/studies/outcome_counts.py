"""Deals counted by jurisdiction and outcome, as the answers to questions have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from attrs import evolve

from holdback.exact.exact_numbers import unscaled
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.aggregation import DealTotals, count_rows, sum_totals
from holdback.portfolio.assessing.assessed_frames import prepare
from holdback.portfolio.assessing.outcome_codes import OUTCOMES
from holdback.portfolio.assessing.outcome_columns import BALANCE, INVALID_COLUMN, OUTCOME, RULEBOOK
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_errors import check_columns
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import open_frame
from holdback.portfolio.sql.computed_frames import with_outcomes
from holdback.rulebooks.rulebook import Rulebook

# The jurisdiction of rows without a rulebook, and their place among the rulebooks.
NO_JURISDICTION: Final = "-"
NO_RULEBOOK: Final = -1
# The columns of `Counts.cells`.
COUNT_HEADS: Final = (*OUTCOMES, "balance", "currency")
# A share has six decimals.
_SHARE_PLACES: Final = 6

# A number of deals and their balance, by the place of the rulebook, -1 for none, and the outcome.
OutcomeCounts = Mapping[tuple[int, str], DealTotals]


def plan_to_vary(
    frame: Any, rules: Rules, jurisdiction: str, on: DayOrColumn | None, *, prepared: bool
) -> ColumnPlan:
    """
    Return a plan for *frame* that can be assessed many times under other rules.

    Its columns are prepared here, if the user has not done so, so that they are read only once.

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
    """
    plan = ColumnPlan.of(open_frame(frame), rules, jurisdiction, on, prepared=prepared)
    check_columns(plan, () if prepared else (INVALID_COLUMN,))
    if prepared:
        return plan
    numbers = prepare(frame, rules, jurisdiction=jurisdiction, on=on)
    return ColumnPlan(open_frame(numbers), plan.rulebooks, prepared=True)


def under(plan: ColumnPlan, rulebooks: Sequence[Rulebook]) -> ColumnPlan:
    """Return *plan* with other *rulebooks*, each in the place of the one that it replaces."""
    assert len(plan.rulebooks.rulebooks) == len(rulebooks), "each rulebook has its place"
    return evolve(plan, rulebooks=evolve(plan.rulebooks, rulebooks=tuple(rulebooks)))


def count_outcomes(plan: ColumnPlan) -> OutcomeCounts:
    """Return the deals of *plan* by the place of their rulebook and their outcome."""
    work = with_outcomes(plan, (OUTCOME, BALANCE))
    rows = count_rows(work, (RULEBOOK, OUTCOME))
    return sum_totals(((place, OUTCOMES[outcome]), totals) for (place, outcome), totals in rows)


def by_jurisdiction(
    counts: OutcomeCounts, rulebooks: Sequence[Rulebook]
) -> Mapping[str, Mapping[str, DealTotals]]:
    """Return *counts* by the code of the jurisdiction, in order, and by outcome."""
    sums: dict[str, dict[str, DealTotals]] = {}
    for (place, outcome), totals in counts.items():
        code = rulebooks[place].code if place >= 0 else NO_JURISDICTION
        of_code = sums.setdefault(code, {})
        of_code[outcome] = of_code.get(outcome, DealTotals()) + totals
    return dict(sorted(sums.items()))


@frozen
class Jurisdictional:
    """How the amounts of the jurisdictions of some *rulebooks* are written."""

    rulebooks: tuple[Rulebook, ...]

    def amount(self, code: str, totals: DealTotals) -> tuple[Decimal | None, str | None]:
        """The balance in *totals* in major units, and its currency; None without a rulebook."""
        rulebook = next(filter(lambda rulebook: rulebook.code == code, self.rulebooks), None)
        if rulebook is None:
            return None, None
        return Money(totals.minor, rulebook.currency).amount, str(rulebook.currency)

    def cells(self, code: str, totals: Mapping[str, DealTotals]) -> tuple[Any, ...]:
        """The deals of each outcome, and the balance of the eligible, as `COUNT_HEADS` has them."""
        deals = (totals.get(outcome, DealTotals()).deals for outcome in OUTCOMES)
        return *deals, *self.amount(code, totals.get(OUTCOMES[0], DealTotals()))

    @property
    def notes(self) -> Iterator[str]:
        """What the rulebooks propose."""
        return proposal_notes(self.rulebooks)


def proposal_notes(rulebooks: Iterable[Rulebook]) -> Iterator[str]:
    """Yield what each of *rulebooks* that is a proposal proposes."""
    yield from dict.fromkeys(
        f"{rulebook.code} is a proposal: {sentence}"
        for rulebook in rulebooks
        for sentence in rulebook.proposal
    )


def share(deals: int, of: int) -> Decimal:
    """
    Return the share that *deals* are *of* a number, with six decimals; 0 of none.

    >>> share(1, 3), share(0, 0)
    (Decimal('0.333333'), Decimal('0.000000'))
    """
    scaled = round(Fraction(deals * 10**_SHARE_PLACES, of)) if of else 0
    return unscaled(scaled, _SHARE_PLACES)
