"""
The assessment of `holdback portfolio`, batch by batch.

Only counts are kept from one batch to the next, so the memory that it takes does not depend on the
number of deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

import polars as pl
import pyarrow as pa
from attrs import define, evolve, field

from holdback.cli.portfolio_cells import with_values
from holdback.cli.portfolio_files import Deals, Output
from holdback.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.assessment import READABLE, native_result, with_outcomes
from holdback.portfolio.column_errors import check_columns
from holdback.portfolio.column_plan import ColumnPlan, day_fact
from holdback.portfolio.comparison import AFTER, BEFORE, Comparison, compare
from holdback.portfolio.ledger_columns import LEDGER_COLUMNS
from holdback.portfolio.outcome_columns import RESULTS
from holdback.portfolio.row_rulebooks import Rules
from holdback.portfolio.summary import Summary, summary_of, summed_columns
from holdback.portfolio.tables import Table
from holdback.portfolio.work_frame import open_frame
from holdback.rules.types import Fact, Kind

# The column with the row number of a deal in its batch; no user has a column of this name.
_ROW: Final = "holdback: place"
# How many of the deals that change are printed.
_MOST_SHOWN: Final = 20


@frozen
class Changes:
    """A comparison, and the first of the deals that change."""

    comparison: Comparison
    first: pl.DataFrame

    def plain(self) -> Mapping[str, Json]:
        """The comparison as a document for JSON."""
        return self.comparison.plain()

    def __str__(self) -> str:
        if not self.comparison.changes:
            return str(self.comparison)
        # Columns that are empty in all rows shown only take up space.
        names = [name for name in self.first.columns if (self.first[name] != "").any()]
        table = Table("Deals that change", tuple(names), tuple(self.first.select(names).rows()))
        more = self.comparison.changes - self.first.height
        rest = f"\n... and {more:,} more; --output FILE writes them all" if more else ""
        return f"{self.comparison}\n\n{table}{rest}"


@define
class BatchAssessment:
    """
    The *deals* assessed by the rules *before*, or compared under those and *after*, in batches.

    Without a comparison, `after` is None. `result` is the sum of the batches so far.
    """

    deals: Deals
    before: Rules
    after: Rules | None
    jurisdiction: str
    on: date | str
    output: Output | None = None
    result: Summary | Changes | None = field(default=None, init=False)

    def run(self) -> Iterator[int]:
        """
        Assess all batches, and give the number of deals in each.

        Raises:
            InvalidDocument: naming every column that is missing or of the wrong type, before the
                first batch.
        """
        add_batch = self._assess if self.after is None else self._compare
        facts = self._facts()
        # A batch without rows reports errors of the columns, and gives a result if there are no
        # deals.
        add_batch(self.deals.empty, self._exact(self.deals.empty, facts))
        for batch in self.deals.batches():
            add_batch(batch, self._exact(batch, facts))
            yield batch.num_rows

    def _facts(self) -> tuple[Fact, ...]:
        """The facts in the columns, the totals of ledgers, and the day."""
        sides = (self.before,) if self.after is None else (self.before, self.after)
        rulebooks = [rulebook for rules in sides for rulebook in _rulebooks(rules)]
        facts = [fact for rulebook in rulebooks for fact in rulebook.catalogue.facts]
        balance = next((fact for fact in facts if fact.type.kind is Kind.MONEY), None)
        ledger = [evolve(balance, name=name) for name in LEDGER_COLUMNS] if balance else []
        return (*ledger, *facts, *([day_fact(self.on)] if isinstance(self.on, str) else []))

    def _exact(self, batch: pa.Table, facts: Iterable[Fact]) -> pl.DataFrame:
        """The deals of *batch* with exact values."""
        frame = pl.DataFrame(pl.from_arrow(batch))
        return with_values(frame, facts, self.jurisdiction) if self.deals.has_texts else frame

    def _assess(self, batch: pa.Table, exact: pl.DataFrame) -> None:
        frame = open_frame(exact)
        plan = ColumnPlan.of(frame, self.before, self.jurisdiction, self.on, prepared=False)
        plan = evolve(plan, with_ledger=True)
        check_columns(plan, {*RESULTS, *READABLE})
        texts = READABLE.values() if self.output else ()
        work = with_outcomes(plan, (*summed_columns(plan), *texts))
        summary = summary_of(plan, work)
        self.result = self.result + summary if isinstance(self.result, Summary) else summary
        if self.output:
            self._write(self.output, batch, native_result(plan, work, READABLE), READABLE)

    def _compare(self, batch: pa.Table, exact: pl.DataFrame) -> None:
        assert self.after is not None, "`run` chose to compare"
        frame = exact.with_row_index(_ROW)
        comparison = compare(
            frame, self.before, self.after, jurisdiction=self.jurisdiction, on=self.on
        )
        changed = comparison.changed
        if self.output:
            deals = batch.take(changed[_ROW].to_arrow())
            self._write(self.output, deals, changed, (*BEFORE.values(), *AFTER.values()))
        first = _shown(changed.drop(_ROW), {fact.name for fact in self._facts()})
        if isinstance(self.result, Changes):
            comparison = self.result.comparison + comparison
            first = pl.concat([self.result.first, first])
        self.result = Changes(comparison, first.head(_MOST_SHOWN))

    def _write(self, output: Output, deals: pa.Table, results: Any, columns: Iterable[str]) -> None:
        """Write *deals*, unchanged, with *columns* of *results*."""
        for name in columns:
            deals = deals.append_column(name, results[name].to_arrow())
        output.write(deals)


def _rulebooks(rules: Rules) -> Iterable[Rulebook]:
    return (rules,) if isinstance(rules, Rulebook) else rules.rulebooks()


def _shown(changed: pl.DataFrame, facts: set[str]) -> pl.DataFrame:
    """The columns of *changed* that identify a deal, and both outcomes, as texts."""
    outcomes = [*BEFORE.values(), *AFTER.values()]
    names = [name for name in changed.columns if name not in facts and name not in outcomes]
    texts = pl.col(*names, *outcomes).cast(pl.String).fill_null("")
    return changed.head(_MOST_SHOWN).select(texts)
