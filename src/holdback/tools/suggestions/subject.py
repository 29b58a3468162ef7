"""What an example asks: the renewal rules of a day, or those of a product."""

from __future__ import annotations

from typing import Final

from holdback.eligibility.assessment import FLOOR
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.frozen_classes import frozen
from holdback.rulebooks.rulebook import ProductTerms, Rulebook
from holdback.rules import Facts

ACCEPTED: Final = "accepted"
DECLINED: Final = "declined"
REFERRED: Final = "referred"
UNKNOWN: Final = "unknown"
BELOW_FLOOR: Final = "below the floor"


@frozen
class DealAnswer:
    """What rules answer about a deal, without prices: a word, the codes that say why, the needs."""

    word: str
    codes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def offered(rulebook: Rulebook, product: str) -> ProductTerms | None:
    """Return the terms of *product* in *rulebook*; None where it is not offered."""
    return next((terms for terms in rulebook.products if terms.key == product), None)


def rules_of(rulebook: Rulebook, product: str | None) -> RuleSet | None:
    """Return the renewal rules, or those of a *product*; None where it is not offered."""
    if product is None:
        return rulebook.renewal
    terms = offered(rulebook, product)
    return None if terms is None else terms.rules


def rule_from(rules: RuleSet | None, origin: object) -> Rule | None:
    """Return the rule that was resolved from *origin*; None where it is not in force."""
    in_force = () if rules is None else rules.rules
    return next((rule for rule in in_force if rule.origin is origin), None)


def evaluated(facts: Facts, rules: RuleSet, product: str | None) -> bool:
    """Return whether the rules are evaluated: a renewal has to be known to reach the floor."""
    progress = facts[rules.progress]
    return product is not None or (progress is not None and progress >= FLOOR)


def answered(rules: RuleSet | None, facts: Facts, product: str | None) -> DealAnswer:
    """Return what *rules* answer about *facts*, in the order of outcomes."""
    if rules is None:
        return DealAnswer("not offered")
    if not evaluated(facts, rules, product):
        if facts[rules.progress] is None:
            return DealAnswer(UNKNOWN, needs=("progress",))
        return DealAnswer(BELOW_FLOOR)
    answers = rules.answer(facts)
    if answers.declined:
        declining = answers.selected(answers.false & rules.declining)
        return DealAnswer(DECLINED, tuple(rule.code for rule in declining))
    if answers.unknown:
        return DealAnswer(UNKNOWN, needs=answers.needs)
    if answers.false:
        return DealAnswer(REFERRED, tuple(rule.code for rule in answers.selected(answers.false)))
    return DealAnswer(ACCEPTED)
