"""
A plan for reading the columns of a user's frame as facts.

It gives the columns that rules read: facts in scaled integers, the place of each row's rulebook,
and the mask of the facts that cannot be read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import reduce
from operator import add, or_
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.portfolio.column_readers import Column, ColumnReader, type_error
from holdback.portfolio.masks import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.outcome_columns import (
    NEEDS,
    PREFIX,
    RULEBOOK,
    UNREADABLE,
    chain,
    converted_column,
)
from holdback.portfolio.row_rulebooks import (
    Definitions,
    RowRulebooks,
    RulebookExpressions,
    Rules,
    rulebooks_for,
)
from holdback.portfolio.value_reader import read_values
from holdback.portfolio.work_frame import (
    Frame,
    WorkFrame,
    as_integers,
    as_nullable,
    work_frame,
)
from holdback.rules.types import Fact, Kind, Type

# Summaries add it up, whether rules read it or not.
_BALANCE: Final = "balance"
# The column of a prepared frame with the mask of the facts that could not be read.
INVALID_COLUMN: Final = "invalid"

# How many jurisdictions a message names.
_MOST_NAMED: Final = 3
_INTEGERS: Final = (
    nw.Int8,
    nw.Int16,
    nw.Int32,
    nw.Int64,
    nw.UInt8,
    nw.UInt16,
    nw.UInt32,
    nw.UInt64,
)
# The types that a column of codes may have.
_CODES: Final = (nw.String, nw.Categorical, nw.Enum, nw.Object)


def _day_fact(name: str) -> Fact:
    """The column *name* with the day of a row, so that it is read as dates among the facts are."""
    return Fact(name=name, type=Type(Kind.DATE), low=1, high=date.max.toordinal())


@frozen
class ColumnPlan:
    """
    A plan for reading the columns of `frame` as facts of `rulebooks`.

    With `prepared`, columns already hold scaled integers. Columns in `skipped` are not read. With
    `strict`, prepared columns are checked for their range; otherwise they are trusted.
    """

    frame: Frame
    rulebooks: RowRulebooks
    prepared: bool = False
    skipped: frozenset[str] = frozenset()
    strict: bool = False
    schema: Mapping[str, Any] = field(init=False)
    facts: Mapping[str, Definitions] = field(init=False)

    @schema.default
    def _schema(self) -> Mapping[str, Any]:
        return self.frame.collect_schema()

    @facts.default
    def _facts(self) -> Mapping[str, Definitions]:
        """The facts with a column in the frame; of a prepared frame, only those that are needed."""
        facts = self.rulebooks.facts
        needed = {*self.rulebooks.codes_by_fact, _BALANCE} if self.prepared else facts.keys()
        columns = self.schema.keys() - self.skipped
        return {name: facts[name] for name in facts if name in needed and name in columns}

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory, and not lazy."""
        return isinstance(self.frame, nw.DataFrame)

    @classmethod
    def of(
        cls, frame: Frame, rules: Rules, jurisdiction: str, on: str | date, *, prepared: bool
    ) -> ColumnPlan:
        """Return the plan for *frame*; in memory, only for the jurisdictions that occur in it."""
        codes: Collection[Any] = ()
        if isinstance(frame, nw.DataFrame) and jurisdiction in frame.columns:
            codes = frame[jurisdiction].unique().to_list()
        return cls(frame, rulebooks_for(rules, jurisdiction, on, codes), prepared)

    # -- errors of the frame as a whole

    def check(self, output_names: Collection[str]) -> None:
        """
        Check that the columns can be read and that *output_names* do not clash with them.

        Raises:
            InvalidDocument: naming every column that is missing, of the wrong type, or in the way.
        """
        errors = self.errors(output_names)
        if errors:
            raise InvalidDocument(errors)

    def errors(self, output_names: Collection[str]) -> tuple[ErrorDetail, ...]:
        """Every error of the columns, if the result adds columns with *output_names*."""
        return (*self._missing(), *self._mistyped(), *self._clashing(output_names))

    def _missing(self) -> Iterator[ErrorDetail]:
        keys = (
            (self.rulebooks.jurisdiction, "it holds the jurisdiction whose rules assess a row"),
            (
                self.rulebooks.on,
                "it holds the day of a row's facts; one date can be given for all rows",
            ),
        )
        for key, meaning in keys:
            if isinstance(key, str) and key not in self.schema:
                hint = did_you_mean(key, self.schema) or meaning
                yield ErrorDetail(message="the column is missing", path=key, hint=hint)
        # Only a column that is not a fact itself can be the misspelling of a fact.
        unused = set(self.schema) - self.rulebooks.facts.keys()
        for name, codes in sorted(self.rulebooks.codes_by_fact.items()):
            if name not in self.schema:
                readers = f"rules of {_first_codes(codes)} read it"
                hint = f"{readers}; if it is never known, add a column of nulls of its type"
                hint = did_you_mean(name, unused) or hint
                yield ErrorDetail(message="the column is missing", path=name, hint=hint)

    def _mistyped(self) -> Iterator[ErrorDetail]:
        for name, definitions in self.facts.items():
            messages = (self._type_error(name, fact) for fact in definitions)
            message = next(filter(None, messages), None)
            if message:
                yield self._type_detail(name, message)
        on = self.rulebooks.on
        if isinstance(on, str) and on in self.schema:
            message = self._type_error(on, _day_fact(on))
            if message:
                yield self._type_detail(on, message)
        code = self.rulebooks.jurisdiction
        if code is None or code not in self.schema:
            return
        if not isinstance(self.schema[code], _CODES):
            yield self._type_detail(code, "expected text")

    def _type_detail(self, name: str, message: str) -> ErrorDetail:
        return ErrorDetail(message=f"{message}, not {self.schema[name]}", path=name)

    def _type_error(self, name: str, fact: Fact) -> str | None:
        """What was expected of the column *name*, if it cannot be read as *fact*; else None."""
        dtype = self.schema[name]
        if self.prepared and fact.name != self.rulebooks.on:
            if isinstance(dtype, _INTEGERS):
                return None
            return "expected whole numbers, as `prepare` makes them"
        return None if self._is_read_by_value(fact, dtype) else type_error(fact, dtype)

    def _clashing(self, output_names: Collection[str]) -> Iterator[ErrorDetail]:
        for name in self.schema:
            if name in output_names or name.startswith(PREFIX):
                hint = "rename it, or drop it if it is from an earlier assessment"
                yield ErrorDetail(
                    message="the result has a column of this name", path=name, hint=hint
                )

    # -- what rules may assume, and where the balance is

    @property
    def may_be_invalid(self) -> bool:
        """Whether a row may be invalid."""
        has_mask = INVALID_COLUMN in self.schema
        return not self.prepared or has_mask or self.rulebooks.jurisdiction is not None

    @property
    def never_null(self) -> frozenset[str]:
        """The facts whose columns have no nulls, as far as that costs nothing to know."""
        if not self.in_memory or not self.prepared:
            return frozenset()
        assert isinstance(self.frame, nw.DataFrame)
        column = self.frame.get_column
        return frozenset(name for name in self.facts if column(name).null_count() == 0)

    def balance(self, api: Any, converted: Collection[str]) -> Any:
        """The balance of each deal in minor units, null where it is unknown."""
        if _BALANCE not in self.facts:
            return _null_integer(api)
        return api.col(converted_column(_BALANCE) if _BALANCE in converted else _BALANCE)

    # -- scaled integers

    def _is_read_by_value(self, fact: Fact, dtype: Any) -> bool:
        """Whether Python reads a column of *dtype* value by value; it takes a frame in memory."""
        if not self.in_memory:
            return False
        if dtype in (nw.Object, nw.Unknown):
            return True
        if isinstance(dtype, nw.String):
            return fact.type.kind is not Kind.TEXT
        # NumPy has no type for days, and pandas turns its datetimes into floats where one is
        # missing.
        is_local_time = isinstance(dtype, nw.Datetime) and dtype.time_zone is None
        return is_local_time and self.frame.implementation.is_pandas_like()

    def converted(self) -> tuple[WorkFrame, frozenset[str]]:
        """
        Return a frame with the facts in scaled integers, `RULEBOOK` and `UNREADABLE`.

        The names returned are the facts that are in `converted_column`; the others are in the
        user's columns. A frame in memory keeps no other columns.
        """
        work = work_frame(self.frame)
        if self.in_memory:
            needed = dict.fromkeys([*self.facts, *self._key_columns(), INVALID_COLUMN])
            work = work.select(*(name for name in needed if name in self.schema))
        return self._from_prepared(work) if self.prepared else self._from_plain(work)

    def _key_columns(self) -> list[str]:
        """The columns that select a row's rulebook."""
        keys = (self.rulebooks.jurisdiction, self.rulebooks.on)
        return [key for key in keys if isinstance(key, str)]

    def _from_prepared(self, work: WorkFrame) -> tuple[WorkFrame, frozenset[str]]:
        work = self._with_values(work, ())
        int64, col = work.api.Int64, work.api.col
        narrow = [name for name in self.facts if self.schema[name] != nw.Int64]
        work = work.with_columns({converted_column(name): col(name).cast(int64) for name in narrow})
        work = self._with_rulebooks(work)
        if self.strict:
            return self._with_facts(work)
        if self.may_be_invalid:
            mask = col(INVALID_COLUMN) if INVALID_COLUMN in self.schema else None
            work = work.with_columns({UNREADABLE: self._or_no_rulebook(work.api, mask)})
        return work, frozenset(narrow)

    def _from_plain(self, work: WorkFrame) -> tuple[WorkFrame, frozenset[str]]:
        work = self._with_values(work, self.facts)
        by_column = [
            name
            for name, definitions in self.facts.items()
            if not any(self._is_read_by_value(fact, self.schema[name]) for fact in definitions)
        ]
        return self._with_facts(self._with_rulebooks(as_nullable(work, by_column)))

    def _with_facts(self, work: WorkFrame) -> tuple[WorkFrame, frozenset[str]]:
        """*work* with the facts in `converted_column`, and the mask of the unreadable ones."""
        columns = {name: self._fact_column(work.api, name) for name in self.facts}
        work = work.with_scratch(
            {converted_column(name): (c.scratch, c.number) for name, c in columns.items()}
        )
        work = as_integers(work, [converted_column(name) for name in columns])
        mask = self._unreadable_mask(work.api, columns)
        return work.with_columns({UNREADABLE: mask}), frozenset(columns)

    def _with_values(self, work: WorkFrame, names: Iterable[str]) -> WorkFrame:
        """*work* with numbers and states for the columns of *names* that Python reads."""
        columns = [
            (fact, variant)
            for name in names
            for variant, fact in enumerate(self.facts[name])
            if self._is_read_by_value(fact, self.schema[name])
        ]
        on = self.rulebooks.on
        if isinstance(on, str) and self._is_read_by_value(_day_fact(on), self.schema[on]):
            columns.append((_day_fact(on), 0))
        assert isinstance(self.frame, nw.DataFrame) or not columns, "a lazy frame has no values yet"
        for fact, variant in columns:
            numbers, states = read_values(self.frame[fact.name].to_list(), fact)
            work = work.with_integers(
                {_numbers(fact, variant): numbers, _states(fact, variant): states}
            )
        return work

    def _column(self, api: Any, fact: Fact, variant: int) -> Column:
        """The column of *fact* in scaled integers; *variant* numbers its name's definitions."""
        dtype = self.schema[fact.name]
        reader = ColumnReader(
            api, fact, fact.name, variant, lazy=api is not nw or not self.in_memory
        )
        if self.prepared and fact.name != self.rulebooks.on:
            number = api.col(fact.name).cast(api.Int64)
            return reader.within(number, ~number.is_null())
        if self._is_read_by_value(fact, dtype):
            state = api.col(_states(fact, variant))
            number = api.when(state == 1).then(api.col(_numbers(fact, variant)))
            return Column(number, state != 0)
        return reader.column(dtype)

    def _fact_column(self, api: Any, name: str) -> Column:
        """The column *name*, read in each row by the definition of its rulebook."""
        columns = [
            (self._column(api, fact, variant), places)
            for variant, (fact, places) in enumerate(self.facts[name].items())
        ]
        (column, places), *others = columns
        if not others and len(places) == len(self.rulebooks.rulebooks):
            return column
        number = chain(api, [(_in_rulebooks(api, places), c.number) for c, places in columns])
        given = [
            _in_rulebooks(api, places) & c.given for c, places in columns if c.given is not None
        ]
        scratch = tuple(part for c, _ in columns for part in c.scratch)
        return Column(number, reduce(or_, given) if given else None, scratch)

    def _with_rulebooks(self, work: WorkFrame) -> WorkFrame:
        """*work* with `RULEBOOK`, if there may be several."""
        if self.rulebooks.jurisdiction is None:
            return work
        day, on = None, self.rulebooks.on
        if isinstance(on, str):
            day = work.api.col(converted_column(on))
            column = self._column(work.api, _day_fact(on), 0)
            work = work.with_scratch({converted_column(on): (column.scratch, column.number)})
            work = as_integers(work, [converted_column(on)])
        place = RulebookExpressions(self.rulebooks, work.api).place(day)
        return as_integers(work.with_columns({RULEBOOK: place}), [RULEBOOK])

    def _unreadable_mask(self, api: Any, columns: Mapping[str, Column]) -> Any:
        """The mask of the facts of a row that cannot be read."""
        bits = []
        for name, column in columns.items():
            unreadable = column.unreadable(api.col(converted_column(name)))
            if unreadable is not None:
                bit = api.when(unreadable).then(self._fact_bit(api, name))
                bits.append(bit.otherwise(_int64(api, 0)))
        return self._or_no_rulebook(api, reduce(add, bits) if bits else None)

    def _or_no_rulebook(self, api: Any, mask: Any | None) -> Any:
        """*mask*, or for a row without a rulebook the bit of the column that is the cause."""
        mask = _int64(api, 0) if mask is None else mask
        if self.rulebooks.jurisdiction is None:
            return mask
        bits = _int64(api, 1 << JURISDICTION_BIT), _int64(api, 1 << ON_BIT)
        cause = RulebookExpressions(self.rulebooks, api).cause(*bits)
        return api.when(api.col(RULEBOOK).is_null()).then(cause).otherwise(mask)

    def _fact_bit(self, api: Any, name: str) -> Any:
        """The bit of the fact *name*; the bit of a declared fact depends on the rulebook."""
        by_bit: dict[int, list[int]] = {}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            if rulebook.catalogue.fact(name) is not None:
                by_bit.setdefault(rulebook.catalogue.place(name), []).append(place)
        if len(by_bit) == 1:
            return _int64(api, 1 << next(iter(by_bit)))
        cases = (
            (_in_rulebooks(api, places), _int64(api, 1 << bit)) for bit, places in by_bit.items()
        )
        return chain(api, cases)


def _first_codes(codes: Collection[str]) -> str:
    """The first of *codes*, and how many more there are."""
    shown = ", ".join(list(codes)[:_MOST_NAMED])
    more = len(codes) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _null_integer(api: Any) -> Any:
    """An integer that is null in every row; pandas has no null literal of that type."""
    return api.when(api.col(NEEDS) < 0).then(api.col(NEEDS))


def _int64(api: Any, number: int) -> Any:
    """A literal of 64 bits; engines choose a shorter type for a small number."""
    return api.lit(number, api.Int64)


def _in_rulebooks(api: Any, places: Sequence[int]) -> Any:
    """Where a row's rulebook is one of *places*."""
    return api.col(RULEBOOK).is_in(list(places))


def _numbers(fact: Fact, variant: int) -> str:
    return f"{PREFIX}{fact.name}_{variant}_numbers"


def _states(fact: Fact, variant: int) -> str:
    return f"{PREFIX}{fact.name}_{variant}_states"
