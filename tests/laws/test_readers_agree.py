"""Closure and masks give the answers of the reference interpreter, on random rules and facts."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from holdback.rules import check, closure, interpret, parse, text, trace
from holdback.rules.closure import mask_function
from holdback.rules.operators import OPERATORS
from holdback.rules.types import Kind
from rule_generator import COMPARISONS, RuleGenerator
from small_catalogue import CATALOGUE

# In the package, `closure` is the function, so the module is found by its name.
CLOSURE = sys.modules["holdback.rules.closure"]

RULES, FACTS_EACH = count("rules read by closure and interpreter"), 20
PLANTED_RULES = count("rules among which a planted fault is caught")


def pairs(seed, rules, tuples=FACTS_EACH):
    """As many random rules, each with a number of tuples of facts."""
    generator = RuleGenerator(Random(seed), CATALOGUE)
    for _ in range(rules):
        rule = generator.rule()
        yield rule, [generator.facts(rule) for _ in range(tuples)]


def same(first, second):
    """Whether two answers are the same: 1 is not true, and 0 is not false."""
    return first is second or (type(first) is type(second) and first == second)


def answers(rule):
    """A function from facts to the answers of *rule*: by its closure, and by its masks."""
    function, function_of_masks = closure(rule), mask_function([rule])
    of_masks = {(0, 0): True, (1, 0): False, (0, 1): None}
    return lambda facts: (function(facts), of_masks[function_of_masks(facts)])


class Tally:
    """Counts how often each operator gave each answer, and how many pairs lie at a threshold."""

    def __init__(self):
        self.met = Counter()
        self.pairs = 0
        self.near = 0

    def add(self, traced):
        self.pairs += 1
        self.near += self.count(traced, None)

    def count(self, traced, answer):
        """Count the operators in *traced*; one with a number counts for its comparison's answer."""
        node, near = traced.node, False
        if node.type.kind is Kind.FLAG:
            answer = traced.value
        if traced.children:
            unknown = traced.value is None
            self.met[node.operator, None if unknown else answer] += 1
            near = node.operator in COMPARISONS and at_threshold(traced)
            for child in traced.children:
                near |= self.count(child, answer)
        return near


def at_threshold(traced):
    """Whether the two sides of a comparison are known and at most one unit of their type apart."""
    left, right = traced.children
    if None in (left.value, right.value) or left.node.type.kind is Kind.TEXT:
        return False
    places = max(left.node.places, right.node.places)
    apart = left.value * 10 ** (places - left.node.places) - right.value * 10 ** (
        places - right.node.places
    )
    return abs(apart) <= 10 ** (places - left.node.type.places)


def test_the_readers_agree_on_generated_pairs():
    """
    Closure, masks, trace and interpreter agree on pairs of a rule and facts.

    At least one pair in 200 meets each answer of each operator, and a fifth of the pairs lie within
    one unit of a threshold.
    """
    tally = Tally()
    for rule, tuples in pairs("the readers agree", RULES):
        answer = answers(rule)
        for facts in tuples:
            meant = interpret(rule, facts)
            traced = trace(rule, facts)
            by_closure, by_masks = answer(facts)

            assert same(by_closure, meant), (rule.source, facts)
            assert same(by_masks, meant), (rule.source, facts)
            assert same(traced.value, meant), (rule.source, facts)
            tally.add(traced)

    assert tally.pairs == RULES * FACTS_EACH
    assert tally.near >= tally.pairs / 5
    for operator in OPERATORS:
        for answer in (True, False, None):
            assert tally.met[operator, answer] >= tally.pairs / 200, (operator, answer)


@st.composite
def rules_and_facts(draw):
    """A rule from a seed, and facts for it."""
    rule = RuleGenerator(Random(draw(st.integers(0, 2**64))), CATALOGUE).rule()
    numbers = [
        draw(st.none() | st.integers(fact.low, fact.high)) if place in rule.facts else None
        for place, fact in enumerate(CATALOGUE.facts)
    ]
    return rule, tuple(numbers)


@settings(max_examples=count("rules and facts from Hypothesis"))
@given(rules_and_facts())
def test_on_pairs_from_hypothesis(pair):
    """
    They agree on the pairs that Hypothesis draws, which it can simplify.
    """
    rule, facts = pair
    meant = interpret(rule, facts)

    assert all(same(answer, meant) for answer in answers(rule)(facts))


def test_many_rules_in_one_function():
    """
    The masks of several rules hold the answer of rule i in bit i.
    """
    generator = RuleGenerator(Random("sixty rules at once"), CATALOGUE)
    for size in (0, 1, 2, 10, 60):
        rules = [generator.rule() for _ in range(size)]
        function = mask_function(rules)
        for _ in range(200):
            facts = tuple(
                None if generator.random.random() < 0.1 else number
                for number in generator.known_facts()
            )
            false, unknown = function(facts)

            meant = [interpret(rule, facts) for rule in rules]
            assert false == sum(1 << bit for bit, answer in enumerate(meant) if answer is False)
            assert unknown == sum(1 << bit for bit, answer in enumerate(meant) if answer is None)


