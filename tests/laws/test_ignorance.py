"""
"Hiding any fact of any example, and of random deals, never turns a 'not eligible' into 'eligible'."
"""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from every_case import for_every
from holdback import load_jurisdictions

JURISDICTIONS = load_jurisdictions()
RULEBOOKS = tuple(JURISDICTIONS.rulebooks())
EXAMPLES = [
    pytest.param(code, example, id=f"{code}: {example.name}")
    for code in JURISDICTIONS.codes
    for example in JURISDICTIONS.examples(code)
    if example.product is None and not example.of_settings
]


def hidden_ones(facts):
    """*facts* with each of the known ones hidden in turn."""
    for place, number in enumerate(facts):
        if number is not None:
            yield (*facts[:place], None, *facts[place + 1 :])


@for_every("code, example", EXAMPLES)
def test_hiding_a_fact_of_an_example(code, example):
    """
    "The language has no way to look at missingness, so hiding a fact can never make a deal
    eligible."
    """
    rulebook = JURISDICTIONS.resolve(code, on=example.on)
    facts = rulebook.catalogue.prepare(example.given)
    if not rulebook.assess_prepared(facts).eligible:
        for hidden in hidden_ones(facts):
            assert not rulebook.assess_prepared(hidden).eligible


@st.composite
def deals(draw, rulebook):
    """Prepared facts, ordinary or near a bound, some of them unknown."""
    ordinary = rulebook.catalogue.prepare(
        next(
            each.given
            for each in JURISDICTIONS.examples(rulebook.code)
            if each.product is None and each.given
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
    A deal that is not eligible does not become eligible when less is known about it.
    """
    rulebook = data.draw(st.sampled_from(RULEBOOKS))
    facts = data.draw(deals(rulebook))
    if not rulebook.assess_prepared(facts).eligible:
        for hidden in hidden_ones(facts):
            assert not rulebook.assess_prepared(hidden).eligible


@for_every("rulebook", RULEBOOKS, ids=lambda rulebook: f"{rulebook.code} {rulebook.on}")
def test_nothing_known_is_undetermined(rulebook):
    """
    Without any fact the outcome is `undetermined`, and only progress is needed.
    """
    assessment = rulebook.assess({})

    assert assessment.outcome == "undetermined"
    assert assessment.needs == ("progress",)
    assert assessment.trace == ()


def test_the_floor_alone_is_never_enough():
    """
    Reaching the floor alone never makes a deal eligible
    (decisions/rule-language#rules-and-outcomes).
    """
    for rulebook in RULEBOOKS:
        assert not rulebook.assess({"progress": "100%"}).eligible
    assert JURISDICTIONS.resolve("GB", on=date(2026, 7, 1)).renewal.declining
