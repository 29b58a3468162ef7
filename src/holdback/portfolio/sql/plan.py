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

from holdback.frozen_classes import FrozenMapping, frozen
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
    only,
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

    `facts` and `ledger` are the columns to read, and `dtypes` their types. Of a column without one,
    as in the text of a query for a table that nobody has seen, the query tests the type when it
    runs. With `prepared`, facts are scaled integers already, and are trusted to be in range unless
    the plan is `strict`. `invalid` is the column with the mask of the facts that could not be
    prepared. With `unread`, facts that no rule reads are in the mask of those that cannot be read.
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
    # Columns that hold scaled integers in range already, so that no step converts them.
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
        """
        Yield all steps, from the table to the results.

        Each is computed from the table and the steps before it. *readable*, *codes* and *masks*
        choose the results, as in `outcome_sql`.
        """
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
        """
        Yield the steps that find the place of each row's rulebook, null if the row has none.

        There are none if one rulebook assesses all rows.
        """
        rulebooks = self.rulebooks
        if rulebooks.jurisdiction_column is None:
            return
        on, row_day = rulebooks.day_or_column, None
        if isinstance(on, str):
            row_day = self.col(converted_column(on))
            yield {converted_column(on): self._read(day_fact(on), DAY, prepared=False).number}
        by_code: dict[str, list[tuple[date, int]]] = {}
        for place, rulebook in enumerate(rulebooks.rulebooks):
            by_code.setdefault(rulebook.code, []).append((rulebook.on, place))
        cases = []
        for code, first_days in by_code.items():
            # INVARIANT: the first rulebook that has begun by the day is the one in force.
            latest_first = sorted(first_days, reverse=True)
            # With one day for all rows, each jurisdiction has one rulebook here.
            chosen = str(latest_first[0][1])
            if row_day is not None:
                chosen = conditional(
                    (f"{row_day} >= {first_day.toordinal()}", str(place))
                    for first_day, place in latest_first
                )
            cases.append((self._is_code(code), chosen))
        chosen = conditional(cases)
        if self.dialect == SPARK:  # in a method of its own, where there are many
            chosen = only(
                self.col(rulebooks.jurisdiction_column), "is not null", chosen, self.dialect
            )
        yield {RULEBOOK: chosen}

    def _is_code(self, code: str) -> str:
        """Where a row is of the jurisdiction *code*."""
        column = self.col(str(self.rulebooks.jurisdiction_column))
        text = f"cast({column} as {text_type(self.dialect)})"
        return f"{text} = {text_literal(code, self.dialect)}"

    def _read(self, fact: Fact, variant: int, *, prepared: bool) -> SqlColumn:
        """
        Return the column of *fact* in scaled integers.

        Jurisdictions may read a column of one name in several ways; the *variant* counts them.
        """
        dtype = self.dtypes.get(fact.name)
        reader = SqlReader(self.dialect, fact, self.col(fact.name))
        if prepared and self.strict:
            return reader.prepared(stated=dtype is None)
        if prepared:
            return SqlColumn(f"cast({reader.column} as bigint)")
        if self.dialect == POLARS:
            # `ColumnPlan.rows` has read the column with Polars' own expressions.
            names = number_column(fact.name, variant), given_column(fact.name, variant)
            return SqlColumn(*map(self.col, names))
        return reader.read(dtype)

    def _column(self, definitions: Definitions, *, ledger: bool) -> SqlColumn:
        """
        Return the column of one name, read in each row as the row's rulebook defines it.

        *ledger* says whether it is a total of a ledger.
        """

        def is_prepared(fact: Fact) -> bool:
            # `prepare` leaves the totals of ledgers and the column of the days unchanged, and the
            # column of the days may be one of a fact as well.
            is_day = fact.name == self.rulebooks.day_or_column
            return self.prepared and not ledger and not is_day

        columns = [
            (places, self._read(fact, variant, prepared=is_prepared(fact)))
            for variant, (fact, places) in enumerate(definitions.items())
        ]
        given = [(places, column.given) for places, column in columns if column.given is not None]
        return SqlColumn(
            self._by_places([(places, column.number) for places, column in columns]),
            self._by_places(given) if given else None,
        )

    def _by_places(self, parts: Sequence[tuple[Sequence[int], str]]) -> str:
        """For each row, the one of *parts* whose places include that of the row's rulebook."""
        return by_places(parts, len(self.rulebooks.rulebooks), lambda: self.col(RULEBOOK))

    def _unreadable(self, columns: Mapping[str, SqlColumn]) -> str:
        """
        The mask of the facts of a row that cannot be read.

        A row without a rulebook has one bit instead: that of the day if there is a jurisdiction
        with its code, else that of the jurisdiction.
        """
        bits: list[str] = []
        for name, column in columns.items():
            if column.given is not None:
                unreadable = f"{column.given} and {self.col(converted_column(name))} is null"
                bits.extend(self._bits(name, unreadable))
        if self.invalid is not None:
            # The facts that `prepare` could not read, without those that no rule of the row reads.
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
        """
        Yield the bit of the fact *name*, or 0, by whether it is *unreadable* and needed.

        It is needed where a rule of the row's rulebook reads it; with `unread`, everywhere. In
        several catalogues it may have several bits.
        """
        count = len(self.rulebooks.rulebooks)
        for bit, places in self.rulebooks.bits(name, unread=self.unread).items():
            is_read = "" if len(places) == count else f" and {one_of(self.col(RULEBOOK), places)}"
            yield conditional([(unreadable + is_read, f"cast({1 << bit} as bigint)")], "0")

    def _read_bits(self) -> str:
        """The mask of all facts that rules of the row's rulebook read, with both key bits."""
        places_by_mask: dict[int, list[int]] = {}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            read = sum(1 << rulebook.catalogue.place(name) for name in names_read(rulebook))
            places_by_mask.setdefault(read | _KEY_BITS, []).append(place)
        return self._by_places([(places, str(mask)) for mask, places in places_by_mask.items()])


