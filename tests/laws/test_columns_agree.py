"""The columns say what the reference interpreter says, on every dataframe library."""

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
from rule_generator import RuleGenerator

from holdback.rules import interpret
from holdback.rules.columns import columns
from small_catalogue import CATALOGUE

NAMES = [fact.name for fact in CATALOGUE.facts]
RULES, ROWS = 200, 50


def table(rows):
    """Prepared facts as an Arrow table: 64-bit whole numbers with nulls."""
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


def answers(rule, frame):
    """True, false or unknown for each row of *frame*; no condition is ever null."""
    both = columns(rule)
    found = nw.from_native(frame).select(true=both.true, false=both.false)
    if isinstance(found, nw.LazyFrame):
        found = found.collect()
    true, false = found["true"].to_list(), found["false"].to_list()
    assert {*true, *false} <= {True, False}
    assert not any(one and other for one, other in zip(true, false, strict=True))
    return [
        True if one else False if other else None for one, other in zip(true, false, strict=True)
    ]


def pairs(seed, rules=RULES):
    """Random rules, each with rows of facts near its thresholds, some of them unknown."""
    generator = RuleGenerator(Random(seed), CATALOGUE)
    for _ in range(rules):
        rule = generator.rule()
        yield rule, [generator.facts(rule) for _ in range(ROWS)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_columns_agree_with_the_interpreter(backend):
    """
    "A slow and obvious *reference interpreter* defines what it means. [...] *columns* (a whole portfolio on
    any dataframe engine) [...] must give the same answer, on every input, missing facts included." (design 1)
    """
    met = set()
    for rule, rows in pairs(f"columns on {backend}"):
        expected = [interpret(rule, facts) for facts in rows]
        assert answers(rule, BACKENDS[backend](rows)) == expected, rule.source
        met.update(expected)
    assert met == {True, False, None}


@pytest.mark.parametrize("planted", [">=", "=="])
def test_a_planted_fault_is_found(monkeypatch, planted):
    """
    A test that cannot fail is a defect.
    """
    module = sys.modules["holdback.rules.columns"]
    wrong = {**module._COMPARED, planted: operator.gt if planted == ">=" else operator.ne}
    monkeypatch.setattr(module, "_COMPARED", wrong)

    assert any(
        answers(rule, BACKENDS["polars"](rows)) != [interpret(rule, facts) for facts in rows]
        for rule, rows in pairs("planted", 60)
    )
