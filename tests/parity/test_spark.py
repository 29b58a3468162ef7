"""
The same parity on PySpark, in local mode. It needs Java and an environment of its own:

    python3 -m venv .sparkvenv && .sparkvenv/bin/pip install -q -e '.[spark]'
    .sparkvenv/bin/pytest tests/parity/test_spark.py
"""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from expected_values import OUTCOMES
from frame_results import (
    columns_of,
    integer_table,
    misread,
    own_answers,
    row_outcomes,
    rule_answers,
)
from plain_column_cases import STORAGES, frames
from prepared_row_cases import CATALOGUES, case
from pyspark.sql import DataFrame, functions
from spark_session import session

from holdback import InvalidDocument, load_jurisdictions, portfolio
from holdback.portfolio import sample

# Deprecations within PySpark and pandas are not ours to fix.
pytestmark = pytest.mark.filterwarnings("default")

LEAST_PAIRS = 5_000
RULES, ROWS = 30, 120
# By their places among `SIZES`: one rule, two, three that only refer, all of them; and those
# written by hand.
BOOKS = (0, 3, 5, 8, 9)
# Spark has no unsigned numbers, and instants in microseconds alone.
LACKING = (
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "instant_s",
    "instant_ms",
    "instant_ns",
    "dictionary",
)
HERE = [each for name, each in STORAGES.items() if name not in LACKING]


@pytest.fixture(scope="module")
def spark():
    """A session of the tests' own."""
    with session("parity") as started:
        yield started


@pytest.fixture
def lenient(spark):
    """The session without ANSI errors, which are the default of Spark."""
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    spark.conf.set("spark.sql.ansi.enabled", "false")
    yield spark
    spark.conf.set("spark.sql.ansi.enabled", "true")


@pytest.mark.parametrize("name", CATALOGUES)
def test_columns_say_what_the_interpreter_says(spark, name):
    """
    The column expressions on PySpark give the answers of the interpreter.
    """
    one = case(name, RULES, ROWS)
    frame = spark.createDataFrame(integer_table(one.catalogue, one.rows))
    assert rule_answers(frame, one) == one.answers
    assert len(CATALOGUES) * one.pairs >= LEAST_PAIRS


@pytest.mark.parametrize("name", CATALOGUES)
def test_assess_says_what_the_interpreter_says(spark, name):
    """
    Each row has the outcome that the rules give to that deal alone.
    """
    one = case(name, RULES, ROWS)
    table = integer_table(one.catalogue, one.rows, narrow=True, unsigned=False)
    frame = spark.createDataFrame(table)
    met = set()
    books = one.books if len(one.books) <= len(BOOKS) else [one.books[place] for place in BOOKS]
    for book in books:
        found = portfolio.assess(frame, book.rulebook, prepared=True, each_rule=True)
        assert isinstance(found, DataFrame)
        assert own_answers(found, book.rulebook) == book.answers
        assert row_outcomes(found) == list(book.expected)
        met.update(OUTCOMES[outcome] for outcome, _, _ in book.expected)
    assert met == {*OUTCOMES} - {"invalid"}


def test_values_mean_what_the_reader_of_facts_says(spark):
    """
    Nulls, NaN, negative zero, the limits of ranges and every dtype are read as `Fact.read` does.
    """
    for frame in frames(HERE, wild=400, tame=0):
        assert list(misread(frame, spark.createDataFrame(frame.table)))[:20] == []


def test_rows_come_out_as_the_service_answers(lenient):
    """
    A row for which the engine raises `InvalidDocument` is `invalid`, with the facts named.
    """
    met = set()
    for frame in frames(HERE, wild=200, tame=200):
        if frame.number % 4 == 0:
            continue  # it has the most rules, and takes the longest
        native = lenient.createDataFrame(frame.table)
        assert row_outcomes(portfolio.assess(native, frame.book)) == frame.expected
        met.update(OUTCOMES[outcome] for outcome, _, _ in frame.expected)
    assert met == {*OUTCOMES}


# -- frames that are given directly

WRONG = {
    "progress": "CAST(1.5 AS FLOAT)",
    "performance": "'64.5%'",
    "status": "1",
    "identity_verified": "1",
    "credit_checked_on": "TIMESTAMP_LTZ '2026-03-01 00:00:00'",
    "balance": "CAST(1 AS DECIMAL(38, 16))",
}


def test_what_cannot_be_read_is_refused_all_at_once(spark):
    """
    `InvalidDocument` names every column that is missing or of the wrong type.
    """
    frame = spark.createDataFrame(sample(3, seed=1)).drop("deals_defaulted")
    for name, written in WRONG.items():
        frame = frame.withColumn(name, functions.expr(written))
    with pytest.raises(InvalidDocument) as raised:
        portfolio.assess(frame, load_jurisdictions())
    assert {fault.path for fault in raised.value.errors} == {
        f"$.{name}" for name in (*WRONG, "deals_defaulted")
    }


def test_the_sample_portfolio(spark):
    """
    Several jurisdictions and days in one frame give the same on Spark as on PyArrow.
    """
    deals, jurisdictions = sample(400, seed=5), load_jurisdictions()
    found = portfolio.assess(spark.createDataFrame(deals), jurisdictions, readable=True)
    assert isinstance(found, DataFrame)
    assert found.columns == [*deals.column_names, "outcome", "eligible", "codes", "needs"]
    names = ("deal_id", "outcome", "codes", "needs")
    expected = columns_of(portfolio.assess(deals, jurisdictions, readable=True), *names)
    assert columns_of(found, *names) == expected
    empty = portfolio.assess(spark.createDataFrame(deals).limit(0), jurisdictions)
    assert row_outcomes(empty) == []
