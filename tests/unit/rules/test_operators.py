"""The table of operators: every reader has a line for every operator, and refuses any other."""

from __future__ import annotations

import itertools
import re
import sqlite3
import sys
from contextlib import closing

import polars as pl
import pytest
from attrs import evolve

from holdback.errors import RuleError
from holdback.rules import (
    Kind,
    check,
    closure,
    interpret,
    operators,
    parse,
    text,
    trace,
    words,
)
from holdback.rules.check import is_exact, rounding
from holdback.rules.closure import mask_function
from holdback.rules.operators import MIRRORED, OPERATORS, OPPOSITES, Role
from holdback.rules.render import text_of, threshold_words, words_of
from holdback.rules.scaling import interval
from holdback.rules.sql import POLARS, SQLITE, flag_sql
from holdback.rules.tree import comparisons
from holdback.tools.advice.least_change import critical_points
from holdback.tools.dmn.feel_text import feel_text
from holdback.tools.mutants.equivalence import distinguishing_deals
from holdback.tools.mutants.expression_mutants import expression_mutants
from small_catalogue import CATALOGUE, checked

# Two facts and a constant of each kind, to put into a signature.
OPERANDS = {
    Kind.FLAG: ("verified", "disputed", "true"),
    Kind.COUNT: ("missed", "completed", "3"),
    Kind.PERCENT: ("split", "growth", "12.5%"),
    Kind.RATIO: ("factor_rate", "earlier_rate", "1.5"),
    Kind.MONEY: ("balance", "profit", "GBP 5.00"),
    Kind.DAYS: ("age", "slack", "30 days"),
    Kind.DATE: ("checked_on", "opened_on", "2024-01-01"),
    Kind.TEXT: ("status", "earlier_status", '"Funded"'),
}
CASES = [(row.name, kind) for row in OPERATORS.values() for kind in Kind if kind in row.takes]


def written(name, kind):
    """Return the signature of the operator, written about facts of *kind*."""
    row = OPERATORS[name]
    first, second, constant = OPERANDS[kind]
    if row.role is Role.PRODUCT:
        first, second = (first, "3") if kind is Kind.COUNT else ("balance", constant)
        if kind is Kind.MONEY:
            first, second = "factor_rate", constant
    elif name == "in":
        second = constant
    operands = {"a": first, "b": second, "c": constant}
    return re.sub(r"\b[abc]\b", lambda match: operands[match[0]], row.signature)


def samples(rule):
    """Return facts for *rule*: those that it reads unknown, at both ends and between them."""
    choices = [
        (None, fact.low, fact.low + (fact.high - fact.low) // 3, fact.high)
        if place in rule.facts
        else (None,)
        for place, fact in enumerate(CATALOGUE.facts)
    ]
    return list(itertools.product(*choices))


def in_columns(rule, facts):
    """Return the answers of a flag by SQL, on Polars."""
    names = rule.names
    frame = pl.DataFrame(
        {name: [row[CATALOGUE.place(name)] for row in facts] for name in names},
        schema=dict.fromkeys(names, pl.Int64),
    )
    answer = flag_sql(rule, {name: f'"{name}"' for name in names}, POLARS)
    rows = frame.with_columns(
        false=pl.sql_expr(f"case when {answer.false} then 1 else 0 end"),
        unknown=pl.sql_expr(answer.unknown),
    )
    rows = rows.select("false", "unknown").rows()
    return [None if unknown else not false for false, unknown in rows]


def in_sql(rule, facts):
    """Return the answers of a flag by SQL, on SQLite."""
    names = rule.names
    answer = flag_sql(rule, {name: f'"{name}"' for name in names}, SQLITE)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"create table deals ({', '.join(names)})")
        rows = [[row[CATALOGUE.place(name)] for name in names] for row in facts]
        database.executemany(f"insert into deals values ({', '.join('?' * len(names))})", rows)
        query = f"select case when {answer.false} then 1 else 0 end, {answer.unknown} from deals"
        return [None if unknown else not false for false, unknown in database.execute(query)]


