"""What is right about a million deals: by the function by hand, and by the closure, one deal at a time."""

from __future__ import annotations

from typing import Any

import numpy
import pyarrow
from attrs import frozen
from million import Million

from holdback import portfolio

ANSWER = ("outcome", "eligible", "failing", "needs")
NEEDS_COMPARED = 20_000  # the closure's side takes long to say what is needed
FLOOR = 1 << 60  # what fails below the floor of half the repayment amount, in the portfolio's mask


def check_masks(masks: Any, flags: Any, million: Million) -> None:
    """A peer's *masks* of what fails, and *flags* of who is eligible, are those of the function by hand."""
    expected = million.expected[: len(masks)]
    assert numpy.array_equal(numpy.asarray(masks), expected)
    assert numpy.array_equal(numpy.asarray(flags), expected == 0)


@frozen
class Decisions:
    """What the closure says of every deal: the outcome by its place, the mask of what fails, what is needed."""

    rules: Any
    outcomes: numpy.ndarray
    failing: numpy.ndarray
    needs: list[tuple[str, ...]]

    def check(self, answer: pyarrow.Table) -> None:
        """The portfolio's *answer* says the same of every deal."""
        found = {name: answer[name].to_numpy() for name in ANSWER}
        assert numpy.array_equal(found["outcome"], self.outcomes)
        assert numpy.array_equal(found["eligible"], self.outcomes == 0)
        assert numpy.array_equal(found["failing"], self.failing)
        for mask, needs in zip(found["needs"].tolist(), self.needs, strict=False):
            assert set(portfolio.needed(self.rules, mask)) == set(needs)


def decided(million: Million, rules: Any, *, unknown: bool) -> Decisions:
    """The decisions of a rulebook on every deal, three in a hundred facts *unknown* or none."""
    places = {outcome: place for place, outcome in enumerate(portfolio.OUTCOMES)}
    columns = [rules.catalogue.place(name) for name in million.numbers]
    facts: list[int | None] = [None] * len(rules.catalogue.facts)
    outcomes, failing, needs = [], [], []
    for row in million.rows(unknown=unknown):
        for column, value in zip(columns, row, strict=True):
            facts[column] = value
        assessment = rules.assess_prepared(tuple(facts))
        outcomes.append(places[assessment.outcome])
        failing.append(failing_mask(assessment))
        if len(needs) < NEEDS_COMPARED:
            needs.append(assessment.needs)
    return Decisions(rules, numpy.array(outcomes), numpy.array(failing), needs)


def failing_mask(assessment: Any) -> int:
    """What fails, where that is why the deal is not eligible."""
    if assessment.outcome == "not_assessed":
        return FLOOR
    return assessment.answers.false if assessment.outcome in ("ineligible", "referred") else 0
