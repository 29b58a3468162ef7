"""Answers of the solver have three values, and what it is not given time for is not decided."""

from __future__ import annotations

from datetime import date

import pytest
from attrs import evolve

from holdback.eligibility.assessment import ELIGIBLE, OUTCOMES
from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Type, check, parse
from holdback.rules.proof import Terms
from holdback.tools.proofs.effects import compare
from holdback.tools.proofs.plainest import NotDecidedError, plainest
from holdback.tools.proofs.question import FALSE, TRUE, UNKNOWN, AnswerIn, OutcomeIn, Question
from holdback.tools.proofs.solver import AFTER, Budget, Possibility, Solver
from small_rulebooks import FACTS, SmallRulebooks, ruleset

ON = date(2026, 7, 1)
# Two sums of thirty choices, each to be half of the whole: nobody knows a quick way to decide it.
MANY = 30
HARD = Catalogue(
    facts=tuple(
        Fact(name=f"n{place}", type=Type(Kind.COUNT), low=0, high=1) for place in range(MANY)
    ),
    currency=Currency.of("GBP"),
)
WEIGHTS = (
    [(place * 7919 * 7919 + 104729 * place**2) % 99991 + 1 for place in range(MANY)],
    [(place * 6007 * 31 + 15 * place**3 + 77) % 88883 + 1 for place in range(MANY)],
)


def half(weights):
    total = " + ".join(f"{weight} * n{place}" for place, weight in enumerate(weights))
    return check(parse(f"{total} == {sum(weights) // 2}"), HARD, Kind.FLAG)


HALVES = tuple(map(half, WEIGHTS))
UNDECIDED = Question(catalogue=HARD, parts=tuple(AnswerIn(sums, TRUE) for sums in HALVES))


def one(text, answers):
    return Question(
        catalogue=FACTS, parts=(AnswerIn(check(parse(text), FACTS, Kind.FLAG), answers),)
    )


def test_an_answer_has_no_truth_value():
    """
    What is not decided is not "no": an answer is compared with one of the three.
    """
    for answer in Possibility:
        with pytest.raises(TypeError, match="may be not decided"):
            bool(answer)


def test_possible_and_impossible():
    """
    A deal is possible, or it is not, by the ranges of facts and the relations between them.
    """
    solver = Solver()

    assert solver.answer(one("level >= 3", TRUE)) is Possibility.POSSIBLE
    assert solver.answer(one("level >= 3", UNKNOWN)) is Possibility.POSSIBLE
    assert solver.answer(one("level <= 3", FALSE)) is Possibility.IMPOSSIBLE
    assert solver.answer(one("deals_recovered > deals_defaulted", TRUE)) is Possibility.IMPOSSIBLE
    assert solver.answer(one("performance < progress", TRUE)) is Possibility.IMPOSSIBLE
    owing = 'status == "Repaid" and balance > GBP 0.00'
    assert solver.answer(one(owing, TRUE)) is Possibility.IMPOSSIBLE


def test_what_takes_longer_than_the_limit_is_not_decided():
    """
    A legal rule can be one that the solver does not decide in its time.
    """
    assert Solver(limit=0.05).answer(UNDECIDED) is Possibility.NOT_DECIDED
    with pytest.raises(NotDecidedError):
        plainest(UNDECIDED, (0,) * MANY, ON, limit=0.05)


def test_only_what_had_its_whole_time_is_remembered_as_not_decided():
    """
    A question whose time the budget cut short is asked again when there is more.
    """
    solver = Solver(limit=0.05, budget=Budget(0.02))
    assert solver.answer(UNDECIDED) is Possibility.NOT_DECIDED

    solver.budget = Budget(0.05)
    assert solver.answer(UNDECIDED) is Possibility.NOT_DECIDED
    assert solver.asked == 2
    solver.budget = Budget(0.05)
    assert solver.answer(UNDECIDED) is Possibility.NOT_DECIDED
    assert solver.asked == 2


def test_a_difference_may_be_not_decided():
    """
    A difference that is not decided is said to be, and never equivalent.
    """
    small = SmallRulebooks(None, HARD)
    nobody = ruleset((small.written(0, "n0 == 0 and n0 == 1", "decline"),), HARD)
    halves = ruleset(
        tuple(
            evolve(small.written(place, "n0 == 0", "decline"), checked=checked)
            for place, checked in enumerate(HALVES)
        ),
        HARD,
    )
    gains = compare(nobody, halves, (0,) * MANY, ON, product="flex", limit=0.05)
    loses = compare(halves, nobody, (0,) * MANY, ON, product="flex", limit=0.05)

    assert (gains.relation, loses.relation) == ("not decided", "not decided")
    assert gains.notes == ("whether a deal gains was not decided in 0.05 s",)
    assert loses.notes == ("whether a deal loses was not decided in 0.05 s",)


def test_outcomes_exclude_one_another():
    """
    Of every deal exactly one outcome is true, whichever way a set of outcomes is written.
    """
    small = SmallRulebooks(None)
    texts = (("level >= 1", "decline"), ("paused", "refer"), ("balance > GBP 0.01", "decline"))
    rules = ruleset(tuple(small.written(place, *text) for place, text in enumerate(texts)))
    solver = Solver()
    for floor in (True, False):
        for outcome in OUTCOMES:
            others = frozenset(OUTCOMES) - {outcome}
            both = (OutcomeIn(rules, frozenset({outcome}), floor), OutcomeIn(rules, others, floor))
            assert solver.answer(Question(catalogue=FACTS, parts=both)) is Possibility.IMPOSSIBLE
        none = (OutcomeIn(rules, frozenset(), floor),)
        assert solver.answer(Question(catalogue=FACTS, parts=none)) is Possibility.IMPOSSIBLE
    passes = Question(catalogue=FACTS, parts=(OutcomeIn(rules, frozenset({ELIGIBLE})),))
    assert solver.answer(passes) is Possibility.POSSIBLE


def test_a_second_deal_with_other_ordinals_differs_in_one_fact():
    """
    Terms of a second deal keep the numbers of the first, also where texts get other ordinals.
    """
    terms = Terms()
    after = terms.with_number("level", AFTER)
    renumbered = after.renumbered({"status": [1, 0, 2, 3, 4, 5, 6]})
    other_level = check(parse("level >= 3"), FACTS, Kind.FLAG)
    status = check(parse('status == "Funded"'), FACTS, Kind.FLAG)

    assert renumbered.number("progress").eq(terms.number("progress"))
    assert renumbered.number("level").eq(after.number("level"))
    assert not renumbered.number("level").eq(terms.number("level"))
    assert not renumbered.number("status").eq(terms.number("status"))
    assert renumbered.true(other_level).eq(after.true(other_level))
    assert not renumbered.true(status).eq(terms.true(status))