def test_closure_and_interpreter_agree_on_numbers():
    """
    Closure and interpreter agree on expressions that are numbers, within the bounds of the check.
    """
    generator = RuleGenerator(Random("numbers"), CATALOGUE)
    kinds = (Kind.COUNT, Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.DAYS, Kind.DATE, Kind.TEXT)
    for kind in kinds * 100:
        number = check(parse(generator.number(kind, 2)), CATALOGUE)
        for _ in range(10):
            facts = generator.facts(number)
            meant = interpret(number, facts)

            assert same(closure(number)(facts), meant)
            assert meant is None or number.tree.low <= meant <= number.tree.high


def test_hiding_a_fact_never_answers():
    """
    Hiding a fact leaves an answer unchanged or makes it unknown (decisions/rule-language#unknown).
    """
    for rule, tuples in pairs("hiding", count("rules with facts hidden")):
        function = closure(rule)
        for facts in tuples:
            answer = function(facts)
            for place in rule.facts:
                hidden = function((*facts[:place], None, *facts[place + 1 :]))

                assert hidden is None or hidden is answer, (rule.source, facts, place)


def test_canonical_text_means_the_same():
    """
    A rule read from its canonical text has the same canonical text, and the same answers.
    """
    for rule, tuples in pairs("canonical text", count("rules written canonically"), tuples=4):
        again = check(parse(text(rule)), CATALOGUE, Kind.FLAG)

        assert text(again) == text(rule)
        assert rule.parameters or again.tree == rule.tree
        for facts in tuples:
            assert interpret(again, facts) is interpret(rule, facts)


# -- planted faults

WRITTEN_WRONGLY = {
    "<": "{} <= {}",
    "<=": "{} < {}",
    ">": "{} >= {}",
    ">=": "{} > {}",
    "==": "{} >= {}",
    "!=": "{} < {}",
    "in": "{} == max([{}])",
    "+": "({} - {})",
    "-": "({1} - {0})",
    "*": "({} + {})",
    "negate": "{}",
    "min": "max({}, {})",
    "max": "{}",
    "abs": "{}",
}


def plant(name, wrong):
    """Replace the closure's function *name* by *wrong*, whose first argument is the right one."""
    right = getattr(CLOSURE, name)
    return name, lambda *arguments: wrong(right, *arguments)


def misjoined(operator, word):
    """A writer of conditions that joins the operands of *operator* by the wrong *word*."""

    def wrong(right, node):
        condition = right(node)
        if getattr(node, "operator", "") != operator:
            return condition
        parts = [right(operand) for operand in node.operands]
        return f"({f' {word} '.join(parts)})"

    return wrong


def careless_not(right, node):
    """A writer of conditions for which `not` of an unknown is true, as in Python."""
    if getattr(node, "operator", "") == "not":
        return f"(not {right(node.operands[0])})"
    return right(node)


FAULTS = {
    **{
        f"`{operator}` written as `{wrong}`": ("_PYTHON", {operator: wrong})
        for operator, wrong in WRITTEN_WRONGLY.items()
    },
    "`and` true when one is": plant("_true", misjoined("and", "or")),
    "`or` true when all are": plant("_true", misjoined("or", "and")),
    "`and` false when all are": plant("_false", misjoined("and", "and")),
    "`or` false when one is": plant("_false", misjoined("or", "or")),
    "`not` of unknown is true": plant("_true", careless_not),
    "an unknown number is nought": plant("_known", lambda _right, _node: "True"),
    "one unknown operand of two is overlooked": plant(
        "_places", lambda right, node: right(node)[:1]
    ),
}


@pytest.fixture(scope="module")
def expected():
    """Rules with facts, and the interpreter's answers."""
    return [
        (rule, [(facts, interpret(rule, facts)) for facts in tuples])
        for rule, tuples in pairs("planted faults", PLANTED_RULES)
    ]


def is_caught(expected):
    """Whether a generated function gives an answer that is not *expected*, or raises."""
    for rule, results in expected:
        try:
            answer = answers(rule)
            if any(not same(got, meant) for facts, meant in results for got in answer(facts)):
                return True
        except TypeError:
            return True
    return False


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_planted_faults_are_caught(fault, expected, monkeypatch):
    """
    A wrong closure is found: 21 of them, with at least one for each operator.
    """
    name, wrong = fault
    if isinstance(wrong, dict):
        wrong = {**CLOSURE._PYTHON, **wrong}
    monkeypatch.setattr(CLOSURE, name, wrong)

    assert is_caught(expected)


def test_nothing_is_caught_where_nothing_is_planted(expected):
    """
    The comparison that finds planted faults finds none in the real closure.
    """
    assert not is_caught(expected)


@pytest.mark.parametrize("digits", [1, 2])
def test_a_wrong_scale_is_caught(digits, expected, monkeypatch):
    """
    A closure that compares operands of two scales without scaling them is found.
    """

    class Careless:
        multiplier = staticmethod(
            lambda node, places: 10 ** (max(0, places - node.places - digits))
        )
        most_places = staticmethod(CLOSURE.scaling.most_places)
        is_constant = staticmethod(CLOSURE.scaling.is_constant)
        factor = staticmethod(CLOSURE.scaling.factor)

    monkeypatch.setattr(CLOSURE, "scaling", Careless)

    assert is_caught(expected)
