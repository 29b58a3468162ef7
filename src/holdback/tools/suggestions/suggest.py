"""The examples that a jurisdiction lacks, so that they leave no gap and no survivor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property, partial
from typing import Final

from attrs import define, evolve, field

from holdback.eligibility.ruleset import RuleSet
from holdback.errors import ConfigurationError, InvalidDocument, RuleError
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction, Jurisdictions
from holdback.jurisdictions.keys import DATED, MAX_AGES
from holdback.rulebooks.product_terms import ProductTerms
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Checked, Facts
from holdback.tools.example_run import run_example, run_examples
from holdback.tools.mutants.mutation import SURVIVED, Verdict, verdicts
from holdback.tools.proofs.changed_rule import ChangedRule, changed_rules
from holdback.tools.proofs.question import Question
from holdback.tools.proofs.rule_outcome import answered
from holdback.tools.suggestions.drafts import DraftedExample
from holdback.tools.suggestions.example_gaps import Evidence, ExampleGap, SideGap, gaps
from holdback.tools.suggestions.names import (
    comparison_at_its_limit,
    deal_name,
    price_name,
    settings_name,
    unique,
)
from holdback.tools.suggestions.nearby import Neighbourhood, Test
from holdback.tools.suggestions.prices import (
    applications,
    noticing_application,
    noticing_settlement,
    offer_fields,
)

Report = Callable[[str], None]
# Mutants between two reports.
_STEP = 10


@frozen(kw_only=True)
class Suggestions:
    """The drafted examples of a jurisdiction, and the mutants that no draft was found for."""

    jurisdiction: Jurisdiction
    drafts: tuple[DraftedExample, ...]
    left: tuple[Verdict, ...]

    def texts(self, file: str) -> list[str]:
        """Return the drafts for a *file*, as it has them."""
        return [
            draft.text(self.jurisdiction.rulebook(draft.on))
            for draft in self.drafts
            if draft.file == file
        ]


def suggestions(
    jurisdiction: Jurisdiction, others: Jurisdictions, report: Report = lambda _: None
) -> Suggestions:
    """
    Return the examples that *jurisdiction* lacks; *others* has its parents.

    All of its own examples pass. *report* receives what is looked for, for a person who waits.
    """
    drafting = _Drafting(jurisdiction, report)
    drafting.fill_gaps(others)
    left = drafting.notice_survivors(others)
    return Suggestions(
        jurisdiction=drafting.jurisdiction, drafts=tuple(drafting.drafts), left=tuple(left)
    )


@define
class _Drafting:
    """The examples drafted so far, and the jurisdiction with them."""

    jurisdiction: Jurisdiction
    report: Report
    drafts: list[DraftedExample] = field(factory=list)

    def fill_gaps(self, others: Jurisdictions) -> None:
        """Draft an example for everything that the examples do not show."""
        open_gaps = list(gaps(self.jurisdiction, others, list(run_examples(self.jurisdiction))))
        for number, gap in enumerate(open_gaps, start=1):
            self.report(f"{number} of {len(open_gaps)} gaps")
            shown = any(
                gap.shown_by(example, self.jurisdiction.rulebook_for(example))
                for example in reversed(self.jurisdiction.examples)
            )
            draft = None if shown else self._showing(gap)
            if draft is not None:
                self._add(draft)

    def notice_survivors(self, others: Jurisdictions) -> list[Verdict]:
        """Draft an example for every mutant that survives, and return those without one."""
        surviving = []
        for number, verdict in enumerate(verdicts(self.jurisdiction, others), start=1):
            if number % _STEP == 0:
                self.report(f"{number} mutants")
            if verdict.state == SURVIVED:
                surviving.append(Survivor(verdict, self.jurisdiction))
        before = len(self.jurisdiction.examples)
        self._state_settings(surviving)
        left = []
        for number, survivor in enumerate(surviving, start=1):
            self.report(f"{number} of {len(surviving)} survivors")
            if any(map(survivor.noticed_by, self.jurisdiction.examples[before:])):
                continue
            draft = self._noticing(survivor)
            if draft is None:
                left.append(survivor.verdict)
            else:
                self._add(draft)
        return left

    def _state_settings(self, surviving: list[Survivor]) -> None:
        """Draft one example for each day on which a setting that could change unnoticed begins."""
        by_day: dict[date, dict[str, Json]] = {}
        for survivor in surviving:
            for rulebook, mutated in survivor.changes[:1]:
                settings = by_day.setdefault(rulebook.since, {})
                for name, value in changed_settings(rulebook, mutated).items():
                    both = isinstance(value, Mapping) and {**settings.get(name, {}), **value}
                    settings[name] = both or value
        for day, settings in sorted(by_day.items()):
            if settings:
                catalogue = self.jurisdiction.policy.catalogue
                name = settings_name(settings, MAX_AGES, day)
                self._add(DraftedExample(name=name, on=day, catalogue=catalogue, settings=settings))

    def _add(self, draft: DraftedExample) -> None:
        """Add *draft*, under a name that its file does not have yet."""
        name = draft.name
        products = {
            terms.key for rulebook in self.jurisdiction.slices for terms in rulebook.products
        }
        if draft.product in products and len(products) > 1:
            name = f"{draft.product}: {name}"
        if draft.settings is None and draft.on != self.jurisdiction.slices[0].since:
            name = f"{name}, on {draft.on}"
        taken = {example.name for example in self.jurisdiction.examples}
        draft = evolve(draft, name=unique(name, taken))
        self.drafts.append(draft)
        example = draft.example(self.jurisdiction.rulebook(draft.on))
        examples = (*self.jurisdiction.examples, example)
        self.jurisdiction = evolve(self.jurisdiction, examples=examples)

    def _showing(self, gap: ExampleGap) -> DraftedExample | None:
        """Return a draft that fills *gap*, on the first day on which one is found."""
        for rulebook in self.jurisdiction.slices:
            evidence = gap.evidence(rulebook)
            if evidence is not None:
                for test in dict.fromkeys((evidence.decided, evidence.shown)):
                    draft = self._near(gap, rulebook, evolve(evidence, shown=test))
                    if draft is not None:
                        return draft
        return None

    def _near(
        self,
        gap: ExampleGap,
        rulebook: Rulebook,
        evidence: Evidence,
        unknown: int | None = None,
    ) -> DraftedExample | None:
        """Return the plainest draft that fills *gap* by *evidence*; None for none."""
        typical = self.jurisdiction.typical_deal(gap.product)
        near = Neighbourhood(typical, rulebook.catalogue, rulebook.since)
        if gap.unknown is not None:
            unknown = rulebook.catalogue.place(gap.unknown)
        rules = evidence.rules
        for more in (False, True):
            # Another rule may hide the answer: its facts may change then, too.
            rules = (*rules, *_reading_the_same(rules, rulebook, gap.product)) if more else rules
            facts = near.plainest(rules, evidence.shown, _places(rules), unknown)
            if facts is not None:
                return self._draft(gap, rulebook, evidence.rules, typical, facts)
        if unknown is not None:
            return None
        facts = solved(evidence.questions(), typical, rulebook.since, gap.product, evidence.shown)
        if facts is None:
            return None
        return self._draft(gap, rulebook, evidence.rules, typical, facts)

    def _draft(
        self,
        gap: ExampleGap,
        rulebook: Rulebook,
        rules: Sequence[Checked],
        typical: Facts,
        facts: Facts,
    ) -> DraftedExample:
        comparison = None
        if isinstance(gap, SideGap):
            comparison = gap.threshold.comparison(rulebook)
        elif gap.unknown is None:
            comparison = comparison_at_its_limit(rules, typical, facts)
        name = deal_name(rulebook.catalogue, typical, facts, comparison)
        ordinary = "an ordinary good deal" if gap.product is None else "an ordinary good merchant"
        return DraftedExample(
            name=name or ordinary,
            on=rulebook.since,
            product=gap.product,
            catalogue=rulebook.catalogue,
            typical=typical,
            facts=facts,
        )

    def _noticing(self, survivor: Survivor) -> DraftedExample | None:
        """Return a draft that notices *survivor*, on the first day on which one is found."""
        for rulebook, mutated in survivor.changes:
            for draft in self._attempts(rulebook, mutated):
                if draft is not None:
                    return draft
        return None

    def _attempts(self, rulebook: Rulebook, mutated: Rulebook) -> Iterator[DraftedExample | None]:
        """Yield what is found in the rules, with all facts known or one unknown, and in prices."""
        for gap in differences(rulebook, mutated):
            evidence = gap.evidence(rulebook)
            if evidence is not None:
                yield self._near(gap, rulebook, evidence)
                for place in _places(evidence.rules):
                    yield self._near(gap, rulebook, evidence, place)
        for product in repriced(rulebook, mutated):
            yield self._priced(rulebook, mutated, product)
            blank = DraftedExample(
                name="", on=rulebook.since, product=product, catalogue=rulebook.catalogue
            )
            yield noticing_settlement(blank, rulebook, mutated, product)

    def _not_offered(self, rulebook: Rulebook, product: str) -> DraftedExample | None:
        """Return a draft that says that *product* is not offered."""
        if rulebook.product(product) is not None:
            return None
        typical = self.jurisdiction.typical_deal(product)
        return DraftedExample(
            name="not offered here",
            on=rulebook.since,
            product=product,
            catalogue=rulebook.catalogue,
            typical=typical,
            facts=typical,
        )

    def _priced(self, rulebook: Rulebook, mutated: Rulebook, product: str) -> DraftedExample | None:
        """Return a draft with the offers of *product*, which *mutated* makes otherwise."""
        terms, changed = rulebook.product(product), mutated.product(product)
        if terms is None or changed is None:
            return self._not_offered(rulebook, product)
        if not _is_repriced(terms, changed):
            return None
        typical = self.jurisdiction.typical_deal(product)
        application = noticing_application(
            rulebook, mutated, product, applications(typical, rulebook, product)
        )
        if application is None:
            return None
        draft = DraftedExample(
            name="",
            on=rulebook.since,
            product=product,
            catalogue=rulebook.catalogue,
            typical=typical,
            facts=application.facts,
            settles=application.settles,
            offers=offer_fields(terms),
        )
        return evolve(draft, name=price_name(draft.catalogue, typical, draft.facts, draft.settles))


def _is_repriced(before: ProductTerms, after: ProductTerms) -> bool:
    """Return whether a figure differs that prices an offer."""
    return (before.amounts, before.calculators) != (after.amounts, after.calculators)


def _places(rules: tuple[Checked, ...]) -> list[int]:
    """Return the places of the facts that *rules* read, in the order in which they read them."""
    return list(dict.fromkeys(place for rule in rules for place in rule.facts))


def _reading_the_same(
    rules: tuple[Checked, ...], rulebook: Rulebook, product: str | None
) -> list[Checked]:
    """Return the other rules that read a fact of *rules*."""
    in_force = rulebook.rulesets.get(product)
    read = set(_places(rules))
    return [
        rule.checked
        for rule in (() if in_force is None else in_force.rules)
        if rule.checked not in rules and not read.isdisjoint(rule.checked.facts)
    ]


# -- Deals that a solver finds where the search near the typical deal gives up.

# Seconds for one question.
_LIMIT: Final = 2


def solved(
    questions: Iterable[Question], typical: Facts, on: date, product: str | None, test: Test
) -> Facts | None:
    """
    Return the plainest deal that satisfies one of *questions* and passes *test*; None for none.

    Without the extra `proof` nothing is found.
    """
    try:
        from holdback.tools.proofs.plainest import (  # noqa: PLC0415  # imports the solver
            NotDecidedError,
            plainest,
        )
    except ModuleNotFoundError:
        return None
    for question in questions:
        try:
            witness = plainest(question, typical, on, product=product, limit=_LIMIT)
        except NotDecidedError:
            continue
        if witness is not None and test(witness.facts):
            return witness.facts
    return None


# -- Mutants that no example notices, and the deals that notice them.


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
            if rulebook.since == self.jurisdiction.rulebook_for(example).since:
                return not run_example(example, mutated).passed
        return False


@frozen(kw_only=True)
class DifferenceGap(ExampleGap):
    """A deal that is answered otherwise by the changed rulebook of a mutant."""

    mutated: Rulebook

    def evidence(self, rulebook: Rulebook) -> Evidence | None:
        """Return how a deal can show it; None where these rules stay the same."""
        before, after = (
            rulebook.rulesets.get(self.product),
            self.mutated.rulesets.get(self.product),
        )
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


def differences(rulebook: Rulebook, mutated: Rulebook) -> Iterator[DifferenceGap]:
    """Yield what may tell *mutated* from *rulebook*: in renewals, products and fundings."""
    for product in rulebook.rulesets:
        yield DifferenceGap(product=product, mutated=mutated)


def repriced(rulebook: Rulebook, mutated: Rulebook) -> Iterator[str]:
    """Yield the products whose prices or early settlement are others in *mutated*, or new."""
    for terms in mutated.products:
        if rulebook.product(terms.key) is not terms:
            yield terms.key


def changed_settings(rulebook: Rulebook, mutated: Rulebook) -> dict[str, Json]:
    """Return the settings that are others in *mutated*, with their values in *rulebook*."""
    changed: dict[str, Json] = {
        name: getattr(rulebook, name)
        for name in DATED
        if getattr(rulebook, name) != getattr(mutated, name)
    }
    ages: dict[str, Json] = {
        name: terms.max_age_days
        for name, terms in rulebook.checks.items()
        if mutated.checks[name].max_age_days != terms.max_age_days
    }
    return {**changed, **({MAX_AGES: ages} if ages else {})}
