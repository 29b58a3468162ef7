"""`summarise`: a portfolio counted by outcome, reason and missing fact, with the balance left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from attrs import field

from holdback.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.aggregation import (
    ANSWER_COLUMNS,
    COUNTED_COLUMNS,
    Answer,
    AnswerReader,
    DealTotals,
    count_rows,
    money_text,
    sum_totals,
)
from holdback.portfolio.assessment import with_outcomes
from holdback.portfolio.column_errors import check_columns
from holdback.portfolio.column_plan import ColumnPlan
from holdback.portfolio.outcome_codes import INVALID, PLACES, words
from holdback.portfolio.row_rulebooks import RowRulebooks, Rules
from holdback.portfolio.tables import Table, join_tables
from holdback.portfolio.work_frame import WorkFrame, open_frame


@frozen(kw_only=True)
class SummaryLine:
    """
    The deals of a jurisdiction that have `what` in common, and their `balance` with its currency.

    For a reason or a need, `alone` counts the deals that have no other.
    """

    jurisdiction: str
    what: str
    deals: int
    balance: str
    alone: int | None = None


@frozen
class Summary:
    """
    A portfolio counted by outcome, by deciding rule, and by missing or invalid fact.

    A deal with two reasons counts for both. A balance is the sum over the deals whose balance is
    known.
    """

    answers: Mapping[Answer, DealTotals] = field(repr=False)

    @property
    def deals(self) -> int:
        """The number of deals."""
        return sum(totals.deals for totals in self.answers.values())

    @property
    def outcomes(self) -> tuple[SummaryLine, ...]:
        """The deals by jurisdiction and outcome."""
        return self._lines(lambda answer: (answer.outcome,), PLACES)

    @property
    def reasons(self) -> tuple[SummaryLine, ...]:
        """The deals by jurisdiction and the code of each rule that decided."""
        return self._lines(lambda answer: answer.codes)

    @property
    def needs(self) -> tuple[SummaryLine, ...]:
        """The undetermined deals by jurisdiction and missing fact."""
        return self._lines(lambda answer: () if answer.outcome == INVALID else answer.needs)

    @property
    def errors(self) -> tuple[SummaryLine, ...]:
        """The invalid deals by jurisdiction and the fact or column that cannot be read."""
        return self._lines(lambda answer: answer.needs if answer.outcome == INVALID else ())

    def _lines(
        self,
        values_of: Callable[[Answer], tuple[str, ...]],
        order: Mapping[str, int] | None = None,
    ) -> tuple[SummaryLine, ...]:
        """A line for each jurisdiction and each value that *values_of* gives for an answer."""
        totals_by_key: dict[tuple[str, str], DealTotals] = {}
        alone: dict[tuple[str, str], int] = {}
        rulebooks: dict[str, Rulebook | None] = {}
        for answer, totals in self.answers.items():
            rulebooks[answer.jurisdiction] = answer.rulebook
            values = values_of(answer)
            for value in values:
                key = (answer.jurisdiction, value)
                totals_by_key[key] = totals_by_key.get(key, DealTotals()) + totals
                alone[key] = alone.get(key, 0) + (totals.deals if len(values) == 1 else 0)
        ranked = sorted(
            totals_by_key, key=lambda key: (key[0], (order or {}).get(key[1], 0), key[1])
        )
        return tuple(
            SummaryLine(
                jurisdiction=code,
                what=value,
                deals=totals_by_key[code, value].deals,
                balance=money_text(totals_by_key[code, value], rulebooks[code]),
                alone=None if order else alone[code, value],
            )
            for code, value in ranked
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """The outcomes, the reasons, the missing facts and the invalid ones, as tables."""
        outcomes = tuple(
            (line.jurisdiction, words(line.what), line.deals, line.balance)
            for line in self.outcomes
        )
        return (
            Table(
                f"{self.deals:,} deals", ("jurisdiction", "outcome", "deals", "balance"), outcomes
            ),
            _reason_table("Why not", "code", "reason", self.reasons),
            _reason_table("What is missing", "fact", "fact", self.needs),
            _reason_table("What cannot be read", "column", "column", self.errors),
        )

    def plain(self) -> Mapping[str, Json]:
        """The summary as a document for JSON."""
        return {
            "deals": self.deals,
            "outcomes": [_line_to_dict(line, "outcome") for line in self.outcomes],
            "reasons": [_line_to_dict(line, "code") for line in self.reasons],
            "needs": [_line_to_dict(line, "fact") for line in self.needs],
            "faults": [_line_to_dict(line, "column") for line in self.errors],
        }

    def __str__(self) -> str:
        return join_tables(self.tables) if self.deals else "There are no deals."

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables if table.rows)

    def __add__(self, other: Summary) -> Summary:
        """The summary of two portfolios together, such as two batches of one file."""
        return Summary(sum_totals([*self.answers.items(), *other.answers.items()]))


def _reason_table(title: str, head: str, noun: str, lines: tuple[SummaryLine, ...]) -> Table:
    rows = tuple(
        (line.jurisdiction, line.what, line.deals, line.alone, line.balance) for line in lines
    )
    return Table(title, ("jurisdiction", head, "deals", f"only this {noun}", "balance"), rows)


def _line_to_dict(line: SummaryLine, head: str) -> Mapping[str, Json]:
    alone = {} if line.alone is None else {"alone": line.alone}
    return {
        "jurisdiction": line.jurisdiction,
        head: line.what,
        "deals": line.deals,
        **alone,
        "balance": line.balance,
    }


def summarise(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: str | date = "on",
    prepared: bool = False,
) -> Summary:
    """
    Return the outcomes of the deals in *frame* under *rules*, counted.

    The arguments are those of `assess`.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> print(summarise(deals, load_jurisdictions()).tables[0])
    260 deals
    jurisdiction  outcome       deals         balance
    GB            eligible         78   GBP 811724.83
    GB            referred         13   GBP 460806.31
    GB            ineligible       38   GBP 645101.05
    GB            undetermined     10    GBP 18058.33
    GB            not assessed    121  GBP 7036865.93

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    plan = ColumnPlan.of(open_frame(frame), rules, jurisdiction, on, prepared=prepared)
    check_columns(plan, ())
    return summary_of(with_outcomes(plan, COUNTED_COLUMNS), plan.rulebooks)


def summary_of(work: WorkFrame, rulebooks: RowRulebooks) -> Summary:
    """Return the summary of the rows of *work*, which *rulebooks* assessed."""
    reader = AnswerReader(rulebooks)
    rows = count_rows(work, ANSWER_COLUMNS)
    return Summary(sum_totals((reader.answer(*key), totals) for key, totals in rows))
