"""
The whole assessment of a table as steps of SQL: one set of columns after the other.

The steps are those of `assess`: the rulebook of each row, its facts in scaled integers, the facts
that cannot be read, what each rule answers, the outcome, and the reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

import narwhals.stable.v2 as nw
from attrs import field

from holdback.exact.frozen_values import FrozenMapping
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_codes import JURISDICTION_BIT, ON_BIT
from holdback.portfolio.assessing.outcome_columns import (
    DAY,
    RULEBOOK,
    UNREADABLE,
    converted_column,
    given_column,
    number_column,
)
from holdback.portfolio.assessing.row_rulebooks import Definitions, RowRulebooks, names_read
from holdback.portfolio.reading.column_readers import MOST_DECIMALS, day_fact
from holdback.portfolio.sql.outcome_expressions import SqlStep, by_places, outcome_sql
from holdback.portfolio.sql.words import (
    conditional,
    identifier,
    one_of,
    text_literal,
    text_type,
)
from holdback.rules.sql import DUCKDB, POLARS, PORTABLE, POSTGRES, SPARK, SQLITE, literal
from holdback.rules.types import Fact, Kind

# The bits of the columns that select the rulebook of a row.
_KEY_BITS: Final = 1 << JURISDICTION_BIT | 1 << ON_BIT


@frozen(kw_only=True)
class SqlPlan:
    """
    The steps for a table in the SQL of *dialect*.

    `facts` and `ledger` are the columns to read, and `dtypes` their types; a column without one has
    the type that a query states. With `prepared`, facts are scaled integers already, and are
    trusted to be in range unless the plan is `strict`. `invalid` is the column with the mask of the
    facts that could not be prepared. With `unread`, facts that no rule reads are in the mask of
    those that cannot be read.
    """

    dialect: str
    rulebooks: RowRulebooks
    facts: Mapping[str, Definitions]
    ledger: Mapping[str, Definitions] = field(factory=dict)
    dtypes: Mapping[str, Any] = field(factory=dict)
    prepared: bool = False
    strict: bool = False
    unread: bool = False
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
    def read_columns(self) -> Sequence[str]:
        """The columns of the table that the steps read."""
        rulebooks = self.rulebooks
        keys = (rulebooks.jurisdiction_column, rulebooks.day_or_column, self.invalid)
        names = [*self.facts, *self.ledger, *(key for key in keys if isinstance(key, str))]
        return list(dict.fromkeys(names))

    def read_steps(self) -> Iterator[SqlStep]:
        """The rulebook of each row, its facts, and the mask of those that cannot be read."""
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
        yield {UNREADABLE: self._unreadable(read)}

    def steps(
        self, *, readable: bool, codes: tuple[str, ...] = (), masks: bool = False
    ) -> Iterator[SqlStep]:
        """The steps, each computed from the table and the steps before it, as in `outcome_sql`."""
        yield from self.read_steps()
        numbers = {name: self.col(self.fact_column(name)) for name in self.facts}
        yield from outcome_sql(
            self.dialect,
            self.rulebooks,
            FrozenMapping(numbers),
            readable=readable,
            codes=codes,
            masks=masks,
        )

    def _rulebook(self) -> Iterator[SqlStep]:
        """The place of each row's rulebook, null if it has none."""
        rulebooks = self.rulebooks
        if rulebooks.jurisdiction_column is None:
            return
        on, day = rulebooks.day_or_column, None
        if isinstance(on, str):
            day = self.col(converted_column(on))
            yield {converted_column(on): self._read(day_fact(on), DAY, prepared=False).number}
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

    def _read(self, fact: Fact, variant: int, *, prepared: bool) -> SqlColumn:
        """The column of *fact*, one of several readings of its name: the *variant* counts them."""
        dtype, reader = (
            self.dtypes.get(fact.name),
            SqlReader(self.dialect, fact, self.col(fact.name)),
        )
        if prepared and self.strict:
            return reader.prepared(stated=dtype is None)
        if prepared:
            return SqlColumn(f"cast({reader.column} as bigint)")
        if self.dialect == POLARS:
            names = number_column(fact.name, variant), given_column(fact.name, variant)
            return SqlColumn(*map(self.col, names))
        return reader.read(dtype)

    def _column(self, definitions: Definitions, *, ledger: bool) -> SqlColumn:
        """A column that is read in each row by the one of *definitions* of its rulebook."""
        # The column of the days may be one of a fact as well.
        columns = [
            (
                places,
                self._read(
                    fact,
                    variant,
                    prepared=self.prepared
                    and not ledger
                    and fact.name != self.rulebooks.day_or_column,
                ),
            )
            for variant, (fact, places) in enumerate(definitions.items())
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
        for bit, places in self.rulebooks.bits(name, unread=self.unread).items():
            is_read = "" if len(places) == count else f" and {one_of(self.col(RULEBOOK), places)}"
            yield conditional([(unreadable + is_read, f"cast({1 << bit} as bigint)")], "0")

    def _read_bits(self) -> str:
        """The mask of all facts that rules of the row's rulebook read, and of its keys."""
        places_by_mask: dict[int, list[int]] = {}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            read = sum(1 << rulebook.catalogue.place(name) for name in names_read(rulebook))
            places_by_mask.setdefault(read | _KEY_BITS, []).append(place)
        return self._by_places([(places, str(mask)) for mask, places in places_by_mask.items()])


_NARROW: Final = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
# Any integer of 18 digits fits into 64 bits.
_MOST_DIGITS: Final = 18
# The digits of the longest decimal.
_WIDEST: Final = 38
# Day 0 of the proleptic Gregorian calendar, as SQLite's `julianday` counts.
_DAY_ZERO: Final = "1721424.5"
# Databases have no common function for the type of a column. Where it is exact, this holds; in
# floats of 32 and of 64 bits it does not.
_IS_EXACT: Final = (
    "{0} * 0 + cast('0.01' as decimal(9, 2)) + cast('0.05' as decimal(9, 2))"
    " = cast('0.06' as decimal(9, 2))"
)
# Where the type of a column is the one that a query states.
_STATED: Final = {
    DUCKDB: {
        "number": r"regexp_full_match(typeof({0}), '(DECIMAL\(\d+,(\d|1[0-5])\))"
        r"|(U?(TINYINT|SMALLINT|INTEGER|BIGINT))|HUGEINT')",
        "date": "typeof({0}) in ('DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS')",
        "flag": "typeof({0}) = 'BOOLEAN'",
        "whole": r"regexp_full_match(typeof({0}), 'U?(TINYINT|SMALLINT|INTEGER|BIGINT)|HUGEINT')",
    },
    SPARK: {
        "number": r"typeof({0}) rlike '^(decimal[(][0-9]+,([0-9]|1[0-5])[)]|tinyint|smallint|int"
        r"|bigint)$'",
        "date": "typeof({0}) in ('date', 'timestamp_ntz')",
        "flag": "typeof({0}) = 'boolean'",
        "whole": "typeof({0}) in ('tinyint', 'smallint', 'int', 'bigint')",
    },
    POSTGRES: {
        "number": "cast(pg_typeof({0}) as text) in ('numeric', 'smallint', 'integer', 'bigint')",
        "date": "cast(pg_typeof({0}) as text) in ('date', 'timestamp without time zone')",
        "flag": "cast(pg_typeof({0}) as text) = 'boolean'",
        "whole": "cast(pg_typeof({0}) as text) in ('smallint', 'integer', 'bigint')",
    },
    SQLITE: {
        "whole": "typeof({0}) = 'integer'",
        "date": "typeof({0}) = 'text' and date({0}, '+0 days') = {0}",
        "flag": "typeof({0}) = 'integer' and {0} in (0, 1)",
    },
    PORTABLE: {
        "number": _IS_EXACT,
        "date": "true",
        "flag": "true",
        "whole": f"{_IS_EXACT} and floor({{0}}) = {{0}}",
    },
}


@frozen
class SqlColumn:
    """
    A column in the scaled integers of a fact, as SQL.

    `number` is null where the value is unknown or invalid. It is invalid where `number` is null
    although a value was `given`; `given` is None if no value can be invalid.
    """

    number: str
    given: str | None = None


@frozen
class SqlReader:
    """A reader of *column*, the SQL of a column, as *fact*."""

    dialect: str
    fact: Fact
    column: str

    def read(self, dtype: Any | None) -> SqlColumn:
        """Return the column of a *dtype* without `type_error`; None is the type that is stated."""
        kind = self.fact.type.kind
        if kind is Kind.TEXT:
            return SqlColumn(self.text())
        if kind is Kind.FLAG:
            return self.stated_flag() if dtype is None else SqlColumn(self.flag())
        if kind is Kind.DATE:
            return self.stated_date() if dtype is None else self.date(dtype)
        if dtype is None:
            return self.stated_number()
        if isinstance(dtype, nw.Decimal):
            return self.given(self.decimal(dtype.precision, dtype.scale))
        if isinstance(dtype, nw.Float64):
            return SqlColumn(self.float(), self.not_nan())
        return self.given(self.integer(dtype))

    def prepared(self, *, stated: bool) -> SqlColumn:
        """The column of scaled integers where it is in range; *stated* if its type is not known."""
        number = f"cast({self.column} as bigint)"
        inside = f"{self.column} between {literal(self.fact.low)} and {literal(self.fact.high)}"
        return self.given(self.where("whole" if stated else None, inside, number))

    def given(self, number: str) -> SqlColumn:
        """The *number*, invalid where it is null and the column is not."""
        return SqlColumn(number, f"{self.column} is not null")

    def where(self, stated: str | None, condition: str, number: str) -> str:
        """*number* where *condition* holds, if the column is of the type that is *stated*."""
        value = conditional([(condition, number)])
        if stated is None:
            return value
        return conditional([(_STATED[self.dialect][stated].format(self.column), value)])

    def text(self) -> str:
        """The place of a text among the declared ones; a text that is not declared is unknown."""
        options = self.fact.type.options
        if self.dialect == SQLITE:
            # A column may be declared to compare without regard to case.
            text = f"{self.column} collate binary"
        elif self.dialect == POSTGRES:
            text = f'cast({self.column} as text) collate "C"'
        else:
            text = f"cast({self.column} as {text_type(self.dialect)})"
        cases = " ".join(
            f"when {text_literal(option, self.dialect)} then {place}"
            for place, option in enumerate(options)
        )
        return f"cast(case {text} {cases} end as bigint)"

    def flag(self) -> str:
        """1 for true and 0 for false."""
        column = self.column
        return f"cast({conditional([(column, '1'), (f'not {column}', '0')])} as bigint)"

    def stated_flag(self) -> SqlColumn:
        """Booleans; SQLite writes them as 0 and 1."""
        if self.dialect == SQLITE:
            return self.given(self.where("flag", "true", self.column))
        return self.given(self.where("flag", "true", self.flag()))

    def integer(self, dtype: Any) -> str:
        """Integers in major units; only those in range are scaled, so that none overflows."""
        column = self.column
        if not isinstance(dtype, _NARROW):
            # DuckDB compares unsigned and long integers correctly with their own type only.
            column = f"try_cast({column} as hugeint)"
        return conditional(
            [(self.in_major_units(column), self.scaled(f"cast({column} as bigint)"))]
        )

    def scaled(self, number: str) -> str:
        """*number* of major units, 64-bit integers, in the scale of the fact."""
        places = self.fact.type.places
        return f"{number} * {10**places}" if places else number

    def in_major_units(self, column: str) -> str:
        """Where integers of major units are in the range of the fact."""
        scale: int = 10**self.fact.type.places
        low, high = -(-self.fact.low // scale), self.fact.high // scale
        return f"{column} between {literal(low)} and {literal(high)}"

    def near(self, column: str) -> str:
        """Where *column*, in major units, is so near the range that scaling cannot overflow."""
        low, high = self._around()
        return f"{column} between {literal(low)} and {literal(high)}"

    def _around(self) -> tuple[int, int]:
        """Integers of major units below and above the range, with a margin of one unit."""
        scale: int = 10**self.fact.type.places
        # `//` rounds down, which may lose up to a unit at the upper end: hence 2 there.
        return self.fact.low // scale - 1, self.fact.high // scale + 2

    def decimal(self, precision: int, decimals: int) -> str:
        """Decimals, only compared, multiplied and rounded down: no engine does that in floats."""
        places = self.fact.type.places
        if self.dialect == PORTABLE:
            scaled = f"{self.column} * cast({10**places} as decimal({places + 1}, 0))"
        elif self.dialect == POSTGRES:
            scaled = f"cast({self.column} as numeric) * {10**places}"
        else:
            narrow = self.narrow_decimal(precision, decimals)
            scaled = f"{narrow} * cast({10**places} as decimal({places + 1}, 0))"
        down = f"floor({scaled})" if decimals > places else scaled
        exact = self.in_range(down)
        if decimals > places and not self.fact.rounded_down:
            exact = f"{down} = {scaled} and {exact}"
        number = conditional([(exact, f"cast({down} as bigint)")])
        return conditional([(self.near(self.column), number)])

    def narrow_decimal(self, precision: int, decimals: int) -> str:
        """The column, near the range, with so few digits that it can be multiplied."""
        places = self.fact.type.places
        if precision + places <= _MOST_DIGITS:
            return self.column
        low, high = self._around()
        digits = len(str(max(-low, high))) + decimals
        if digits + places > _MOST_DIGITS:
            # DuckDB gives the product of short decimals 18 digits, and fails if it needs more.
            digits = max(digits, _MOST_DIGITS + 1)
        return f"cast({self.column} as decimal({digits}, {decimals}))"

    def in_range(self, number: str) -> str:
        """Where the scaled *number* is in the range of the fact."""
        return f"{number} between {literal(self.fact.low)} and {literal(self.fact.high)}"

    def stated_number(self) -> SqlColumn:
        """Decimals and whole numbers; in SQLite, numbers of any kind."""
        column = self.column
        if self.dialect == SQLITE:
            whole = conditional([(self.in_major_units(column), self.scaled(column))])
            cases = [(f"typeof({column}) = 'integer'", whole)]
            if max(-self.fact.low, self.fact.high) <= 2**50:
                cases.append((f"typeof({column}) = 'real'", self.float()))
            return self.given(conditional(cases))
        number = self.where("number", "true", self.decimal(_WIDEST, MOST_DECIMALS))
        if self.dialect != POSTGRES:
            return self.given(number)
        is_nan = f"cast({column} as text) = 'NaN'"
        return SqlColumn(number, f"{column} is not null and not {is_nan}")

    def not_nan(self) -> str:
        """Where a float is neither null nor NaN."""
        return f"({self.column} is not null and not isnan({self.column}))"

    def float(self) -> str:
        """Floats, by the rule at the top of `column_readers`."""
        column, scale = self.column, f"{10**self.fact.type.places}.0"
        scale = f"cast({scale} as double)"
        # Off by at most 1, or by one more below 0, where the fraction is cut off and not rounded.
        about = f"cast({column} * {scale} as bigint)"
        cases = []
        for more in (1, 0, -1):
            number = f"({about} + {more})" if more else about
            cases.append((f"{number} / {scale} <= {column}", number))
        down = conditional(cases, f"({about} - 2)")
        exact = self.in_range(down)
        if not self.fact.rounded_down:
            exact = f"{down} / {scale} = {column} and {exact}"
        return conditional([(self.near(column), conditional([(exact, down)]))])

    def date(self, dtype: Any) -> SqlColumn:
        """The proleptic Gregorian ordinal of a day, as `date.toordinal` has it."""
        if not isinstance(dtype, nw.Datetime):
            return self.given(self.ordinal(self.column))
        own = "timestamp_ns" if dtype.time_unit == "ns" else "timestamp"
        own = "timestamp_ntz" if self.dialect == SPARK else own
        day = f"cast({self.column} as date)"
        midnight = f"cast({day} as {own}) = {self.column}"
        return self.given(conditional([(midnight, self.ordinal(day))]))

    def ordinal(self, day: str) -> str:
        """The ordinal of *day*, the SQL of a date, where it is in the range of the fact."""
        low, high = (date.fromordinal(end) for end in (self.fact.low, self.fact.high))
        inside = f"{day} between date '{low}' and date '{high}'"
        if self.dialect == SPARK:
            days = f"datediff({day}, date '{low}')"
        elif self.dialect == PORTABLE:
            days = f"date_diff('day', date '{low}', {day})"
        else:
            days = f"({day} - date '{low}')"
        number = f"cast({days} + {self.fact.low} as bigint)"
        return conditional([(inside, number)])

    def stated_date(self) -> SqlColumn:
        """Days, and midnights without a time zone; in SQLite, texts such as 2026-07-01."""
        column = self.column
        if self.dialect == SQLITE:
            number = f"cast(julianday({column}) - {_DAY_ZERO} as integer)"
            return self.given(self.where("date", self.in_range(number), number))
        day = f"cast({column} as date)"
        return self.given(self.where("date", f"{day} = {column}", self.ordinal(day)))
