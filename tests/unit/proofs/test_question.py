"""Questions about deals, answered by the reference interpreter."""

from __future__ import annotations

from attrs import evolve

from every_case import for_every
from holdback.eligibility.assessment import (
    ELIGIBLE,
    INELIGIBLE,
    NOT_ASSESSED,
    REFERRED,
    UNDETERMINED,
)
from holdback.eligibility.ruleset import DECLINE, REFER
from holdback.rules import Catalogue, Fact, Kind, Type, check, parse
from holdback.tools.proofs.question import (
    FALSE,
    NOT_FALSE,
    NOT_TRUE,
    TRUE,
    UNKNOWN,
    AnswerIn,
    OutcomeIn,
    Question,
    moved_to,
    new_ordinals,
    outcome,
    reaches_floor,
)
from small_rulebooks import FACTS, GBP, SmallRulebooks, ruleset

RULES = ruleset(
    (
        SmallRulebooks(None).written(0, "level >= 1", DECLINE),
        SmallRulebooks(None).written(1, 'grade == "A"', REFER),
    )
)


def deal(**given):
    return FACTS.prepare({"progress": "50%", **given})


def flag(text):
    return check(parse(text), FACTS, Kind.FLAG)


@for_every(
    "given, with_floor, without",
    [
        ({"level": 1, "grade": "A"}, ELIGIBLE, ELIGIBLE),
        ({"level": 0}, INELIGIBLE, INELIGIBLE),
        ({"level": 1}, UNDETERMINED, UNDETERMINED),
        ({"level": 1, "grade": "B"}, REFERRED, REFERRED),
        ({"grade": "B"}, UNDETERMINED, UNDETERMINED),
        ({"level": 0, "progress": "49.9999%"}, NOT_ASSESSED, INELIGIBLE),
        ({"level": 0, "progress": None}, UNDETERMINED, INELIGIBLE),
    ],
)
def test_outcomes(given, with_floor, without):
    """
    The order of outcomes; the rules of a product know no floor.
    """
    assert outcome(RULES, deal(**given), floor=True) == with_floor
    assert outcome(RULES, deal(**given), floor=False) == without
    part = OutcomeIn(RULES, frozenset({with_floor}))
    assert part.holds(deal(**given))
    assert not OutcomeIn(RULES, frozenset({"elsewhere"})).holds(deal(**given))


@for_every(
    "answers, true, false, unknown",
    [
        (TRUE, True, False, False),
        (FALSE, False, True, False),
        (UNKNOWN, False, False, True),
        (NOT_TRUE, False, True, True),
        (NOT_FALSE, True, False, True),
    ],
)
def test_answers(answers, true, false, unknown):
    """
    An answer is true, false or unknown, and unknown is not false.
    """
    question = Question(catalogue=FACTS, parts=(AnswerIn(flag("level >= 1"), answers),))

    assert [question.holds(deal(**given)) for given in ({"level": 1}, {"level": 0}, {})] == [
        true,
        false,
        unknown,
    ]


def test_a_deal_that_cannot_exist_is_none():
    """
    Relations between the facts that are read have to hold; a missing fact contradicts nothing.
    """
    question = Question(catalogue=FACTS, parts=(AnswerIn(flag("deals_recovered > level"), TRUE),))
    both = Question(
        catalogue=FACTS,
        parts=(*question.parts, AnswerIn(flag("deals_defaulted >= 0"), NOT_FALSE)),
    )
    recovered = deal(deals_recovered=2, deals_defaulted=1, level=0)

    assert question.names == {"deals_recovered", "level"}
    assert question.holds(recovered)
    assert not both.holds(recovered)
    assert both.holds(deal(deals_recovered=2, level=0))


