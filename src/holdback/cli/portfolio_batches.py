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

from holdback.cli.portfolio_files import Deals, Output
from holdback.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.rulebook import Rulebook
from holdback.portfolio.assessment import READABLE, native_result, with_outcomes
from holdback.portfolio.column_errors import check_columns
from holdback.portfolio.column_plan import ColumnPlan
from holdback.portfolio.comparison import AFTER, BEFORE, Comparison, compare
from holdback.portfolio.ledger_columns import LEDGER_COLUMNS
from holdback.portfolio.outcome_columns import RESULTS
from holdback.portfolio.row_rulebooks import Rules
from holdback.portfolio.summary import Summary, summary_of, summed_columns
from holdback.portfolio.tables import Table
from holdback.portfolio.work_frame import open_frame
from holdback.rules.types import Kind

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
        kinds = self._kinds()
        # A batch without rows reports errors of the columns, and gives a result if there are no
        # deals.
        add_batch(self.deals.empty, self.deals.empty)
        for batch in self.deals.batches():
            add_batch(batch, self.deals.exact(batch, kinds))
            yield batch.num_rows

    def _kinds(self) -> Mapping[str, Kind]:
        """The kinds of the facts and of the totals of ledgers in the columns, by name."""
        sides = (self.before,) if self.after is None else (self.before, self.after)
        rulebooks = [rulebook for rules in sides for rulebook in _rulebooks(rules)]
        kinds = dict.fromkeys(LEDGER_COLUMNS, Kind.MONEY) | {
            fact.name: fact.type.kind for rulebook in rulebooks for fact in rulebook.catalogue.facts
        }
        return {**kinds, self.on: Kind.DATE} if isinstance(self.on, str) else kinds

    def _assess(self, batch: pa.Table, exact: pa.Table) -> None:
        frame = open_frame(pl.from_arrow(exact))
        plan = ColumnPlan.of(frame, self.before, self.jurisdiction, self.on, prepared=False)
        plan = evolve(plan, with_ledger=True)
        check_columns(plan, {*RESULTS, *READABLE})
        texts = READABLE.values() if self.output else ()
        work = with_outcomes(plan, (*summed_columns(plan), *texts))
        summary = summary_of(plan, work)
        self.result = self.result + summary if isinstance(self.result, Summary) else summary
        if self.output:
            self._write(self.output, batch, native_result(plan, work, READABLE), READABLE)

    def _compare(self, batch: pa.Table, exact: pa.Table) -> None:
        assert self.after is not None, "`run` chose to compare"
        row_numbers = pa.array(range(exact.num_rows), pa.int64())
        frame = pl.from_arrow(exact.append_column(_ROW, row_numbers))
        comparison = compare(
            frame, self.before, self.after, jurisdiction=self.jurisdiction, on=self.on
        )
        changed = comparison.changed
        if self.output:
            deals = batch.take(changed[_ROW].to_arrow())
            self._write(self.output, deals, changed, (*BEFORE.values(), *AFTER.values()))
        first = _shown(changed.drop(_ROW), set(self._kinds()))
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
