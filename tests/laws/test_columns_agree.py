"""Columns of Polars, which assess frames in memory, give the answers of the interpreter."""

from __future__ import annotations

import sys
from contextlib import suppress
from random import Random

import polars as pl
import pytest

from counts import count
from holdback.errors import RuleError
from holdback.rules import check, interpret, parse
from holdback.rules.parser import MAX_DEPTH
from holdback.rules.sql import POLARS, flag_sql
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE

NAMES = [fact.name for fact in CATALOGUE.facts]
RULES, ROWS = count("rules read by each dataframe engine"), 50


def table(rows):
    """A frame of prepared facts: 64-bit integers with nulls."""
    return pl.DataFrame(rows, dict.fromkeys(NAMES, pl.Int64), orient="row")


def answers(rule, frame):
    """The answer of *rule* to each row of *frame*: true, false or None for unknown."""
    said = flag_sql(rule, {name: f'"{name}"' for name in rule.names}, POLARS)
    texts = {"true": said.true, "false": said.false, "unknown": said.unknown}
    shown = frame.lazy().with_columns(**{n: pl.sql_expr(text) for n, text in texts.items()})
    return [_answer(*row) for row in shown.select(*texts).collect().rows()]


def _answer(true, false, unknown):
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


def test_columns_agree_with_the_interpreter():
    """
    Columns answer as the reference interpreter does, also where facts are missing.

    See decisions/three-ideas#one-rule-one-meaning.
    """
    met = set()
    for rule, rows in pairs("columns of polars"):
        expected = [interpret(rule, facts) for facts in rows]
        assert answers(rule, table(rows)) == expected, rule.source
        met.update(expected)
    assert met == {True, False, None}


@pytest.mark.parametrize("planted", [">=", "=="])
def test_a_planted_fault_is_found(monkeypatch, planted):
    """
    The comparison finds a wrong operator.
    """
    module = sys.modules["holdback.rules.sql"]
    wrong = {planted: "{} > {}" if planted == ">=" else "{} <> {}"}
    monkeypatch.setattr(module, "_SQL", {**module._SQL, **wrong})

    assert any(
        answers(rule, table(rows)) != [interpret(rule, facts) for facts in rows]
        for rule, rows in pairs("planted", 60)
    )


DEEP = {
    "conditions": ("verified", "(missed > 3 and {})", "({} or disputed)"),
    "sums": ("missed", "(completed + {})", "(3 - {})", "abs({})"),
}


@pytest.mark.parametrize("name", DEEP)
def test_the_deepest_rule_of_the_language(name):
    """
    Polars reads no text that is too deep, and no rule is.
    """
    text, *forms = DEEP[name]
    rule = None
    for depth in range(MAX_DEPTH):
        with suppress(RuleError):
            rule = check(parse(text if name == "conditions" else f"{text} >= 3"), CATALOGUE)
        text = forms[depth % len(forms)].format(text)
    assert rule is not None
    rows = [RuleGenerator(Random("deep"), CATALOGUE).facts(rule) for _ in range(ROWS)]
    assert answers(rule, table(rows)) == [interpret(rule, facts) for facts in rows]
