"""A plan for reading the columns of a user's frame as facts.

SQL computes the rest from the columns that are read: the place of each row's rulebook, the outcome,
and the mask of the facts that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import narwhals.stable.v2 as nw
import polars as pl
from attrs import evolve, field

from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_columns import (
    DAY,
    INVALID_COLUMN,
    given_column,
    number_column,
)
from holdback.portfolio.assessing.row_rulebooks import (
    DayOrColumn,
    Definitions,
    RowRulebooks,
    Rules,
    of_frame,
)
from holdback.portfolio.reading.column_readers import ColumnReader, day_fact
from holdback.portfolio.reading.frames import Frame, in_polars
from holdback.portfolio.reading.named_columns import COUNTED_LEDGER_COLUMNS
from holdback.portfolio.reading.single_values import GIVEN, NUMBER, read_column
from holdback.rules.types import Fact, Kind

# Summaries add it up, whether rules read it or not.
_BALANCE: Final = "balance"
# The digits of the widest decimal that Polars has.
_MOST_DIGITS: Final = 38


@frozen
class ColumnPlan:
    """
    A plan for reading the columns of `frame` as facts of `rulebooks`.

    With `prepared`, columns already hold scaled integers. Columns in `skipped` are not read. With
    `strict`, prepared columns are checked for their range; otherwise they are trusted. With
    `with_ledger`, the totals of ledgers that a summary counts are read as well. With `unread`,
    facts that no rule reads are read as well, and are in the mask of those that cannot be read.
    """

    frame: Frame
    rulebooks: RowRulebooks
    prepared: bool = False
    skipped: frozenset[str] = frozenset()
    strict: bool = False
    with_ledger: bool = False
    unread: bool = False
    schema: Mapping[str, Any] = field(init=False)
    facts: Mapping[str, Definitions] = field(init=False)
    ledger: Mapping[str, Definitions] = field(init=False)

    @schema.default
    def _schema(self) -> Mapping[str, Any]:
        return self.frame.collect_schema()

    @facts.default
    def _facts(self) -> Mapping[str, Definitions]:
        """The facts with a column in the frame that are needed."""
        facts = self.rulebooks.facts
        needed = facts.keys() if self.unread else {*self.rulebooks.codes_by_fact, _BALANCE}
        columns = self.schema.keys() - self.skipped
        return {name: facts[name] for name in facts if name in needed and name in columns}

    @ledger.default
    def _ledger(self) -> Mapping[str, Definitions]:
        """The totals of ledgers in the frame: amounts like the balance, and never prepared."""
        facts, columns = self.rulebooks.facts, self.schema if self.with_ledger else ()
        return {
            name: {evolve(fact, name=name): places for fact, places in facts[_BALANCE].items()}
            for name in COUNTED_LEDGER_COLUMNS
            if name in columns and name not in facts  # a jurisdiction may declare such a fact
        }

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory, and not lazy."""
        return isinstance(self.frame, nw.DataFrame)

    @classmethod
    def of(
        cls,
        frame: Frame,
        rules: Rules,
        jurisdiction: str,
        on: DayOrColumn | None,
        *,
        prepared: bool,
    ) -> ColumnPlan:
        """Return the plan for *frame*; in memory, only for the jurisdictions that occur in it."""
        return cls(frame, of_frame(frame, rules, jurisdiction, on), prepared)

    def is_prepared(self, fact: Fact) -> bool:
        """Whether the column of *fact* already holds scaled integers."""
        is_key = fact.name == self.rulebooks.day_or_column
        return self.prepared and not is_key and fact.name not in self.ledger

    def is_untyped(self, fact: Fact) -> bool:
        """Whether only the values of a column in memory tell what it holds."""
        if not self.in_memory:
            return False
        dtype = self.schema[fact.name]
        is_number_as_text = isinstance(dtype, nw.String) and fact.type.kind is not Kind.TEXT
        return is_number_as_text or dtype in (nw.Object, nw.Unknown)

    def rows(self) -> pl.LazyFrame:
        """
        The rows in Polars, with `number_column` and `given_column` of each column that is read.

        Of a frame in memory only columns that are read are there.
        """
        by_value: list[pl.Series] = []
        expressions: dict[str, pl.Expr] = {}
        columns = self._kept()
        for fact, variant in self._readings():
            number, given = number_column(fact.name, variant), given_column(fact.name, variant)
            if self._is_read_by_value(fact):
                values = read_column(self.frame[fact.name], fact)
                by_value += [values[NUMBER].alias(number), values[GIVEN].alias(given)]
            else:
                columns[fact.name] = None
                column = ColumnReader(fact, fact.name).column(self.schema[fact.name])
                expressions |= {number: column.number, given: column.given}
        if isinstance(self.frame, nw.LazyFrame):
            return self.frame.to_native().with_columns(**expressions)  # type: ignore[no-any-return]
        code = self.rulebooks.jurisdiction_column
        if code is not None and self.schema[code] == nw.Object:
            del columns[code]
            texts = [value if isinstance(value, str) else None for value in self.frame[code]]
            by_value.append(pl.Series(code, texts, pl.String))
        rows = in_polars(self.frame, list(columns)).with_columns(by_value)
        return rows.lazy().with_columns(**expressions)

    def _kept(self) -> dict[str, None]:
        """The columns of a frame in memory that SQL reads, unchanged."""
        code = self.rulebooks.jurisdiction_column
        names = [*(self.facts if self.prepared else ()), INVALID_COLUMN, *([code] if code else [])]
        return dict.fromkeys(name for name in names if name in self.schema)

    def _readings(self) -> Iterator[tuple[Fact, int]]:
        """Each way in which a column is read as a fact or a day, counted for each name."""
        for definitions in {**self.facts, **self.ledger}.values():
            for variant, fact in enumerate(definitions):
                if not self.is_prepared(fact):
                    yield fact, variant
        on = self.rulebooks.day_or_column
        if isinstance(on, str):
            yield day_fact(on), DAY

    def _is_read_by_value(self, fact: Fact) -> bool:
        """Whether Python reads the column of *fact* value by value."""
        dtype = self.schema[fact.name]
        is_wide = isinstance(dtype, nw.Decimal) and dtype.precision > _MOST_DIGITS
        return is_wide or self.is_untyped(fact)
