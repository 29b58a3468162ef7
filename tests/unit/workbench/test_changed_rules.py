"""A changed rule is proved to decide nothing only where it does, by looking at every deal."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from small_rules import CATALOGUE, FACTS, HALF, RULES, checked

from counts import count
from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.tools.proofs.changed_rule import changed_rules
from holdback.tools.proofs.rule_outcome import answered

equal_answers = pytest.importorskip(
    "holdback.tools.proofs.equal_answers", reason="needs the extra `proof`"
)

# More deals than this are not looked at one by one.
MOST = 3_000


def rule_of(place, text, otherwise):
    return Rule(
        id=f"r{place}",
        code=f"R-{place}",
        require=text,
        when=None,
        otherwise=otherwise,
        reason="No.",
        source="policy",
        checked=checked(text),
        file="f",
        line=place,
    )


def rule_set(*texts):
    rules = tuple(rule_of(place, *each) for place, each in enumerate(texts) if each is not None)
    return RuleSet(
        rules=rules, catalogue=CATALOGUE, jurisdiction="NL", digest="d", rules_digest="d"
    )


def every_deal(*sets, floor):
    read = {place for rules in sets for rule in rules.rules for place in rule.checked.facts}
    values = []
    for place, fact in enumerate(FACTS):
        known = range(fact.low, fact.high + 1) if place in read else ()
        values.append((None, *known))
    if floor:
        values[0] = tuple(range(HALF, FACTS[0].high + 1))
    sizes = 1
    for each in values:
        sizes *= len(each)
    if sizes > MOST:
        reject()
    return product(*values)


ENDS = st.sampled_from((DECLINE, REFER))
WRITTEN = st.tuples(RULES, ENDS)


@settings(max_examples=count("changed rules held against every deal"), deadline=None)
@given(st.lists(WRITTEN, max_size=2), WRITTEN, st.one_of(st.none(), WRITTEN), st.booleans())
def test_every_deal_is_answered_alike_exactly_where_it_is_proved(others, old, new, floor):
    """
    `why_equal` proves it of two sets of rules exactly where no deal gets another answer.
    """
    before, after = rule_set(*others, old), rule_set(*others, new)
    product_key = None if floor else "flex"
    same = all(
        answered(before, facts, product_key) == answered(after, facts, product_key)
        for facts in every_deal(before, after, floor=floor)
    )

    assert (equal_answers.why_equal(before, after, floor=floor) is not None) is same


@settings(max_examples=count("changed rules whose questions are held against every deal"))
@given(st.lists(WRITTEN, max_size=2), WRITTEN, WRITTEN, st.booleans())
def test_a_deal_that_is_answered_otherwise_satisfies_a_question(others, old, new, floor):
    """
    The questions about a change are satisfied by the deals that it answers otherwise alone.
    """
    before, after = rule_set(*others, old), rule_set(*others, new)
    product_key = None if floor else "flex"
    questions = [
        question
        for change in changed_rules(before, after, floor=floor)
        for question in change.differences()
    ]

    for facts in every_deal(before, after, floor=floor):
        differs = answered(before, facts, product_key) != answered(after, facts, product_key)
        assert any(question.holds(facts) for question in questions) is differs
