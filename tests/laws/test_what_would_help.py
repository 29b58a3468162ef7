"""What would help, against every deal that a small catalogue allows."""

from __future__ import annotations

from datetime import date
from itertools import product
from random import Random

from attrs import evolve

from counts import count
from holdback.eligibility.assessment import FLOOR, assess
from holdback.eligibility.facts import catalogue, relations
from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.exact.money import Currency
from holdback.rules import Fact, Kind, Type, check, interpret, parse
from holdback.tools.advice.ways import what_would_help
from rule_generator import RuleGenerator

GBP = Currency.of("GBP")
DAY = date(2026, 7, 1)
# Each range holds few numbers, so that all deals can be looked at.
NARROW = {
    Kind.PERCENT: (FLOOR - 2, FLOOR + 3),
    Kind.MONEY: (0, 5),
    Kind.DAYS: (0, 5),
    Kind.COUNT: (0, 4),
    Kind.DATE: (DAY.toordinal() - 2, DAY.toordinal() + 2),
}
DECLARED = (
    Fact(name="margin", type=Type(Kind.RATIO), low=999_998, high=1_000_002, moves="up"),
    Fact(name="loans", type=Type(Kind.COUNT), low=-2, high=3, moves="down"),
    Fact(name="licensed", type=Type(Kind.FLAG), low=0, high=1, moves="up"),
    Fact(name="disputed", type=Type(Kind.FLAG), low=0, high=1, moves="down"),
    Fact(name="deposit", type=Type(Kind.MONEY, GBP), low=0, high=5, moves="up"),
)


def narrowed(fact):
    low, high = NARROW.get(fact.type.kind, (fact.low, fact.high))
    return evolve(fact, low=low, high=high)


CATALOGUE = evolve(catalogue(GBP), facts=(*map(narrowed, catalogue(GBP).facts), *DECLARED))
MOST_DEALS = 4_000


def rulebook(random):
    """Return a rule set of one to four random rules."""
    generator = RuleGenerator(random, CATALOGUE)
    rules = tuple(
        Rule(
            id=f"rule-{number}",
            code=f"GB-R-0{number}",
            require="as checked",
            otherwise=random.choice((DECLINE, REFER)),
            reason="No.",
            source="drawn",
            checked=generator.rule(),
        )
        for number in range(random.choice((1, 2, 2, 3, 3, 4)))
    )
    return RuleSet(rules=rules, catalogue=CATALOGUE, jurisdiction="GB", digest="drawn")


def drawn_case(random):
    """Return a rule set, a deal with two unknown facts at most, what may move, what is lifted."""
    rules = rulebook(random)
    numbers = [random.randint(fact.low, fact.high) for fact in CATALOGUE.facts]
    read = sorted({place for rule in rules.rules for place in rule.checked.facts} | {0, 1})
    for place in random.sample(read, random.choice((0, 0, 0, 1, 1, 2))):
        numbers[place] = None
    marked = [fact.name for fact in CATALOGUE.facts if fact.moves is not None]
    mentioned = [name for name in marked if CATALOGUE.place(name) in read]
    movable = random.sample(mentioned, min(len(mentioned), random.choice((1, 2, 3, 4))))
    lifted = random.choice((0, 0, 0, 1)) & ~rules.declining
    floor = random.choice((FLOOR, FLOOR, None))
    return rules, tuple(numbers), movable, lifted, floor


def choices(facts, movable, read):
    """Yield, for every fact, the numbers that it may have: its own first, then farther ones."""
    for place, (fact, number) in enumerate(zip(CATALOGUE.facts, facts, strict=True)):
        if number is None:
            # A fact that nothing reads makes no difference.
            yield (None, *range(fact.low, fact.high + 1)) if place in read else (None,)
        elif fact.name not in movable:
            yield (number,)
        elif fact.moves == "up":
            yield tuple(range(number, fact.high + 1))
        else:
            yield tuple(range(number, fact.low - 1, -1))


def is_enough(rules, facts, floor, lifted):
    if floor is not None:
        return assess(rules, facts, DAY, lifted=lifted).eligible
    answers = rules.answer(facts, lifted=lifted)
    return not answers.false and not answers.unknown


def holds(facts):
    """Return the relations between facts that the deal breaks."""
    return {
        place
        for place, relation in enumerate(relations(GBP))
        if interpret(relation, facts) is False
    }


