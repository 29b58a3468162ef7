"""A rule that was changed among others, and the questions whether a deal tells the change.

An answer is the outcome, the codes of its reasons, and the facts that it needs. A rule may answer
otherwise and still not matter: another rule refuses the same deals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from holdback.eligibility.assessment import ELIGIBLE, INELIGIBLE, REFERRED, UNDETERMINED
from holdback.eligibility.ruleset import DECLINE, Rule, RuleSet
from holdback.frozen_classes import frozen
from holdback.rules import Catalogue, Checked, Fact, Kind, check, parse
from holdback.tools.proofs.question import (
    UNKNOWN,
    AnswerIn,
    OutcomeIn,
    Part,
    Question,
    reaches_floor,
)

ANSWERS: Final = (True, False, None)
_OUTCOMES: Final = (INELIGIBLE, UNDETERMINED, REFERRED, ELIGIBLE)


@frozen(kw_only=True)
class ChangedRule:
    """A rule `before` and `after` a change, among the `others`; None where there is none."""

    before: Rule | None
    after: Rule | None
    others: RuleSet
    floor: bool

    @property
    def catalogue(self) -> Catalogue:
        """The facts by their places."""
        return self.others.catalogue

    @property
    def is_outcome_alone(self) -> bool:
        """Whether it asks the same of a deal, and only what follows is another."""
        if self.before is None or self.after is None:
            return False
        return self.before.checked.tree == self.after.checked.tree

    def question(self, *parts: Part) -> Question:
        """Return the question whether a deal that is assessed satisfies *parts*."""
        reached = (reaches_floor(self.catalogue),) if self.floor else ()
        return Question(catalogue=self.catalogue, parts=(*reached, *parts))

    def differences(self) -> Iterator[Question]:
        """Yield questions: a deal that is answered otherwise satisfies one of them."""
        for outcome in _OUTCOMES:
            among = OutcomeIn(self.others, frozenset({outcome}), self.floor)
            for answer in ANSWERS:
                seen = _seen(outcome, answer, self.before)
                others = frozenset(b for b in ANSWERS if _seen(outcome, b, self.after) != seen)
                parts = self.both(answer, others)
                if parts is not None:
                    yield self.question(among, *parts)
        yield from self._needs()

    def both(
        self,
        answer: bool | None,  # noqa: FBT001 - an answer of a rule
        others: frozenset[bool | None],
    ) -> list[Part] | None:
        """Return the parts: *answer* before, one of *others* after it; None for never."""
        parts: list[Part] = []
        pairs = ((self.before, frozenset({answer})), (self.after, others))
        for rule, answers in pairs:
            if not answers or (rule is None and True not in answers):
                return None
            if rule is not None:
                parts.append(AnswerIn(rule.checked, answers))
        return parts

    def _needs(self) -> Iterator[Question]:
        """Yield questions about deals that need a fact only before the change, or only after it."""
        not_refused = OutcomeIn(self.others, frozenset(_OUTCOMES) - {INELIGIBLE}, self.floor)
        for rule, other_version in ((self.before, self.after), (self.after, self.before)):
            if rule is None:
                continue
            beside = (*self.others.rules, *([] if other_version is None else [other_version]))
            for name in rule.checked.names:
                fact = self.catalogue.fact(name)
                assert fact is not None, "a rule reads it"
                # Another rule that is unknown for want of the fact would need it as well.
                decided = [
                    AnswerIn(beside_it.checked, frozenset({True, False}))
                    for beside_it in beside
                    if name in beside_it.checked.names
                ]
                missing = AnswerIn(_about(fact, self.catalogue), UNKNOWN)
                yield self.question(not_refused, AnswerIn(rule.checked, UNKNOWN), missing, *decided)


def _about(fact: Fact, catalogue: Catalogue) -> Checked:
    """Return an expression that is unknown where *fact* is, and only there."""
    exact = evolve(
        catalogue, facts=tuple(evolve(fact, rounded_down=False) for fact in catalogue.facts)
    )
    if fact.type.kind is Kind.FLAG:
        return check(parse(fact.name), exact, Kind.FLAG)
    return check(parse(f"{fact.name} == {fact.type.literal(fact.low)}"), exact, Kind.FLAG)


def _seen(
    others: str,
    answer: bool | None,  # noqa: FBT001 - an answer of a rule
    rule: Rule | None,
) -> tuple[str, bool]:
    """Return the outcome where the *others* have theirs, and whether the rule's answer shows."""
    declines = rule is not None and rule.otherwise == DECLINE
    if others == INELIGIBLE or (answer is False and declines):
        return INELIGIBLE, answer is False and declines
    if others == UNDETERMINED or answer is None:
        return UNDETERMINED, False  # what is needed is asked separately
    if others == REFERRED or answer is False:
        return REFERRED, answer is False
    return ELIGIBLE, False


def changed_rules(before: RuleSet, after: RuleSet, *, floor: bool) -> list[ChangedRule]:
    """Return each rule that differs, with the rules beside it; the order of rules is the same."""
    shared = [rule for rule in before.rules if rule in after.rules]
    old = {rule.id: rule for rule in before.rules if rule not in shared}
    new = {rule.id: rule for rule in after.rules if rule not in shared}
    others = before.altered(rules=tuple(shared))
    return [
        ChangedRule(before=old.get(name), after=new.get(name), others=others, floor=floor)
        for name in dict.fromkeys((*old, *new))
    ]
