"""Questions about deals, and their answers by the reference interpreter.

A question is a list of parts, all of which a deal has to satisfy. The solver looks for such a deal
among all that can exist; here the interpreter says whether one deal is such a deal. The two share
nothing but the tree of each rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, TypeAlias

from holdback.eligibility.assessment import (
    ELIGIBLE,
    FLOOR,
    FLOOR_PERCENT,
    INELIGIBLE,
    NOT_ASSESSED,
    OUTCOMES,
    REFERRED,
    UNDETERMINED,
)
from holdback.eligibility.facts import relations
from holdback.eligibility.ruleset import DECLINE, Rule, RuleSet
from holdback.frozen_classes import frozen
from holdback.rulebooks.rulebook import FUNDING
from holdback.rules import Catalogue, Checked, Fact, Facts, Kind, check, interpret, parse
from holdback.rules.render import text_of

# Seconds for one question; one about the rules that ship takes a few thousandths. What takes longer
# is not decided, and said to be.
LIMIT: Final = 5
# All questions of one jurisdiction together may take as long as this many: each that is not decided
# takes its whole time, and there may be hundreds like it.
MOST_TIMES: Final = 6

Answers: TypeAlias = frozenset[bool | None]

TRUE: Final[Answers] = frozenset({True})
FALSE: Final[Answers] = frozenset({False})
UNKNOWN: Final[Answers] = frozenset({None})
NOT_TRUE: Final[Answers] = FALSE | UNKNOWN
NOT_FALSE: Final[Answers] = TRUE | UNKNOWN

PASSES: Final[frozenset[str]] = frozenset({ELIGIBLE})
FAILS: Final = frozenset(OUTCOMES) - PASSES
# The classes of outcomes, the best first. What is not known waits, as a referral does: nobody
# passes, and nobody is declined.
REFERS: Final[frozenset[str]] = frozenset({REFERRED, UNDETERMINED})
DECLINES: Final = FAILS - REFERS
CLASSES: Final = {"accepted": PASSES, "referred": REFERS, "declined": DECLINES}


@lru_cache(maxsize=4096)
def rule_meaning(rule: Rule) -> object:
    """Return what *rule* decides: equal for two rules with the same answers and the same facts."""
    return rule.otherwise, text_of(rule.checked.tree)


@frozen
class OutcomeIn:
    """The outcome of `rules` is one of `outcomes`; those of a product know no floor."""

    rules: RuleSet
    outcomes: frozenset[str]
    floor: bool = True

    @property
    def catalogue(self) -> Catalogue:
        """The facts by their places."""
        return self.rules.catalogue

    @property
    def names(self) -> Iterator[str]:
        """The facts that it reads."""
        if self.floor:
            yield "progress"
        for rule in self.rules.rules:
            yield from rule.checked.names

    @property
    def meaning(self) -> object:
        """What decides it, next to the facts of its catalogue."""
        return frozenset(map(rule_meaning, self.rules.rules)), self.outcomes, self.floor

    def holds(self, facts: Facts) -> bool:
        """Return whether the deal with *facts* satisfies it."""
        return outcome(self.rules, facts, floor=self.floor) in self.outcomes


@frozen
class AnswerIn:
    """The answer of `checked`, a flag, is one of `answers`."""

    checked: Checked
    answers: Answers

    @property
    def catalogue(self) -> Catalogue:
        """The facts by their places."""
        return self.checked.catalogue

    @property
    def names(self) -> tuple[str, ...]:
        """The facts that it reads."""
        return self.checked.names

    @property
    def meaning(self) -> object:
        """What decides it, next to the facts of its catalogue."""
        return text_of(self.checked.tree), self.answers

    def holds(self, facts: Facts) -> bool:
        """Return whether the deal with *facts* satisfies it."""
        return interpret(self.checked, facts) in self.answers


Part: TypeAlias = OutcomeIn | AnswerIn


def better(rules: RuleSet, than: RuleSet, product: str | None) -> tuple[tuple[Part, ...], ...]:
    """
    Return alternatives: a deal of a better class by *rules* than by *than* satisfies one of them.

    Payouts have two classes: what stops one lets it wait.
    """
    classes = [(PASSES, FAILS)] if product == FUNDING else [(PASSES, FAILS), (REFERS, DECLINES)]
    floor = product is None
    return tuple(
        (OutcomeIn(rules, best, floor), OutcomeIn(than, worse, floor)) for best, worse in classes
    )


def outcome(rules: RuleSet, facts: Facts, *, floor: bool) -> str:
    """Return the outcome of *rules* on *facts*, by the reference interpreter."""
    if floor:
        progress = facts[rules.progress]
        if progress is None:
            return UNDETERMINED
        if progress < FLOOR:
            return NOT_ASSESSED
    answers = [interpret(rule.checked, facts) for rule in rules.rules]
    false = sum(1 << bit for bit, answer in enumerate(answers) if answer is False)
    unknown = sum(1 << bit for bit, answer in enumerate(answers) if answer is None)
    declining = sum(1 << bit for bit, rule in enumerate(rules.rules) if rule.otherwise == DECLINE)
    return outcome_of(false, unknown, declining)


def outcome_of(false: int, unknown: int, declining: int) -> str:
    """Return the outcome from the masks of the false, the unknown and the declining rules."""
    if false & declining:
        return INELIGIBLE
    if unknown:
        return UNDETERMINED
    return REFERRED if false else ELIGIBLE


@frozen(kw_only=True)
class Question:
    """
    Is there a possible deal that satisfies all `parts`?

    With `alternatives` it also satisfies all parts of one of them.

    With `moved`, the name of a fact, it is about two deals: the second has a higher number of that
    fact, differs in nothing else, and satisfies `after`.
    """

    catalogue: Catalogue
    parts: tuple[Part, ...] = ()
    alternatives: tuple[tuple[Part, ...], ...] = ()
    moved: str | None = None
    after: tuple[Part, ...] = ()

    @cached_property
    def names(self) -> frozenset[str]:
        """The facts that decide it."""
        parts = (*self.parts, *chain(*self.alternatives), *self.after)
        read = [name for part in parts for name in part.names]
        return frozenset(read if self.moved is None else [*read, self.moved])

    @property
    def meaning(self) -> object:
        """What decides its answer: equal for two questions that need to be asked once."""
        own = self.catalogue.facts
        asked = (self.parts, *self.alternatives, self.after)
        return (
            tuple(
                tuple(
                    # The options of a text may be others in the catalogue of a part.
                    (part.meaning, None if part.catalogue.facts == own else part.catalogue.facts)
                    for part in parts
                )
                for parts in asked
            ),
            self.moved,
            self.catalogue.currency,
            tuple(fact for fact in own if fact.name in self.names),
        )

    @cached_property
    def relations(self) -> tuple[Checked, ...]:
        """The relations among its facts: a missing fact contradicts none."""
        return tuple(
            relation for relation in self.all_relations if self.names >= set(relation.names)
        )

    @property
    def all_relations(self) -> tuple[Checked, ...]:
        """The relations of deals; a question about an offer asks for those of its figures."""
        return () if is_of_offers(self.catalogue) else relations(self.catalogue.currency)

    def holds(self, facts: Facts, after: Facts | None = None) -> bool:
        """Return whether *facts*, and the deal *after*, are such deals: the reference's answer."""
        deals = (
            ((facts, self.parts),) if after is None else ((facts, self.parts), (after, self.after))
        )
        return all(
            self._all_hold(parts, deal)
            and all(interpret(relation, deal) is not False for relation in self.relations)
            for deal, parts in deals
        ) and (
            not self.alternatives
            or any(self._all_hold(parts, facts) for parts in self.alternatives)
        )

    def _all_hold(self, parts: Iterable[Part], facts: Facts) -> bool:
        return all(part.holds(moved_to(part.catalogue, self.catalogue, facts)) for part in parts)