@pytest.mark.parametrize(("name", "kind"), CASES, ids=str)
def test_every_reader_has_the_operator(name, kind):
    """
    An operator is complete when every reader has it; until then this test fails.
    """
    rule = check(parse(written(name, kind)), CATALOGUE)
    assert rule.tree.operator == name
    facts = samples(rule)

    answers = [interpret(rule, row) for row in facts]
    assert [closure(rule)(row) for row in facts] == answers
    assert [trace(rule, row).value for row in facts] == answers
    assert check(parse(text(rule)), CATALOGUE) == evolve(rule, source=text(rule))
    assert OPERATORS[name].words.split()[0] in words(rule)
    assert rule.source not in list(expression_mutants(rule))
    if rule.type.kind is Kind.FLAG:
        assert [mask_function([rule])(row) for row in facts] == [
            (int(answer is False), int(answer is None)) for answer in answers
        ]
        assert in_columns(rule, facts) == answers
        assert in_sql(rule, facts) == answers
        assert len(list(comparisons(rule.tree))) == (kind is not Kind.FLAG)
    else:
        numbers = [answer for answer in answers if answer is not None]
        assert rule.tree.low <= min(numbers) <= max(numbers) <= rule.tree.high
        compared = check(parse(f"{written(name, kind)} == {written(name, kind)}"), CATALOGUE)
        answers = [interpret(compared, row) for row in facts]
        assert in_columns(compared, facts) == answers
        assert in_sql(compared, facts) == answers


@pytest.mark.parametrize("name", [name for name in OPERATORS if name in OPPOSITES])
def test_every_comparison_has_words_for_both_answers(name):
    """
    The words of a threshold exist for a comparison that had to be true, and for its opposite.
    """
    assert MIRRORED[MIRRORED[name]] == name
    assert OPPOSITES[OPPOSITES[name]] == name
    assert threshold_words(name, truth=False) == threshold_words(OPPOSITES[name], truth=True)


# Made-up operators, one of each role, and rules from which a node of theirs is made.
MADE_UP = {
    Role.LOGIC: ("xor", "a xor b", "verified or disputed"),
    Role.COMPARISON: ("~", "a ~ b", "missed < 3"),
    Role.ARITHMETIC: ("made_up", "made_up(a)", "abs(missed)"),
}


@pytest.fixture
def with_made_up(monkeypatch):
    """Put a table with the made-up operators into every module that reads the table."""
    rows = dict(OPERATORS)
    for role, (name, signature, like) in MADE_UP.items():
        model = OPERATORS[checked(like).tree.operator]
        rows[name] = evolve(model, name=name, signature=signature, role=role)
    table = operators.by_operator("the table of operators", rows)
    for module in list(sys.modules.values()):
        if vars(module).get("OPERATORS") is OPERATORS:  # asking some modules for a name warns
            monkeypatch.setattr(module, "OPERATORS", table)


def made_up(role):
    """Return a checked rule whose outermost operator is the made-up one of *role*."""
    name, _, like = MADE_UP[role]
    rule = checked(like)
    return evolve(rule, tree=evolve(rule.tree, operator=name))


def by_sql(rule):
    return flag_sql(rule, {name: name for name in rule.names}, SQLITE)


def by_lines(rule):
    return critical_points(rule.tree, tuple(fact.low for fact in CATALOGUE.facts), 0)


def compared(rule):
    """Return a rule that compares the number of *rule*."""
    model = checked("abs(missed) == 3")
    return evolve(model, tree=evolve(model.tree, operands=(rule.tree, model.tree.operands[1])))


def syntax(rule):
    """Return the syntax of *rule* with its made-up operator."""
    like = next(like for name, _, like in MADE_UP.values() if name == rule.tree.operator)
    tree = parse(like)
    return evolve(tree, root=evolve(tree.root, operator=rule.tree.operator))


