"""`migration`: which deals keep their outcome under other rules, and which go where."""

from __future__ import annotations

from typing import Any, Final

from holdback.portfolio.aggregation import DealTotals, sum_totals
from holdback.portfolio.answer_table import AnswerTable
from holdback.portfolio.comparison import paired_answers
from holdback.portfolio.counted_outcomes import amount, proposal_notes, share
from holdback.portfolio.outcome_codes import OUTCOMES
from holdback.portfolio.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.work_frame import answer_backend, open_frame

_HEADS: Final = ("jurisdiction", "before", "after", "deals", "share", "balance", "currency")


def migration(  # noqa: PLR0913  # public; all but the rules have a default
    frame: Any,
    old: Rules,
    new: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return how many deals of *frame* have each outcome under *old* and under *new* rules.

    There is a row for each pair of outcomes, with those that stay the same. `share` is of the deals
    of the jurisdiction. The other arguments are those of `assess`; `compare` says why deals change.

    >>> import polars as pl
    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(2000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    >>> stricter = rulebook.replace(minimum_performance="90%")
    >>> answer = migration(deals, rulebook, stricter).to_frame()
    >>> answer.filter(before="eligible", after="ineligible")["deals"].to_list()
    [12]

    Raises:
        InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
    """
    opened = open_frame(frame)
    pairs = paired_answers(opened, old, new, jurisdiction, on, prepared=prepared)
    rulebooks = {after.jurisdiction: after.rulebook for _, after in pairs}
    sums = sum_totals(
        ((after.jurisdiction, before.outcome, after.outcome), totals)
        for (before, after), totals in pairs.items()
    )
    rows = []
    for code in sorted(rulebooks):
        whole = sum(totals.deals for (where, _, _), totals in sums.items() if where == code)
        for before in OUTCOMES:
            for after in OUTCOMES:
                totals = sums.get((code, before, after), DealTotals())
                money = amount(totals.minor, rulebooks[code])
                part = share(totals.deals, whole)
                rows.append((code, before, after, totals.deals, part, *money))
    changed = sum(totals.deals for (_, old, new), totals in sums.items() if old != new)
    whole = sum(totals.deals for totals in sums.values())
    return AnswerTable(
        question="migration",
        title=f"{changed:,} of {whole:,} deals change",
        heads=_HEADS,
        rows=tuple(rows),
        notes=(*proposal_notes(old), *proposal_notes(new)),
        backend=answer_backend(opened),
    )
