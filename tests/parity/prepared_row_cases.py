"""
Rules, rulebooks and prepared rows, drawn from a seed, with the reference interpreter's answers.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from random import Random

from attrs import frozen
from expected_values import FLOOR, answer

from counts import count
from holdback import load_jurisdictions
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Parameter, Type, check, interpret, parse
from rule_generator import RuleGenerator
from small_catalogue import CATALOGUE, GRADE, STATUS

RULES, ROWS = 60, count("prepared rows")
# How many rules the rulebooks have, up to the limit of 60. Every third rulebook only refers.
SIZES = (60, 1, 2, 5, 1, 3, 8, 1, 2)[: count("rulebooks over prepared rows")]

JPY = Currency.of("JPY")
YEN = Type(Kind.MONEY, JPY)
NUMBERS = {kind: Type(kind) for kind in (Kind.PERCENT, Kind.RATIO, Kind.COUNT, Kind.DAYS)}
HUGE = 2**62


def wide_catalogue():
    """
    As many facts as a catalogue can have, 58, in yen, some with the widest ranges possible.
    """
    random = Random("wide catalogue")
    flag, day = Type(Kind.FLAG), Type(Kind.DATE)
    facts = [
        Fact(name="progress", type=NUMBERS[Kind.PERCENT], low=0, high=100_0000, rounded_down=True),
        Fact(name="balance", type=YEN, low=0, high=10**12),
        Fact(name="huge_count", type=NUMBERS[Kind.COUNT], low=-HUGE, high=HUGE),
        Fact(name="huge_money", type=YEN, low=0, high=HUGE),
        Fact(name="huge_ratio", type=NUMBERS[Kind.RATIO], low=-HUGE, high=HUGE),
        Fact(name="huge_percent", type=NUMBERS[Kind.PERCENT], low=0, high=HUGE),
        Fact(name="any_day", type=day, low=1, high=date.max.toordinal()),
        Fact(name="status", type=STATUS, low=0, high=4),
        Fact(name="grade", type=GRADE, low=0, high=2),
        Fact(name="verified", type=flag, low=0, high=1),
    ]
    kinds = [YEN, *NUMBERS.values(), day, flag, STATUS]
    while len(facts) < 58:
        type_ = kinds[len(facts) % len(kinds)]
        low, high = 0, random.choice((100, 10**6, 10**9))
        if type_ in (YEN, *NUMBERS.values()) and random.random() < 0.5:
            low = -high
        if type_ is day:
            low, high = 700_000, 800_000
        elif type_ is flag or type_ is STATUS:
            low, high = 0, 1 if type_ is flag else 4
        facts.append(Fact(name=f"fact_{len(facts)}", type=type_, low=low, high=high))
    parameters = {"wanted": Parameter(name="wanted", type=STATUS, number=1)}
    return Catalogue(facts=tuple(facts), parameters=parameters, currency=JPY)


# Rules unlike random ones: one is true for every value of its fact, while others need the fact.
WRITTEN = {
    "pounds": (
        "completed <= 3 or true",
        "age >= 30 days",
        'earlier_status == "Funded" or open_for_renewals',
        "not disputed or open_for_renewals",
        'grade in ["A", "B"]',
    ),
    "yen, wide": (
        "verified",
        "not verified or true",
        "abs(huge_count) <= 1",
        "huge_money >= JPY 1",
    ),
}
CATALOGUES = {"pounds": CATALOGUE, "yen, wide": wide_catalogue()}


def rulebook(catalogue, checked, *, only_refers=False, seed=""):
    """A rulebook of the *checked* rules: about two in three decline, the others refer."""
    refers = Random(f"refers {seed}")
    rules = tuple(
        Rule(
            id=f"rule-{place}",
            code=f"GB-R-{place:02}",
            require=rule.source,
            otherwise="refer" if only_refers or refers.random() < 1 / 3 else "decline",
            reason="No.",
            source="policy",
            checked=rule,
        )
        for place, rule in enumerate(checked)
    )
    renewal = RuleSet(rules=rules, catalogue=catalogue, jurisdiction="GB", digest="sha256:parity")
    shipped = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
    return shipped.altered(catalogue=catalogue, currency=catalogue.currency, renewal=renewal)


@frozen
class Book:
    """A rulebook, and the expected outcome, failing and needs of each row."""

    rulebook: object
    expected: tuple[tuple[int, int, int], ...]
    answers: tuple[tuple[bool | None, ...], ...]


@frozen
class Case:
    """Rules over one catalogue, rows of prepared facts, and the answer of each rule to each row."""

    name: str
    catalogue: Catalogue
    rules: tuple
    rows: tuple[tuple[int | None, ...], ...]
    answers: tuple[tuple[bool | None, ...], ...]
    books: tuple[Book, ...]

    @property
    def pairs(self):
        """The number of pairs of a rule and a row."""
        return len(self.rules) * len(self.rows)


def facts_of(generator, rules, number, certain):
    """
    Row *number*: every fact in its range, two of *rules* at a threshold, one fact in ten unknown.
    """
    random = generator.random
    numbers = list(generator.known_facts())
    for place, fact in enumerate(generator.catalogue.facts):
        if random.random() < 0.05:
            numbers[place] = random.choice((fact.low, fact.high))
    if random.random() < 0.7:
        numbers[0] = random.choice((FLOOR - 1, FLOOR, random.randint(FLOOR, 100_0000)))
    for rule in (rules[number % len(rules)], random.choice(rules)):
        generator.move_to_threshold(rule, numbers)
    for place in range(len(numbers)):
        if place not in certain and random.random() < 0.1:
            numbers[place] = None
    return tuple(numbers)


def rows_of(generator, rules, rows):
    """A number of *rows*; every third fact is never unknown, and in the last 20 rows none is."""
    certain = range(0, len(generator.catalogue.facts), 3)
    some = [facts_of(generator, rules, number, certain) for number in range(rows - 20)]
    everything = range(len(generator.catalogue.facts))
    return (*some, *(facts_of(generator, rules, number, everything) for number in range(20)))


@lru_cache(maxsize=8)
def case(name, rules=RULES, rows=ROWS):
    """The case over the catalogue *name*, with the interpreter's answers."""
    catalogue = CATALOGUES[name]
    generator = RuleGenerator(Random(f"parity {name}"), catalogue)
    written = tuple(check(parse(source), catalogue) for source in WRITTEN[name])
    checked = (*written, *(generator.rule() for _ in range(rules - len(written))))
    facts = rows_of(generator, checked, rows)
    answers = tuple(tuple(interpret(rule, row) for rule in checked) for row in facts)
    random = Random("books")
    chosen = [random.sample(range(rules), min(size, rules)) for size in SIZES]
    chosen.append(range(len(written)))
    books = tuple(
        book(catalogue, checked, facts, answers, number, places)
        for number, places in enumerate(chosen)
    )
    return Case(name, catalogue, checked, facts, answers, books)


def book(catalogue, checked, facts, answers, number, places):
    """A rulebook of the rules at *places*."""
    made = rulebook(
        catalogue,
        [checked[place] for place in places],
        only_refers=number % 3 == 2,
        seed=f"{catalogue.currency} {number}",
    )
    said = tuple(tuple(row[place] for place in places) for row in answers)
    expected = tuple(answer(made.renewal, row, each) for row, each in zip(facts, said, strict=True))
    return Book(made, expected, said)


def counted(cases):
    """The number of pairs of a rule and a row in the rulebooks of *cases*."""
    return sum(
        len(each.rulebook.renewal.rules) * len(case.rows) for case in cases for each in case.books
    )