def brute_force(rules, facts, movable, lifted, floor):
    """Return every minimal deal, by looking at all; None when there are too many."""
    read = {place for rule in rules.rules for place in rule.checked.facts} | {0, 1}
    options = list(choices(facts, movable, read))
    total = 1
    for numbers in options:
        total *= len(numbers)
    if total > MOST_DEALS:
        return None
    broken = holds(facts)
    enough = {}
    for deal in product(*(range(len(numbers)) for numbers in options)):
        changed = tuple(numbers[place] for numbers, place in zip(options, deal, strict=True))
        if is_enough(rules, changed, floor, lifted) and not holds(changed) - broken:
            enough[deal] = changed
    sets = {deal: frozenset(place for place, at in enumerate(deal) if at) for deal in enough}
    return {
        enough[deal]
        for deal in enough
        if not any(
            sets[other] < sets[deal]
            or (
                other != deal
                and sets[other] == sets[deal]
                and all(a <= b for a, b in zip(other, deal, strict=True))
            )
            for other in enough
        )
    }


def assert_no_move_can_be_smaller(deals, rules, facts, movable, lifted, floor):
    """
    Even where the answer is not complete, no move can be left out or be smaller by itself.
    """
    broken = holds(facts)
    read = {place for rule in rules.rules for place in rule.checked.facts} | {0, 1}
    for place, numbers in enumerate(choices(facts, movable, read)):
        for deal in deals:
            for number in numbers[: numbers.index(deal[place])]:
                smaller = (*deal[:place], number, *deal[place + 1 :])
                assert not is_enough(rules, smaller, floor, lifted) or holds(smaller) - broken


def test_no_move_of_an_answer_with_limits_can_be_smaller():
    """
    Even where the answer is not complete, no move can be left out or be smaller by itself. Two
    facts of one comparison trade here, so that many answers are not complete.
    """
    random = Random("facts that trade")
    names = ("months_trading", "deals_completed", "loans")
    start = list(CATALOGUE.prepare({}))
    wanted, limited = count("rulebooks with facts that trade"), 0
    for _ in range(wanted):
        facts = tuple(
            farthest_back(random, fact) if fact.name in names else number
            for fact, number in zip(CATALOGUE.facts, start, strict=True)
        )
        texts = [traded(random, names) for _ in range(random.choice((2, 3)))]
        rules = RuleSet(
            rules=tuple(written(number, text) for number, text in enumerate(texts)),
            catalogue=CATALOGUE,
            jurisdiction="GB",
            digest="drawn",
        )
        found = what_would_help(rules, facts, movable=names)
        deals = {CATALOGUE.prepare(way.facts) for way in found.ways}
        limited += bool(found.limits and found.ways)
        assert_no_move_can_be_smaller(deals, rules, facts, names, 0, None)
    assert limited > wanted * 0.1


def farthest_back(random, fact):
    return fact.high if fact.moves == "down" else fact.low + random.choice((0, 0, 1))


def traded(random, names):
    """Return a rule with a comparison in which two facts can trade, or beside it one alone."""
    one, two = random.sample(names, 2)
    sides = (f"abs({one} - {two})", f"({one} + {two})", one)
    right = random.choice((two, *names, "2"))
    text = f"{random.choice(sides)} {random.choice(('<', '>', '==', '!='))} {right}"
    alone = f"{random.choice(names)} == {random.randint(1, 3)}"
    return random.choice((text, f"{alone} or {text}"))


def written(number, text):
    return Rule(
        id=f"rule-{number}",
        code=f"GB-R-0{number}",
        require=text,
        reason="No.",
        source="drawn",
        checked=check(parse(text), CATALOGUE, Kind.FLAG),
    )


def test_what_would_help_is_minimal_and_complete():
    """
    What would help equals a search of every deal; where it may not be complete it says so.
    """
    random = Random("what would help")
    wanted, looked_at, complete, helped = count("rulebooks searched for what would help"), 0, 0, 0
    while looked_at < wanted:
        rules, facts, movable, lifted, floor = case = drawn_case(random)
        expected = brute_force(rules, facts, movable, lifted, floor)
        # Most random deals are hopeless, or need nothing; one in ten of those is enough.
        dull = expected is None or expected <= {facts}
        if expected is None or (dull and random.random() < 0.9):
            continue
        looked_at += 1
        found = what_would_help(rules, facts, floor=floor, lifted=lifted, movable=movable)
        deals = {CATALOGUE.prepare(way.facts) for way in found.ways}
        assert len(deals) == len(found.ways)
        if found.complete:
            assert deals == expected, [rule.checked.source for rule in rules.rules] + [case]
        assert all(is_enough(rules, deal, floor, lifted) for deal in deals)
        assert_no_move_can_be_smaller(deals, *case)
        complete += found.complete
        helped += any(way.moves for way in found.ways)
    assert complete > wanted * 0.9
    assert helped > wanted * 0.2
