"""
The rules as SQL for databases that the tests do not have, read back and run on DuckDB.

This shows that sqlglot loses nothing on the way there and back. Nothing is run on BigQuery,
Snowflake or Trino, and every query says so.
"""

from __future__ import annotations

import sys
from datetime import date

import polars as pl
import pytest
import sqlglot
from expected_values import OUTCOMES, invalid
from frame_results import integer_table
from plain_column_cases import STORAGES, frames
from prepared_row_cases import CATALOGUES, case
from sql_comparison import USUAL_DECIMALS, expected_outcomes, row_outcomes
from sql_databases import DuckDB

from counts import count
from holdback import InvalidDocument, load_jurisdictions, portfolio
from holdback.portfolio.sql.query import translated
from holdback.rules.sql import TRANSLATED

# DuckDB gives products of longer decimals no more than 38 digits.
HERE = [
    each
    for name, each in STORAGES.items()
    if name not in (*DuckDB.lacking, "decimal38_10", "decimal38_15") and not name.startswith("inst")
]
USUAL = {**USUAL_DECIMALS, "progress": "decimal18_6", "split": "decimal18_6"}
SHIPPED = load_jurisdictions()
GB = SHIPPED.resolve("GB", on=date(2026, 7, 1))


@pytest.fixture(scope="module")
def database():
    """DuckDB, empty."""
    made = DuckDB()
    yield made
    made.close()


def read_back(rules, dialect, **options):
    """The query of *rules* in *dialect*, translated back to DuckDB."""
    query = portfolio.sql(rules, dialect, **options)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)  # sqlglot reads a call within a call within a call
    try:
        tree = sqlglot.parse_one(query, read=dialect)
    finally:
        sys.setrecursionlimit(limit)
    for type_ in tree.find_all(sqlglot.exp.DataType):
        if dialect == "bigquery" and type_.is_type("decimal"):
            # What a plain NUMERIC is in BigQuery; in DuckDB it has three places.
            type_.replace(sqlglot.exp.DataType.build("decimal(38, 9)"))
    return tree.sql("duckdb")


@pytest.mark.parametrize("dialect", TRANSLATED)
@pytest.mark.parametrize("name", CATALOGUES)
def test_prepared_rows_come_out_the_same(database, name, dialect):
    """
    Each row has the outcome that the interpreter gives to that deal alone.
    """
    one = case(name)
    database.load(integer_table(one.catalogue, one.rows))
    for book in one.books[::-1][: count("rulebooks translated for other databases")]:
        query = read_back(book.rulebook, dialect, prepared=True)
        assert row_outcomes(database, query) == list(book.expected)


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_plain_rows_come_out_the_same(database, dialect):
    """
    Values mean what the reader of facts says; one out of range or with too many decimals is
    invalid.
    """
    met = set()
    for frame in frames(HERE, 60, 120, usual=USUAL)[
        : count("plain frames assessed on each engine")
    ]:
        database.load(frame.table)
        expected = expected_outcomes(frame)
        assert row_outcomes(database, read_back(frame.book, dialect)) == expected
        met.update(OUTCOMES[outcome] for outcome, _, _ in expected)
    assert met == {*OUTCOMES}


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_jurisdictions_in_words_come_out_the_same(dialect):
    """
    Jurisdictions and days that columns name, and results as texts.
    """
    deals = portfolio.sample(600, seed=7, backend="polars")
    database = DuckDB()
    database.connection.register("deals", deals.to_arrow())
    found = database.connection.sql(read_back(SHIPPED, dialect, readable=True)).pl()
    expected = portfolio.assess(deals, SHIPPED, readable=True)
    assert found.select(expected.columns).equals(expected)
    database.close()


@pytest.mark.parametrize("type_", ["double", "float"])
@pytest.mark.parametrize("is_prepared", [False, True], ids=["plain", "prepared"])
@pytest.mark.parametrize("dialect", TRANSLATED)
def test_floats_are_invalid_whatever_they_are(database, dialect, is_prepared, type_):
    """
    No database has the same function for the type of a column; a float still makes its row invalid.
    """
    deals = portfolio.sample(50, seed=7, backend="polars").drop("jurisdiction", "on")
    frame = portfolio.prepare(deals, GB).drop("invalid") if is_prepared else deals
    database.load(frame.filter(pl.col("progress").is_not_null()).to_arrow())
    database.connection.execute(f"alter table deals alter progress type {type_}")
    found = row_outcomes(database, read_back(GB, dialect, prepared=is_prepared))
    assert {needs & 1 for _, _, needs in found} == {1}
    assert {outcome for outcome, _, _ in found} == {invalid([0])[0]}


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_the_text_says_that_it_is_untested(dialect):
    """
    A query that was never run on its database says so in its first line.
    """
    first = portfolio.sql(GB, dialect).splitlines()[0]
    assert first.startswith(f"-- Translated for {TRANSLATED[dialect]} by sqlglot")
    assert "NOT TESTED there" in first


@pytest.mark.parametrize(
    "text", ["typeof(a)", "regexp_matches(a, 'b')", "isnan(a)", "unheard_of(a)"]
)
def test_what_was_never_compared_is_refused(text):
    """
    A function that the tests do not translate there and back is refused, not printed.
    """
    with pytest.raises(InvalidDocument, match="cannot be translated for Trino"):
        translated(f"select {text} from deals", "trino")


def test_the_tested_dialects_need_no_sqlglot(monkeypatch):
    """
    A database that is tested gets the text as it is written; the others say what to install.
    """
    monkeypatch.setitem(__import__("sys").modules, "sqlglot", None)
    for dialect in ("duckdb", "spark", "postgres", "sqlite"):
        assert portfolio.sql(GB, dialect)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'holdback\[sql\]'"):
        portfolio.sql(GB, "bigquery")
