"""The plainest deal: fewest changes, exact intervals, round figures, the same in every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from random import Random

import pytest

from counts import count
from every_case import for_every
from holdback.rules import Fact, Kind, Type, check, interpret, parse
from holdback.tools.proofs.claims import is_possible
from holdback.tools.proofs.plainest import farthest, plainest, roundest
from holdback.tools.proofs.question import TRUE, UNKNOWN, AnswerIn, Question
from holdback.tools.proofs.solver import Solver
from small_rulebooks import ALIKE, FACTS, GBP, SmallRulebooks, every_deal, typical

ON = date(2026, 7, 1)
PERCENT = Fact(name="performance", type=Type(Kind.PERCENT), low=0, high=10**7)
COUNT = Fact(name="months_trading", type=Type(Kind.COUNT), low=0, high=12_000)
DATE = Fact(name="credit_checked_on", type=Type(Kind.DATE), low=1, high=date.max.toordinal())
USUAL = {"progress": "50%", "performance": "50.0002%", "status": "Funded", "level": 3}


def asked(*texts, answers=TRUE):
    """The question for a deal of which each of *texts* has one of *answers*."""
    parts = tuple(AnswerIn(check(parse(text), FACTS, Kind.FLAG), answers) for text in texts)
    return Question(catalogue=FACTS, parts=parts)


def shown(*texts, answers=TRUE, **usual):
    """The words of the plainest deal of which each of *texts* has one of *answers*."""
    prepared = FACTS.prepare({**USUAL, **usual})
    witness = plainest(asked(*texts, answers=answers), prepared, ON)
    return None if witness is None else witness.words


@for_every(
    "texts, words",
    [
        (("level >= 2",), "the typical deal"),
        (("level <= 1",), "the typical deal, but level 1 (0 to 1)"),
        (("level <= 2", "level != 0"), "the typical deal, but level 2 (1 to 2)"),
        (("level != 3", "not level in [0, 1]"), "the typical deal, but level 2"),
        (('status == "Repaid"',), "the typical deal, but status Repaid"),
        (('grade in ["B", "C"]',), "the typical deal, but grade B"),
        (("paused",), "the typical deal, but paused yes"),
        (("deals_recovered >= 1",), "the typical deal, but deals recovered 1 (1 to 2)"),
        (("level < 0 or level > 3",), None),
    ],
)
def test_the_words_of_a_deal(texts, words):
    """
    What differs from the typical deal is named with the interval in which the answer stays.
    """
    assert shown(*texts) == words


def test_a_fact_is_unknown_only_where_it_has_to_be():
    """
    None is missing that need not be, even if more facts differ for it.
    """
    either = 'level == 0 and status == "Repaid" and grade == "A"'
    assert shown(either) == "the typical deal, but status Repaid, grade A, level 0"
    assert shown("level >= 1", answers=UNKNOWN) == "the typical deal, but level unknown"


def test_a_repaid_deal_owes_nothing():
    """
    The facts that the question does not read are made to fit those that it does.
    """
    witness = plainest(asked('status == "Repaid"'), FACTS.prepare({**USUAL, "balance": "0.02"}), ON)

    assert witness.known["balance"] == "0.00"
    assert witness.words == "the typical deal, but balance GBP 0.00, status Repaid"
    assert is_possible(witness.facts, GBP)


def test_an_interval_holds_beside_the_rest_of_the_deal():
    """
    While nothing else changes, every deal of the interval is possible, also by the facts that the
    question does not read: performance is at least progress.
    """
    usual = FACTS.prepare({**USUAL, "progress": "49.9999%", "performance": "50.0001%"})
    witness = plainest(asked("progress >= 50%"), usual, ON)
    (change,) = witness.changes
    place = FACTS.place("progress")

    assert witness.words == "the typical deal, but progress 50% (50% to 50.0001%)"
    for number, possible in ((change.low, True), (change.high, True), (change.high + 1, False)):
        deal = (*witness.facts[:place], number, *witness.facts[place + 1 :])
        assert is_possible(deal, GBP) is possible


@for_every(
    "fact, low, high, near, words",
    [
        (PERCENT, 750_000, 799_999, 970_000, "79%"),
        (PERCENT, 750_001, 750_003, 970_000, "75.0003%"),
        (PERCENT, 750_100, 759_999, 970_000, "75.9%"),
        (PERCENT, 0, 499_999, 970_000, "40%"),
        (PERCENT, 1_050_000, 10**7, 970_000, "110%"),
        (COUNT, 0, 17, 52, "10"),
        (COUNT, 12, 17, 52, "17"),
        (COUNT, 60, 12_000, 52, "60"),
        (COUNT, 0, 0, 0, "0"),
        (COUNT, 7, 9, None, "7"),
        (DATE, 1, date(2024, 12, 31).toordinal(), date(2026, 1, 5).toordinal(), "2024-12-31"),
    ],
)
def test_round_figures(fact, low, high, near, words):
    """
    The roundest number of the interval, and of several the one that is nearest to the typical.
    """
    assert fact.type.show(roundest(fact, low, high, near)) == words


@for_every("low, high", [(0, 0), (0, 999), (10, 700), (10, 10), (3, 4)])
def test_the_farthest_number(low, high):
    """
    Of one interval both ends are exact, wherever in it the search begins.
    """
    for start in range(low, high + 1, max(1, (high - low) // 7)):
        ends = [farthest(lambda number: low <= number <= high, start, end) for end in (0, 999)]
        assert ends == [low, high]


def test_intervals_are_those_of_every_number():
    """
    Between the ends of a changed fact the answer stays, and beyond them it does not.
    """
    random = Random("intervals")
    small = SmallRulebooks(random)
    looked_at = 0
    for _ in range(count("intervals held against every number")):
        names = [*random.choice(ALIKE), "status", "balance"]
        question = asked(*(small.expression(names) for _ in range(2)))
        usual = typical(random)
        witness = plainest(question, usual, ON)
        if witness is None:
            assert not any(question.holds(facts) for facts in every_deal(question.names))
            continue
        assert question.holds(witness.facts)
        for change in witness.changes:
            if change.value is None or change.fact.name not in question.names:
                continue
            looked_at += 1
            fact, low, high = change.fact, change.low, change.high
            place = FACTS.place(fact.name)
            satisfying = {
                number
                for number in range(fact.low, fact.high + 1)
                for deal in [(*witness.facts[:place], number, *witness.facts[place + 1 :])]
                if question.holds(deal) and is_possible(deal, GBP)
            }
            assert change.value in range(low, high + 1)
            assert satisfying.issuperset(range(low, high + 1))
            if fact.type.kind not in {Kind.TEXT, Kind.FLAG}:
                assert not satisfying & {low - 1, high + 1}
    assert looked_at >= count("intervals held against every number") / 4


def test_a_hole_ends_an_interval():
    """
    An interval has no number that does not satisfy, also where the search has stepped over one.
    """
    question = asked("months_trading >= 10 and not months_trading in [24, 700]")
    witness = plainest(question, FACTS.prepare({**USUAL, "months_trading": 5}), ON)

    (change,) = witness.changes
    assert (change.low, change.high) in {(10, 23), (25, 699), (701, 12_000)}
    assert change.low <= change.value <= change.high


def test_a_deal_with_a_missing_fact_has_an_interval():
    """
    A fact that is missing leaves the intervals of the others unchanged.
    """
    known = check(parse("balance <= GBP 0.02"), FACTS, Kind.FLAG)
    missing = check(parse('status == "Funded"'), FACTS, Kind.FLAG)
    question = Question(catalogue=FACTS, parts=(AnswerIn(known, TRUE), AnswerIn(missing, UNKNOWN)))
    witness = plainest(question, FACTS.prepare({**USUAL, "balance": "0.03"}), ON)

    assert (
        witness.words
        == "the typical deal, but balance GBP 0.02 (GBP 0.00 to GBP 0.02), status unknown"
    )
    assert interpret(known, witness.facts) is True


def test_what_was_asked_before_does_not_matter():
    """
    Each deal is looked for in a context of its own.
    """
    question = asked("level <= 2 or balance == GBP 0.01", 'grade != "A"')
    usual = FACTS.prepare(USUAL)
    first = plainest(question, usual, ON)
    for text in ("level <= 1", "deals_defaulted + deals_recovered >= 3", "not paused"):
        plainest(asked(text), usual, ON)
        Solver().answer(asked(text))

    assert plainest(question, usual, ON) == first


SCRIPT = """
import json
from holdback import load_jurisdictions
from holdback.tools.proofs.effects import effects

shown = []
for code in ("GB", "IE", "US-CA"):
    place = load_jurisdictions()[code]
    for before, after in zip(place.changes, place.changes[1:]):
        for effect in effects(place, place, (before, after)):
            shown += [witness.words for _, witness in effect.witnesses]
print(json.dumps(shown))
"""


@pytest.mark.parametrize("seeds", [("0", "1", "4711")])
def test_the_same_deals_in_every_process(seeds):
    """
    The same witnesses in every process, with every seed of Python's hashes.
    """
    printed = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in seeds
    ]

    assert len(json.loads(printed[0])) >= 15
    assert set(printed) == {printed[0]}
