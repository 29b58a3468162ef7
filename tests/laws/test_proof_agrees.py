"""The terms of proofs say what the reference interpreter says, on random rules and facts."""

from __future__ import annotations

from collections import Counter
from datetime import date
from random import Random

import pytest
import z3

from counts import count
from every_case import for_every
from holdback.eligibility.assessment import FLOOR, OUTCOMES, assess
from holdback.rules import interpret, proof
from holdback.tools.proofs import solver
from holdback.tools.proofs.question import OutcomeIn
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE

RULES, FACTS_EACH = count("rules read by proofs and interpreter"), 20
SETS, DEALS_EACH = count("sets of rules read by proofs and assessment"), 20
CONTEXT = z3.Context()
ON = date(2026, 7, 6)


def pairs(seed, rules, tuples=FACTS_EACH):
    """As many random rules, each with a number of tuples of facts."""
    generator = RuleGenerator(Random(seed), CATALOGUE)
    for _ in range(rules):
        rule = generator.rule()
        yield rule, [generator.facts(rule) for _ in range(tuples)]


class Deal:
    """
    What a deal says in place of the facts of *terms*.

    The number of a fact that is missing means nothing, so it is any.
    """

    def __init__(self, terms, facts, names, draw):
        self.values = []
        for name in sorted(names):
            number = facts[CATALOGUE.place(name)]
            known = z3.BoolVal(number is not None, CONTEXT)
            any_number = draw.choice((-1, 0, 1, 10**6))
            shown = z3.IntVal(any_number if number is None else number, CONTEXT)
            self.values += [(terms.known(name), known), (terms.number(name), shown)]

    def satisfies(self, term):
        """Whether *term* is true of the deal."""
        value = z3.simplify(z3.substitute(term, *self.values))
        assert z3.is_true(value) or z3.is_false(value), value
        return z3.is_true(value)


def answer_of(rule, facts, terms, draw):
    """The answer of *rule* by its terms, or what they say if it is none of the three."""
    deal = Deal(terms, facts, rule.names, draw)
    both = deal.satisfies(terms.true(rule)), deal.satisfies(terms.false(rule))
    return {(True, False): True, (False, True): False, (False, False): None}.get(both, both)


def differences(seed, rules, tuples=FACTS_EACH):
    """Yield the answer of the terms and that of the interpreter, for random pairs."""
    draw = Random(f"{seed} numbers")
    for rule, drawn in pairs(seed, rules, tuples):
        terms = proof.Terms(CONTEXT)
        for facts in drawn:
            yield answer_of(rule, facts, terms, draw), interpret(rule, facts), (rule.source, facts)


def test_terms_and_interpreter_agree_on_generated_pairs():
    """
    "Proof equals interpreter on 50,000 random (rule, facts) pairs", missing facts included.
    """
    met = Counter()
    for answer, meant, pair in differences("proofs agree", RULES):
        assert answer is meant, pair
        met[meant] += 1

    assert met.total() == RULES * FACTS_EACH
    assert all(met[answer] >= met.total() / 20 for answer in (True, False, None)), met


def deal_for(generator, rules):
    """Facts for a set of *rules*: most are known, and one rule is often at a threshold."""
    draw = generator.random
    facts = [None if draw.random() < 0.03 else number for number in generator.known_facts()]
    for rule in draw.sample(rules.rules, len(rules.rules)):
        read = generator.facts(rule.checked)
        for place in rule.checked.facts:
            facts[place] = read[place]
    if draw.random() < 0.9:
        facts[rules.progress] = draw.choice((FLOOR, FLOOR + 1, FLOOR * 2, FLOOR - 1, FLOOR + 10**5))
    return tuple(facts)


def outcomes_of(part, facts, terms, draw):
    """The outcomes of which the terms say that *facts* have them."""
    deal = Deal(terms, facts, {*part.names}, draw)
    return [name for name in OUTCOMES if deal.satisfies(solver.outcome_term(part, name, terms))]


def test_terms_and_assessment_agree_on_outcomes():
    """
    A deal has exactly the outcome that `eligibility.assess` gives it, on 20,000 deals.
    """
    generator, met = RuleGenerator(Random("outcomes"), CATALOGUE), Counter()
    for _ in range(SETS):
        rules, terms = generator.rule_set(), proof.Terms(CONTEXT)
        for _ in range(DEALS_EACH):
            facts = deal_for(generator, rules)
            meant = assess(rules, facts, ON).outcome

            part = OutcomeIn(rules, frozenset({meant}))
            assert outcomes_of(part, facts, terms, generator.random) == [meant], (rules, facts)
            assert part.holds(facts)
            met[meant] += 1

    assert met.total() == SETS * DEALS_EACH
    assert all(met[name] >= met.total() / 50 for name in OUTCOMES), met


# -- planted faults

COMPARED_WRONGLY = {
    "==": lambda first, others: first >= others[0],
    "!=": lambda first, others: first < others[0],
    "<": lambda first, others: first <= others[0],
    "<=": lambda first, others: first < others[0],
    ">": lambda first, others: first >= others[0],
    ">=": lambda first, others: first > others[0],
    "in": lambda first, others: first == others[0],
    "not in": lambda first, others: first != others[0],
}
COMPUTED_WRONGLY = {
    "+": lambda parts: parts[0] - parts[1],
    "-": lambda parts: parts[1] - parts[0],
    "negate": lambda parts: parts[0],
    "abs": lambda parts: parts[0],
    "min": lambda parts: parts[0],
    "max": lambda parts: parts[0],
}


def careless_not(terms, node, *, truth):
    """A condition for which what is not true is false, also where it is unknown."""
    if getattr(node, "operator", "") == "not":
        return z3.Not(terms.flag(node.operands[0], truth=truth))
    return RIGHT_FLAG(terms, node, truth=truth)


def joined_alike(terms, node, *, truth):
    """A condition that joins the operands of `and` as those of `or`."""
    if getattr(node, "operator", "") == "and":
        return z3.Or([terms.flag(operand, truth=truth) for operand in node.operands])
    return RIGHT_FLAG(terms, node, truth=truth)


RIGHT_FLAG = proof.Terms._flag
FAULTS = {
    **{
        f"`{name}`": (proof, "_COMPARISONS", {**proof._COMPARISONS, name: wrong})
        for name, wrong in COMPARED_WRONGLY.items()
    },
    **{
        f"`{name}`": (proof, "_NUMBERS", {**proof._NUMBERS, name: wrong})
        for name, wrong in COMPUTED_WRONGLY.items()
    },
    "`not` of unknown": (proof.Terms, "_flag", careless_not),
    "`and` as `or`": (proof.Terms, "_flag", joined_alike),
    "a missing fact is known": (
        proof.Terms, "known", lambda terms, _name: z3.BoolVal(val=True, ctx=terms.context)
    ),
    "numbers of two scales": (proof.scaling, "multiplier", lambda _node, _places: 1),
}  # fmt: skip


@for_every("fault", FAULTS.values(), ids=[*FAULTS])
def test_planted_faults_are_caught(fault):
    """
    Wrong terms are found, with a fault for each operator.
    """
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(*fault)
        assert any(
            answer is not meant
            for answer, meant, _ in differences(
                "planted", count("rules among which wrong terms are found"), tuples=5
            )
        )
