"""Whether two rulebooks are the same on every deal, where that can be seen by looking at few of them.

A rule whose comparisons are of one fact with constants changes its answer only at those constants. So two
such rules are the same when they answer alike on every combination of the constants, their neighbours
and the ends of the ranges, the fact unknown included. Of other rules nothing is said.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Final

from holdback.eligibility import FLOOR
from holdback.jurisdictions.jurisdiction_file import TIMELINES
from holdback.jurisdictions.rulebook import Rulebook
from holdback.rules import Catalogue, Facts, interpret
from holdback.rules.tree import Checked, Constant, FactRead, Node, Operation
from holdback.ruleset import Rule, RuleSet

# More combinations than this are not looked at.
MOST_LOOKS: Final = 2_000
_LOGIC: Final = ("and", "or", "not")


def alike(one: Rulebook, other: Rulebook) -> bool:
    """Whether no deal can tell *one* from *other*, as far as can be seen; what is not seen is no."""
    if one is other:
        return True
    if any(getattr(one, name) != getattr(other, name) for name in TIMELINES):
        return False
    if len(one.products) != len(other.products):
        return False
    sets = [(one.renewal, other.renewal, True)]
    for before, after in zip(one.products, other.products, strict=True):
        if before is after:
            continue
        priced = (before.amounts, before.limits, before.split_percentage, before.factor_rate)
        if priced != (after.amounts, after.limits, after.split_percentage, after.factor_rate):
            return False
        if before.term != after.term:
            return False
        sets.append((before.rules, after.rules, False))
    return all(_same_set(before, after, above) for before, after, above in sets)


def _same_set(before: RuleSet, after: RuleSet, above_floor: bool) -> bool:
    if before is after:
        return True
    return len(before.rules) == len(after.rules) and all(
        _same(one, other, above_floor) for one, other in zip(before.rules, after.rules, strict=True)
    )


def _same(one: Rule, other: Rule, above_floor: bool) -> bool:
    if one is other:
        return True
    if (one.code, one.otherwise) != (other.code, other.otherwise):
        return False
    deals = telling([one.checked, other.checked], above_floor=above_floor)
    return deals is not None and all(
        interpret(one.checked, facts) == interpret(other.checked, facts) for facts in deals
    )


def telling(rules: list[Checked], *, above_floor: bool) -> list[Facts] | None:
    """
    Deals among which there are two that *rules* answer differently, if there are any at all.

    None when that cannot be said: a comparison is of more than a fact with constants, or there would be
    more deals than `MOST_LOOKS`. With *above_floor* only deals whose progress reaches the floor.
    """
    catalogue = rules[0].catalogue
    points: dict[int, set[int | None]] = {}
    for rule in rules:
        if not _simple(rule.tree, points):
            return None
    for place, numbers in points.items():
        fact = catalogue.facts[place]
        low = max(fact.low, FLOOR) if above_floor and fact.name == "progress" else fact.low
        ends = {fact.low, fact.high, low}
        inside = {n for n in numbers | ends if n is not None and low <= n <= fact.high}
        points[place] = {*inside} if above_floor and fact.name == "progress" else {*inside, None}
    if prod(len(each) for each in points.values()) > MOST_LOOKS:
        return None
    return [
        _facts(catalogue, dict(zip(points, deal, strict=True)))
        for deal in product(*points.values())
    ]


def _facts(catalogue: Catalogue, known: dict[int, int | None]) -> Facts:
    return tuple(known.get(place) for place in range(len(catalogue.facts)))


def _simple(node: Node, points: dict[int, set[int | None]]) -> bool:
    """Whether *node* compares single facts with constants; adds where each fact's answers can change."""
    match node:
        case Constant():
            return True
        case FactRead():
            points.setdefault(node.place, set()).update((0, 1))
            return True
        case Operation(operator=operator, operands=operands) if operator in _LOGIC:
            answers = [_simple(operand, points) for operand in operands]  # each adds its points
            return all(answers)
        case Operation(operands=operands):
            facts = [each for each in operands if isinstance(each, FactRead)]
            constants = [each for each in operands if isinstance(each, Constant)]
            if len(facts) != 1 or len(constants) != len(operands) - 1:
                return False
            for constant in constants:
                number = constant.number
                points.setdefault(facts[0].place, set()).update((number - 1, number, number + 1))
            return True
