"""What the examples of a jurisdiction lack: answers of rules, and sides of thresholds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial

from holdback.eligibility.assessment import ELIGIBLE, REFERRED, UNDETERMINED
from holdback.eligibility.ruleset import RuleSet
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
from holdback.jurisdictions.source_rules import SourceRule
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Checked, Facts, Kind, closure
from holdback.rules.tree import FactRead, leaves
from holdback.tools.advice.least_change import moved
from holdback.tools.example_run import ExampleRun
from holdback.tools.lint.coverage import coverage
from holdback.tools.lint.switch_off_gaps import restored_to, unshown_switch_offs
from holdback.tools.lint.thresholds import Threshold, thresholds
from holdback.tools.proofs.question import AnswerIn, Question, reaches_floor
from holdback.tools.proofs.rule_outcome import (
    answered,
    evaluated,
    rule_from,
)
from holdback.tools.suggestions.nearby import Test


@frozen(kw_only=True)
class Evidence:
    """
    How a deal can show something by the rules of one day.

    The facts of `rules` may change for it. `shown` tells whether a deal shows it, and `decided`
    whether the answer to the deal rests on it, so that the example means what it says. `questions`
    are for a solver, where no plain deal is found.
    """

    rules: tuple[Checked, ...]
    shown: Test
    decided: Test
    questions: Callable[[], Iterable[Question]] = tuple


@frozen(kw_only=True)
class ExampleGap(ABC):
    """
    Something about the rules of renewals, or of a `product`, that an example has to show.

    `unknown` is the fact that has to be unknown. `beside` says that only an example counts on which
    the answer rests, one unit from another.
    """

    product: str | None
    unknown: str | None = None
    beside: bool = False

    @abstractmethod
    def evidence(self, rulebook: Rulebook) -> Evidence | None:
        """Return how a deal can show it by *rulebook*; None where none can."""

    def shown_by(self, example: Example, rulebook: Rulebook) -> bool:
        """Return whether *example* shows it, by the *rulebook* of its day."""
        if example.product != self.product or not example.of_rules:
            return False
        evidence = self.evidence(rulebook)
        if evidence is None:
            return False
        facts = rulebook.catalogue.prepare(example.given)
        return evidence.decided(facts) if self.beside else evidence.shown(facts)


@frozen(kw_only=True)
class AnswerGap(ExampleGap):
    """The `answer` of a rule: true, false, or unknown because of the fact `unknown`."""

    rule: SourceRule
    answer: bool | None

    def evidence(self, rulebook: Rulebook) -> Evidence | None:
        """Return how a deal can show it: alone, no other rule is false or unknown with it."""
        rules = rulebook.rulesets.get(self.product)
        rule = rule_from(rules, self.rule)
        if rules is None or rule is None:
            return None
        holds = closure(rule.checked)
        fact = self.unknown
        place = None if fact is None else rulebook.catalogue.place(fact)

        def shown(facts: Facts) -> bool:
            if place is not None and facts[place] is not None:
                return False
            return evaluated(facts, rules, self.product) and holds(facts) is self.answer

        def decided(facts: Facts) -> bool:
            given = answered(rules, facts, self.product)
            if self.answer is None:
                alone = (given.outcome, given.needs) == (UNDETERMINED, (fact,))
            else:
                alone = given.outcome == ELIGIBLE if self.answer else given.codes == (rule.code,)
            return alone and shown(facts)

        asked = partial(
            _questions, rules, self.product, AnswerIn(rule.checked, frozenset({self.answer}))
        )
        return Evidence(rules=(rule.checked,), shown=shown, decided=decided, questions=asked)


@frozen(kw_only=True)
class SideGap(ExampleGap):
    """A side of a threshold: the comparison is true, or it is false."""

    threshold: Threshold
    answer: bool

    # Two examples hold a threshold well where they are one unit apart.
    beside: bool = True

    def evidence(self, rulebook: Rulebook) -> Evidence | None:
        """Return how a deal can show it: one unit further, the answer to the deal is another."""
        comparison = self.threshold.comparison(rulebook)
        rules = rulebook.rulesets.get(self.product)
        rule = rule_from(rules, self.threshold.rule)
        if comparison is None or rules is None or rule is None:
            return None
        holds = closure(comparison)
        bit = 1 << rules.rules.index(rule)

        def shown(facts: Facts) -> bool:
            return evaluated(facts, rules, self.product) and holds(facts) is self.answer

        def decided(facts: Facts) -> bool:
            if not shown(facts):
                return False
            false, unknown = rules.masks(facts)
            here = answered(rules, facts, self.product)
            for beside in _beside(comparison, facts):
                false_beside, unknown_beside = rules.masks(beside)
                # One unit further, this rule alone answers otherwise.
                alone = (false ^ false_beside, unknown ^ unknown_beside) == (bit, 0)
                rests = alone and answered(rules, beside, self.product) != here
                if rests and holds(beside) is not self.answer:
                    return True
            return False

        asked = partial(
            _questions, rules, self.product, AnswerIn(comparison, frozenset({self.answer}))
        )
        return Evidence(rules=(rule.checked,), shown=shown, decided=decided, questions=asked)


@frozen(kw_only=True)
class SwitchOffGap(ExampleGap):
    """A deal that a rule which is switched off would decline or refer; `restored` have the rule."""

    name: str
    restored: Mapping[date, Rulebook]

    def evidence(self, rulebook: Rulebook) -> Evidence | None:
        """Return how a deal can show it: best, the deal is eligible here."""
        back = self.restored.get(rulebook.since)
        here = rulebook.rulesets.get(self.product)
        in_force = () if back is None else back.rulesets[self.product].rules
        rule = next((rule for rule in in_force if rule.id == self.name), None)
        if rule is None or here is None:
            return None
        holds, rules, product = closure(rule.checked), here, self.product

        def shown(facts: Facts) -> bool:
            decided = answered(rules, facts, product).outcome in {ELIGIBLE, REFERRED}
            return decided and evaluated(facts, rules, product) and holds(facts) is False

        def decided(facts: Facts) -> bool:
            return answered(rules, facts, product).outcome == ELIGIBLE and shown(facts)

        return Evidence(rules=(rule.checked,), shown=shown, decided=decided)


def _questions(rules: RuleSet, product: str | None, part: AnswerIn) -> Iterator[Question]:
    """Yield the question whether a deal whose rules are evaluated satisfies *part*."""
    floor = () if product is not None else (reaches_floor(rules.catalogue),)
    yield Question(catalogue=rules.catalogue, parts=(*floor, part))


def _beside(comparison: Checked, facts: Facts) -> Iterator[Facts]:
    """Yield *facts* with one that *comparison* reads a unit away, or with another text."""
    for leaf in leaves(comparison.tree):
        number = facts[leaf.place] if isinstance(leaf, FactRead) else None
        if not isinstance(leaf, FactRead) or number is None:
            continue
        numbers: Sequence[int] = (number - 1, number + 1)
        if leaf.type.kind is Kind.TEXT:
            numbers = [option for option in range(leaf.low, leaf.high + 1) if option != number]
        for beside in numbers:
            if leaf.low <= beside <= leaf.high:
                yield moved(facts, leaf.place, beside)


def gaps(
    jurisdiction: Jurisdiction, others: Jurisdictions, runs: Sequence[ExampleRun]
) -> Iterator[ExampleGap]:
    """
    Yield what the examples of *jurisdiction*, with their *runs*, do not show.

    Rule by rule: that it is true, each side of its thresholds, that it is false, and for each fact
    that it is unknown. Then what is switched off; *others* has the parent.
    """
    sides = thresholds(jurisdiction)
    counts = {line.origin: line for line in coverage(jurisdiction, runs)}
    for source, product in _first_products(jurisdiction).items():
        line = counts.get(source)
        missing = () if line is None else line.missing
        if "true" in missing:
            yield AnswerGap(product=product, rule=source, answer=True)
        for side in sides:
            # Where one side is missing, both are wanted beside each other, one unit apart.
            if side.rule is source and side.missing:
                for answer in (True, False):
                    yield SideGap(product=side.product, threshold=side, answer=answer)
        if "false" in missing:
            yield AnswerGap(product=product, rule=source, answer=False)
        if line is not None and None in line.answers:
            yield from _unknown(jurisdiction, source, product)
    for switch_off, restored in unshown_switch_offs(jurisdiction, others, runs):
        if switch_off.kind != "product":  # that has a mutant, which an example notices
            yield from _switched_off(jurisdiction, restored)


def _first_products(jurisdiction: Jurisdiction) -> dict[SourceRule, str | None]:
    """Return every rule in force on some day with its product; a shared one with the first."""
    products: dict[SourceRule, str | None] = {}
    for rulebook in jurisdiction.slices:
        for product, rules in rulebook.rulesets.items():
            for rule in rules.rules:
                products.setdefault(rule.origin, product)
    return products


def _switched_off(
    jurisdiction: Jurisdiction, restored: Mapping[date, Rulebook]
) -> Iterator[SwitchOffGap]:
    """Yield the gap of each rule that is *restored*, in the first rule set that is without it."""
    rule_sets: dict[str, str | None] = {}
    for since, back in restored.items():
        for rule_set, rule in restored_to(jurisdiction.rulebook(since), back):
            rule_sets.setdefault(rule.id, rule_set)
    for name, rule_set in rule_sets.items():
        yield SwitchOffGap(product=rule_set, name=name, restored=restored)


def _unknown(
    jurisdiction: Jurisdiction, source: SourceRule, product: str | None
) -> Iterator[AnswerGap]:
    """Yield, for each fact of the rule from *source*, that it is unknown."""
    for name in dict.fromkeys(name for _, tree in source.expressions for name in tree.names):
        if jurisdiction.policy.catalogue.fact(name) is None:
            continue
        # Without the progress no rule of renewals is evaluated.
        if product is not None or name != "progress":
            yield AnswerGap(product=product, rule=source, answer=None, unknown=name)
