"""The least change of a fact, against trying out one number after the other."""

from __future__ import annotations

from random import Random

from counts import count
from holdback.rules import Kind
from holdback.rules.interpreter import answer
from holdback.rules.tree import comparisons
from holdback.tools.advice.least_change import DOWN, UP, Range, helps, least, moved, places
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE

TRIED = 60  # numbers on the way from a fact's own


def numbers(fact, number, direction):
    """The numbers next to *number*, in a direction, within the range of its fact."""
    low, high = max(fact.low, number - TRIED), min(fact.high, number + TRIED)
    span = range(number + 1, high + 1) if direction == UP else range(number - 1, low - 1, -1)
    return list(span)


def test_the_least_change_is_the_first_that_helps():
    """
    Thresholds are exact: the least move that suffices, found without trying out any number.
    """
    random = Random("least changes")
    generator = RuleGenerator(random, CATALOGUE)
    found = none = 0
    for _ in range(count("rules read by closure and interpreter")):
        rule = generator.rule()
        facts = generator.facts(rule)
        for comparison, _ in comparisons(rule.tree):
            known = tuple(
                generator.value(fact) if number is None else number
                for fact, number in zip(CATALOGUE.facts, facts, strict=True)
            )
            place = random.choice(places(comparison))
            fact, direction = CATALOGUE.facts[place], random.choice((UP, DOWN))
            span = numbers(fact, known[place], direction)
            if fact.type.kind is Kind.FLAG or not span:
                continue
            truth = random.choice((True, False))
            tried = [n for n in span if answer(comparison, moved(known, place, n)) is truth]
            expected = tried[0] if tried else None
            reach = Range(span[0], span[-1], direction)
            assert least(comparison, known, place, reach, truth=truth) == expected
            if expected is not None and answer(comparison, known) is not truth:
                assert helps(comparison, known, place, direction, truth=truth)
                found += 1
            none += expected is None
    assert min(found, none) > count("rules read by closure and interpreter") / 20
