"""
The rules as SQL answer as the interpreter does, on DuckDB, SQLite and PostgreSQL.

`test_spark_sql.py` has the same tests for Spark.
"""

from __future__ import annotations

import pytest
from expected_values import OUTCOMES, invalid
from frame_results import integer_table
from plain_column_cases import STORAGES, USUAL, frames
from prepared_row_cases import CATALOGUES, SIZES, case, counted
from sql_comparison import (
    USUAL_DECIMALS,
    assessed,
    expected_outcomes,
    misread,
    rule_answers,
)
from sql_databases import DuckDB, PostgreSQL, SQLite

from counts import count

RULES, ROWS = count("rules as SQL"), count("rows of rules as SQL")
LEAST_PAIRS = count("pairs of rules as SQL and rows on each database")
WILD, TAME = count("plain rows of any values"), count("plain rows that can be read")
# SQLite has no decimals: a number with a fraction is a float.
USUAL_FLOATS = {**USUAL, "progress": "float64", "balance": "float64", "profit": "float64"}


@pytest.fixture(scope="module", params=["duckdb", "sqlite", "postgres"])
def database(request):
    """Each database, empty."""
    if request.param == "postgres":
        made = PostgreSQL(request.getfixturevalue("postgres").new_database())
    else:
        made = {"duckdb": DuckDB, "sqlite": SQLite}[request.param]()
    yield made
    made.close()


def plain_frames(database, wild=WILD, tame=TAME):
    """The frames of plain columns that *database* reads."""
    here = [each for name, each in STORAGES.items() if name not in database.lacking]
    usual = USUAL_FLOATS if database.dialect == "sqlite" else USUAL_DECIMALS
    return frames(here, wild, tame, usual=usual)


@pytest.mark.parametrize("name", CATALOGUES)
def test_each_rule_says_what_the_interpreter_says(database, name):
    """
    Where a rule is true, false and unknown: exactly one condition holds, the interpreter's.
    """
    one = case(name, RULES, ROWS)
    database.load(integer_table(one.catalogue, one.rows))
    assert rule_answers(database, one) == one.answers


@pytest.mark.parametrize("name", CATALOGUES)
def test_the_whole_plan_says_what_the_interpreter_says(database, name):
    """
    Each row has the outcome that the rules give to that deal alone.
    """
    one = case(name)
    database.load(integer_table(one.catalogue, one.rows))
    for book in one.books:
        assert assessed(database, book.rulebook, prepared=True) == list(book.expected)


def test_a_prepared_number_out_of_range_makes_its_row_invalid(database):
    """
    Columns of a database were prepared elsewhere, so a query trusts no number.
    """
    one = case("pounds")
    read = one.books[SIZES.index(60)].rulebook
    rows = [list(one.rows[-1]) for _ in range(4)]
    place = one.catalogue.place("balance")
    fact = one.catalogue.fact("balance")
    for row, number in zip(rows, (fact.low, fact.high, fact.low - 1, fact.high + 1), strict=True):
        row[place] = number
    database.load(integer_table(one.catalogue, rows))
    found = assessed(database, read, prepared=True)
    assert found[2:] == [invalid([place])] * 2
    assert invalid([place]) not in found[:2]


def test_values_mean_what_the_reader_of_facts_says(database):
    """
    Every value that the database has is read as `Fact.read` does: a number, unknown, or invalid.
    """
    for frame in plain_frames(database):
        database.load(frame.table)
        assert list(misread(database, frame))[:20] == []


def test_rows_come_out_as_the_service_answers(database):
    """
    A row for which the engine raises `InvalidDocument` is `invalid`, naming the facts that rules
    read.
    """
    met = set()
    for frame in plain_frames(database)[: count("plain frames assessed on each engine")]:
        database.load(frame.table)
        assert assessed(database, frame.book) == expected_outcomes(frame)
        met.update(OUTCOMES[outcome] for outcome, _, _ in expected_outcomes(frame))
    assert met == {*OUTCOMES}


def test_that_many_pairs_were_compared():
    """
    The required number of pairs of a rule and a row was compared, on each database.
    """
    assert sum(case(name, RULES, ROWS).pairs for name in CATALOGUES) >= LEAST_PAIRS
    assert counted([case(name) for name in CATALOGUES]) >= LEAST_PAIRS // 5
