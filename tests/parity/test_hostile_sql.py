"""Names, texts and values that break SQL where it is written carelessly, on each database."""

from __future__ import annotations

import sqlite3
from datetime import date

import duckdb
import psycopg
import pyarrow as pa
import pytest
from hostile_sql_cases import (
    AMOUNT,
    ELIGIBLE,
    INVALID,
    SIMILAR,
    TEXTS,
    UNDETERMINED,
    WORDS,
    of_facts,
    outcomes,
    places_read,
    refused,
)
from sql_comparison import assessed, numbered
from sql_databases import DuckDB, PostgreSQL, SQLite

from holdback import Jurisdictions, load_jurisdictions, portfolio
from holdback.rules import Fact, Kind, Type


@pytest.fixture(scope="module", params=["duckdb", "sqlite", "postgres"])
def database(request):
    """Each database, empty."""
    if request.param == "postgres":
        made = PostgreSQL(request.getfixturevalue("postgres").new_database())
    else:
        made = {"duckdb": DuckDB, "sqlite": SQLite}[request.param]()
    yield made
    made.close()


@pytest.mark.parametrize("word", WORDS)
def test_a_fact_may_have_the_name_of_a_keyword(database, word):
    """
    Names are in quotes, so a fact may have the name of an SQL keyword.
    """
    rules = of_facts(f"{word} <= 3", Fact(name=word, type=Type(Kind.COUNT), low=0, high=9))
    column = pa.array([3, 4, None, 10], pa.int32())
    expected = [ELIGIBLE, refused(rules), UNDETERMINED, INVALID]
    assert outcomes(database, rules, {word: column}) == expected


def test_texts_are_compared_as_they_are(database):
    """
    A declared text is compared character by character, whether or not it means something in SQL.
    """
    declared = [*range(len(TEXTS))]
    assert places_read(database, [*TEXTS, *SIMILAR, None]) == [*declared, *[None] * 12]


CODES = ("GB", "gb", " GB", "GB'", "\\", "", None, "GB\n")


def test_a_table_of_no_known_jurisdiction(database):
    """
    A row of a jurisdiction that the query does not have is invalid, and a table may be empty.
    """
    rules = Jurisdictions([load_jurisdictions()["GB"]])
    day = date(2026, 7, 1)
    query = portfolio.sql(rules, database.dialect, on=day, readable=True)
    deals = portfolio.sample(40, seed=3).drop(["on", "jurisdiction"])
    if database.dialect == "sqlite":
        deals = in_floats(deals)
    codes = pa.array([CODES[n % len(CODES)] for n in range(40)], pa.string())
    database.load(deals.append_column("jurisdiction", codes))
    found = database.rows(f"select jurisdiction, outcome, needs from ({query}) as answers")
    assert {code for code, outcome, _ in found if outcome != "invalid"} == {"GB"}
    assert {needs for code, _, needs in found if code != "GB"} == {"jurisdiction"}
    database.load(deals.append_column("jurisdiction", codes)[:0])
    assert database.rows(query) == []


