"""Small sets of rules about few deals, drawn at random, and every deal that they can tell apart.

The facts are the built-in ones, because relations between facts are about those, with ranges of a
few numbers each, and two facts that a jurisdiction declares. Everything is drawn from the given
`random.Random`, so a seed reproduces it.
"""

from __future__ import annotations

from itertools import product

from attrs import evolve

from holdback.eligibility.assessment import FLOOR
from holdback.eligibility.facts import catalogue
from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.exact.money import Currency
from holdback.rules import Catalogue, Fact, Kind, Type, check, parse

GBP = Currency.of("GBP")
# The ends of the ranges of the facts that rules read here.
RANGES = {
    "progress": (FLOOR - 1, FLOOR + 2),
    "performance": (FLOOR - 1, FLOOR + 2),
    "balance": (0, 3),
    "status": (0, 3),
    "days_since_funding": (0, 3),
    "days_since_last_remittance": (0, 3),
    "deals_defaulted": (0, 2),
    "deals_recovered": (0, 2),
    "paused": (0, 1),
}
GRADE = Fact(name="grade", type=Type(Kind.TEXT, options=("A", "B", "C")), low=0, high=2)
LEVEL = Fact(name="level", type=Type(Kind.COUNT), low=0, high=3)
BUILT_IN = tuple(
    evolve(fact, low=RANGES[fact.name][0], high=RANGES[fact.name][1], rounded_down=False)
    if fact.name in RANGES
    else fact
    for fact in catalogue(GBP).facts
)
FACTS = Catalogue(facts=(*BUILT_IN, GRADE, LEVEL), currency=GBP)
NAMES = (*RANGES, "grade", "level")
# Facts of one kind can be compared with each other.
ALIKE = (
    ("progress", "performance"),
    ("days_since_funding", "days_since_last_remittance"),
    ("deals_defaulted", "deals_recovered", "level"),
)
MOST_READ = 4
ORDER = ("<", "<=", ">", ">=", "==", "!=")


class SmallRulebooks:
    """Sets of rules over *facts*, drawn from *random*; a pair reads at most four facts."""

    def __init__(self, random, facts=FACTS, names=NAMES):
        self.random = random
        self.facts = facts
        self.names = names

    def pair(self):
        """Two sets of rules: in most cases the second is the first, a little changed."""
        names = self.random.sample(self.names, MOST_READ)
        before = self.rules(names)
        after = before if self.random.random() < 0.75 else self.rules(names)
        for _ in range(self.random.choice((0, 1, 1, 1, 2))):
            after = self.changed(after, names)
        return ruleset(before, self.facts), ruleset(after, self.facts)

    def rules(self, names):
        """From one to four rules that read facts of *names*."""
        return tuple(self.rule(place, names) for place in range(self.random.randint(1, 4)))

    def rule(self, place, names):
        """A rule, which declines or refers."""
        return self.written(
            place, self.expression(names), self.random.choice((DECLINE, DECLINE, REFER))
        )

    def written(self, place, text, otherwise):
        """The rule *text*."""
        return Rule(
            id=f"rule-{place}",
            code=f"GB-R-{place:02}",
            require=text,
            otherwise=otherwise,
            reason="No.",
            source="drawn",
            checked=check(parse(text), self.facts, Kind.FLAG),
        )

    def changed(self, rules, names):
        """The *rules*, one of which is dropped, added, exchanged, or does something else."""
        place = self.random.randrange(len(rules))
        kind = self.random.choice(("drop", "add", "exchange", "otherwise", "or", "and"))
        rule = rules[place]
        rest = (rules[:place], rules[place + 1 :])
        if kind == "drop" and len(rules) > 1:
            return (*rest[0], *rest[1])
        if kind in {"add", "drop"}:
            return (*rules, self.rule(len(rules), names))
        if kind == "otherwise":
            other = REFER if rule.otherwise == DECLINE else DECLINE
            return (*rest[0], evolve(rule, otherwise=other), *rest[1])
        text = self.expression(names)
        if kind != "exchange":
            text = f"({rule.require}) {kind} ({text})"
        return (*rest[0], self.written(place, text, rule.otherwise), *rest[1])

    def expression(self, names):
        """The text of a flag of one or two comparisons."""
        first, other = self.comparison(names), self.comparison(names)
        return self.random.choice(
            (first, first, f"{first} or {other}", f"{first} and {other}", f"not ({first})")
        )

    def comparison(self, names):
        """A comparison of one fact with a constant, or with another one."""
        fact = self.facts.fact(self.random.choice(names))
        if fact.type.kind is Kind.FLAG:
            return self.random.choice((fact.name, f"not {fact.name}"))
        constant = fact.type.literal(self.random.randint(fact.low, fact.high))
        if fact.type.kind is Kind.TEXT:
            return f"{fact.name} {self.random.choice(('==', '!='))} {constant}"
        alike = next((group for group in ALIKE if fact.name in group), (fact.name,))
        others = [name for name in alike if name in names and name != fact.name]
        operator = self.random.choice(ORDER)
        if others and self.random.random() < 0.4:
            other = self.random.choice(others)
            if self.random.random() < 0.3:
                return f"max({fact.name}, {other}) {operator} {constant}"
            return f"{fact.name} {operator} {other}"
        return f"{fact.name} {operator} {constant}"


def ruleset(rules, facts=FACTS):
    """The *rules* as a set."""
    return RuleSet(rules=rules, catalogue=facts, jurisdiction="GB", digest="drawn")


def every_deal(names, facts=FACTS):
    """Every deal that *names* tell apart: each fact at each value and unknown, others unknown."""
    values = [
        (None, *range(fact.low, fact.high + 1)) if fact.name in names else (None,)
        for fact in facts.facts
    ]
    return product(*values)


def typical(random, facts=FACTS, names=NAMES):
    """A typical deal, in which now and then a fact is missing; it need not be possible."""
    return tuple(
        random.randint(fact.low, fact.high)
        if fact.name in names and random.random() < 0.9
        else None
        for fact in facts.facts
    )
