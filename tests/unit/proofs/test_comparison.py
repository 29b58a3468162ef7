"""How two sets of rules relate: verdicts, outcomes, and facts that are not the same in both."""

from __future__ import annotations

from datetime import date

from attrs import evolve

from every_case import for_every
from holdback.eligibility.facts import catalogue
from holdback.eligibility.ruleset import DECLINE, REFER
from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Type
from holdback.tools.proofs.effects import compare
from holdback.tools.proofs.rule_outcome import RuleOutcome
from holdback.tools.proofs.shared_facts import shared_facts
from small_rulebooks import FACTS, GBP, SmallRulebooks, ruleset

ON = date(2026, 7, 1)
BUILT_IN = catalogue(GBP).facts


def rules(*texts, facts=FACTS, otherwise=DECLINE):
    """A set of rules."""
    small = SmallRulebooks(None, facts)
    written = (small.written(place, text, otherwise) for place, text in enumerate(texts))
    return ruleset(tuple(written), facts)


def compared(before, after, **typical):
    usual = after.catalogue.prepare({"progress": "50.0002%", **typical})
    return compare(before, after, usual, ON)


def declared(*facts, currency=GBP):
    """The built-in facts, and those that a jurisdiction declares."""
    return Catalogue(facts=(*catalogue(currency).facts, *facts), currency=currency)


def text(name, *options):
    return Fact(name=name, type=Type(Kind.TEXT, options=options), low=0, high=len(options) - 1)


def number(name, low, high, kind=Kind.COUNT):
    return Fact(name=name, type=Type(kind), low=low, high=high)


@for_every(
    "before, after, relation, gained, lost",
    [
        (["level <= 1"], ["level <= 1"], "equivalent", None, None),
        (["level <= 1"], ["not level > 1"], "equivalent", None, None),
        (["level <= 1", "level <= 2"], ["level <= 1"], "equivalent", None, None),
        (["level <= 2"], ["level <= 1"], "stricter", None, "level 2"),
        (["level <= 1"], ["level <= 2"], "looser", "level 2", None),
        (["level <= 1"], ["level >= 1"], "incomparable", "level 2 (2 to 3)", "level 0"),
        (["level <= 3"], [], "looser", "level unknown", None),
        ([], ["level <= 3"], "stricter", None, "level unknown"),
    ],
)
def test_verdicts(before, after, relation, gained, lost):
    """
    A change is equivalent, stricter, looser or incomparable, and a deal shows each way.
    """
    found = compared(rules(*before), rules(*after), level=1)

    assert found.relation == relation
    for witness, words in ((found.gained, gained), (found.lost, lost)):
        assert (witness and witness.words) == (words and f"the typical deal, but {words}")
    assert (found.moved, found.notes) == (None, ())


@for_every(
    "before, after, relation, moves",
    [
        ((DECLINE,), (REFER,), "looser", [("declined", "referred")]),
        ((REFER,), (DECLINE,), "stricter", [("referred", "declined")]),
        ((REFER,), (), "looser", [("referred", "accepted")]),
        ((), (DECLINE,), "stricter", [("accepted", "declined"), ("accepted", "referred")]),
        ((REFER,), (REFER, DECLINE), "stricter", [("referred", "declined")]),
    ],
)
def test_a_referral_is_between_a_pass_and_a_decline(before, after, relation, moves):
    """
    Who is accepted is better off than who is referred, and who is declined is worst. It is said
    between which classes deals move, and a fact that is missing refers.
    """

    def asking(answers):
        small = SmallRulebooks(None, FACTS)
        return ruleset(
            tuple(small.written(place, "level <= 1", word) for place, word in enumerate(answers))
        )

    found = compared(asking(before), asking(after), level=1)
    level = "the typical deal, but level 2 (2 to 3)"

    assert (found.relation, sorted(found.moves)) == (relation, sorted(moves))
    assert (found.eased and found.eased.words) == (
        level if ("declined", "referred") in moves else None
    )
    assert (found.tightened and found.tightened.words) == (
        level if ("referred", "declined") in moves else None
    )


def test_another_outcome():
    """
    Where no deal is better or worse off, a deal shows an outcome that is another one.
    """
    refers = rules("level <= 1", otherwise=REFER)
    asks = rules("level <= 1", "level <= 1 or paused or not paused", otherwise=REFER)
    found = compared(refers, asks, level=1, paused=False)
    before, after = found.outcomes(found.moved)

    assert (found.relation, found.moves) == ("equivalent", ())
    assert found.moved.words == "the typical deal, but paused unknown, level 2 (2 to 3)"
    assert (before.words, after.words) == ("referred (GB-R-00)", "undetermined (paused is unknown)")


