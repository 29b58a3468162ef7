"""What a set of rules answers about one deal, in words and as an example expects it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdback.eligibility.assessment import (
    ELIGIBLE,
    INELIGIBLE,
    NOT_ASSESSED,
    REFERRED,
    UNDETERMINED,
    Assessment,
)
from holdback.eligibility.ruleset import Answers
from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen
from holdback.merchant.product import ACCEPTED, DECLINED
from holdback.merchant.product import REFERRED as PRODUCT_REFERRED
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
    def of_renewal(cls, assessment: Assessment) -> RuleOutcome:
        """Return the outcome of an assessment of a renewal."""
        return cls(assessment.outcome, assessment.codes, assessment.needs)

    @classmethod
    def of_product(cls, answers: Answers) -> RuleOutcome:
        """Return the outcome of the rules of a product, which know no floor."""
        rules = answers.ruleset
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
        """Return what an example expects, of renewal rules or those of a *product*."""
        key, name = "outcome", self.outcome
        if product is not None:
            assert self.outcome != NOT_ASSESSED, "the rules of a product know no floor"
            key, name = "decision", _DECISIONS[self.outcome]
        more = {"codes": list(self.codes), "needs": list(self.needs)}
        return {key: name, **{which: names for which, names in more.items() if names}}
