"""
The assessment of the deals of a file, batch by batch.

Only counts are kept from one batch to the next, so the memory that it takes does not depend on the
number of deals.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

import polars as pl
import pyarrow as pa
from attrs import define, evolve, field

from holdback.exact.exact_json import Json, write_json
from holdback.frozen_classes import frozen
from holdback.portfolio.answers.tables import Table
from holdback.portfolio.assessing.aggregation import COUNTED_COLUMNS
from holdback.portfolio.assessing.assessed_frames import native_result
from holdback.portfolio.assessing.outcome_columns import READABLE, RESULTS
from holdback.portfolio.assessing.row_rulebooks import Rules
from holdback.portfolio.files.batch_reader import BatchReader, without_typed
from holdback.portfolio.files.deal_files import Output
from holdback.portfolio.files.file_findings import ReportedFindings, check_findings, with_row_labels
from holdback.portfolio.files.report_file import Report
from holdback.portfolio.reading.column_errors import check_columns
from holdback.portfolio.reading.column_plan import ColumnPlan
from holdback.portfolio.reading.frame_check import findings
from holdback.portfolio.reading.frames import open_frame
from holdback.portfolio.reading.repeated_deals import REPEATED
from holdback.portfolio.reading.suspects import SuspectColumns
from holdback.portfolio.sql.computed_frames import with_outcomes
from holdback.portfolio.studies.outcome_changes import AFTER, BEFORE, Comparison, compare
from holdback.portfolio.studies.summary import Summary, summary_of
from holdback.rulebooks.rulebook import Rulebook

# The column with the row number of a deal in its batch; no user has a column of this name.
_ROW: Final = "holdback: place"
# With fewer deals in a last batch, a column that is suspected there does not stop the command.
_FEWEST_SUSPECTED: Final = 1_000
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
    The deals of *reader* assessed by the rules before, or compared under those and after.

    A finding whose code is `accepted` does not stop it. `result` is the sum of the batches so far.
    """

    reader: BatchReader
    output: Output | None = None
    report: Report | None = None
    accepted: frozenset[str] = frozenset()
    result: Summary | Changes | None = field(default=None, init=False)
    reported: ReportedFindings = field(factory=ReportedFindings, init=False)

    def run(self) -> Iterator[int]:
        """
        Assess all batches, and give the number of deals in each.

        Raises:
            InvalidDocument: naming every column that is missing or of the wrong type, before the
                first batch; or a row that is not a deal.
            ProbablyMisread: naming the columns of a batch that are probably not what they seem.
        """
        reader = self.reader
        add_batch = self._assess if reader.after is None else self._compare
        # A batch without rows reports errors of the columns, and gives a result if there are no
        # deals.
        empty = reader.deals.empty
        add_batch(without_typed(empty), reader.exact(empty))
        before = 0
        for batch, is_last in reader.batches():
            frame = reader.exact(batch)
            self._report(frame, before, is_last=is_last)
            add_batch(without_typed(batch), frame)
            if self.report:
                self.report.add(frame)
            is_whole = not before and is_last
            before += batch.num_rows
            yield batch.num_rows
        if before and not is_whole and REPEATED not in self.accepted:
            reader.check_repeated_deals()

    def text(self, form: str) -> str:
        """Return the result, and what was reported, in the *form* `text` or `json`."""
        assert self.result is not None, "it has run"
        if form == "json":
            more = {"findings": self.reported.plain()} if self.reported.findings else {}
            return write_json({**self.result.plain(), **more})
        return f"{self.result}\n\n{self.reported}" if self.reported.findings else str(self.result)

    def _report(self, frame: pl.DataFrame, before: int, *, is_last: bool) -> None:
        """Report what is wrong in *frame*, which comes after *before* deals."""
        labelled = with_row_labels(frame, before)
        for rules in self.reader.sides:
            column_findings = findings(
                labelled,
                rules,
                jurisdiction=self.reader.jurisdiction,
                on=self._on_of(rules),
                mapping=self.reader.mapping,
            )
            # The few deals of a last batch may all be small by chance.
            are_few = before > 0 and is_last and frame.height < _FEWEST_SUSPECTED
            kinds = {fact.name: fact.type.kind for fact in self.reader.facts}
            single = check_findings(
                column_findings,
                labelled,
                kinds,
                stop_at_suspects=not are_few,
                accepted=self.accepted,
            )
            if rules is self.reader.before:
                self.reported += single

    def _on_of(self, rules: Rules) -> date | str | None:
        """The column or the day for *rules*; a rulebook is of one day, and takes none."""
        return None if isinstance(rules, Rulebook) else self.reader.on

    def _assess(self, batch: pa.Table, exact: pl.DataFrame) -> None:
        frame = open_frame(exact)
        rules = self.reader.before
        plan = ColumnPlan.of(
            frame, rules, self.reader.jurisdiction, self._on_of(rules), prepared=False
        )
        plan = evolve(plan, with_ledger=True)
        check_columns(plan, {*RESULTS, *READABLE})
        texts = READABLE.values() if self.output else ()
        work = with_outcomes(plan, (*COUNTED_COLUMNS, *texts))
        summary = summary_of(plan, work)
        self.result = self.result + summary if isinstance(self.result, Summary) else summary
        if self.output:
            self._write(self.output, batch, native_result(plan, work, READABLE), READABLE)

    def _compare(self, batch: pa.Table, exact: pl.DataFrame) -> None:
        before, after = self.reader.before, self.reader.after
        assert after is not None, "`run` chose to compare"
        frame = exact.with_row_index(_ROW)
        with warnings.catch_warnings():
            # What is suspected was reported before, unless the mapping says what it is.
            warnings.simplefilter("ignore", SuspectColumns)
            comparison = compare(
                frame,
                before,
                after,
                jurisdiction=self.reader.jurisdiction,
                on=self._on_of(before),
            )
        changed = comparison.changed
        if self.output:
            deals = batch.take(changed[_ROW].to_arrow())
            self._write(self.output, deals, changed, (*BEFORE.values(), *AFTER.values()))
        first = _shown(
            changed.drop(_ROW), {str(self.reader.on), *(fact.name for fact in self.reader.facts)}
        )
        if isinstance(self.result, Changes):
            comparison = self.result.comparison + comparison
            first = pl.concat([self.result.first, first])
        self.result = Changes(comparison, first.head(_MOST_SHOWN))

    def _write(self, output: Output, deals: pa.Table, results: Any, columns: Iterable[str]) -> None:
        """Write *deals*, unchanged, with *columns* of *results*."""
        for name in columns:
            deals = deals.append_column(name, results[name].to_arrow())
        output.write(deals)


def _shown(changed: pl.DataFrame, facts: set[str]) -> pl.DataFrame:
    """The columns of *changed* that identify a deal, and both outcomes, as texts."""
    outcomes = [*BEFORE.values(), *AFTER.values()]
    names = [name for name in changed.columns if name not in facts and name not in outcomes]
    texts = pl.col(*names, *outcomes).cast(pl.String).fill_null("")
    return changed.head(_MOST_SHOWN).select(texts)
