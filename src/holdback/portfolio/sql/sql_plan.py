"""
The whole assessment of a table as steps of SQL: one set of columns after the other.

The steps are those of `assess`: the rulebook of each row, its facts in scaled integers, the facts
that cannot be read, what each rule answers, the outcome, and the reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from attrs import field

from holdback.exact.frozen_values import FrozenMapping
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.assessing.outcome_columns import RULEBOOK, UNREADABLE, converted_column
from holdback.portfolio.assessing.row_rulebooks import Definitions, RowRulebooks, names_read
from holdback.portfolio.reading.column_readers import day_fact
from holdback.portfolio.sql.sql_outcomes import SqlStep, by_places, outcome_sql
from holdback.portfolio.sql.sql_readers import SqlColumn, SqlReader
from holdback.portfolio.sql.sql_words import (
    conditional,
    identifier,
    one_of,
    text_literal,
    text_type,
)
from holdback.rules.types import Fact

# The bits of the columns that select the rulebook of a row.
_KEY_BITS: Final = 1 << JURISDICTION_BIT | 1 << ON_BIT


@frozen(kw_only=True)
class SqlPlan:
    """
    The steps for a table in the SQL of *dialect*.

    `facts` and `ledger` are the columns to read, and `dtypes` their types; a column without one has
    the type that a query states. With `prepared`, facts are scaled integers already, and are
    trusted to be in range unless the plan is `strict`. `invalid` is the column with the mask of the
    facts that could not be prepared.
    """

    dialect: str
    rulebooks: RowRulebooks
    facts: Mapping[str, Definitions]
    ledger: Mapping[str, Definitions] = field(factory=dict)
    dtypes: Mapping[str, Any] = field(factory=dict)
    prepared: bool = False
    strict: bool = False
    invalid: str | None = None
    # Columns that hold what the steps need already.
    trusted: Collection[str] = ()

    def col(self, name: str) -> str:
        """The column *name*."""
        return identifier(name, self.dialect)

    def fact_column(self, name: str) -> str:
        """The name of the column with the fact *name* in scaled integers."""
        return name if name in self.trusted else converted_column(name)

    @property
    def may_be_invalid(self) -> bool:
        """Whether a row may be invalid."""
        trusted = self.prepared and not self.strict and self.invalid is None
        return not trusted or self.rulebooks.jurisdiction_column is not None

    @property
    def read_columns(self) -> Sequence[str]:
        """The columns of the table that the steps read."""
        rulebooks = self.rulebooks
        keys = (rulebooks.jurisdiction_column, rulebooks.day_or_column, self.invalid)
        names = [*self.facts, *self.ledger, *(key for key in keys if isinstance(key, str))]
        return list(dict.fromkeys(names))

    def steps(self, *, readable: bool) -> Iterator[SqlStep]:
        """The steps, each computed from the table and the steps before it."""
        yield from self._rulebook()
        read = {
            name: self._column(definitions, ledger=False)
            for name, definitions in self.facts.items()
            if name not in self.trusted
        }
        totals = {
            name: self._column(definitions, ledger=True)
            for name, definitions in self.ledger.items()
        }
        yield {converted_column(name): column.number for name, column in {**read, **totals}.items()}
        if self.may_be_invalid:
            yield {UNREADABLE: self._unreadable(read)}
        numbers = {name: self.col(self.fact_column(name)) for name in self.facts}
        yield from outcome_sql(
            self.dialect,
            self.rulebooks,
            FrozenMapping(numbers),
            may_be_invalid=self.may_be_invalid,
            readable=readable,
        )

    def _rulebook(self) -> Iterator[SqlStep]:
        """The place of each row's rulebook, null if it has none."""
        rulebooks = self.rulebooks
        if rulebooks.jurisdiction_column is None:
            return
        on, day = rulebooks.day_or_column, None
        if isinstance(on, str):
            day = self.col(converted_column(on))
            yield {
                converted_column(on): self._reader(day_fact(on)).read(self.dtypes.get(on)).number
            }
        by_code: dict[str, list[tuple[date, int]]] = {}
        for place, rulebook in enumerate(rulebooks.rulebooks):
            by_code.setdefault(rulebook.code, []).append((rulebook.on, place))
        cases = []
        for code, begun in by_code.items():
            # INVARIANT: the first rulebook that has begun by the day is the one in force.
            latest = sorted(begun, reverse=True)
            chosen = str(latest[0][1])
            if day is not None:
                chosen = conditional((f"{day} >= {on.toordinal()}", str(n)) for on, n in latest)
            cases.append((self._is_code(code), chosen))
        yield {RULEBOOK: conditional(cases)}

    def _is_code(self, code: str) -> str:
        """Where a row is of the jurisdiction *code*."""
        column = self.col(str(self.rulebooks.jurisdiction_column))
        text = f"cast({column} as {text_type(self.dialect)})"
        return f"{text} = {text_literal(code, self.dialect)}"

    def _reader(self, fact: Fact) -> SqlReader:
        return SqlReader(self.dialect, fact, self.col(fact.name))

    def _read(self, fact: Fact, *, ledger: bool) -> SqlColumn:
        dtype = self.dtypes.get(fact.name)
        reader = self._reader(fact)
        if not self.prepared or ledger:
            return reader.read(dtype)
        if self.strict:
            return reader.prepared(stated=dtype is None)
        return SqlColumn(f"cast({reader.column} as bigint)")

    def _column(self, definitions: Definitions, *, ledger: bool) -> SqlColumn:
        """A column that is read in each row by the one of *definitions* of its rulebook."""
        columns = [
            (places, self._read(fact, ledger=ledger)) for fact, places in definitions.items()
        ]
        given = [(places, c.given) for places, c in columns if c.given is not None]
        return SqlColumn(
            self._by_places([(places, column.number) for places, column in columns]),
            self._by_places(given) if given else None,
        )

    def _by_places(self, parts: Sequence[tuple[Sequence[int], str]]) -> str:
        return by_places(parts, len(self.rulebooks.rulebooks), lambda: self.col(RULEBOOK))

    def _unreadable(self, columns: Mapping[str, SqlColumn]) -> str:
        """The mask of the facts of a row that cannot be read."""
        bits: list[str] = []
        for name, column in columns.items():
            if column.given is not None:
                unreadable = f"{column.given} and {self.col(converted_column(name))} is null"
                bits.extend(self._bits(name, unreadable))
        if self.invalid is not None:
            invalid = self.col(self.invalid)
            masked = f"({invalid} & {self._read_bits()})"
            bits.append(conditional([(f"{invalid} <> 0", masked)], "0"))
        mask = f"cast({' + '.join(bits) or '0'} as bigint)"
        rulebooks = self.rulebooks
        if rulebooks.jurisdiction_column is None:
            return mask
        has_code = " or ".join(self._is_code(code) for code in rulebooks.codes) or "false"
        cause = conditional([(has_code, str(1 << ON_BIT))], str(1 << JURISDICTION_BIT))
        return conditional([(f"{self.col(RULEBOOK)} is null", cause)], mask)

    def _bits(self, name: str, unreadable: str) -> Iterator[str]:
        """The bit of the fact *name* where it is *unreadable* and a rule of the row reads it."""
        count = len(self.rulebooks.rulebooks)
        for bit, places in self.rulebooks.bits(name).items():
            is_read = "" if len(places) == count else f" and {one_of(self.col(RULEBOOK), places)}"
            yield conditional([(unreadable + is_read, f"cast({1 << bit} as bigint)")], "0")

    def _read_bits(self) -> str:
        """The mask of all facts that rules of the row's rulebook read, and of its keys."""
        places_by_mask: dict[int, list[int]] = {}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            read = sum(1 << rulebook.catalogue.place(name) for name in names_read(rulebook))
            places_by_mask.setdefault(read | _KEY_BITS, []).append(place)
        return self._by_places([(places, str(mask)) for mask, places in places_by_mask.items()])