@for_every(
    "outcome, words, of_renewal, of_product",
    [
        (RuleOutcome("eligible"), "eligible", {"outcome": "eligible"}, {"decision": "Accepted"}),
        (
            RuleOutcome("ineligible", codes=("R", "Q")),
            "ineligible (R, Q)",
            {"outcome": "ineligible", "codes": ["R", "Q"]},
            {"decision": "Declined", "codes": ["R", "Q"]},
        ),
        (
            RuleOutcome("undetermined", needs=("level", "credit_score")),
            "undetermined (level, credit score are unknown)",
            {"outcome": "undetermined", "needs": ["level", "credit_score"]},
            {"decision": "Referred", "needs": ["level", "credit_score"]},
        ),
    ],
)
def test_outcomes_in_words_and_as_expected(outcome, words, of_renewal, of_product):
    """
    An outcome in words, and as an example of renewal rules and of a product expects it.
    """
    assert outcome.words == words
    assert outcome.expected(None) == of_renewal
    assert outcome.expected("flex") == of_product


def test_options_are_compared_by_their_names():
    """
    Options in another order are the same options; their ordinals are never compared.
    """
    before = rules('grade == "A"', facts=declared(text("grade", "A", "B", "C")))
    after = rules('grade == "A"', facts=declared(text("grade", "C", "B", "A")))
    wider = rules('grade in ["A", "B"]', facts=declared(text("grade", "C", "A", "B")))

    assert compared(before, after).relation == "equivalent"
    looser = compared(before, wider, grade="A")
    assert looser.relation == "looser"
    assert looser.gained.words == "the typical deal, but grade B"
    assert [each.outcome for each in looser.outcomes(looser.gained)] == ["ineligible", "eligible"]


def test_an_option_of_one_side_alone():
    """
    Only options that exist both before and after are compared, and that is said.
    """
    before = rules('grade != "A"', facts=declared(text("grade", "A", "B")))
    after = rules('grade == "B"', facts=declared(text("grade", "Z", "B", "A")))
    found = compared(before, after)

    assert found.relation == "equivalent"
    assert found.notes == ("`grade` has only `B` or `A` both before and after",)


def test_a_range_of_one_side_alone():
    """
    Only numbers that exist both before and after are compared, and that is said.
    """
    before = rules("score >= 300", facts=declared(number("score", 0, 850)))
    after = rules("score >= 300 and score <= 900", facts=declared(number("score", 0, 1_200)))

    found = compared(before, after)
    assert found.relation == "equivalent"
    assert found.notes == ("`score` has only count, 0 to 850 both before and after",)


@for_every(
    "before, after, note",
    [
        (
            number("score", 0, 9),
            number("score", 0, 9, Kind.DAYS),
            "`score` is count, 0 to 9 before and days, 0 days to 9 days after",
        ),
        (
            number("score", 0, 4),
            number("score", 5, 9),
            "`score` is count, 0 to 4 before and count, 5 to 9 after",
        ),
        (
            text("score", "A"),
            text("score", "B"),
            "`score` is `A` before and `B` after",
        ),
    ],
)
def test_a_fact_of_another_type_is_not_compared(before, after, note):
    """
    Where no deal can have the fact before and after, nothing is decided, and why is said.
    """

    def about(fact):
        literal = fact.type.literal(fact.low)
        return rules(f"score == {literal}", facts=declared(fact))

    found = compared(about(before), about(after))

    assert (found.relation, found.notes) == ("not decided", (note,))
    assert (found.gained, found.lost, found.moved) == (None, None, None)


def test_a_fact_that_one_side_reads_is_that_of_its_reader():
    """
    What only one of the sets of rules reads needs no agreement.
    """
    old = declared(number("score", 0, 9), number("gone", 0, 3))
    new = declared(text("score", "A", "B"), number("extra", 0, 5))
    before, after = rules("gone <= 3", facts=old), rules('score == "A"', facts=new)
    found = compared(before, after, score="A")
    shared = shared_facts(before, after)

    assert found.relation == "incomparable"
    assert (shared.notes, shared.why_not_comparable) == ((), ())
    assert [fact.name for fact in shared.catalogue.facts[len(BUILT_IN) :]] == [
        "score",
        "extra",
        "gone",
    ]
    assert shared_facts(after, evolve(after)).catalogue is after.catalogue


def test_money_of_two_currencies_is_not_compared():
    """
    An amount in one currency says nothing of one in another; rules without amounts are compared.
    """
    euro = declared(currency=Currency.of("EUR"))
    pounds = rules("balance <= GBP 10.00", facts=declared())

    found = compared(pounds, rules("balance <= EUR 10.00", facts=euro))
    assert found.relation == "not decided"
    assert found.notes[0].startswith("`balance` is money (GBP), GBP 0.00 to GBP ")
    assert compared(pounds, rules("paused", facts=euro)).relation == "incomparable"
    assert (
        compared(rules("not paused", facts=declared()), rules("not paused", facts=euro)).relation
        == "equivalent"
    )
