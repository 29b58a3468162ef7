"""A plan for reading the columns of a user's frame as facts.

It gives the columns that rules read: facts in scaled integers, the place of each row's rulebook,
and the mask of the facts that cannot be read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, reduce
from operator import add, or_
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import evolve, field

from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_columns import (
    INVALID_COLUMN,
    RULEBOOK,
    UNREADABLE,
    chain,
    converted_column,
    int64_literal,
    null_integer,
)
from holdback.portfolio.assessing.row_rulebooks import (
    DayOrColumn,
    Definitions,
    RowRulebooks,
    Rules,
    names_read,
    of_frame,
)
from holdback.portfolio.assessing.rulebook_columns import CODE_PLACE, RulebookColumns, in_rulebooks
from holdback.portfolio.reading.column_readers import Column, ColumnReader, PolarsReader, day_fact
from holdback.portfolio.reading.named_columns import COUNTED_LEDGER_COLUMNS
from holdback.portfolio.reading.single_values import read_column, read_values
from holdback.portfolio.reading.work_frame import (
    Frame,
    WorkFrame,
    as_integers,
    as_nullable,
    engine_for,
    in_polars,
    is_shared,
    work_frame,
)
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.types import Fact, Kind

# Summaries add it up, whether rules read it or not.
_BALANCE: Final = "balance"


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

    @property
    def may_be_invalid(self) -> bool:
        """Whether a row may be invalid."""
        has_mask = INVALID_COLUMN in self.schema
        return not self.prepared or has_mask or self.rulebooks.jurisdiction_column is not None

    @property
    def facts_without_nulls(self) -> frozenset[str]:
        """
        Facts known to have no nulls, so that rules need no `unknown` branch.

        They are known only of a prepared frame in memory: reading a plain column can add nulls, for
        values that cannot be read, and counting those of a lazy column would run its query.
        """
        if not self.in_memory or not self.prepared:
            return frozenset()
        assert isinstance(self.frame, nw.DataFrame)
        column = self.frame.get_column
        return frozenset(name for name in self.facts if column(name).null_count() == 0)

    def balance(self, api: Any, converted: Collection[str]) -> Any:
        """The balance of each deal in minor units, null where it is unknown."""
        if _BALANCE not in self.facts:
            return null_integer(api)
        return api.col(converted_column(_BALANCE) if _BALANCE in converted else _BALANCE)

    def columns_read(self, rulebook: Rulebook, converted: Collection[str]) -> Collection[str]:
        """The columns of a frame with *converted* facts that the results of *rulebook* need."""
        names = {*names_read(rulebook), _BALANCE} & self.facts.keys()
        return {UNREADABLE, *(converted_column(n) if n in converted else n for n in names)}

    def is_prepared(self, fact: Fact) -> bool:
        """Whether the column of *fact* already holds scaled integers."""
        is_key = fact.name == self.rulebooks.day_or_column
        return self.prepared and not is_key and fact.name not in self.ledger

    def is_read_by_value(self, fact: Fact, dtype: Any) -> bool:
        """Whether Python reads a column of *dtype* value by value; only possible in memory."""
        if self.is_untyped(fact, dtype):
            return True
        # NumPy has no type for days, and pandas turns its datetimes into floats where one is
        # missing.
        is_local_time = isinstance(dtype, nw.Datetime) and dtype.time_zone is None
        is_pandas = self.frame.implementation.is_pandas_like()
        return is_local_time and is_pandas and self.engine is None

    def is_untyped(self, fact: Fact, dtype: Any) -> bool:
        """Whether only the values of a column of *dtype* in memory tell what it holds."""
        if not self.in_memory:
            return False
        is_number_as_text = isinstance(dtype, nw.String) and fact.type.kind is not Kind.TEXT
        return is_number_as_text or dtype in (nw.Object, nw.Unknown)

    def converted(self) -> tuple[WorkFrame, frozenset[str]]:
        """
        Return a frame with the facts in scaled integers, `RULEBOOK` and `UNREADABLE`.

        The names returned are the facts that are in `converted_column`; the others are in the
        user's columns. The totals of ledgers are in `converted_column`. A frame in memory keeps no
        other columns.
        """
        work = self._work()
        return self._from_prepared(work) if self.prepared else self._from_plain(work)

    @cached_property
    def engine(self) -> Any | None:
        """Polars, if the rows of another library are worked on in it."""
        polars = engine_for(self.frame)
        names = self._columns() if polars else ()
        is_whole = all(is_shared(self.schema[name]) for name in names)
        return polars if is_whole else None

    def _columns(self) -> Sequence[str]:
        """The columns that are read where the rows are worked on."""
        read = {**self.facts, **self.ledger}
        on = self.rulebooks.day_or_column
        if isinstance(on, str):
            read[on] = {day_fact(on): ()}
        untyped = {
            name
            for name, definitions in read.items()
            if name in self.schema
            and any(self.is_untyped(fact, self.schema[name]) for fact in definitions)
        }
        names = dict.fromkeys([*read, *self._key_columns(), INVALID_COLUMN])
        return [name for name in names if name in self.schema and name not in untyped]

    def _work(self) -> WorkFrame:
        """The frame to compute columns on; in memory, with those that are read only."""
        if not isinstance(self.frame, nw.DataFrame):
            return work_frame(self.frame)
        names = self._columns()
        if self.engine is not None:
            return work_frame(in_polars(self.frame, names, self.engine))
        # Without a column, the number of rows would be lost.
        return work_frame(self.frame).select(*(names or [*self.schema][:1]))

    def _key_columns(self) -> list[str]:
        """The columns that select a row's rulebook."""
        keys = (self.rulebooks.jurisdiction_column, self.rulebooks.day_or_column)
        return [key for key in keys if isinstance(key, str)]

    def _from_prepared(self, work: WorkFrame) -> tuple[WorkFrame, frozenset[str]]:
        work = self._nullable(self._with_values(work, self.ledger), self.ledger)
        int64, col = work.api.Int64, work.api.col
        narrow = [name for name in self.facts if self.schema[name] != nw.Int64]
        work = work.with_columns({converted_column(name): col(name).cast(int64) for name in narrow})
        work, _ = self._with_numbers(self._with_rulebooks(work), self.ledger)
        if self.strict:
            return self._with_facts(work)
        if self.may_be_invalid:
            has_mask = INVALID_COLUMN in self.schema
            rulebook_columns = self._rulebook_columns(work.api)
            mask = rulebook_columns.read_bits(col(INVALID_COLUMN)) if has_mask else None
            work = work.with_columns({UNREADABLE: rulebook_columns.unreadable(mask)})
        return work, frozenset(narrow)

    def _from_plain(self, work: WorkFrame) -> tuple[WorkFrame, frozenset[str]]:
        columns = {**self.facts, **self.ledger}
        work = self._nullable(self._with_values(work, columns), columns)
        work, _ = self._with_numbers(self._with_rulebooks(work), self.ledger)
        return self._with_facts(work)

    def _nullable(self, work: WorkFrame, columns: Mapping[str, Definitions]) -> WorkFrame:
        """*work* with *columns* in types that hold nulls, except those that Python reads."""
        by_column = [
            name
            for name, definitions in columns.items()
            if not any(self.is_read_by_value(fact, self.schema[name]) for fact in definitions)
        ]
        return as_nullable(work, by_column)

    def _with_facts(self, work: WorkFrame) -> tuple[WorkFrame, frozenset[str]]:
        """*work* with the facts in `converted_column`, and the mask of the unreadable ones."""
        work, columns = self._with_numbers(work, self.facts)
        mask = self._unreadable_mask(work.api, columns)
        return work.with_columns({UNREADABLE: mask}), frozenset(columns)

    def _with_numbers(
        self, work: WorkFrame, definitions: Mapping[str, Definitions]
    ) -> tuple[WorkFrame, Mapping[str, Column]]:
        """*work* with the columns of *definitions* in `converted_column`, and how they are read."""
        columns = {
            name: self._column_by_rulebook(work.api, readings)
            for name, readings in definitions.items()
        }
        work = work.with_scratch(
            {converted_column(name): (c.scratch, c.number) for name, c in columns.items()}
        )
        return as_integers(work, [converted_column(name) for name in columns]), columns

    def _with_values(self, work: WorkFrame, columns: Mapping[str, Definitions]) -> WorkFrame:
        """*work* with numbers and states for those of *columns* that Python reads."""
        by_value = [
            (fact, variant)
            for name, definitions in columns.items()
            for variant, fact in enumerate(definitions)
            if self.is_read_by_value(fact, self.schema[name])
        ]
        return self._with_day_values(self._with_value_columns(work, by_value))

    def _with_day_values(self, work: WorkFrame) -> WorkFrame:
        """*work* with numbers and states for the column of days, if Python reads it."""
        on = self.rulebooks.day_or_column
        if not isinstance(on, str) or not self.is_read_by_value(day_fact(on), self.schema[on]):
            return work
        return self._with_value_columns(work, [(day_fact(on), 0)])

    def _with_value_columns(
        self, work: WorkFrame, columns: Sequence[tuple[Fact, int]]
    ) -> WorkFrame:
        assert isinstance(self.frame, nw.DataFrame) or not columns, "a lazy frame has no values yet"
        for fact, variant in columns:
            names = _numbers(fact, variant), _states(fact, variant)
            column = self.frame[fact.name]
            if work.api is nw:
                read = read_values(column.to_list(), fact)
                work = work.with_integers(dict(zip(names, read, strict=True)))
            else:
                values = read_column(column, fact, work.api)
                named = zip(names, values.get_columns(), strict=True)
                work = work.with_columns(dict(named))
        return work

    def _column(self, api: Any, fact: Fact, variant: int) -> Column:
        """
        The column of *fact* in scaled integers.

        *variant* is its index among the definitions of its name, which rulebooks may read in
        different ways; it keeps their scratch columns apart.
        """
        dtype = self.schema[fact.name]
        reader_class = ColumnReader if api is nw else PolarsReader
        reader = reader_class(
            api, fact, fact.name, variant, lazy=api is not nw or not self.in_memory
        )
        if self.is_prepared(fact):
            number = api.col(fact.name).cast(api.Int64)
            return reader.within(number, ~number.is_null())
        if self.is_read_by_value(fact, dtype):
            state = api.col(_states(fact, variant))
            number = api.when(state == 1).then(api.col(_numbers(fact, variant)))
            return Column(number, state != 0)
        return reader.column(dtype)

    def _column_by_rulebook(self, api: Any, definitions: Definitions) -> Column:
        """A column that is read in each row by the one of *definitions* of its rulebook."""
        columns = [
            (self._column(api, fact, variant), places)
            for variant, (fact, places) in enumerate(definitions.items())
        ]
        (column, places), *others = columns
        if not others and len(places) == len(self.rulebooks.rulebooks):
            return column
        number = chain(api, [(in_rulebooks(api, places), c.number) for c, places in columns])
        given = [
            in_rulebooks(api, places) & c.given for c, places in columns if c.given is not None
        ]
        scratch = tuple(part for c, _ in columns for part in c.scratch)
        return Column(number, reduce(or_, given) if given else None, scratch)

    def _with_rulebooks(self, work: WorkFrame) -> WorkFrame:
        """*work* with `RULEBOOK`, if there may be several."""
        if self.rulebooks.jurisdiction_column is None:
            return work
        day, on = None, self.rulebooks.day_or_column
        if isinstance(on, str):
            day = work.api.col(converted_column(on))
            column = self._column(work.api, day_fact(on), 0)
            work = work.with_scratch({converted_column(on): (column.scratch, column.number)})
            work = as_integers(work, [converted_column(on)])
        rulebook_columns = self._rulebook_columns(work.api)
        work = work.with_columns({CODE_PLACE: rulebook_columns.code_place()})
        work = as_integers(work, [CODE_PLACE])
        place = rulebook_columns.place(work.api.col(CODE_PLACE), day)
        return as_integers(work.with_columns({RULEBOOK: place}), [RULEBOOK])

    def _unreadable_mask(self, api: Any, columns: Mapping[str, Column]) -> Any:
        """The mask of the facts of a row that cannot be read."""
        bits = []
        for name, column in columns.items():
            unreadable = column.unreadable(api.col(converted_column(name)))
            if unreadable is not None and self.rulebooks.bits(name, unread=self.unread):
                fact_bit = self._rulebook_columns(api).fact_bit(name, unread=self.unread)
                bits.append(api.when(unreadable).then(fact_bit).otherwise(int64_literal(api, 0)))
        return self._rulebook_columns(api).unreadable(reduce(add, bits) if bits else None)

    def _rulebook_columns(self, api: Any) -> RulebookColumns:
        return RulebookColumns(self.rulebooks, api)


def _numbers(fact: Fact, variant: int) -> str:
    return f"{converted_column(fact.name)}_{variant}_numbers"


def _states(fact: Fact, variant: int) -> str:
    return f"{converted_column(fact.name)}_{variant}_states"
