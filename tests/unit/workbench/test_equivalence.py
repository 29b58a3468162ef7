"""Two rules are said to be the same only when they are."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest
from attrs import evolve
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from small_rules import FACTS, HALF, RULES, checked

from counts import count
from every_case import for_every
from holdback.errors import RuleError
from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Type, check, interpret, parse
from holdback.tools.mutants.equivalence import MAX_DEALS, distinguishing_deals, why_same
from holdback.tools.mutants.expression_mutants import expression_mutants
from small_folders import country, loaded


def every(*rules, above_floor):
    """Return every deal: each fact that *rules* read at each value of its range, and unknown."""
    read = {place for rule in rules for place in rule.facts}
    values = []
    for place, fact in enumerate(FACTS):
        known = range(fact.low, fact.high + 1) if place in read else ()
        values.append((None, *known))
    if above_floor and 0 in read:
        values[0] = tuple(range(HALF, FACTS[0].high + 1))
    return list(product(*values))


def answers(rule, deals):
    return [interpret(rule, facts) for facts in deals]


def same(one, other, *, above_floor):
    """Whether the few deals that are looked at show no difference; None when nothing is said."""
    deals = distinguishing_deals([one, other], above_floor=above_floor)
    return None if deals is None else answers(one, deals) == answers(other, deals)


@settings(max_examples=count("pairs of rules held against every deal"))
@given(RULES, RULES, st.booleans())
def test_two_rules_are_called_the_same_when_they_are(one, other, above_floor):
    """
    A proof of equality holds for every deal, by the reference interpreter.
    """
    first, second = checked(one), checked(other)
    deals = every(first, second, above_floor=above_floor)

    claimed = same(first, second, above_floor=above_floor)
    if claimed is None:  # too many deals to look at, which takes four facts or more
        assert len({*first.facts, *second.facts}) >= 4
        reject()
    assert claimed is (answers(first, deals) == answers(second, deals))


@settings(max_examples=count("rules whose mutants are held against every deal"))
@given(RULES, st.booleans())
def test_mutants_are_called_the_same_when_they_are(text, above_floor):
    """
    Mutants of an expression are very similar rules, and the proof distinguishes them.
    """
    rule = checked(text)
    deals = every(rule, above_floor=above_floor)
    expected = answers(rule, deals)
    for mutant in expression_mutants(rule):
        try:
            other = checked(mutant)
        except RuleError:  # the reader refuses it
            continue
        assert same(rule, other, above_floor=above_floor) is (answers(other, deals) == expected)


@for_every(
    "text",
    [
        "a <= b",
        "a + b >= 1",
        "a - 1 >= 2",
        "max(a, 3) >= 4",
        "abs(b) <= 1",
        "2 * a >= 4",
        "f or a > b",
    ],
)
def test_of_other_rules_nothing_is_said(text):
    """
    No deals are listed for a rule of another form.
    """
    assert distinguishing_deals([checked(text)], above_floor=False) is None


def test_too_many_deals_are_not_looked_at():
    """
    No deals are listed where there would be more than `MAX_DEALS`.
    """
    facts = tuple(
        Fact(name=f"n{place}", type=Type(Kind.COUNT), low=0, high=10**6) for place in range(12)
    )
    many = Catalogue(facts=facts, currency=Currency.of("GBP"))

    def asked(number):
        text = " or ".join(f"n{place} == 500" for place in range(number))
        return distinguishing_deals([check(parse(text), many, Kind.FLAG)], above_floor=False)

    assert len(asked(4)) == 6**4 <= MAX_DEALS
    assert asked(5) is None  # 6**5 of them


def book():
    return loaded(NL=country()).resolve("NL", on=date(2026, 7, 1))


def with_first_rule(rulebook, **changes):
    first, *rest = rulebook.renewal.rules
    rules = (evolve(first, **changes), *rest)
    return rulebook.altered(renewal=rulebook.renewal.altered(rules=rules))


def test_rulebooks_that_are_alike():
    """
    What is only said otherwise decides alike.
    """
    one = book()

    assert why_same(one, one) is not None
    assert why_same(one, book()) is not None
    assert why_same(one, with_first_rule(one, reason="Another sentence.", line=99)) is not None


@pytest.mark.parametrize(
    "change",
    [{"code": "NL-R-09"}, {"otherwise": "refer"}],
)
def test_rulebooks_that_answer_in_another_way(change):
    """
    Reasons carry the rule's stable code (decisions/rule-language), and `otherwise` is part of the
    outcome.
    """
    assert why_same(book(), with_first_rule(book(), **change)) is None


def test_rulebooks_with_another_rule_or_product():
    """
    A product that is left out, or priced in another way, makes a difference.
    """
    one = book()
    fewer = one.altered(renewal=one.renewal.altered(rules=one.renewal.rules[:1]))
    (product_,) = one.products

    assert why_same(one, fewer) is None
    assert why_same(one, one.altered(products=())) is None
    for name, value in (
        ("amounts", (1,)),
        ("limits", evolve(product_.limits, settings={})),
        ("term", evolve(product_.term, name="takings_pace")),
        ("factor_rate", evolve(product_.factor_rate, settings={"rate": "1.3"})),
        ("split_percentage", evolve(product_.split_percentage, settings={})),
    ):
        assert why_same(one, one.altered(products=(evolve(product_, **{name: value}),))) is None
