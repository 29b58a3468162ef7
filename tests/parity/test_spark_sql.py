"""
The rules as SQL answer as the interpreter does, on Spark (`test_spark` says how to run it).
"""

from __future__ import annotations

import re

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
from expected_values import OUTCOMES
from frame_results import integer_table
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
from plain_column_cases import STORAGES, frames
from prepared_row_cases import CATALOGUES, case
from pyspark.errors import AnalysisException
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
from holdback import load_jurisdictions, portfolio
from holdback.rules import Fact, Kind, Type

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


@pytest.mark.parametrize("escaped", ["false", "true"], ids=["escapes", "no escapes"])
def test_texts_are_compared_as_they_are(database, escaped):
    """
    Spark replaces backslashes within quotes, or does not, depending on a setting.
    """
    database.session.conf.set("spark.sql.parser.escapedStringLiterals", escaped)
    try:
        declared = [*range(len(TEXTS))]
        assert places_read(database, [*TEXTS, *SIMILAR, None]) == [*declared, *[None] * 12]
    finally:
        database.session.conf.set("spark.sql.parser.escapedStringLiterals", "false")


def test_facts_may_have_the_names_of_keywords(database):
    """
    Names are in quotes, so a fact may have the name of an SQL keyword.
    """
    facts = [Fact(name=word, type=Type(Kind.COUNT), low=0, high=9) for word in WORDS]
    rules = of_facts(" and ".join(f"{word} <= 3" for word in WORDS), *facts)
    columns = {word: pa.array([3, 3, 3, 10, 4], pa.int32()) for word in WORDS}
    columns["order"] = pa.array([3, 4, None, 3, None], pa.int32())
    assert outcomes(database, rules, columns) == [
        *(ELIGIBLE, refused(rules), UNDETERMINED, INVALID, refused(rules))
    ]


def test_floats_are_invalid(either):
    """
    Every float makes its row invalid; NaN is a float.
    """
    rules = of_facts("balance <= GBP 5.00", AMOUNT)
    for type_ in (pa.float64(), pa.float32()):
        column = pa.array([5.0, float("nan"), float("inf"), -0.0, None], type_)
        found = outcomes(either, rules, {"balance": column})
        assert found == [*[INVALID] * 4, UNDETERMINED]


def test_a_missing_column_is_an_error(database):
    """
    A column that is missing is an error of the query.
    """
    rules = of_facts("balance <= GBP 5.00", AMOUNT)
    with pytest.raises(AnalysisException, match="balance"):
        outcomes(database, rules, {"other": pa.array([1], pa.int32())})


def test_java_compiles_the_methods_of_many_jurisdictions(database, capsys):
    """
    Java compiles no method of more than 8,000 bytes; it interprets it, ten times as slowly.
    """
    every = load_jurisdictions()
    deals = portfolio.prepare(portfolio.sample(2_000, seed=7), every)
    frame = database.session.createDataFrame(deals).cache()
    portfolio.assess(frame, every, prepared=True).explain("codegen")
    sizes = [
        int(size) for size in re.findall(r"maxMethodCodeSize:([0-9]+)", capsys.readouterr().out)
    ]
    assert sizes
    assert max(sizes) <= 8_000, sizes
