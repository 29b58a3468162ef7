"""`portfolio.sql`: one query over a table, with the outcome that `assess` gives to each row."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal

import duckdb
import polars as pl
import pytest

from holdback import InvalidDocument, Jurisdictions, load_jurisdictions, portfolio
from holdback.portfolio import OUTCOMES, assess, prepare, sample, sql
from holdback.rules.sql import DIALECTS

SHIPPED = load_jurisdictions()
GB_ALONE = Jurisdictions([SHIPPED["GB"]])
GB = SHIPPED.resolve("GB", on=date(2026, 7, 1))
DEALS = sample(600, seed=7, backend="polars")
RESULTS = ("outcome", "eligible", "failing", "needs")
INVALID = OUTCOMES.index("invalid")


def of_sqlite(frame, query):
    """The rows of *query* over *frame* as the table `deals` of SQLite, and their columns."""
    with closing(sqlite3.connect(":memory:")) as database:
        names = ", ".join(f'"{name}"' for name in frame.columns)
        database.execute(f"create table deals ({names})")
        places = ", ".join("?" * len(frame.columns))
        rows = [[plain(value) for value in row] for row in frame.rows()]
        database.executemany(f"insert into deals values ({places})", rows)
        answer = database.execute(query)
        return [name for name, *_ in answer.description], answer.fetchall()


def plain(value):
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def of_duckdb(frame, query):
    with duckdb.connect() as database:
        database.register("deals", frame.to_arrow())
        return database.sql(query).pl()


@pytest.mark.parametrize("readable", [False, True], ids=["numbers", "texts"])
@pytest.mark.parametrize("is_prepared", [False, True], ids=["plain", "prepared"])
@pytest.mark.parametrize("rules", [GB, SHIPPED], ids=["a rulebook", "jurisdictions"])
def test_the_query_gives_what_assess_gives(rules, is_prepared, readable):
    """
    The query gives all columns of the table and the result columns of `assess`.
    """
    deals = DEALS if rules is SHIPPED else DEALS.drop("jurisdiction", "on")
    frame = prepare(deals, rules) if is_prepared else deals
    expected = assess(frame, rules, prepared=is_prepared, readable=readable)
    options = {"prepared": is_prepared, "readable": readable}
    options |= {"invalid": "invalid"} if is_prepared else {}

    assert of_duckdb(frame, sql(rules, "duckdb", **options)).equals(expected)
    names, rows = of_sqlite(frame, sql(rules, "sqlite", **options))
    assert names == expected.columns
    assert [row[-4:] for row in rows] == expected[:, -4:].rows()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_text_is_the_same_each_time(dialect):
    """
    The same rules give the same text.
    """
    assert sql(SHIPPED, dialect) == sql(load_jurisdictions(), dialect)


def test_an_unknown_dialect():
    """
    The error names the dialects that there are.
    """
    with pytest.raises(InvalidDocument, match="did you mean `duckdb`"):
        sql(GB, "duckbd")


@pytest.mark.parametrize("table", ["", " ", ".deals", "lending..deals", "lending."])
def test_a_table_without_a_name(table):
    """
    A query that no database can run is not written.
    """
    with pytest.raises(InvalidDocument, match=r"\$\.table: expected the name of a table"):
        sql(GB, "duckdb", table=table)


def test_a_mask_of_columns_that_are_not_prepared():
    """
    What would be ignored is refused, as the command refuses it.
    """
    with pytest.raises(InvalidDocument, match=r"\$\.invalid: .* prepared"):
        sql(GB, "duckdb", invalid="mask")


def test_names_are_quoted():
    """
    A column or table may have any name, and a dot separates its schema.
    """
    column = 'the "day"; drop table deals --'
    frame = DEALS.rename({"on": column})
    query = sql(SHIPPED, "duckdb", table='my "own".deals', on=column)
    with duckdb.connect() as database:
        database.register("frame", frame.to_arrow())
        database.execute('create schema "my ""own"""')
        database.execute('create table "my ""own""".deals as select * from frame')
        assert database.sql(query).pl().equals(assess(frame, SHIPPED, on=column))


