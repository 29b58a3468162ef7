"""What would help a deal, as a host asks for it."""

from __future__ import annotations

import itertools
import pickle
from datetime import date

import pytest
from attrs import evolve

from every_case import for_every
from holdback import InvalidDocument, load_jurisdictions
from holdback.eligibility.assessment import assess
from holdback.eligibility.facts import catalogue
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.exact.money import Currency
from holdback.rules import Fact, Kind, Type, check, parse
from holdback.tools.advice.ways import what_would_help

JURISDICTIONS = load_jurisdictions()
DAY = date(2026, 7, 1)
GB = JURISDICTIONS.resolve("GB", on=DAY)
GOOD = dict(JURISDICTIONS["GB"].typical["renewal"])
GBP = Currency.of("GBP")
DECLARED = (
    Fact(name="loans", type=Type(Kind.COUNT), low=0, high=100, moves="down"),
    Fact(name="deposit", type=Type(Kind.MONEY, GBP), low=0, high=10**6, moves="up"),
    Fact(name="lease_ends_on", type=Type(Kind.DATE), low=1, high=800_000, moves="up"),
    Fact(name="licence_valid", type=Type(Kind.FLAG), low=0, high=1, moves="up"),
    Fact(name="savings", type=Type(Kind.MONEY, GBP), low=0, high=10**6, moves="up"),
)
CATALOGUE = catalogue(GBP).with_facts(DECLARED)


def asked(facts, *requires, movable=None, known=CATALOGUE):
    """What would help with rules that are written here."""
    rules = tuple(
        Rule(
            id=f"rule-{number}",
            code=f"GB-R-0{number}",
            require=text,
            reason="No.",
            source="here",
            checked=check(parse(text), known, Kind.FLAG),
        )
        for number, text in enumerate(requires)
    )
    ruleset = RuleSet(rules=rules, catalogue=known, jurisdiction="GB", digest="here")
    return what_would_help(ruleset, known.prepare(facts), movable=movable)


def moves(way):
    return {move.fact: move.to for move in way.moves}


@for_every(
    ("changed", "expected"),
    [
        ({}, [{}]),
        ({"performance": "76%"}, [{"performance": "80%"}]),
        ({"progress": "40%"}, [{"progress": "50%"}]),
        # What cannot be is not proposed: performance is at least progress, and moves along.
        ({"progress": "40%", "performance": "45%"}, [{"progress": "50%", "performance": "80%"}]),
        (
            {"balance": "18000.00"},
            [{"balance": "15000.00"}, {"average_monthly_takings": "24000.00"}],
        ),
        (
            {"balance": "30000.00", "average_monthly_takings": "50000.00"},
            [{"balance": "25000.00"}, {"deals_completed": 1}],
        ),
        (
            {"remaining_term_days": 0, "performance": "85%"},
            [{"performance": "90%", "progress": "90%"}],
        ),
        # Once the term has passed, performance is progress, and both move together.
        (
            {"remaining_term_days": 0, "progress": "60%", "performance": "60%"},
            [{"performance": "90%", "progress": "90%"}],
        ),
        ({"deals_defaulted": 1, "performance": "76%"}, []),
    ],
)
def test_the_least_changes_of_a_deal(changed, expected):
    """
    All minimal sets of changes with exact thresholds; an answer that is applied is eligible.
    """
    found = GB.assess(GOOD | changed).what_would_help()

    assert [moves(way) for way in found.ways] == expected
    assert found.complete
    assert all(GB.assess(way.facts).eligible for way in found.ways)


def test_what_cannot_be_met_is_named():
    """
    Where no change helps, the rules that stand in the way are named.
    """
    found = GB.assess(GOOD | {"deals_defaulted": 1, "status": "Cancelled"}).what_would_help()
    floor = GB.assess(GOOD | {"progress": "40%"}).what_would_help(movable=["performance"])

    assert (found.ways, found.cannot) == ((), ("GB-R-01", "GB-R-05"))
    assert found.words == "There is no change that would be enough."
    assert floor.cannot == ("FLOOR",)


