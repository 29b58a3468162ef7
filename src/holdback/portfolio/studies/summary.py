"""`summarise`: a portfolio counted by outcome, reason and missing fact, with the amounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import asdict, field

from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.answer_table import AnswerTable
from holdback.portfolio.answers.tables import Table, join_tables
from holdback.portfolio.assessing.aggregation import (
    ANSWER_COLUMNS,
    COUNTED_COLUMNS,
    Answer,
    AnswerReader,
    DealTotals,
    count_rows,
    money_text,
    sum_totals,
)
from holdback.portfolio.assessing.assessed_frames import deals_of
from holdback.portfolio.assessing.outcome_codes import INVALID, PLACES, words
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frames import Frame, answer_backend
from holdback.portfolio.reading.named_columns import COUNTED_LEDGER_COLUMNS
from holdback.portfolio.sql.computed_frames import with_outcomes
from holdback.portfolio.studies.outcome_counts import Jurisdictional, proposal_notes, share
from holdback.rulebooks.rulebook import Rulebook

# The currency of rows without a rulebook.
_NO_CURRENCY: Final = "-"


@frozen(kw_only=True)
class SummaryLine:
    """
    The deals of a jurisdiction that have `what` in common, and their `balance` with its currency.

    For a reason or a need, `alone` counts the deals that are given no other. They need not become
    eligible without it: a deal that one rule declines may be one that another refers, which is then
    no reason. `funnel` counts those that would become eligible.
    """

    jurisdiction: str
    what: str
    deals: int
    balance: str
    alone: int | None = None


@frozen(kw_only=True)
class LedgerLine:
    """
    The deals of a `currency` with more than 0 in a `column` of the ledger, and their `amount`.

    `unknown` counts the deals of which it is unknown. A row without a rulebook has the currency
    `-`, and no amount of it is known.
    """

    currency: str
    column: str
    deals: int
    amount: str
    unknown: int


@frozen
class Summary:
    """
    A portfolio counted by outcome, by deciding rule, and by missing or invalid fact.

    A deal with two reasons counts for both. A balance is the sum over the deals whose balance is
    known. Refunds due, recoveries and write-offs are counted where the portfolio has their columns.
    """

    answers: Mapping[Answer, DealTotals] = field(repr=False)
    # The dataframe library of the deals.
    _backend: str = field(default="pandas", repr=False, eq=False)

    @property
    def answer_table(self) -> AnswerTable:
        """The deals by jurisdiction and outcome, with their share of the jurisdiction's."""
        return AnswerTable(
            question="outcomes",
            title=f"Outcomes of {self.deals:,} deals",
            heads=("jurisdiction", "outcome", "deals", "share", "balance", "currency"),
            rows=tuple(self._outcome_rows()),
            notes=tuple(
                proposal_notes(answer.rulebook for answer in self.answers if answer.rulebook)
            ),
            backend=self._backend,
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Return `answer_table` as a frame: by default, of the library of the deals."""
        return self.answer_table.to_frame(backend)

    def _outcome_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `answer_table`."""
        totals = sum_totals(
            ((answer.jurisdiction, answer.outcome), part) for answer, part in self.answers.items()
        )
        deals = sum_totals((code, part) for (code, _), part in totals.items())
        rulebooks = (answer.rulebook for answer in self.answers if answer.rulebook)
        jurisdictional = Jurisdictional(tuple(dict.fromkeys(rulebooks)))
        for code, outcome in sorted(totals, key=lambda key: (key[0], PLACES[key[1]])):
            part = totals[code, outcome]
            share_of_deals = share(part.deals, deals[code].deals)
            amount = jurisdictional.amount(code, part)
            yield code, outcome, part.deals, share_of_deals, *amount

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

    @property
    def ledger(self) -> tuple[LedgerLine, ...]:
        """The refunds due, recoveries and write-offs, by currency and column of the ledger."""
        currencies = {
            str(answer.rulebook.currency) if answer.rulebook else _NO_CURRENCY: answer.rulebook
            for answer in self.answers
        }
        # Of rows without a rulebook only the number is kept, so that all their amounts are unknown.
        sums = sum_totals(
            (str(answer.rulebook.currency), totals)
            if answer.rulebook
            else (_NO_CURRENCY, DealTotals(totals.deals))
            for answer, totals in self.answers.items()
        )
        columns = {name for totals in self.answers.values() for name in totals.ledger}
        return tuple(
            LedgerLine(
                currency=currency,
                column=name,
                deals=amount.deals,
                amount=str(Money(amount.minor, rulebook.currency)) if rulebook else "",
                unknown=amount.unknown,
            )
            for currency, rulebook in sorted(currencies.items())
            for name in COUNTED_LEDGER_COLUMNS
            if name in columns
            for amount in (sums[currency].amount(name),)
        )

    def _lines(
        self,
        values_of: Callable[[Answer], tuple[str, ...]],
        order: Mapping[str, int] | None = None,
    ) -> tuple[SummaryLine, ...]:
        """
        A line for each jurisdiction and each value that *values_of* gives for an answer.

        Values are sorted by *order*, or by themselves without one. The lines of outcomes, which
        have an order, do not count deals that have one value `alone`, because all deals do.
        """
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
        """Outcomes, reasons, what is missing or cannot be read, and ledgers, as tables."""
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
            _ledger_table(self.ledger),
        )

    def plain(self) -> Mapping[str, Json]:
        """The summary as a document for JSON; `ledger` only where its columns are there."""
        ledger = [asdict(line) for line in self.ledger]
        return {
            "deals": self.deals,
            "outcomes": [_line_to_dict(line, "outcome") for line in self.outcomes],
            "reasons": [_line_to_dict(line, "code") for line in self.reasons],
            "needs": [_line_to_dict(line, "fact") for line in self.needs],
            "faults": [_line_to_dict(line, "column") for line in self.errors],
            **({"ledger": ledger} if ledger else {}),
        }

    def __str__(self) -> str:
        return join_tables(self.tables) if self.deals else "There are no deals."

    def __repr__(self) -> str:
        from holdback.portfolio.answers.notebook_displays import summary_repr  # noqa: PLC0415  # few are printed

        return summary_repr(self)

    def _repr_html_(self) -> str:
        from holdback.portfolio.answers.notebook_displays import summary_html  # noqa: PLC0415  # only a notebook needs it

        return summary_html(self)

    def __add__(self, other: Summary) -> Summary:
        """The summary of two portfolios together, such as two batches of one file."""
        answers = sum_totals([*self.answers.items(), *other.answers.items()])
        return Summary(answers, self._backend)