def test_a_column_that_has_the_name_of_a_result():
    """
    A column of the table is not taken for the query's own result.
    """
    frame = DEALS.drop("jurisdiction", "on").with_columns(outcome=pl.lit("mine"))
    expected = assess(frame.drop("outcome"), GB)["failing"].to_list()
    assert of_duckdb(frame, sql(GB, "duckdb"))["failing"].to_list() == expected
    names, rows = of_sqlite(frame, sql(GB, "sqlite"))
    assert [row[names.index("failing")] for row in rows] == expected


def test_a_rulebook_over_rows_of_other_jurisdictions():
    """
    A single rulebook assesses all rows, unless the column of jurisdictions is given.
    """
    every = of_duckdb(DEALS, sql(GB, "duckdb"))
    own = of_duckdb(DEALS, sql(GB, "duckdb", jurisdiction="jurisdiction"))
    is_gb = pl.col("jurisdiction") == "GB"
    assert own.filter(is_gb).equals(every.filter(is_gb))
    assert set(own.filter(~is_gb)["outcome"]) == {INVALID}
    assert set(every.filter(~is_gb)["outcome"]) == {*range(INVALID)}


# A number of the fact `balance` of GB, and the outcome of its row in SQLite.
OUT_OF_RANGE = [2**63 - 1, -(2**63), 1e300, float("inf"), -1, "12.5", b"12"]


@pytest.mark.parametrize("number", OUT_OF_RANGE, ids=str)
@pytest.mark.parametrize("is_prepared", [False, True], ids=["plain", "prepared"])
def test_numbers_out_of_range_are_invalid_in_sqlite(number, is_prepared):
    """
    SQLite turns numbers of more than 64 bits into floats, so no number out of range is used.
    """
    frame = prepare(DEALS, GB_ALONE) if is_prepared else DEALS
    row = {
        name: plain(value)
        for name, value in frame.filter(pl.col("balance") > 0).row(0, named=True).items()
    }
    row["balance"] = number
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"create table deals ({', '.join(name for name in row if name != 'on')})")
        del row["on"]
        database.execute(f"insert into deals values ({', '.join('?' * len(row))})", [*row.values()])
        query = sql(GB, "sqlite", prepared=is_prepared)
        outcome, eligible, failing, needs = database.execute(query).fetchone()[-4:]
    bit = 1 << GB.catalogue.place("balance")
    assert (outcome, eligible, failing, needs) == (INVALID, 0, 0, bit)


@pytest.mark.parametrize("type_", ["double", "float", "decimal(38, 20)", "varchar"])
def test_a_column_of_another_type_is_never_rounded(type_):
    """
    A value of another type makes the row `invalid`: a database would round it in silence.
    """
    frame = DEALS.drop("jurisdiction", "on").with_columns(pl.col("performance").cast(pl.Float64))
    query = sql(GB, "duckdb", table="typed")
    with duckdb.connect() as database:
        database.register("deals", frame.to_arrow())
        database.execute(
            "create table typed as "
            f"select * replace (performance::{type_} as performance) from deals"
        )
        try:
            outcomes = database.sql(query).pl().filter(pl.col("performance").is_not_null())
        except duckdb.Error:  # a comparison of a text with a number is refused
            assert type_ == "varchar"
        else:
            assert set(outcomes["outcome"]) == {INVALID}


def test_rules_that_differ_in_numbers_share_one_text():
    """
    Jurisdictions of the same rules cost little more than one: each rule is written once.
    """
    one = portfolio.sql(GB_ALONE, "duckdb", prepared=True)
    codes = {rule.code for item in GB_ALONE for book in item.slices for rule in book.renewal.rules}
    assert all(one.count(f"/* {code} */") <= 2 for code in codes)
    assert len(GB_ALONE["GB"].slices) > 1


def test_a_long_step_is_kept_out_of_spark_s_one_method():
    """
    Only Spark makes a method of all steps, and only a long one is kept out of it.
    """
    apart = "array_sort(array("
    assert sql(SHIPPED, "spark").count(apart) == 4  # the rulebook, and three masks
    assert apart not in sql(GB_ALONE, "spark")
    assert not any(apart in sql(SHIPPED, dialect) for dialect in ("duckdb", "postgres", "sqlite"))
