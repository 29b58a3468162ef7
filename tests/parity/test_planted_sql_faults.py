"""Each of these faults in the writers of SQL must be found by the comparisons of `test_sql`."""

from __future__ import annotations

import sys

import pytest
from attrs import evolve
from frame_results import integer_table
from plain_column_cases import STORAGES, USUAL, frames
from prepared_row_cases import case
from sql_comparison import USUAL_DECIMALS, assessed, expected_outcomes, misread, rule_answers
from sql_databases import DuckDB, SQLite

from holdback.eligibility.ruleset import REFER
from holdback.portfolio.sql import outcome_expressions, plan
from holdback.portfolio.sql.plan import SqlColumn, SqlReader
from holdback.portfolio.sql.words import conditional

rule_writer = sys.modules["holdback.rules.sql"]
USUAL_FLOATS = {**USUAL, "progress": "float64", "balance": "float64", "profit": "float64"}


@pytest.fixture(autouse=True)
def without_earlier_steps():
    """The steps of the same rules are written once: none from without the fault, or with it."""
    outcome_expressions.outcome_sql.cache_clear()
    yield
    outcome_expressions.outcome_sql.cache_clear()


@pytest.fixture(scope="module")
def duckdb():
    made = DuckDB()
    yield made
    made.close()


@pytest.fixture(scope="module")
def sqlite():
    made = SQLite()
    yield made
    made.close()


def rules_differ(database):
    """Whether some rule answers otherwise than the interpreter."""
    one = case("pounds")
    database.load(integer_table(one.catalogue, one.rows))
    return rule_answers(database, one) != one.answers


def outcomes_differ(database):
    """Whether some prepared row comes out otherwise than it must."""
    one = case("pounds")
    database.load(integer_table(one.catalogue, one.rows))
    return any(
        assessed(database, book.rulebook, prepared=True) != list(book.expected)
        for book in one.books
    )


def values_differ(database):
    """Whether some plain value is misread."""
    usual = USUAL_FLOATS if database.dialect == "sqlite" else USUAL_DECIMALS
    here = [
        STORAGES[name]
        for name in dict.fromkeys((*usual.values(), "instant_us", "decimal38_15", "uint64"))
        if name not in database.lacking
    ]
    for frame in frames(here, 300, 0, usual=usual):
        database.load(frame.table)
        if any(misread(database, frame)):
            return True
    return False


def test_none_is_found_where_none_is(duckdb, sqlite):
    """
    Without a fault, the same comparisons find none.
    """
    for database in (duckdb, sqlite):
        assert not rules_differ(database)
        assert not outcomes_differ(database)
        assert not values_differ(database)


@pytest.mark.parametrize(
    ("operator", "wrong"),
    [(">=", "{} > {}"), ("<", "{} <= {}"), ("!=", "{} = {}"), ("-", "({1} - {0})")],
)
def test_a_wrong_operator(monkeypatch, duckdb, operator, wrong):
    """
    A wrong comparison or difference is noticed.
    """
    monkeypatch.setattr(rule_writer, "_SQL", {**rule_writer._SQL, operator: wrong})
    assert rules_differ(duckdb)


def test_the_least_for_the_greatest(monkeypatch, sqlite):
    """
    SQLite's own names for the least and the greatest are not exchanged.
    """
    names = rule_writer._SQLITE
    monkeypatch.setattr(rule_writer, "_SQLITE", {"min": names["max"], "max": names["min"]})
    assert rules_differ(sqlite)


def test_nulls_that_are_passed_over(monkeypatch, duckdb):
    """
    The least of a null and a number is unknown, though DuckDB gives the number.
    """
    monkeypatch.setattr(rule_writer, "_PASS_OVER_NULLS", ())
    assert rules_differ(duckdb)


def test_a_rule_that_is_called_unknown_without_its_fact(monkeypatch, duckdb):
    """
    A rule that is true for every value of a fact does not need the fact.
    """
    monkeypatch.setattr(rule_writer, "_has_constant_flag", lambda _node: False)
    assert rules_differ(duckdb)


def test_a_missing_fact_that_no_undecided_rule_reads(monkeypatch, duckdb):
    """
    Only the facts are needed that an unknown rule reads.
    """
    monkeypatch.setattr(outcome_expressions, "always_unknown_without", lambda _rule: True)
    assert outcomes_differ(duckdb)


def test_rules_that_refer_and_decline_exchanged(monkeypatch, duckdb):
    """
    A false declining rule comes before an unknown rule, and that before a false referring one.
    """
    monkeypatch.setattr(outcome_expressions, "DECLINE", REFER)
    assert outcomes_differ(duckdb)


@pytest.mark.parametrize("of", ["duckdb", "sqlite"])
def test_a_range_whose_end_is_left_out(monkeypatch, request, of):
    """
    Both ends of a range are included.
    """
    shorter = SqlReader.in_range

    def in_range(self, number):
        return shorter(evolve(self, fact=evolve(self.fact, high=self.fact.high - 1)), number)

    monkeypatch.setattr(SqlReader, "in_range", in_range)
    assert values_differ(request.getfixturevalue(of))


def test_decimals_that_are_cut_off(monkeypatch, duckdb):
    """
    Only a derived percentage is rounded.
    """
    plain = SqlReader.decimal

    def cut(self, precision, decimals):
        rounded = evolve(self, fact=evolve(self.fact, rounded_down=True))
        return plain(rounded, precision, decimals)

    monkeypatch.setattr(SqlReader, "decimal", cut)
    assert values_differ(duckdb)


def test_floats_that_are_just_rounded(monkeypatch, sqlite):
    """
    A float with too many decimals is not rounded.
    """

    def rounded(self):
        number = f"cast(round({self.column} * {10**self.fact.type.places}) as integer)"
        return conditional([(self.near(self.column), number)])

    monkeypatch.setattr(SqlReader, "float", rounded)
    assert values_differ(sqlite)


def test_instants_that_are_all_days(monkeypatch, duckdb):
    """
    Only a midnight is a day.
    """

    def day(self):
        return SqlColumn(self.ordinal(f"cast({self.column} as date)"), f"{self.column} is not null")

    monkeypatch.setattr(SqlReader, "stated_date", day)
    assert values_differ(duckdb)


def test_days_of_another_calendar(monkeypatch, sqlite):
    """
    A day has the number that Python gives it.
    """
    monkeypatch.setattr(plan, "_DAY_ZERO", "1721425.5")
    assert values_differ(sqlite)


def test_plain_rows_in_which_nothing_is_invalid(monkeypatch, duckdb):
    """
    A value that cannot be read makes its row invalid; it is not unknown.
    """
    monkeypatch.setattr(SqlReader, "given", lambda _self, number: SqlColumn(number))
    here = [STORAGES[name] for name in dict.fromkeys(USUAL_DECIMALS.values())]
    (frame,) = frames(here, 60, 20, usual=USUAL_DECIMALS)[:1]
    duckdb.load(frame.table)
    assert assessed(duckdb, frame.book) != expected_outcomes(frame)
