"""How identifiers, texts and conditional values are written in the SQL of each dialect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from holdback.rules.sql import DUCKDB, POLARS, PORTABLE, POSTGRES, SPARK, SQLITE

# Characters that Spark may replace within quotes, depending on its settings.
_REPLACED_BY_SPARK: Final = "'\\$"
# Spark compiles steps to Java, which compiles no method of more than 8,000 bytes. Three values of
# this many characters stay below.
_LONG: Final = 2_000
# The names of the types that differ.
BIGINT: Final = "bigint"
_TINYINT: Final = {
    DUCKDB: "tinyint",
    SPARK: "tinyint",
    POSTGRES: "smallint",
    SQLITE: "integer",
    PORTABLE: "smallint",
    POLARS: "tinyint",
}
_TEXT: Final = {
    DUCKDB: "varchar",
    SPARK: "string",
    POSTGRES: "text",
    SQLITE: "text",
    PORTABLE: "varchar",
    POLARS: "varchar",
}


def identifier(name: str, dialect: str) -> str:
    """
    Return *name* as the identifier of a column or table.

    >>> print(identifier('a "b" c', "duckdb"), identifier("on", "spark"))
    "a ""b"" c" `on`
    """
    quote = "`" if dialect == SPARK else '"'
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"


def text_literal(text: str, dialect: str) -> str:
    """
    Return *text* as SQL.

    >>> text_literal("it's", "duckdb"), text_literal("it's", "spark")
    ("'it''s'", "concat('it', char(39), 's')")
    """
    if dialect == SPARK and any(character in text for character in _REPLACED_BY_SPARK):
        runs = groupby(text, lambda character: character in _REPLACED_BY_SPARK)
        parts = (
            [f"char({ord(character)})" for character in run] if replaced else [f"'{''.join(run)}'"]
            for replaced, run in runs
        )
        return f"concat({', '.join(part for run in parts for part in run)})"
    quoted = text.replace("'", "''")
    if dialect == POSTGRES and "\\" in text:
        # Whether a backslash is itself in plain quotes depends on the server's settings.
        doubled = quoted.replace("\\", "\\\\")
        return f"E'{doubled}'"
    return f"'{quoted}'"


def tinyint(dialect: str) -> str:
    """The type of a small number."""
    return _TINYINT[dialect]


def text_type(dialect: str) -> str:
    """The type of a text."""
    return _TEXT[dialect]


def conditional(cases: Iterable[tuple[str, str]], otherwise: str | None = None) -> str:
    """
    The value of the first of *cases* whose condition is true, else *otherwise*, or null.

    >>> conditional([("a < 1", "2")], "0")
    'case when a < 1 then 2 else 0 end'
    """
    branches = " ".join(f"when {condition} then {value}" for condition, value in cases)
    if not branches:
        return otherwise or "null"
    return f"case {branches} end" if otherwise is None else f"case {branches} else {otherwise} end"


def only(column: str, test: str, value: str, dialect: str) -> str:
    """
    The *value* where the *column* passes the *test*, else null.

    >>> only("a", "> 0", "1", "duckdb")
    'case when a > 0 then 1 end'
    """
    if dialect == SPARK and len(value) > _LONG:
        # Spark makes one method of all steps, except of those that sort an array: such a step gets
        # a short method for each part.
        column = f"array_sort(array({column}))[0]"
    return conditional([(f"{column} {test}", value)])


def one_of(column: str, places: Sequence[int]) -> str:
    """
    Where the number *column* is one of *places*.

    >>> one_of("x", [3, 4, 5]), one_of("x", [1, 4])
    ('x between 3 and 5', '(x = 1 or x = 4)')
    """
    # Runs of places, because DuckDB would make a join of a list of five or more.
    in_order = enumerate(sorted(set(places)))
    runs = [
        [place for _, place in run] for _, run in groupby(in_order, lambda pair: pair[1] - pair[0])
    ]
    conditions = [
        f"{column} between {run[0]} and {run[-1]}" if len(run) > 1 else f"{column} = {run[0]}"
        for run in runs
    ]
    return conditions[0] if len(conditions) == 1 else f"({' or '.join(conditions)})"