def _reason_table(title: str, head: str, noun: str, lines: tuple[SummaryLine, ...]) -> Table:
    """The table of *lines* of one kind: *head* is the head of `what`, and *noun* its name."""
    rows = tuple(
        (line.jurisdiction, line.what, line.deals, line.alone, line.balance) for line in lines
    )
    return Table(title, ("jurisdiction", head, "deals", f"no other {noun}", "balance"), rows)


def _ledger_table(lines: tuple[LedgerLine, ...]) -> Table:
    rows = tuple(
        (
            line.currency,
            COUNTED_LEDGER_COLUMNS[line.column],
            line.deals,
            line.amount,
            line.unknown,
        )
        for line in lines
    )
    heads = ("currency", "what", "deals", "amount", "unknown")
    return Table("Refunds, recoveries and write-offs", heads, rows)


def _line_to_dict(line: SummaryLine, head: str) -> Mapping[str, Json]:
    """*line* for JSON, with `what` under the key *head*."""
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
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> Summary:
    """
    Return the outcomes of the deals in *frame* under *rules*, counted.

    The arguments are those of `assess`. Of the columns `overpaid`, `recovered` and `written_off`,
    amounts in major units, those that are there are counted by currency: refunds due, recoveries
    and write-offs. They are the same in a prepared frame.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(1000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> print(summarise(deals, load_jurisdictions()).tables[0])
    260 deals
    jurisdiction  outcome       deals         balance
    GB            eligible         77   GBP 811724.83
    GB            referred         13   GBP 460806.31
    GB            ineligible       39   GBP 597186.70
    GB            undetermined     10    GBP 18058.33
    GB            not assessed    121  GBP 6860972.06

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    plan = deals_of(frame, rules, jurisdiction, on, prepared=prepared, with_ledger=True)
    return summary_of(plan, with_outcomes(plan, COUNTED_COLUMNS))


def summary_of(plan: ColumnPlan, assessed: Frame) -> Summary:
    """Return the summary of the rows of *assessed*, which have `COUNTED_COLUMNS`."""
    reader = AnswerReader(plan.rulebooks)
    rows = count_rows(assessed, ANSWER_COLUMNS, plan.ledger)
    answers = sum_totals((reader.answer(*key), totals) for key, totals in rows)
    return Summary(answers, answer_backend(plan.frame))