def moved_to(after: Catalogue, before: Catalogue, facts: Facts) -> Facts:
    """
    Return *facts*, prepared by the catalogue *before*, in the places of the one *after*.

    A text keeps its option. What there has no such option, or is of another kind, is unknown.
    """
    if after.facts is before.facts or after.facts == before.facts:
        return facts
    return tuple(
        number if options is None or number is None else options[number]
        for number, options in (
            (None if place is None else facts[place], options)
            for place, options in _moves(after, before)
        )
    )


@lru_cache(maxsize=256)
def _moves(
    after: Catalogue, before: Catalogue
) -> tuple[tuple[int | None, tuple[int | None, ...] | None], ...]:
    """Return the place *before* of every fact *after*, with its options' new ordinals."""
    places = {fact.name: place for place, fact in enumerate(before.facts)}
    moves: list[tuple[int | None, tuple[int | None, ...] | None]] = []
    for fact in after.facts:
        place = places.get(fact.name)
        was = fact if place is None else before.facts[place]
        if was.type.kind is not fact.type.kind:
            place = None
        same = place is None or was.type.options == fact.type.options
        moves.append((place, None if same else new_ordinals(fact, was)))
    return tuple(moves)


def new_ordinals(after: Fact, before: Fact) -> tuple[int | None, ...]:
    """Return the place among the options *after* of each option *before*; None if it has none."""
    return tuple(after.type.ordinals.get(option) for option in before.type.options)


def is_of_offers(catalogue: Catalogue) -> bool:
    """Return whether *catalogue* has the figures of offers, and not the facts of deals."""
    return catalogue.fact("progress") is None


@lru_cache(maxsize=256)
def reaches_floor(catalogue: Catalogue) -> AnswerIn:
    """Return the part that a deal has reached the floor, and so is assessed."""
    expression = check(parse(f"progress >= {FLOOR_PERCENT}%"), catalogue, Kind.FLAG)
    return AnswerIn(expression, TRUE)
