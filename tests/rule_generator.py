"""Random rules that pass the check, and random facts near the points where their results change.

Everything is drawn from the given `random.Random`, so a seed reproduces a rule and its facts.
Rules are built by type, from the outside in: a flag from comparisons, a comparison from two
numbers of one type. A constant is drawn near a value that the other side can have, so that few
comparisons always have the same result.
"""

from __future__ import annotations

from attrs import evolve

from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.errors import RuleError
from holdback.rules import check, interpret, parse
from holdback.rules.tree import FactRead, Operation, leaves
from holdback.rules.types import Kind

NUMBERS = (Kind.COUNT, Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.DAYS)
SIMPLE = (*NUMBERS, Kind.DATE, Kind.TEXT)
ORDER = ("<", "<=", ">", ">=")
COMPARISONS = (*ORDER, "==", "!=")


class RuleGenerator:
    """Rules over *catalogue*, and facts for them, drawn from *random*."""

    def __init__(self, random, catalogue):
        self.random = random
        self.catalogue = catalogue
        self.of_kind = {
            kind: [fact for fact in catalogue.facts if fact.type.kind is kind] for kind in Kind
        }
        self.parameters = {
            kind: [p for p in catalogue.parameters.values() if p.type.kind is kind] for kind in Kind
        }

    def rule(self):
        """A checked rule: a flag that reads at least one fact."""
        while True:
            try:
                rule = check(
                    parse(self.flag(self.random.choice((0, 1, 1, 2, 2, 3)))), self.catalogue
                )
            except RuleError:
                continue  # a number grew out of its bounds where two parts met
            if rule.facts:
                return rule

    def rule_set(self):
        """One to four rules, of which some refer."""
        rules = []
        for place in range(self.random.choice((1, 1, 2, 3, 4))):
            checked = self.rule()
            rules.append(
                Rule(
                    id=f"r{place}", code=f"X-R-{place:02}", require=checked.source,
                    otherwise=self.random.choice((DECLINE, REFER)), reason="No.",
                    source="policy", checked=checked,
                )
            )  # fmt: skip
        return RuleSet(rules=tuple(rules), catalogue=self.catalogue, jurisdiction="GB", digest="d")

    # -- rules, as text

    def flag(self, depth):
        """The text of a flag."""
        if depth == 0:
            return self.comparison() if self.random.random() < 0.8 else self.plain_flag()
        operator = self.random.choice(("and", "or", "not"))
        if operator == "not":
            return f"not ({self.flag(depth - 1)})"
        count = self.random.choice((2, 2, 3))
        parts = [self.flag(self.random.randrange(depth)) for _ in range(count)]
        return f" {operator} ".join(f"({part})" for part in parts)

    def plain_flag(self):
        """A flag that is a fact, now and then a parameter or a literal."""
        others = [*(p.name for p in self.parameters[Kind.FLAG]), "true", "false"]
        if self.random.random() < 0.1:
            return self.random.choice(others)
        return self.random.choice(self.of_kind[Kind.FLAG]).name

    def comparison(self):
        """A comparison that passes the check."""
        while True:
            kind = self.random.choice(SIMPLE)
            try:
                text = self.one_of(kind) if self.random.random() < 0.2 else self.compared(kind)
                check(parse(text), self.catalogue)
            except RuleError:
                continue  # not exact, out of range or out of bounds: another one
            return text

    def compared(self, kind):
        """Two numbers compared, or three in a chain."""
        left = self.number(kind, self.random.choice((0, 0, 1, 2)))
        if kind is Kind.TEXT:
            operator = self.random.choice(("==", "!="))
            return f"{left} {operator} {self.near(left)}"
        if self.random.random() < 0.15:
            low, high = sorted((self.constant(kind), self.constant(kind)))
            first, second = self.random.choice((("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")))
            return f"{low} {first} {left} {second} {high}"
        operator = self.random.choice(COMPARISONS)
        right = self.near(left) if self.random.random() < 0.7 else self.number(kind, 1)
        sides = (left, right) if self.random.random() < 0.7 else (right, left)
        return f"{sides[0]} {operator} {sides[1]}"

    def one_of(self, kind):
        """A number or text that is in a list of constants."""
        left = self.number(kind, self.random.choice((0, 0, 1)))
        choices = [self.near(left) for _ in range(self.random.choice((1, 2, 3)))]
        return f"{left} in [{', '.join(choices)}]"

    def number(self, kind, depth):
        """The text of a number of *kind*, or of a date or text, that reads a fact."""
        if depth == 0 or kind is Kind.TEXT:
            return self.random.choice(self.of_kind[kind]).name
        first = self.number(kind, depth - 1)
        other = self.number(kind, 0) if self.random.random() < 0.5 else self.constant(kind)
        choices = ["min", "max"]
        if kind is not Kind.DATE:
            choices += ["+", "-", "negate", "abs"]
        if kind in (Kind.MONEY, Kind.COUNT):
            choices += ["*", "*"]
        operator = self.random.choice(choices)
        if operator == "*":
            return self.product(kind, first)
        if operator in ("min", "max"):
            return f"{operator}({', '.join(self.shuffled(first, other))})"
        if operator in ("+", "-"):
            return f"({f' {operator} '.join(self.shuffled(first, other))})"
        return f"-({first})" if operator == "negate" else f"abs({first})"

    def product(self, kind, first):
        """*first* times a constant, or a constant amount times a share that is a fact."""
        if kind is Kind.COUNT:
            return " * ".join(self.shuffled(first, str(self.random.randrange(-3, 9))))
        share = self.random.choice((Kind.RATIO, Kind.PERCENT))
        if self.random.random() < 0.3:
            amount = self.of_kind[Kind.MONEY][0].type.literal(
                self.random.randrange(1, 900) * 100 + 50
            )
            first, constant = self.number(share, 0), amount
        elif share is Kind.RATIO:
            constant = f"{self.random.randrange(3)}.{self.random.choice((5, 25, 1875))}"
        else:
            constant = f"{self.random.randrange(200)}.{self.random.choice((0, 5, 25))}%"
        return " * ".join(self.shuffled(first, constant))

    def constant(self, kind):
        """A constant of *kind*: a parameter, or a literal within the range of some fact."""
        if self.parameters[kind] and self.random.random() < 0.25:
            return self.random.choice(self.parameters[kind]).name
        fact = self.random.choice(self.of_kind[kind])
        return fact.type.literal(self.value(fact))

    def near(self, text):
        """A constant at or beside a value that the number *text* has on some facts."""
        node = check(parse(text), self.catalogue)
        value = interpret(node, self.known_facts())
        beside = value + self.random.choice((-1, 0, 0, 1)) * 10 ** (
            node.tree.places - node.type.places
        )
        number = min(node.tree.high, max(node.tree.low, beside))
        return node.type.literal(number // 10 ** (node.tree.places - node.type.places))

    def shuffled(self, *texts):
        return self.random.sample(texts, len(texts))

    # -- facts, as prepared ones

    def value(self, fact):
        """A number in the range of *fact*: more often a small or a round one than just any."""
        span = fact.high - fact.low
        scale = self.random.choice((span, span, 10**6, 10**4, 100, 10))
        number = fact.low + self.random.randrange(min(span, scale) + 1)
        if self.random.random() < 0.3:
            number -= number % 10**fact.type.places
        return max(fact.low, min(fact.high, number))

    def known_facts(self):
        """A number for every fact."""
        return tuple(self.value(fact) for fact in self.catalogue.facts)

    def facts(self, rule):
        """Facts for *rule*: some unknown, and in most cases one that sits at a threshold."""
        numbers = [None] * len(self.catalogue.facts)
        for place in rule.facts:
            numbers[place] = self.value(self.catalogue.facts[place])
        if self.random.random() < 0.6:
            self.move_to_threshold(rule, numbers)
        for place in rule.facts:
            if self.random.random() < 0.1:
                numbers[place] = None
        return tuple(numbers)

    def move_to_threshold(self, rule, numbers):
        """Change one of *numbers* so that a comparison of *rule* comes out level, or nearly."""
        comparisons = [node for node in operations(rule.tree) if node.operator in COMPARISONS]
        comparisons = [node for node in comparisons if node.operands[0].type.kind in SIMPLE]
        if not comparisons:
            return
        node = self.random.choice(comparisons)
        read = [leaf for leaf in leaves(node) if isinstance(leaf, FactRead)]
        fact = self.catalogue.facts[self.random.choice(read).place]
        place = self.catalogue.place(fact.name)
        low, high = fact.low, fact.high
        # The difference of the two sides is linear in the fact, with a bend at a `min`, a `max` or
        # an `abs`. So the zero of the line through two points is near the threshold, and nearer
        # after a second step.
        for _ in range(2):
            at_low, at_high = (
                difference(rule, node, (*numbers[:place], number, *numbers[place + 1 :]))
                for number in (low, high)
            )
            if at_low == at_high:
                return
            level = low + (high - low) * at_low // (at_low - at_high)
            if not fact.low <= level <= fact.high:
                return
            low, high = max(fact.low, level - 2), min(fact.high, level + 2)
        moved = level + self.random.choice((-1, 0, 0, 1))
        numbers[place] = max(fact.low, min(fact.high, moved))


def operations(node):
    """Every operation in *node*, from the outside in."""
    if isinstance(node, Operation):
        yield node
        for operand in node.operands:
            yield from operations(operand)


def difference(rule, comparison, facts):
    """Left less right of *comparison*, in whole numbers of one scale."""
    left, right = comparison.operands[:2]
    places = max(left.places, right.places)
    numbers = [
        interpret(evolve(rule, tree=side), facts) * 10 ** (places - side.places)
        for side in (left, right)
    ]
    return numbers[0] - numbers[1]
