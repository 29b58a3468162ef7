"""
A query in the dialects of databases that the tests do not have, translated by sqlglot.

What is translated is a query in the words that databases share (`PORTABLE`), and DuckDB runs it.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

from holdback.errors import InvalidDocument
from holdback.rules.sql import BIGQUERY, DUCKDB, SNOWFLAKE, TRANSLATED, TRINO

# The functions that the tests translate to each dialect and back, by sqlglot's names.
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
    if dialect == TRINO:
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
    return InvalidDocument.of(
        "not_allowed",
        f"this cannot be translated for {TRANSLATED[dialect]}: {what}",
        path="$.dialect",
        hint="use duckdb, spark, postgres or sqlite",
    )
