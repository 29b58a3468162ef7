"""A file of deals, assessed batch by batch: what is counted is kept, the deals are let go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

import polars as pl
import pyarrow as pa
from attrs import define, field, frozen

from holdback.cli.portfolio_files import Deals, Output
from holdback.exact_json import Json
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.portfolio.aggregation import COUNTED
from holdback.portfolio.assessing import READABLE, answered, with_answers
from holdback.portfolio.changes import AFTER, BEFORE, Comparison, compare
from holdback.portfolio.column_plan import Staging
from holdback.portfolio.frames import opened
from holdback.portfolio.outcome_columns import RESULTS
from holdback.portfolio.summary import Summary, summary_of
from holdback.portfolio.tables import Table
from holdback.rules.types import Kind

# The place of a deal in its batch, in a column that no user has.
_PLACE: Final = "holdback: place"
# So many changed deals are shown; a file has them all.
_SHOWN: Final = 20


@frozen
class Changes:
    """A comparison, and the first of the deals that change."""

    comparison: Comparison
    first: pl.DataFrame

    def plain(self) -> Mapping[str, Json]:
        """The comparison as plain values."""
        return self.comparison.plain()

    def __str__(self) -> str:
        if not self.comparison.changes:
            return str(self.comparison)
        first = _with_something(self.first)
        table = Table("Who", tuple(first.columns), tuple(first.rows()))
        more = self.comparison.changes - self.first.height
        rest = f"\n... and {more:,} more; --output FILE writes them all" if more else ""
        return f"{self.comparison}\n\n{table}{rest}"


@define
class BatchAssessment:
    """
    The *deals*, assessed by *rules*, or compared under *rules* and *others*, as they are run through.

    `result` is what was counted so far.
    """

    deals: Deals
    rules: Jurisdictions
    others: Jurisdictions | None
    jurisdiction: str
    on: date | str
    output: Output | None = None
    result: Summary | Changes | None = field(default=None, init=False)

    def run(self) -> Iterator[int]:
        """
        Run through the deals; each step gives the number that were done in it.

        Raises:
            InvalidDocument: naming every column that is missing or of the wrong type, before anything is done.
        """
        step = self._assess if self.others is None else self._compare
        kinds = self._kinds()
        step(self.deals.empty, self.deals.empty)
        for batch in self.deals.batches():
            step(batch, self.deals.exact(batch, kinds))
            yield batch.num_rows

    def _kinds(self) -> Mapping[str, Kind]:
        """What kind of fact the columns hold, by their names."""
        books = [*self.rules.rulebooks(), *(self.others.rulebooks() if self.others else ())]
        kinds = {fact.name: fact.type.kind for book in books for fact in book.catalogue.facts}
        return {**kinds, self.on: Kind.DATE} if isinstance(self.on, str) else kinds

    def _assess(self, batch: pa.Table, exact: pa.Table) -> None:
        frame = opened(pl.from_arrow(exact))
        staging = Staging.of(frame, self.rules, self.jurisdiction, self.on, prepared=False)
        staging.refuse({*RESULTS, *READABLE})
        wanted = READABLE.values() if self.output else ()
        work = answered(staging, (*COUNTED, *wanted))
        summary = summary_of(work, staging.books)
        self.result = self.result + summary if isinstance(self.result, Summary) else summary
        self._write(batch, with_answers(staging, work, READABLE) if self.output else None, READABLE)

    def _compare(self, batch: pa.Table, exact: pa.Table) -> None:
        assert self.others is not None, "there is something to compare with"
        frame = pl.from_arrow(
            exact.append_column(_PLACE, pa.array(range(exact.num_rows), pa.int64()))
        )
        found = compare(frame, self.rules, self.others, jurisdiction=self.jurisdiction, on=self.on)
        places = found.changed[_PLACE].to_arrow()
        shown = _told(found.changed.drop(_PLACE), set(self._kinds()))
        self._write(batch.take(places), found.changed, (*BEFORE.values(), *AFTER.values()))
        if isinstance(self.result, Changes):
            found = self.result.comparison + found
            shown = pl.concat([self.result.first, shown])
        self.result = Changes(found, shown.head(_SHOWN))

    def _write(self, batch: pa.Table, answers: Any, columns: Iterable[str]) -> None:
        """Write the deals of *batch* as they stand, and beside each the *columns* of its answer."""
        if self.output:
            for name in columns:
                batch = batch.append_column(name, answers[name].to_arrow())
            self.output.write(batch)


def _told(changed: pl.DataFrame, facts: set[str]) -> pl.DataFrame:
    """Of each deal what is no fact, and both answers, as texts."""
    answers = [*BEFORE.values(), *AFTER.values()]
    names = [each for each in changed.columns if each not in facts and each not in answers]
    return changed.head(_SHOWN).select(pl.col(*names, *answers).cast(pl.String).fill_null(""))


def _with_something(table: pl.DataFrame) -> pl.DataFrame:
    """The columns of *table*, of texts, that are not empty from top to bottom."""
    return table.select(name for name in table.columns if (table[name] != "").any())
