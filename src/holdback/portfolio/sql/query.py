"""`sql`: the rules of a portfolio as the text of one SQL query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Final

from attrs import evolve

from holdback.errors import InvalidDocument, did_you_mean
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_columns import PREFIX, READABLE, RESULT_COLUMNS
from holdback.portfolio.assessing.row_rulebooks import (
    DayOrColumn,
    RowRulebooks,
    Rules,
    rulebooks_for,
)
from holdback.portfolio.sql.outcome_expressions import SqlStep
from holdback.portfolio.sql.plan import SqlPlan
from holdback.portfolio.sql.words import identifier
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.sql import (
    BIGQUERY,
    DIALECTS,
    DUCKDB,
    PORTABLE,
    POSTGRES,
    SNOWFLAKE,
    SPARK,
    SQLITE,
    TRANSLATED,
    TRINO,
)

# In PostgreSQL, the column that holds a whole row of the table, and the table's name in the query.
_ROW, _DEAL = f"{PREFIX}row", f"{PREFIX}deal"


def sql(  # noqa: PLR0913  # public; all but the rules and the dialect have a default
    rules: Rules,
    dialect: str,
    *,
    table: str = "deals",
    jurisdiction: str | None = None,
    on: DayOrColumn | None = None,
    prepared: bool = False,
    invalid: str | None = None,
    readable: bool = False,
) -> str:
    """
    Return one SQL query that assesses the rows of *table* under *rules*.

    *dialect* is `"duckdb"`, `"spark"`, `"postgres"` or `"sqlite"`, each of which is tested on its
    database. For `"bigquery"`, `"snowflake"` and `"trino"` sqlglot translates a query, which has
    not been tested there; it needs the extra `sql`. The query gives all columns of
    the table and the result columns of `assess`, whose *rules*, *on* and *readable* these are. A
    dot in *table* separates a schema from a name. *jurisdiction* is the column with the code of
    each row: `jurisdiction` by default for jurisdictions; a single rulebook assesses all rows,
    unless it is given.

    A column named as a fact holds a number in the units of a facts document, as a decimal of at
    most 15 places or a whole number (80.25 for 80.25%); a date, or a timestamp at midnight; a
    Boolean; or one of the declared texts. SQLite has texts for dates and 0 or 1 for flags.
    With *prepared*, columns hold the scaled integers that `prepare` makes, and *invalid* names its
    mask, if the table has one.

    A value of another type, with more decimals than its fact has, or out of its range makes the row
    `invalid`; a null, and a text that is not declared, is unknown.

    >>> from datetime import date
    >>> from holdback import load_jurisdictions
    >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    >>> query = sql(rulebook, "duckdb", table="risk.deals")
    >>> 'select * from "risk"."deals"' in query
    True

    Raises:
        InvalidDocument: if the dialect is not one of these, or cannot say what a rule needs; if
            *table* has no name, or *invalid* is given and not *prepared*.
        ModuleNotFoundError: if a dialect needs sqlglot and it is not installed.
    """
    dialects = (*DIALECTS, *TRANSLATED)
    if dialect not in dialects:
        hint = did_you_mean(str(dialect), dialects) or f"use {', '.join(dialects)}"
        raise InvalidDocument.of("unknown_name", "unknown dialect", path="$.dialect", hint=hint)
    if not all(part.strip() for part in table.split(".")):
        message, hint = "expected the name of a table", "such as deals, or lending.deals"
        raise InvalidDocument.of("wrong_value", message, path="$.table", hint=hint)
    if invalid is not None and not prepared:
        message, hint = "only prepared columns have a mask", "pass `prepared=True` as well"
        raise InvalidDocument.of("not_allowed", message, path="$.invalid", hint=hint)
    own_dialect = PORTABLE if dialect in TRANSLATED else dialect
    rulebooks = _rulebooks(rules, jurisdiction, on)
    plan = _plan(own_dialect, rulebooks, prepared=prepared, invalid=invalid)
    columns = READABLE if readable else RESULT_COLUMNS
    steps = [step for step in plan.steps(readable=readable) if step]
    query = SqlText(own_dialect, table, plan.read_columns, steps).query(columns)
    return translated(query, dialect) if dialect in TRANSLATED else query


def _rulebooks(rules: Rules, jurisdiction: str | None, on: DayOrColumn | None) -> RowRulebooks:
    """
    The rulebooks of *rules* for the rows of a table that is not seen.

    A single rulebook assesses all rows; if a column *jurisdiction* is named, only those with its
    code, and the others are invalid.
    """
    rulebooks = rulebooks_for(rules, jurisdiction or "jurisdiction", on)
    if jurisdiction is None or not isinstance(rules, Rulebook):
        return rulebooks
    return evolve(rulebooks, jurisdiction_column=jurisdiction, codes=(rules.code,))


def _plan(dialect: str, rulebooks: RowRulebooks, *, prepared: bool, invalid: str | None) -> SqlPlan:
    """
    The plan for a table with a column for each fact that rules read, and no other.

    It has no types of columns, so the query tests them, and prepared values as well (`strict`).
    """
    needed = rulebooks.codes_by_fact
    return SqlPlan(
        dialect=dialect,
        rulebooks=rulebooks,
        facts={name: rulebooks.facts[name] for name in rulebooks.facts if name in needed},
        prepared=prepared,
        strict=True,
        invalid=invalid,
    )


@frozen
class SqlText:
    """The text of a query over *table* with the columns of *steps*."""

    dialect: str
    table: str
    read_columns: Sequence[str]
    steps: Sequence[SqlStep]

    def col(self, name: str) -> str:
        """The column *name*."""
        return identifier(name, self.dialect)

    @property
    def source(self) -> str:
        """The table, with its schema."""
        return ".".join(self.col(part) for part in self.table.split("."))

    def query(self, columns: Mapping[str, str]) -> str:
        """
        The whole query: all columns of the table, and the result *columns*.

        *columns* has the name of each in the result, and its column in the steps. The columns of
        the steps have to be left out; each dialect has another way to do so.
        """
        results = ", ".join(
            f"{self.col(source)} as {self.col(name)}" for name, source in columns.items()
        )
        if self.dialect == SQLITE:
            return self._lateral(columns)
        if self.dialect == POSTGRES:
            # It cannot leave columns out, so the table's row is kept whole in a column.
            row = self.col(_DEAL)
            first = f"select {row} as {self.col(_ROW)}, * from {self.source} as {row}"
            return (
                f"{self._with(first)}select ({self.col(_ROW)}).*, {results}\nfrom {self._name()}\n"
            )
        added = ", ".join(self.col(name) for step in self.steps for name in step)
        without = "except" if self.dialect == SPARK else "exclude"
        first = f"select * from {self.source}"
        return f"{self._with(first)}select * {without} ({added}), {results}\nfrom {self._name()}\n"

    def _name(self, number: int | None = None) -> str:
        """The name of the query of a step, the last by default."""
        return self.col(f"{PREFIX}{len(self.steps) if number is None else number}")

    def _with(self, first: str) -> str:
        """The `with` clause: the query *first*, and one query for each step over the one before."""
        # Otherwise PostgreSQL would write each column's text wherever it is used.
        kept = "as materialized" if self.dialect == POSTGRES else "as"
        queries = [f"{self._name(0)} as (\n  {first}\n)"]
        for number, step in enumerate(self.steps, 1):
            columns = _lines(step, self.dialect)
            queries.append(
                f"{self._name(number)} {kept} (\n  select *,\n{columns}\n"
                f"  from {self._name(number - 1)}\n)"
            )
        return f"with {', '.join(queries)}\n"

    def _lateral(self, columns: Mapping[str, str]) -> str:
        """
        The query for SQLite, which has neither `exclude` nor lateral joins.

        The argument of `json_each` may read the row before it, so a query there computes the
        results. They are one array within an array, of which `json_each` gives one row.
        """
        table, value = self.col("d"), self.col("r")
        read = ", ".join(f"{table}.{self.col(name)}" for name in self.read_columns)
        # Two queries that both have a limit are not merged; merged, each column would be written
        # wherever it is used.
        queries = [f"{self._name(0)} as (\n  select {read} limit 1\n)"]
        for number, step in enumerate(self.steps, 1):
            queries.append(
                f"{self._name(number)} as (\n  select *,\n{_lines(step, self.dialect)}\n"
                f"  from {self._name(number - 1)} limit 1\n)"
            )
        sources = ", ".join(self.col(source) for source in columns.values())
        results = ", ".join(
            f"{value}.value ->> {place} as {self.col(name)}" for place, name in enumerate(columns)
        )
        return (
            f"select {table}.*, {results}\nfrom {self.source} as {table}, json_each((\n"
            f"with {', '.join(queries)}\n"
            f"select json_array(json_array({sources})) from {self._name()} limit 1\n)) as {value}\n"
        )


def _lines(step: SqlStep, dialect: str) -> str:
    """The columns of *step* as a `select` lists them, one on a line."""
    # A text may have lines of its own, so nothing within a column is indented here.
    return ",\n".join(f"    {text} as {identifier(name, dialect)}" for name, text in step.items())


# The functions that the tests translate to each dialect and back, by sqlglot's names: a query with
# any other function is refused, because nothing has compared its translation.
_COMPARED: Final = (
    *("and", "or", "case", "if", "cast"),
    *("abs", "datediff", "floor", "greatest", "least", "substring"),
)
_NOTES: Final = {
    BIGQUERY: (),
    SNOWFLAKE: ("Names are in quotes: Snowflake tells their capitals apart.",),
    TRINO: ("Trino leaves no columns out: drop those whose names begin with __holdback_.",),
}


def translated(query: str, dialect: str) -> str:
    """
    Return *query* in *dialect*, one of `TRANSLATED`, under a comment that it is untested there.

    Raises:
        InvalidDocument: if a part of it has never been compared, or has no words in the dialect.
        ModuleNotFoundError: if sqlglot is not installed.
    """
    try:
        import sqlglot  # noqa: PLC0415  # it comes with an extra
    except ModuleNotFoundError:
        message = f"The dialect {dialect} needs sqlglot: pip install 'holdback[sql]'"
        raise ModuleNotFoundError(message, name="sqlglot") from None
    tree = sqlglot.parse_one(query, read=DUCKDB)
    for function in tree.find_all(sqlglot.exp.Func):
        if function.key not in _COMPARED:
            raise _not_translated(function.sql(DUCKDB), dialect)
    if dialect == TRINO:  # it has no `select * except`
        for star in tree.find_all(sqlglot.exp.Star):
            star.set("except_", None)
    try:
        text = tree.sql(dialect, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.UnsupportedError as error:
        raise _not_translated(str(error), dialect) from None
    notes = (
        (
            f"Translated for {TRANSLATED[dialect]} by sqlglot {version('sqlglot')}. "
            "NOT TESTED there: compare it with known answers first."
        ),
        *_NOTES[dialect],
    )
    return "".join(f"-- {note}\n" for note in notes) + f"{text}\n"


def _not_translated(what: str, dialect: str) -> InvalidDocument:
    """The error that *what*, a part of a query, has no tested translation for *dialect*."""
    return InvalidDocument.of(
        "not_allowed",
        f"this cannot be translated for {TRANSLATED[dialect]}: {what}",
        path="$.dialect",
        hint="use duckdb, spark, postgres or sqlite",
    )
