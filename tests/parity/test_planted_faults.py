"""A test that cannot fail is a defect: each of these faults must be found by the parity suite."""

from __future__ import annotations

import sys

import polars as pl
import pytest
from attrs import evolve
from frame_kinds import FRAME_KINDS
from frame_results import integer_table, misread, row_outcomes
from plain_column_cases import STORAGES, USUAL, frames
from prepared_row_cases import case

from holdback import portfolio
from holdback.portfolio.reading import column_readers
from holdback.portfolio.sql import outcome_expressions

sql_module = sys.modules["holdback.rules.sql"]


@pytest.fixture(autouse=True)
def _nothing_remembered():
    """What was written before a fault was planted, or with it, is forgotten."""
    outcome_expressions.outcome_sql.cache_clear()
    yield
    outcome_expressions.outcome_sql.cache_clear()


def misread_in(*storages, make=pl.from_arrow):
    """Whether some value in *storages*, or in the usual ones, is misread."""
    here = [STORAGES[name] for name in dict.fromkeys((*USUAL.values(), *storages))]
    return any(any(misread(each, make(each.table))) for each in frames(here, 500, 0))


def answered_wrong():
    """Whether some prepared row comes out otherwise than it must."""
    one = case("pounds")
    frame = pl.from_arrow(integer_table(one.catalogue, one.rows))
    return any(
        row_outcomes(portfolio.assess(frame, book.rulebook, prepared=True)) != list(book.expected)
        for book in one.books
    )


def test_none_is_found_where_none_is():
    """
    Without a fault, the same comparisons find none.
    """
    assert not misread_in()
    assert not answered_wrong()


def test_floats_that_are_just_rounded(monkeypatch):
    """
    A float with too many decimals is not rounded.
    """

    def rounded(self, column):
        number = (column * 10**self.fact.type.places).round().cast(pl.Int64, strict=False)
        return self.within(number, ~(column.is_null() | column.is_nan()))

    monkeypatch.setattr(column_readers.ColumnReader, "float", rounded)
    assert misread_in()


def test_a_range_whose_end_is_left_out(monkeypatch):
    """
    Both ends of a range are included.
    """

    def within(self, number, given):
        inside = (number >= self.fact.low) & (number < self.fact.high)
        return column_readers.Column(pl.when(inside).then(number), given)

    monkeypatch.setattr(column_readers.ColumnReader, "within", within)
    assert misread_in()


def test_decimals_that_are_cut_off(monkeypatch):
    """
    Only a derived percentage is rounded.
    """
    plain = column_readers.ColumnReader.decimal

    def cut(self, column, dtype):
        return plain(evolve(self, fact=evolve(self.fact, rounded_down=True)), column, dtype)

    monkeypatch.setattr(column_readers.ColumnReader, "decimal", cut)
    assert misread_in()


def test_instants_that_are_all_days(monkeypatch):
    """
    Only a midnight is a day.
    """
    read = column_readers.ColumnReader.date

    def date(self, column, dtype):
        return read(self, column.dt.truncate("1d"), dtype)

    monkeypatch.setattr(column_readers.ColumnReader, "date", date)
    assert misread_in("instant_ns", make=FRAME_KINDS["pandas arrow"])


@pytest.mark.parametrize(
    ("operand", "wrong"), [(">=", "{} > {}"), ("<", "{} <= {}"), ("!=", "{} = {}")]
)
def test_a_wrong_comparison(monkeypatch, operand, wrong):
    """
    A wrong comparison in the SQL is noticed.
    """
    monkeypatch.setattr(sql_module, "_SQL", {**sql_module._SQL, operand: wrong})
    assert answered_wrong()


def test_outcomes_in_another_order(monkeypatch):
    """
    A false declining rule comes before an unknown rule.
    """
    first, second, third = outcome_expressions._BY_MASK
    monkeypatch.setattr(outcome_expressions, "_BY_MASK", (second, first, third))
    # Otherwise the second mask is only there where the first is zero.
    writer = outcome_expressions._OutcomeWriter
    monkeypatch.setattr(writer, "only", lambda self, column, test, mask: mask)
    assert answered_wrong()


def test_a_rule_that_is_called_unknown_without_its_fact(monkeypatch):
    """
    A rule that is true for every value of a fact does not need the fact.
    """
    monkeypatch.setattr(
        outcome_expressions, "always_unknown_without", lambda rule: len(rule.names) == 1
    )
    assert answered_wrong()