def in_floats(table):
    """*table* with its decimals as floats, as SQLite has them."""
    types = [
        (field.name, pa.float64() if pa.types.is_decimal(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(types))


# -- numbers of each database's own types


def of_type(database, type_, texts):
    """The outcomes of rows with `balance` of *type_*, from SQL *texts*, under `balance <= 5`."""
    rules = of_facts("balance <= GBP 5.00", AMOUNT)
    database.load(numbered(pa.table({"n": pa.array([], pa.int64())})).drop(["row_number"]))
    execute = database.connection.execute
    execute("drop table deals")
    execute(f"create table deals (row_number integer, progress integer, balance {type_})")
    for place, text in enumerate(texts):
        execute(f"insert into deals values ({place}, 64, {text})")
    false = refused(rules)
    names = {ELIGIBLE: "passes", false: "fails", UNDETERMINED: "unknown", INVALID: "invalid"}
    return [names[outcome] for outcome, _, _ in assessed(database, rules)]


def test_numbers_of_postgresql(postgres):
    """
    Huge numerics, NaN and infinities: unknown or invalid, never an error of the whole query.
    """
    database = PostgreSQL(postgres.new_database())
    huge = [f"'1e{power}'" for power in (17, 18, 19, 38, 300, 131071)]
    numbers = [*huge, "'-1e131071'", "'Infinity'", "'-Infinity'", "'1e-16383'", "'5.000'"]
    expected = [*["invalid"] * 10, "passes"]
    assert of_type(database, "numeric", [*numbers, "'NaN'", "'-0'", "null"]) == [
        *expected,
        "unknown",
        "passes",
        "unknown",
    ]
    assert of_type(database, "numeric(38, 15)", ["5", "5.001", "5.01"]) == [
        "passes",
        "invalid",
        "fails",
    ]
    floats = ["5", "'NaN'", "'Infinity'", "'-0'", "null"]
    found = of_type(database, "double precision", floats)
    assert found[0] == found[2] == "invalid"
    assert found[4] == "unknown"
    assert "passes" not in found
    database.close()


def test_numbers_of_duckdb():
    """
    Floats of every kind are invalid, and the widest decimals and integers are read.
    """
    database = DuckDB()
    for type_ in ("double", "float"):
        found = of_type(database, type_, ["5", "'nan'", "'inf'", "'-inf'", "'-0'", "null"])
        assert found == [*["invalid"] * 5, "unknown"]
    nines = "9" * 38
    assert of_type(database, "hugeint", ["5", "6", nines, f"-{nines}", "null"]) == [
        *("passes", "fails", "invalid", "invalid", "unknown")
    ]
    assert of_type(database, "decimal(38, 0)", ["5", nines, f"-{nines}"]) == [
        *("passes", "invalid", "invalid")
    ]
    assert of_type(database, "uhugeint", ["5"]) == ["invalid"]
    assert of_type(database, "boolean", ["true"]) == ["invalid"]
    database.close()


def test_values_of_sqlite():
    """
    A value of another type than its column is declared for, as SQLite lets them be.
    """
    database = SQLite()
    values = ["5", "5.0", "5.001", "-0.0", "1e308 * 10", "-1e308 * 10", "9223372036854775807"]
    values += ["'5'", "x'35'", "true", "null", "9007199254740993", "1e15", "'five'", "''"]
    assert of_type(database, "", values) == [
        *("passes", "passes", "invalid", "passes", "invalid", "invalid", "invalid"),
        *("invalid", "invalid", "passes", "unknown", "invalid", "invalid", "invalid", "invalid"),
    ]
    # A column that is declared for texts makes texts of numbers; one for decimals the reverse.
    assert of_type(database, "text", ["5"]) == ["invalid"]
    assert of_type(database, "decimal(9, 2)", ["'5'", "'5.00'", "'6.5'"]) == [
        *("passes", "passes", "fails")
    ]
    database.close()


DAYS = {
    "2026-03-01": "fails",
    "2026-02-28": "passes",
    "2026-02-29": "invalid",
    "2026-02-30": "invalid",
    "2026-2-3": "invalid",
    "20260203": "invalid",
    "2026-02-03 ": "invalid",
    "2026-02-03T00:00:00": "invalid",
    "2026-02-03 00:00:00": "invalid",
    "now": "invalid",
    "today": "invalid",
    "12:00": "invalid",
    "2460000.5": "invalid",
    "": "invalid",
    "0000-01-01": "invalid",
    "10000-01-01": "invalid",
    "-001-01-01": "invalid",
}


def test_days_of_sqlite():
    """
    A day is a text such as 2026-07-01, and nothing else; above all not what SQLite calls `now`.
    """
    database = SQLite()
    fact = Fact(name="checked_on", type=Type(Kind.DATE), low=1, high=date.max.toordinal())
    rules = of_facts("checked_on < 2026-03-01", fact)
    false = refused(rules)
    column = pa.array([*DAYS], pa.string())
    found = outcomes(database, rules, {"checked_on": column})
    names = {ELIGIBLE: "passes", false: "fails", UNDETERMINED: "unknown", INVALID: "invalid"}
    assert dict(zip(DAYS, (names[outcome] for outcome in found), strict=True)) == DAYS
    database.close()


def test_a_table_with_a_schema():
    """
    A table may have a name of several parts, each with quotes of its own.
    """
    rules = of_facts("balance <= GBP 5.00", AMOUNT)
    assert "`a``b`.`c d`" in portfolio.sql(rules, "spark", table="a`b.c d")
    assert '"a""b"."c d"' in portfolio.sql(rules, "postgres", table='a"b.c d')


def test_a_missing_column_is_an_error(database):
    """
    A column that is missing is an error, though SQLite reads an unknown name in quotes as a text.
    """
    rules = of_facts("balance <= GBP 5.00", AMOUNT)
    with pytest.raises((duckdb.Error, sqlite3.Error, psycopg.Error), match="balance"):
        outcomes(database, rules, {"other": pa.array([1], pa.int32())})


def test_a_column_of_the_same_name_in_capitals(database):
    """
    DuckDB and SQLite do not tell capitals apart, and PostgreSQL does; no database reads another
    column than the one that is named.
    """
    rules = of_facts("balance <= GBP 5.00", AMOUNT)
    column = pa.array([5, 6, None], pa.int32())
    if database.dialect == "postgres":
        with pytest.raises(psycopg.Error, match="balance"):
            outcomes(database, rules, {"BALANCE": column})
        return
    assert outcomes(database, rules, {"BALANCE": column}) == [
        ELIGIBLE,
        refused(rules),
        UNDETERMINED,
    ]
