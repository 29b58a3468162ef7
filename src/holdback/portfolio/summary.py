"""What the rules say of a whole portfolio, counted: outcomes, reasons, what is missing, the money at stake."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from attrs import field, frozen

from holdback.exact_json import Json
from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.aggregation import (
    ANSWER,
    COUNTED,
    Amount,
    Answer,
    Meaning,
    added,
    counted,
    money,
)
from holdback.portfolio.assessing import answered
from holdback.portfolio.column_plan import Staging
from holdback.portfolio.frames import Work, opened
from holdback.portfolio.masks import INVALID, PLACES, words
from holdback.portfolio.row_rulebooks import Books, Rules
from holdback.portfolio.tables import Table, together


@frozen(kw_only=True)
class Line:
    """
    The deals of a jurisdiction that have `what` in common, and the `balance` left of them, with its currency.

    Of reasons and needs, `alone` are the deals that nothing else stands in the way of.
    """

    jurisdiction: str
    what: str
    deals: int
    balance: str
    alone: int | None = None


@frozen
class Summary:
    """
    A portfolio, counted by outcome, by the rules that decided, and by the facts that are missing or at fault.

    A deal with two reasons counts under each. What is left is added up over the deals whose balance is known.
    """

    answers: Mapping[Answer, Amount] = field(repr=False)

    @property
    def deals(self) -> int:
        """How many deals there are."""
        return sum(amount.deals for amount in self.answers.values())

    @property
    def outcomes(self) -> tuple[Line, ...]:
        """The deals by jurisdiction and outcome."""
        return self._lines(lambda answer: (answer.outcome,), PLACES)

    @property
    def reasons(self) -> tuple[Line, ...]:
        """The deals by jurisdiction and the code of each rule that decided."""
        return self._lines(lambda answer: answer.codes)

    @property
    def needs(self) -> tuple[Line, ...]:
        """The undetermined deals by jurisdiction and the facts that are missing."""
        return self._lines(lambda answer: () if answer.outcome == INVALID else answer.needs)

    @property
    def faults(self) -> tuple[Line, ...]:
        """The invalid deals by jurisdiction and the facts, or columns, that are at fault."""
        return self._lines(lambda answer: answer.needs if answer.outcome == INVALID else ())

    def _lines(self, of: Any, order: Mapping[str, int] | None = None) -> tuple[Line, ...]:
        found: dict[tuple[str, str], Amount] = {}
        alone: dict[tuple[str, str], int] = {}
        books: dict[str, Rulebook | None] = {}
        for answer, amount in self.answers.items():
            books[answer.jurisdiction] = answer.rulebook
            for what in (whats := of(answer)):
                key = (answer.jurisdiction, what)
                found[key] = found.get(key, Amount()) + amount
                alone[key] = alone.get(key, 0) + (amount.deals if len(whats) == 1 else 0)
        ranked = sorted(found, key=lambda key: (key[0], (order or {}).get(key[1], 0), key[1]))
        return tuple(
            Line(
                jurisdiction=code,
                what=what,
                deals=found[code, what].deals,
                balance=money(found[code, what], books[code]),
                alone=None if order else alone[code, what],
            )
            for code, what in ranked
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """The outcomes, the reasons, what is missing and what is at fault, as tables."""
        outcomes = tuple(
            (each.jurisdiction, words(each.what), each.deals, each.balance)
            for each in self.outcomes
        )
        return (
            Table(f"{self.deals:,} deals", ("jurisdiction", "outcome", "deals", "left"), outcomes),
            _listed("Why not", "code", self.reasons),
            _listed("What is missing", "fact", self.needs),
            _listed("What cannot be read", "column", self.faults),
        )

    def plain(self) -> Mapping[str, Json]:
        """The summary as plain values."""
        return {
            "deals": self.deals,
            "outcomes": [_plain(each, "outcome") for each in self.outcomes],
            "reasons": [_plain(each, "code") for each in self.reasons],
            "needs": [_plain(each, "fact") for each in self.needs],
            "faults": [_plain(each, "column") for each in self.faults],
        }

    def __str__(self) -> str:
        return "\n".join(together(self.tables)) if self.deals else "There are no deals."

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables if table.rows)

    def __add__(self, other: Summary) -> Summary:
        """The summary of both portfolios together, as of parts that were read one after the other."""
        return Summary(added([*self.answers.items(), *other.answers.items()]))


def _listed(title: str, head: str, lines: tuple[Line, ...]) -> Table:
    rows = tuple(
        (each.jurisdiction, each.what, each.deals, each.alone, each.balance) for each in lines
    )
    return Table(title, ("jurisdiction", head, "deals", "alone", "left"), rows)


def _plain(line: Line, head: str) -> Mapping[str, Json]:
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
    What *rules* say of the deals in *frame*, counted by jurisdiction; the arguments are those of `assess`.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> print(summarise(deals, load_jurisdictions()).tables[0])
    260 deals
    jurisdiction  outcome       deals            left
    GB            eligible         78   GBP 811724.83
    GB            referred         13   GBP 460806.31
    GB            ineligible       38   GBP 645101.05
    GB            undetermined     10    GBP 18058.33
    GB            not assessed    121  GBP 7036865.93

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    staging = Staging.of(opened(frame), rules, jurisdiction, on, prepared=prepared)
    staging.refuse(())
    return summary_of(answered(staging, COUNTED), staging.books)


def summary_of(work: Work, books: Books) -> Summary:
    """The summary of the rows of *work*, which *books* answered."""
    meaning = Meaning(books)
    return Summary(added((meaning.answer(*key), each) for key, each in counted(work, ANSWER)))