# Each reader of the role, fed a rule with an operator that it has no line for.
READERS = {
    Role.LOGIC: {
        "the FEEL": lambda rule: feel_text(rule.tree),
        "the closure": closure,
        "the masks": lambda rule: mask_function([rule]),
        "the SQL": by_sql,
        "the canonical text": lambda rule: text_of(rule.tree),
        "the search for comparisons": lambda rule: list(comparisons(rule.tree)),
    },
    Role.COMPARISON: {
        "the FEEL": lambda rule: feel_text(rule.tree),
        "the closure": closure,
        "the masks": lambda rule: mask_function([rule]),
        "the SQL": by_sql,
        "the canonical text": lambda rule: text_of(rule.tree),
        "the check": lambda rule: check(syntax(rule), CATALOGUE),
        "the exactness": lambda rule: is_exact(rule.tree.operator, *rule.tree.operands),
        "the opposites": lambda rule: threshold_words(rule.tree.operator, truth=False),
        "the mirrored": lambda rule: MIRRORED[rule.tree.operator],
    },
    Role.ARITHMETIC: {
        "the FEEL": lambda rule: feel_text(rule.tree),
        "the closure": closure,
        "the least change": lambda rule: by_lines(compared(rule)),
        "the SQL": lambda rule: by_sql(compared(rule)),
        "the canonical text": lambda rule: text_of(rule.tree),
        "the check": lambda rule: check(syntax(rule), CATALOGUE),
        "the interval": lambda rule: interval(rule.tree.operator, [(0, 1)]),
        "the rounding": lambda rule: rounding(rule.tree.operator, rule.tree.operands),
    },
}


@pytest.mark.usefixtures("with_made_up")
@pytest.mark.parametrize(
    ("role", "reader"),
    [
        pytest.param(role, reader, id=f"{reader} of {role.name.lower()}")
        for role in READERS
        for reader in READERS[role]
    ],
)
def test_a_reader_refuses_an_operator_that_it_does_not_know(role, reader):
    """
    An operator that is only in the table is refused by every reader with a table of its own.
    """
    rule = made_up(role)
    with pytest.raises(NotImplementedError, match=f"has no line for .*`{rule.tree.operator}`"):
        READERS[role][reader](rule)


@pytest.mark.usefixtures("with_made_up")
def test_a_comparison_that_is_not_a_threshold_is_not_compared():
    """
    Rules with a comparison that may change anywhere are not reported as equal.
    """
    assert distinguishing_deals([checked("missed < 3")], above_floor=False) is not None
    assert distinguishing_deals([made_up(Role.COMPARISON)], above_floor=False) is None


@pytest.mark.usefixtures("with_made_up")
def test_the_parser_refuses_an_operator_that_it_does_not_know():
    """
    A symbol or word that is not a token of the language is a syntax error.
    """
    for source in ("verified xor disputed", "missed ~ 3", "made_up(missed) == 3"):
        with pytest.raises(RuleError) as caught:
            parse(source)
        assert caught.value.stage == "syntax"


@pytest.mark.parametrize(
    "reader",
    [
        lambda rule: interpret(rule, (None,) * len(CATALOGUE.facts)),
        lambda rule: trace(rule, (None,) * len(CATALOGUE.facts)),
        lambda rule: words_of(rule.tree),
        lambda rule: list(expression_mutants(rule)),
        lambda rule: check(syntax(rule), CATALOGUE),
        lambda rule: distinguishing_deals([rule], above_floor=False),
    ],
    ids=["interpret", "trace", "words", "mutants", "check", "equivalence"],
)
def test_a_reader_of_the_table_itself_refuses_an_operator_that_is_not_in_it(reader):
    """
    The table has no default either.
    """
    with pytest.raises(NotImplementedError, match="table of operators has no line"):
        reader(made_up(Role.COMPARISON))
