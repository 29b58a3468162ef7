"""Mutants that no example notices, and the deals that notice them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial

from attrs import field

from holdback.eligibility.ruleset import RuleSet
from holdback.errors import ConfigurationError, InvalidDocument, RuleError
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.examples import MAX_AGES
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.jurisdictions.jurisdiction_file import TIMELINES
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Checked, Facts
from holdback.tools.example_run import run_example
from holdback.tools.mutants.mutation import Verdict
from holdback.tools.proofs.changed_rule import ChangedRule, changed_rules
from holdback.tools.proofs.question import Question
from holdback.tools.suggestions.subject import answered, offered, rules_of
from holdback.tools.suggestions.wanted import Evidence, Wanted


@frozen
class Survivor:
    """A mutant that survives, with the rulebooks that it changes: before and after."""

    verdict: Verdict
    jurisdiction: Jurisdiction = field(repr=False)

    @cached_property
    def changes(self) -> list[tuple[Rulebook, Rulebook]]:
        """The rulebooks that it changes, each with the changed one, in the order of their dates."""
        return list(self._changes())

    def _changes(self) -> Iterator[tuple[Rulebook, Rulebook]]:
        for rulebook in self.jurisdiction.slices:
            try:
                mutated = self.verdict.mutant.change(rulebook)
            except (InvalidDocument, ConfigurationError, RuleError):
                continue
            if mutated is not rulebook:
                yield rulebook, mutated

    def noticed_by(self, example: Example) -> bool:
        """Return whether *example*, which passes, fails with the mutant."""
        for rulebook, mutated in self.changes:
            if rulebook.since == self.jurisdiction.rulebook(example.on).since:
                return _noticed(example, rulebook, mutated)
        return False


def _noticed(example: Example, rulebook: Rulebook, mutated: Rulebook) -> bool:
    if not example.of_rules:
        return not run_example(example, mutated).passed
    product = example.product
    before, after = rules_of(rulebook, product), rules_of(mutated, product)
    facts = rulebook.catalogue.prepare(example.given)
    if before is not after and answered(before, facts, product) != answered(after, facts, product):
        return True
    if product is None or {"offers", "limits"}.isdisjoint(example.expect):
        return False
    same = offered(rulebook, product) is offered(mutated, product)
    return not same and not run_example(example, mutated).passed


@frozen(kw_only=True)
class DifferenceWanted(Wanted):
    """A deal that is answered otherwise by the changed rulebook of a mutant."""

    mutated: Rulebook

    def evidence(self, rulebook: Rulebook) -> Evidence | None:
        """Return how a deal can show it; None where these rules stay the same."""
        before, after = rules_of(rulebook, self.product), rules_of(self.mutated, self.product)
        if before is after or before is None:
            return None
        rules = _differing(before, after)

        def shown(facts: Facts) -> bool:
            return answered(before, facts, self.product) != answered(after, facts, self.product)

        if after is None or not rules:
            return None
        changes = changed_rules(before, after, floor=self.product is None)
        asked = partial(_questions, changes)
        return Evidence(rules=rules, shown=shown, decided=shown, questions=asked)


def _questions(changes: Iterable[ChangedRule]) -> Iterator[Question]:
    for change in changes:
        yield from change.differences()


def _differing(before: RuleSet, after: RuleSet | None) -> tuple[Checked, ...]:
    """Return the rules that only one of the two has."""
    left, right = before.rules, () if after is None else after.rules
    shared = [rule for rule in left if rule in right]
    return tuple(rule.checked for rule in (*left, *right) if rule not in shared)


def differences(rulebook: Rulebook, mutated: Rulebook) -> Iterator[DifferenceWanted]:
    """Yield what may tell *mutated* from *rulebook*: in renewals, and in each product."""
    for product in (None, *(terms.key for terms in rulebook.products)):
        yield DifferenceWanted(product=product, mutated=mutated)


def repriced(rulebook: Rulebook, mutated: Rulebook) -> Iterator[str]:
    """Yield the products whose prices or early settlement are others in *mutated*, or new."""
    for terms in mutated.products:
        if offered(rulebook, terms.key) is not terms:
            yield terms.key


def changed_settings(rulebook: Rulebook, mutated: Rulebook) -> dict[str, Json]:
    """Return the settings that are others in *mutated*, with their values in *rulebook*."""
    changed: dict[str, Json] = {
        name: getattr(rulebook, name)
        for name in TIMELINES
        if getattr(rulebook, name) != getattr(mutated, name)
    }
    ages: dict[str, Json] = {
        name: terms.max_age_days
        for name, terms in rulebook.checks.items()
        if mutated.checks[name].max_age_days != terms.max_age_days
    }
    return {**changed, **({MAX_AGES: ages} if ages else {})}
