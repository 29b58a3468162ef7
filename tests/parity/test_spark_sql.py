"""
The rules as SQL answer as the interpreter does, on Spark (`test_spark` says how to run it).
"""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from expected_values import OUTCOMES
from frame_results import integer_table
from plain_column_cases import STORAGES, frames
from prepared_row_cases import CATALOGUES, case
from spark_session import session
from sql_comparison import (
    TABLE,
    USUAL_DECIMALS,
    assessed,
    expected_outcomes,
    misread,
    numbered,
    rule_answers,
)

from counts import count

# Deprecations within PySpark and pandas are not ours to fix.
pytestmark = pytest.mark.filterwarnings("default")

RULES, ROWS = count("rules as SQL on Spark"), count("rows of rules as SQL on Spark")
LEAST_PAIRS = count("pairs of rules as SQL and rows on Spark")
# By their places among `SIZES`, as in `test_spark`.
BOOKS = (0, 3, 5, 8, 9)


class Spark:
    """The tables of a session."""

    dialect = "spark"
    # There are no unsigned numbers, instants are in microseconds, and a query takes no floats.
    lacking = frozenset(
        {name for name in STORAGES if name.startswith(("uint", "instant"))} - {"instant_us"}
        | {"float64", "dictionary"}
    )

    def __init__(self, session):
        self.session = session

    def load(self, table):
        """Keep the Arrow *table*, with its types, as the table of deals."""
        self.session.createDataFrame(numbered(table)).createOrReplaceTempView(TABLE)

    def rows(self, query):
        """The rows of *query*."""
        return [tuple(row) for row in self.session.sql(query).collect()]


@pytest.fixture(scope="module")
def database():
    """Spark, with an empty catalogue of tables."""
    with session("sql") as started:
        yield Spark(started)


@pytest.fixture(params=["true", "false"], ids=["ansi", "lenient"])
def either(database, request):
    """Spark with and without ANSI errors, which are its default."""
    database.session.conf.set("spark.sql.ansi.enabled", request.param)
    yield database
    database.session.conf.set("spark.sql.ansi.enabled", "true")


def plain_frames(wild, tame):
    """The frames of plain columns that Spark reads."""
    here = [each for name, each in STORAGES.items() if name not in Spark.lacking]
    return frames(here, wild, tame, usual=USUAL_DECIMALS)


@pytest.mark.parametrize("name", CATALOGUES)
def test_each_rule_says_what_the_interpreter_says(database, name):
    """
    Where a rule is true, false and unknown: exactly one condition holds, the interpreter's.
    """
    one = case(name, RULES, ROWS)
    database.load(integer_table(one.catalogue, one.rows))
    assert rule_answers(database, one) == one.answers
    assert len(CATALOGUES) * one.pairs >= LEAST_PAIRS


@pytest.mark.parametrize("name", CATALOGUES)
def test_the_whole_plan_says_what_the_interpreter_says(database, name):
    """
    Each row has the outcome that the rules give to that deal alone.
    """
    one = case(name, 60, 120)
    database.load(integer_table(one.catalogue, one.rows))
    books = one.books if len(one.books) <= len(BOOKS) else [one.books[place] for place in BOOKS]
    for book in books:
        assert assessed(database, book.rulebook, prepared=True) == list(book.expected)


def test_values_mean_what_the_reader_of_facts_says(either):
    """
    Every value that Spark has is read as `Fact.read` does: a number, unknown, or invalid.
    """
    for frame in plain_frames(400, 0):
        either.load(frame.table)
        assert list(misread(either, frame))[:20] == []


def test_rows_come_out_as_the_service_answers(either):
    """
    A row for which the engine raises `InvalidDocument` is `invalid`, naming the facts that rules
    read.
    """
    met = set()
    for frame in plain_frames(120, 200)[:3]:
        either.load(frame.table)
        assert assessed(either, frame.book) == expected_outcomes(frame)
        met.update(OUTCOMES[outcome] for outcome, _, _ in expected_outcomes(frame))
    assert met == {*OUTCOMES}