def test_only_what_may_move_moves():
    """
    `movable` are names, or by default what the catalogue marks.
    """
    assessment = GB.assess(GOOD | {"balance": "18000.00"})
    found = assessment.what_would_help(movable=["balance"])

    assert [moves(way) for way in found.ways] == [{"balance": "15000.00"}]
    assert assessment.what_would_help(movable=[]).ways == ()


def test_movable_misused():
    """
    Every name that is not a fact, or not one that moves, is reported at once.
    """
    with pytest.raises(InvalidDocument) as raised:
        GB.assess(GOOD).what_would_help(movable=["performence", "balance", "status"])
    first, second = raised.value.errors

    assert (first.path, first.hint) == ("$[0]", "did you mean `performance`?")
    assert second.message == "`status` does not move: no merchant can change it"


def test_rules_that_were_lifted_count_as_met():
    """
    A rule that a person's approval lifted needs no change.
    """
    facts = GB.catalogue.prepare(GOOD | {"missed_remittances_30d": 2, "performance": "70%"})
    lifted = GB.renewal.referring({"GB-R-09"})
    found = assess(GB.renewal, facts, DAY, lifted=lifted).what_would_help()

    assert [moves(way) for way in found.ways] == [{"performance": "80%"}]
    assert [moves(way) for way in assess(GB.renewal, facts, DAY).what_would_help().ways] == [
        {"performance": "80%", "missed_remittances_30d": 1}
    ]


def test_an_unknown_fact_is_to_be_fetched():
    """
    An unknown fact does not move. Those are named whose values could decide, and where no value of
    what is missing can make the deal eligible, the answer says so.
    """
    facts = {name: value for name, value in GOOD.items() if name != "missed_remittances_30d"}
    found = GB.assess(facts).what_would_help()
    behind = GB.assess(facts | {"performance": "76%"}).what_would_help()
    hopeless = GB.assess(facts | {"deals_defaulted": 1}).what_would_help()

    assert (found.fetch, found.missing) == (("missed_remittances_30d",),) * 2
    assert [way.needs for way in found.ways] == [("missed_remittances_30d",)]
    assert (behind.fetch, moves(behind.ways[0])) == ((), {"performance": "80%"})
    assert behind.ways[0].needs == ("missed_remittances_30d",)
    assert behind.words.splitlines()[0] == "What is still missing cannot be enough alone."
    assert (hopeless.fetch, hopeless.ways) == ((), ())
    assert hopeless.missing == ("missed_remittances_30d",)


@for_every(
    ("require", "met_by"),
    [
        ("min(months_trading, deals_completed) >= 4", {"deals_completed": 4, "months_trading": 4}),
        ("4 < min(months_trading, deals_completed)", {"deals_completed": 5, "months_trading": 5}),
        ("not max(3, months_trading) < 4", {"months_trading": 4}),
        ("max(months_trading, deals_completed) <= 4", {"deals_completed": 0, "months_trading": 0}),
    ],
)
def test_unknown_facts_of_a_minimum_are_fetched_together(require, met_by):
    """
    A minimum is at least a number where all its parts are, and they are fetched together.
    """
    found = asked({}, require)

    assert found.complete
    assert [(way.needs, way.facts) for way in found.ways] == [(tuple(met_by), met_by)]
    assert "cannot be enough" not in found.words


def test_unknown_facts_that_help_together_may_be_enough():
    """
    Unknown is not false: while there may be ways that are not listed, no answer says that what is
    missing cannot be enough.
    """
    found = asked({}, "deposit + savings >= GBP 15000.00")

    assert found.missing == ("deposit", "savings")
    assert (found.ways, found.fetch, found.complete) == ((), (), False)
    assert found.words == "No change was found that would be enough.\nThere may be other ways."


def test_the_next_fact_to_fetch_is_in_most_ways():
    """
    Of several missing facts the one that most ways need comes first.
    """
    found = asked({}, "identity_verified or business_verified", "credit_score >= 600")

    assert found.fetch[0] == "credit_score"
    assert {way.needs for way in found.ways} == {
        ("identity_verified", "credit_score"),
        ("business_verified", "credit_score"),
    }


def test_progress_that_is_unknown_is_fetched():
    """
    Without progress nothing is decided, so it is the first fact that is missing.
    """
    facts = {name: value for name, value in GOOD.items() if name != "progress"}
    found = GB.assess(facts).what_would_help()

    assert found.missing == found.fetch == ("progress",)


