"""The right results for a million deals: by the function by hand and by the closure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from million import Million

from holdback import portfolio

ANSWER = ("outcome", "eligible", "failing", "needs")
NEEDS_COMPARED = 20_000  # the closure's side takes long to say what is needed
FLOOR = 1 << 60  # what fails below the floor of half the repayment amount, in the portfolio's mask


def check_masks(masks: Any, flags: Any, million: Million) -> None:
    """Compare a peer's *masks* and *flags* with those of the function by hand."""
    expected = million.expected[: len(masks)]
    assert np.array_equal(np.asarray(masks), expected)
    assert np.array_equal(np.asarray(flags), expected == 0)


@frozen
class Decisions:
    """The closure's results for every deal: the outcome, the failing rules, the missing facts."""

    rules: Any
    outcomes: np.ndarray
    failing: np.ndarray
    needs: list[tuple[str, ...]]

    def check(self, answer: pa.Table) -> None:
        """Compare the portfolio's *answer* with these decisions, deal by deal."""
        found = {name: answer[name].to_numpy() for name in ANSWER}
        assert np.array_equal(found["outcome"], self.outcomes)
        assert np.array_equal(found["eligible"], self.outcomes == 0)
        assert np.array_equal(found["failing"], self.failing)
        for mask, needs in zip(found["needs"].tolist(), self.needs, strict=False):
            assert set(portfolio.needed(self.rules, mask)) == set(needs)


def decided(million: Million, rules: Any, *, unknown: bool) -> Decisions:
    """Return the decisions of a rulebook on every deal, with 3% of the facts *unknown* or none."""
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
    return Decisions(rules, np.array(outcomes), np.array(failing), needs)


def failing_mask(assessment: Any) -> int:
    """Return the mask of the rules that decided a deal that is not eligible."""
    if assessment.outcome == "not_assessed":
        return FLOOR
    return assessment.answers.false if assessment.outcome in ("ineligible", "referred") else 0