def test_alternatives():
    """
    With alternatives, all parts of one of them hold too.
    """
    alternatives = tuple(
        (AnswerIn(flag(text), TRUE), AnswerIn(flag("paused"), FALSE))
        for text in ("level == 1", 'grade == "C"')
    )
    question = Question(catalogue=FACTS, parts=(reaches_floor(FACTS),), alternatives=alternatives)

    assert question.names == {"progress", "level", "grade", "paused"}
    assert question.holds(deal(level=1, paused=False))
    assert question.holds(deal(grade="C", paused=False))
    assert not question.holds(deal(level=1))
    assert not question.holds(deal(level=2, grade="B", paused=False))
    assert not question.holds(deal(level=1, paused=False, progress="49.9999%"))


def test_a_second_deal():
    """
    A question may be about two deals, each of which is possible and satisfies its own parts.
    """
    question = Question(
        catalogue=FACTS,
        parts=(AnswerIn(flag("level <= 1"), TRUE),),
        moved="level",
        after=(AnswerIn(flag("level <= 1"), FALSE),),
    )

    assert question.holds(deal(level=1), deal(level=2))
    assert not question.holds(deal(level=0), deal(level=1))
    assert not question.holds(deal(level=2), deal(level=3))


def test_facts_of_another_catalogue():
    """
    Facts move by name, and a text by its option: never by the place of either.
    """
    grade = Fact(name="grade", type=Type(Kind.TEXT, options=("C", "A", "Z")), low=0, high=2)
    new = Fact(name="new", type=Type(Kind.FLAG), low=0, high=1)
    other = Catalogue(facts=(new, grade, FACTS.fact("level")), currency=GBP)

    assert moved_to(other, FACTS, deal(level=3, grade="A")) == (None, 1, 3)
    assert moved_to(other, FACTS, deal(grade="B")) == (None, None, None)
    assert moved_to(FACTS, other, (1, 0, 2)) == evolve(FACTS).prepare({"grade": "C", "level": 2})
    assert new_ordinals(grade, FACTS.fact("grade")) == (1, None, 0)
    facts = deal(level=1)
    assert moved_to(evolve(FACTS), FACTS, facts) is facts


def test_only_equal_questions_mean_the_same():
    """
    The solver keeps its answers by what decides them: all that a question has, and nothing else.
    """
    level = FACTS.facts[FACTS.place("level")]
    wider = evolve(
        FACTS,
        facts=tuple(
            evolve(fact, high=fact.high + 1) if fact is level else fact for fact in FACTS.facts
        ),
    )
    known, other = (AnswerIn(flag(f"level >= {least}"), TRUE) for least in (1, 2))
    passes = OutcomeIn(RULES, frozenset({ELIGIBLE}))
    refers = evolve(RULES.rules[0], otherwise=REFER)
    asked = [
        Question(catalogue=FACTS, parts=(known,)),
        Question(catalogue=FACTS, parts=(other,)),
        Question(catalogue=FACTS, parts=(known, other)),
        Question(catalogue=FACTS, parts=(evolve(known, answers=FALSE),)),
        Question(catalogue=wider, parts=(known,)),
        Question(catalogue=FACTS, alternatives=((known,),)),
        Question(catalogue=FACTS, parts=(known,), alternatives=((other,),)),
        Question(catalogue=FACTS, alternatives=((known,), (other,))),
        Question(catalogue=FACTS, alternatives=((known, other),)),
        Question(catalogue=FACTS, parts=(known,), moved="level"),
        Question(catalogue=FACTS, parts=(known,), moved="level", after=(other,)),
        *(
            Question(catalogue=FACTS, parts=(part,))
            for part in (
                passes,
                evolve(passes, floor=False),
                evolve(passes, outcomes=frozenset({INELIGIBLE})),
                evolve(passes, rules=RULES.altered(rules=(RULES.rules[0],))),
                evolve(passes, rules=RULES.altered(rules=(refers, RULES.rules[1]))),
            )
        ),
    ]

    assert len({question.meaning for question in asked}) == len(asked)
    again = Question(catalogue=FACTS, parts=(AnswerIn(flag("(level >= 1)"), TRUE),))
    assert again.meaning == asked[0].meaning
