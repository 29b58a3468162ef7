"""Columns give the answers of the reference interpreter, on every dataframe library."""

from __future__ import annotations

import operator
import sys
from random import Random

import duckdb
import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from counts import count
from holdback.rules import interpret
from holdback.rules.columns import FactColumn, columns
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE

NAMES = [fact.name for fact in CATALOGUE.facts]
RULES, ROWS = count("rules read by each dataframe engine"), 50


def table(rows):
    """An Arrow table of prepared facts: 64-bit integers with nulls."""
    by_name = zip(NAMES, zip(*rows, strict=True), strict=True)
    return pa.table({name: pa.array(list(numbers), pa.int64()) for name, numbers in by_name})


def nullable(rows):
    arrow = table(rows)
    return pd.DataFrame({name: pd.array(arrow[name].to_pylist(), dtype="Int64") for name in NAMES})


BACKENDS = {
    "polars": lambda rows: pl.from_arrow(table(rows)),
    "polars lazy": lambda rows: pl.from_arrow(table(rows)).lazy(),
    "pyarrow": table,
    "pandas nullable": nullable,
    "pandas arrow": lambda rows: table(rows).to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb": lambda rows: duckdb.from_arrow(table(rows)),
}


def answers(rule, frame, make=nw):
    """The answer of *rule* to each row of *frame*: true, false or None for unknown."""
    both = columns(rule, {name: FactColumn(make.col(name)) for name in rule.names}, make)
    shown = {"true": both.true, "false": both.false}
    if both.unknown is not None:
        shown["unknown"] = both.unknown
    frame = frame if make is pl else nw.from_native(frame)
    result = nw.from_native(frame.select(**shown), pass_through=True)
    if isinstance(result, nw.LazyFrame):
        result = result.collect()
    return [_answer(*row) for row in zip(*(result[name].to_list() for name in shown), strict=True)]


def _answer(true, false, unknown=False):
    assert unknown is True or unknown is False
    flags = (true is True, false is True, unknown)
    return (
        "none or several" if sum(flags) != 1 else True if flags[0] else False if flags[1] else None
    )


def pairs(seed, rules=RULES):
    """Random rules, each with rows of facts near its thresholds, some of them unknown."""
    generator = RuleGenerator(Random(seed), CATALOGUE)
    for _ in range(rules):
        rule = generator.rule()
        yield rule, [generator.facts(rule) for _ in range(ROWS)]


@pytest.mark.parametrize(
    ("backend", "make"),
    [*((backend, nw) for backend in BACKENDS), ("polars", pl), ("polars lazy", pl)],
)
def test_columns_agree_with_the_interpreter(backend, make):
    """
    Columns answer as the reference interpreter does, also where facts are missing.

    See decisions/three-ideas#one-rule-one-meaning.
    """
    met = set()
    for rule, rows in pairs(f"columns on {backend}"):
        expected = [interpret(rule, facts) for facts in rows]
        assert answers(rule, BACKENDS[backend](rows), make) == expected, rule.source
        met.update(expected)
    assert met == {True, False, None}


@pytest.mark.parametrize("planted", [">=", "=="])
def test_a_planted_fault_is_found(monkeypatch, planted):
    """
    The comparison finds a wrong operator.
    """
    module = sys.modules["holdback.rules.columns"]
    compared = operator.gt if planted == ">=" else operator.ne
    wrong = {planted: lambda first, others: compared(first, others[0])}
    monkeypatch.setattr(module, "_COMPARISONS", {**module._COMPARISONS, **wrong})

    assert any(
        answers(rule, BACKENDS["polars"](rows)) != [interpret(rule, facts) for facts in rows]
        for rule, rows in pairs("planted", 60)
    )
