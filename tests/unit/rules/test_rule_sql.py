"""The writer of SQL on rules that a person can check by hand."""

from __future__ import annotations

import duckdb
import pytest

from every_case import for_every
from holdback.rules import interpret
from holdback.rules.sql import DIALECTS, DUCKDB, SQLITE, FlagSql, flag_sql
from small_catalogue import checked, facts

# source, and where it is true, false and unknown in SQL
WRITTEN = [
    ("verified", "verified <> 0", "verified = 0", "verified is null"),
    ("not verified", "verified = 0", "verified <> 0", "verified is null"),
    ("missed < 3", "missed < 3", "missed >= 3", "missed is null"),
    ("growth > -5%", "growth > (-50000)", "growth <= (-50000)", "growth is null"),
    ("-missed < -3", "(0 - missed) < (-3)", "(0 - missed) >= (-3)", "missed is null"),
    ("missed in [1]", "missed = 1", "missed <> 1", "missed is null"),
    (
        "missed in [1, 2]",
        "(missed = 1 or missed = 2)",
        "(missed <> 1 and missed <> 2)",
        "missed is null",
    ),
    (
        "not (verified and missed < 3)",
        "(verified = 0 or missed >= 3)",
        "(verified <> 0 and missed < 3)",
        "((verified = 0 or missed >= 3)) is null",
    ),
    ("true", "true", "false", "false"),
]


def written(source, dialect=DUCKDB):
    rule = checked(source)
    return flag_sql(rule, {name: name for name in rule.names}, dialect)


@for_every(("source", "true", "false", "unknown"), WRITTEN, ids=[row[0] for row in WRITTEN])
def test_conditions(source, true, false, unknown):
    """
    A flag is written twice, with every negation carried down to a comparison.
    """
    assert written(source) == FlagSql(true, false, unknown)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_least_of_numbers_is_null_where_one_is(dialect):
    """
    The nulls of the operands of `min` and `max` are put back, because databases differ in them.
    """
    least = "min" if dialect == SQLITE else "least"
    assert written("min(missed, completed) == 1", dialect).true == (
        "case when completed is not null and missed is not null "
        f"then {least}(missed, completed) end = 1"
    )


def test_numbers_of_a_rule_are_written_by_the_caller():
    """
    A caller may write the numbers of a rule, so that rules which differ in them share a text.
    """
    rule = checked("balance * 1.5 < takings and missed in [1, 2]")
    numbers = {name: name for name in rule.names}
    shape = flag_sql(rule, numbers, DUCKDB, lambda number: f"<{number}>").true
    assert shape == "((balance * <15>) < (takings * 10) and (missed = <1> or missed = <2>))"


def test_numbers_of_64_bits():
    """
    A number of a rule that needs 64 bits is calculated in 64 bits.
    """
    rule = checked("balance * 1.25 >= GBP 9000000000.00")
    answer = written(rule.source)
    for balance in ("7200000000.00", "7199999999.99"):
        known = facts(balance=balance)
        number = known[rule.catalogue.place("balance")]
        query = f"select {answer.true} from (select {number}::bigint as balance)"
        assert duckdb.sql(query).fetchall() == [(interpret(rule, known),)]
