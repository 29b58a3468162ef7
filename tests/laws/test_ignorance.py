"""Less knowledge never makes a deal eligible: neither one of an example nor a random one."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from every_case import for_every
from holdback import load_jurisdictions
from own_rules import with_own_rules

JURISDICTIONS = load_jurisdictions()
RULEBOOKS = tuple(with_own_rules(JURISDICTIONS).rulebooks())
EXAMPLES = [
    pytest.param(code, example, id=f"{code}: {example.name}")
    for code in JURISDICTIONS.codes
    for example in JURISDICTIONS.examples(code)
    if example.product is None and not example.of_settings
]


def with_one_hidden(facts):
    """*facts* without one known fact, for each of them in turn."""
    for place, number in enumerate(facts):
        if number is not None:
            yield (*facts[:place], None, *facts[place + 1 :])


@for_every("code, example", EXAMPLES)
def test_hiding_a_fact_of_an_example(code, example):
    """
    A rule cannot ask whether a fact is missing, so hiding one never makes a deal eligible.

    See decisions/rule-language#unknown.
    """
    rulebook = JURISDICTIONS.resolve(code, on=example.on)
    facts = rulebook.catalogue.prepare(example.given)
    if not rulebook.assess_prepared(facts).eligible:
        for hidden in with_one_hidden(facts):
            assert not rulebook.assess_prepared(hidden).eligible


@st.composite
def deals(draw, rulebook):
    """Prepared facts, ordinary or near a bound, some of them unknown."""
    ordinary = rulebook.catalogue.prepare(
        next(
            example.given
            for example in JURISDICTIONS.examples(rulebook.code)
            if example.product is None and example.given
        )
    )
    facts = []
    for fact, usual in zip(rulebook.catalogue.facts, ordinary, strict=True):
        near = st.integers(max(fact.low, (usual or 0) - 3), min(fact.high, (usual or 0) + 3))
        facts.append(
            draw(st.one_of(st.just(usual), near, st.none(), st.integers(fact.low, fact.high)))
        )
    return tuple(facts)


@settings(max_examples=count("deals with facts hidden"))
@given(data=st.data())
def test_hiding_a_fact_of_a_random_deal(data):
    """
    A deal that is not eligible stays so when less is known about it.
    """
    rulebook = data.draw(st.sampled_from(RULEBOOKS))
    facts = data.draw(deals(rulebook))
    if not rulebook.assess_prepared(facts).eligible:
        for hidden in with_one_hidden(facts):
            assert not rulebook.assess_prepared(hidden).eligible


@for_every("rulebook", RULEBOOKS, ids=lambda rulebook: f"{rulebook.code} {rulebook.on}")
def test_nothing_known_is_undetermined(rulebook):
    """
    Without a progress the outcome is `undetermined`, progress is needed, and no rule is asked.

    See decisions/rule-language#rules-and-outcomes.
    """
    assessment = rulebook.assess({})

    assert assessment.outcome == "undetermined"
    assert assessment.needs == ("progress",)
    assert assessment.trace == ()


def test_the_floor_alone_is_never_enough():
    """
    A deal that reaches the floor is not eligible by that alone.
    """
    for rulebook in RULEBOOKS:
        assert not rulebook.assess({"progress": "100%"}).eligible
    assert JURISDICTIONS.resolve("GB", on=date(2026, 7, 1)).renewal.declining
