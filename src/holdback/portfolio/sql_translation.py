"""
A query in the dialects of databases that the tests do not have, translated by sqlglot.

What is translated is a query in the words that databases share (`PORTABLE`), and DuckDB runs it.
"""

from __future__ import annotations

from typing import Any, Final

from holdback.errors import InvalidDocument

BIGQUERY, SNOWFLAKE, TRINO = "bigquery", "snowflake", "trino"
# The dialects into which a query is translated, and the databases' names.
TRANSLATED: Final = {BIGQUERY: "BigQuery", SNOWFLAKE: "Snowflake", TRINO: "Trino"}
_DUCKDB: Final = "duckdb"
_NOTES: Final = {
    BIGQUERY: (),
    SNOWFLAKE: ("Names are in quotes: Snowflake tells their capitals apart.",),
    TRINO: ("Trino leaves no columns out: drop those whose names begin with __holdback_.",),
}


def translated(query: str, dialect: str) -> str:
    """
    Return *query* in *dialect*, one of `TRANSLATED`, under a comment that it is untested there.

    Raises:
        InvalidDocument: if the dialect has no words for a part of it.
        ModuleNotFoundError: if sqlglot is not installed.
    """
    try:
        import sqlglot  # noqa: PLC0415  # it comes with an extra
    except ModuleNotFoundError:
        message = f"The dialect {dialect} needs sqlglot: pip install 'holdback[sql]'"
        raise ModuleNotFoundError(message, name="sqlglot") from None
    tree = sqlglot.parse_one(query, read=_DUCKDB)
    if dialect == TRINO:
        for star in tree.find_all(sqlglot.exp.Star):
            star.set("except_", None)
    try:
        text = tree.sql(dialect, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE)
        unknown = _unknown_function(sqlglot, text, dialect)
    except (sqlglot.errors.UnsupportedError, sqlglot.errors.ParseError) as error:
        unknown = str(error)
    if unknown is not None:
        raise InvalidDocument.of(
            "unsupported",
            f"the rules cannot be written for {TRANSLATED[dialect]}: {unknown}",
            path="$.dialect",
            hint="use duckdb, spark, postgres or sqlite",
        )
    notes = (
        f"Translated for {TRANSLATED[dialect]} by sqlglot {sqlglot.__version__}. "
        "NOT TESTED there: compare it with known answers first.",
        *_NOTES[dialect],
    )
    return "".join(f"-- {note}\n" for note in notes) + f"{text}\n"


def _unknown_function(sqlglot: Any, text: str, dialect: str) -> str | None:
    """The first function of *text* that sqlglot does not know, and so cannot have translated."""
    found = sqlglot.parse_one(text, read=dialect).find(sqlglot.exp.Anonymous)
    return None if found is None else f"no function `{found.name}`"