_NARROW: Final = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
# Any integer of 18 digits fits into 64 bits; products of up to 18 digits need no other type.
_MOST_DIGITS: Final = 18
# The digits of the longest decimal that databases have: assumed where no type is known.
_WIDEST: Final = 38
# Day 0 of the proleptic Gregorian calendar, as SQLite's `julianday` counts.
_DAY_ZERO: Final = "1721424.5"
# Databases have no common function for the type of a column. Where it is exact, this holds; in
# floats of 32 and of 64 bits it does not.
_IS_EXACT: Final = (
    "{0} * 0 + cast('0.01' as decimal(9, 2)) + cast('0.05' as decimal(9, 2))"
    " = cast('0.06' as decimal(9, 2))"
)
# The test of a column's type when a query runs, for a column whose type is not known before: by
# dialect, whether it has `number`s, `date`s, `flag`s, or `whole` numbers.
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
    """
    Reads *column*, the SQL of a column, as *fact*: into SQL for its scaled integers.

    `read` and `prepared` return both halves of a `SqlColumn`. The methods named after types return
    SQL for the number alone, null where the value is unknown or invalid; those called `stated_` are
    for a column whose type only the database knows, when the query runs.
    """

    dialect: str
    fact: Fact
    column: str

    def read(self, dtype: Any | None) -> SqlColumn:
        """
        Return the column, in scaled integers, of a *dtype* that `type_error` accepts.

        A *dtype* of None is one that is not known: the query tests the type when it runs.
        """
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
        """
        *number* where *condition* holds, else null.

        With *stated*, a name in `_STATED`, it is null also where the column is of another type.
        """
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
        """1 for true and 0 for false, and invalid values; SQLite has 0 and 1 for Booleans."""
        if self.dialect == SQLITE:
            return self.given(self.where("flag", "true", self.column))
        return self.given(self.where("flag", "true", self.flag()))

    def integer(self, dtype: Any) -> str:
        """
        The scaled integers of a column of integers in major units, of the type *dtype*.

        Only those in range are scaled, so that no multiplication overflows; the others are null.
        """
        column = self.column
        if not isinstance(dtype, _NARROW):
            # Only DuckDB has such types, and it has `hugeint` for them: it compares unsigned and
            # long integers correctly with their own type only.
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
        """
        The scaled integers of decimals of *precision* digits, *decimals* of them after the point.

        Decimals are only compared, multiplied and rounded down here: no engine does that in floats.
        One with more decimals than the fact has is null, unless the fact is rounded down.
        """
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
        """
        The column as a decimal with so few digits that its scaled product fits.

        It is for values `near` the range; others may not fit in the type that is returned.
        """
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
        """
        The scaled integers of a number column; floats are read in SQLite only.

        SQLite has a type for each value and no decimals, so its amounts may be floats.
        """
        column = self.column
        if self.dialect == SQLITE:
            whole = conditional([(self.in_major_units(column), self.scaled(column))])
            cases = [(f"typeof({column}) = 'integer'", whole)]
            # Above it, a float is too coarse to tell scaled integers apart.
            if max(-self.fact.low, self.fact.high) <= 2**50:
                cases.append((f"typeof({column}) = 'real'", self.float()))
            return self.given(conditional(cases))
        number = self.where("number", "true", self.decimal(_WIDEST, MOST_DECIMALS))
        if self.dialect != POSTGRES:
            return self.given(number)
        # PostgreSQL's `numeric` may be NaN, which is unknown, as in a float.
        is_nan = f"cast({column} as text) = 'NaN'"
        return SqlColumn(number, f"{column} is not null and not {is_nan}")

    def not_nan(self) -> str:
        """Where a float is neither null nor NaN."""
        return f"({self.column} is not null and not isnan({self.column}))"

    def float(self) -> str:
        """
        The scaled integers of floats, null where a float stands for none in the range of the fact.

        A float stands for the number n whose quotient n / scale it is. For a fact that is rounded
        down, n is the greatest whose quotient is not above the float. This is the rule at the top
        of `column_readers`.
        """
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
        """
        The ordinals of dates, or of timestamps at midnight: the days as `date.toordinal` has them.

        A timestamp with another time of day is invalid.
        """
        if not isinstance(dtype, nw.Datetime):
            return self.given(self.ordinal(self.column))
        timestamp = "timestamp_ns" if dtype.time_unit == "ns" else "timestamp"
        timestamp = "timestamp_ntz" if self.dialect == SPARK else timestamp
        day = f"cast({self.column} as date)"
        is_midnight = f"cast({day} as {timestamp}) = {self.column}"
        return self.given(conditional([(is_midnight, self.ordinal(day))]))

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
        """The ordinals of dates and of midnights; SQLite has texts such as 2026-07-01."""
        column = self.column
        if self.dialect == SQLITE:
            number = f"cast(julianday({column}) - {_DAY_ZERO} as integer)"
            return self.given(self.where("date", self.in_range(number), number))
        day = f"cast({column} as date)"
        return self.given(self.where("date", f"{day} = {column}", self.ordinal(day)))