def test_a_move_may_have_an_end():
    """
    A threshold is exact on both sides: a move that must not go too far says where it ends.
    """
    facts = {"loans": 9, "licence_valid": False, "lease_ends_on": date(2026, 1, 1)}
    (way,) = asked(facts, "3 <= loans <= 5", "licence_valid", "lease_ends_on >= 2027-03-01").ways
    ends = {move.fact: (move.to, move.until) for move in way.moves}

    assert ends == {
        "loans": (5, 3),
        "lease_ends_on": ("2027-03-01", None),
        "licence_valid": (True, None),
    }
    assert way.parts == (
        "the loans is at least 3 and at most 5 (now 9)",
        "the lease ends on is 2027-03-01 or later (now 2026-01-01)",
        "licence valid is yes",
    )


@for_every(
    ("facts", "require", "expected"),
    [
        # What one fact can do alone makes every mixture of both needless.
        ({"deposit": "0", "savings": "0"}, "deposit + savings >= GBP 90.00", True),
        # Neither suffices alone, so there are as many ways as pennies.
        ({"deposit": "0", "savings": "0"}, "deposit + savings >= GBP 15000.00", False),
    ],
)
def test_two_facts_in_one_comparison(facts, require, expected):
    """
    When it may not be complete, because two movable facts are in one comparison, it says so.
    """
    found = asked(facts, require)

    assert found.complete is expected
    assert bool(found.ways) is expected
    if not expected:
        assert found.limits == (
            "more ways are possible that change the deposit and the savings together",
        )
        assert found.words == "No change was found that would be enough.\nThere may be other ways."


@for_every(
    ("facts", "requires", "expected"),
    [
        (
            {"months_trading": 1, "deals_completed": 2},
            ("min(months_trading, deals_completed) >= 4",),
            [{"deals_completed": 4, "months_trading": 4}],
        ),
        (
            {"months_trading": 1, "deals_completed": 2},
            ("max(months_trading, deals_completed) >= 4",),
            [{"months_trading": 4}, {"deals_completed": 4}],
        ),
    ],
)
def test_the_parts_of_a_minimum_move_together(facts, requires, expected):
    """
    All parts of a minimum move where none is enough alone; one part of a maximum is enough.
    """
    found = asked(facts, *requires)

    assert found.complete
    assert sorted(map(sorted, map(moves, found.ways))) == sorted(map(sorted, expected))
    assert all(to == 4 for way in found.ways for to in moves(way).values())


def test_too_many_ways():
    """
    A search that uses up its budget says so.
    """
    names = [f"loan_{number}" for number in range(24)]
    loans = [evolve(DECLARED[0], name=name, moves="up") for name in names]
    many = catalogue(GBP).with_facts(tuple(loans))
    # Of the facts next to each other one has to move, and there are very many ways to choose.
    pairs = [f"{one} >= 1 or {two} >= 1" for one, two in itertools.pairwise(names)]
    found = asked(dict.fromkeys(names, 0), *pairs, known=many)

    assert not found.complete
    assert found.limits[-1] == "there are too many ways to look at all of them"


def test_an_answer_is_a_value():
    """
    Results are frozen, can be pickled, and say the same in words and as plain values.
    """
    found = GB.assess(GOOD | {"performance": "76%"}).what_would_help()

    assert pickle.loads(pickle.dumps(found)) == found
    assert found.plain()["words"] == found.words
    assert found.words == (
        "It would be enough if the performance is at least 80% of what is expected (now 76%)."
    )
    assert GB.assess(GOOD).what_would_help().words == "Nothing has to change."


def test_every_bundled_case_has_an_answer():
    """
    Of every example that ships, each answer is applied and assessed again: it is eligible.
    """
    helped = 0
    for jurisdiction in JURISDICTIONS:
        for example in jurisdiction.examples:
            if not example.of_rules or example.product is not None:
                continue
            rulebook = jurisdiction.rulebook(example.on)
            found = rulebook.assess(example.given).what_would_help()
            assert found.complete
            assert all(rulebook.assess(way.facts).eligible for way in found.ways)
            helped += any(way.moves for way in found.ways)
    assert helped > 100
