"""What rules answer about a deal: those of renewals, of a product, or of fundings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.eligibility.assessment import (
    ELIGIBLE,
    FLOOR,
    INELIGIBLE,
    NOT_ASSESSED,
    REFERRED,
    UNDETERMINED,
)
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.eligibility.ruleset import Rule, RuleSet
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.keys import NOT_OFFERED
from holdback.merchant.product import ACCEPTED, DECLINED
from holdback.merchant.product import REFERRED as PRODUCT_REFERRED
from holdback.rulebooks.rulebook import FUNDING
from holdback.rules import Facts
from holdback.tools.example_run import Answer, funding_answer
from holdback.tools.proofs.question import outcome_of

# A product whose rules cannot be answered is referred, as in a quote.
_DECISIONS: Final[Mapping[str, str]] = {
    ELIGIBLE: ACCEPTED,
    REFERRED: PRODUCT_REFERRED,
    UNDETERMINED: PRODUCT_REFERRED,
    INELIGIBLE: DECLINED,
}


@frozen
class RuleOutcome:
    """The outcome of rules on a deal, with the codes of its reasons and the facts it lacks."""

    outcome: str
    codes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    @classmethod
    def of(cls, rules: RuleSet, facts: Facts, product: str | None) -> RuleOutcome:
        """Return the outcome of *rules* on *facts*; those of a *product* know no floor."""
        progress = facts[rules.progress]
        if product is None and progress is None:
            return cls(UNDETERMINED, needs=("progress",))
        if product is None and progress is not None and progress < FLOOR:
            return cls(NOT_ASSESSED, (FLOOR_CODE,))
        answers = rules.answer(facts)
        if product == FUNDING:
            paid = funding_answer(answers)
            return cls(paid.outcome, paid.codes, paid.needs)
        outcome = outcome_of(answers.false, answers.unknown, rules.declining)
        if outcome == UNDETERMINED:
            return cls(outcome, needs=answers.needs)
        deciding = answers.false & rules.declining if outcome == INELIGIBLE else answers.false
        return cls(outcome, tuple(rule.code for rule in answers.selected(deciding)))

    @property
    def words(self) -> str:
        """
        The outcome in words.

        >>> RuleOutcome("ineligible", codes=("GB-R-02",)).words
        'ineligible (GB-R-02)'
        >>> RuleOutcome("undetermined", needs=("credit_score",)).words
        'undetermined (credit score is unknown)'
        """
        name = self.outcome.replace("_", " ")
        because = list(self.codes)
        if self.needs:
            are = "is" if len(self.needs) == 1 else "are"
            because = [f"{', '.join(self.needs).replace('_', ' ')} {are} unknown"]
        return f"{name} ({', '.join(because)})" if because else name

    def expected(self, product: str | None) -> dict[str, Json]:
        """Return what an example expects, of renewal rules, those of a *product* or of fundings."""
        outcome = self.outcome if product in (None, FUNDING) else _DECISIONS[self.outcome]
        return Answer(outcome, self.codes, self.needs).expected(product)


def rule_from(rules: RuleSet | None, origin: object) -> Rule | None:
    """Return the rule that was resolved from *origin*; None where it is not in force."""
    in_force = () if rules is None else rules.rules
    return next((rule for rule in in_force if rule.origin is origin), None)


def evaluated(facts: Facts, rules: RuleSet, product: str | None) -> bool:
    """Return whether the rules are evaluated: a renewal has to be known to reach the floor."""
    progress = facts[rules.progress]
    return product is not None or (progress is not None and progress >= FLOOR)


def answered(rules: RuleSet | None, facts: Facts, product: str | None) -> RuleOutcome:
    """Return what *rules* answer about *facts*; without any, the product is not offered."""
    return RuleOutcome(NOT_OFFERED) if rules is None else RuleOutcome.of(rules, facts, product)
