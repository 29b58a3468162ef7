"""The deals of a file that gain or lose by a change of rules, and their balance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from holdback.cli.diff_steps import Sides, Step
from holdback.cli.output import reading
from holdback.eligibility.assessment import ELIGIBLE
from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.tables import Table
from holdback.portfolio.assessing.aggregation import Answer, DealTotals, sum_totals
from holdback.portfolio.files.batch_reader import BatchReader
from holdback.portfolio.files.batches import BatchAssessment, Changes
from holdback.portfolio.files.deal_files import Deals, open_deals
from holdback.portfolio.reading.column_mapping import ColumnMapping

_GAIN: Final = "gain"
_LOSE: Final = "lose"
_MOVE: Final = "get another outcome"
_STAY: Final = "unchanged"
# The column with the code of the jurisdiction of a deal, in a file that has several.
_JURISDICTION: Final = "jurisdiction"


@frozen
class Count:
    """How many deals share a `change`, and the sum of their known balances."""

    change: str
    deals: int
    balance: Money


@frozen
class DealChanges:
    """The deals of `file` by what each step of a difference changes for them."""

    file: str
    by_title: Mapping[str, tuple[Count, ...]]

    def __str__(self) -> str:
        rows = tuple(
            (title, count.change, count.deals, str(count.balance))
            for title, counts in self.by_title.items()
            for count in counts
        )
        return str(
            Table(f"Deals of {self.file}", ("change", "deals that", "deals", "balance"), rows)
        )

    def of(self, steps: Iterable[Step]) -> DealChanges:
        """Return what these *steps* alone change."""
        titles = [step.title for step in steps if step.title in self.by_title]
        return DealChanges(self.file, {title: self.by_title[title] for title in titles})

    def plain(self, step: Step) -> list[Json]:
        """Return the counts of *step* as plain values, with the keys of a difference."""
        return [
            {
                "state": "counted",
                "kind": "deals",
                "name": count.change,
                "details": [],
                "deals": count.deals,
                "balance": str(count.balance),
            }
            for count in self.by_title.get(step.title, ())
        ]


def deal_changes(file: str, steps: Iterable[Step]) -> DealChanges:
    """Return what the *steps* change for the deals of *file*; exit with 2 if it cannot be read."""
    with reading("The deals"), open_deals(file, {}) as deals:
        counted = {
            step.title: _counts(deals, step.sides) for step in steps if step.sides is not None
        }
    return DealChanges(file, counted)


def _counts(deals: Deals, sides: Sides) -> tuple[Count, ...]:
    """Return the counts of the deals that are in one of the two jurisdictions."""
    before, after = sides.rulebooks
    # Each of the two answers for the deals of both, so their column is left out.
    own = deals.having(_JURISDICTION, (before.code, after.code)).without(_JURISDICTION)
    reader = BatchReader(
        deals=own,
        before=before,
        after=after,
        jurisdiction=_JURISDICTION,
        on=sides.new_day,
        mapping=ColumnMapping(),
    )
    assessment = BatchAssessment(reader)
    for _ in assessment.run():
        pass
    assert isinstance(assessment.result, Changes), "it compares"
    answers = assessment.result.comparison.answers
    totals = sum_totals((_change(*pair), deals) for pair, deals in answers.items())
    return tuple(
        Count(change, sums.deals, Money(sums.minor, after.currency))
        for change in (_GAIN, _LOSE, _MOVE, _STAY)
        for sums in [totals.get(change, DealTotals())]
    )


def _change(before: Answer, after: Answer) -> str:
    if before.outcome == after.outcome:
        return _STAY
    if after.outcome == ELIGIBLE:
        return _GAIN
    return _LOSE if before.outcome == ELIGIBLE else _MOVE
