"""Whether a deal may be renewed.

Rule 1: nothing outside this file decides renewal eligibility.
Rule 2: this file reads no clock; the facts are those of one day.

Below the floor a deal is not assessed at all (service 1, renewal eligibility 2). At or above it the
jurisdiction's rules decide, and may still say no (3). What is not known never makes a deal eligible.
"""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import Final

from attrs import field, frozen

from holdback.exact_json import Json
from holdback.money import PERCENT_PLACES
from holdback.notebook import assessment_html
from holdback.rules.types import Facts
from holdback.ruleset import Answers, Reason, RuleSet, TraceLine

# Service 1: "The minimum percentage of the existing deal that must be paid down before a merchant is even
# assessed for eligibility is 50." A jurisdiction may ask for more in a rule of its own, never for less.
FLOOR_PERCENT: Final = 50
# Progress is rounded down to 4 decimals, so this whole-number comparison is exact: it is true just when
# remitted * 100 >= FLOOR_PERCENT * repayment_amount.
FLOOR: Final = FLOOR_PERCENT * 10**PERCENT_PLACES

ELIGIBLE: Final = "eligible"
REFERRED: Final = "referred"
INELIGIBLE: Final = "ineligible"
UNDETERMINED: Final = "undetermined"
NOT_ASSESSED: Final = "not_assessed"
OUTCOMES: Final = (ELIGIBLE, REFERRED, INELIGIBLE, UNDETERMINED, NOT_ASSESSED)

# What a notice tells a merchant: more reasons than four explain less.
MOST_PRINCIPAL: Final = 4

# Decision records say which format they have, so that they stay readable (design 7a).
RECORD_FORMAT: Final = 1


# The reason below the floor, which is no rule of a jurisdiction's.
FLOOR_CODE: Final = "FLOOR"


def _floor_reason(rules: RuleSet, progress: int) -> Reason:
    percent = rules.catalogue.facts[rules.progress].type
    shown = rules.show(percent, progress)
    return Reason(
        code=FLOOR_CODE,
        rule="floor",
        text=f"The deal is {shown} paid down; at least {rules.show(percent, FLOOR)} is needed before a "
        "renewal is assessed.",
        facts={"progress": percent.plain(progress)},
        measured={"progress": shown},
        threshold={"progress": f"at least {rules.show(percent, FLOOR)}"},
    )


@frozen
class Assessment:
    """
    The answer of a jurisdiction's renewal rules on the facts of a deal.

    `outcome` is one of `eligible`, `referred`, `ineligible`, `undetermined` and `not_assessed`. The
    reasons, what is missing and the trace are worked out when asked for.
    """

    outcome: str
    on: date
    _kept: tuple[RuleSet, Facts, int, int] = field(repr=False)

    @cached_property
    def answers(self) -> Answers:
        """What every rule answered, and on which facts."""
        return Answers(*self._kept)

    @property
    def eligible(self) -> bool:
        """Whether the deal may be renewed: true for `eligible` alone (service 2.5)."""
        return self.outcome == ELIGIBLE

    def __bool__(self) -> bool:
        return self.eligible

    @property
    def ruleset(self) -> RuleSet:
        """The rules that answered."""
        return self._kept[0]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the outcome is not `eligible`: the false rules that decided it, in order of priority."""
        answers = self.answers
        if self.outcome == NOT_ASSESSED:
            place = self.ruleset.progress
            progress = answers.facts[place]
            assert progress is not None
            return (_floor_reason(self.ruleset, progress),)
        if self.outcome == INELIGIBLE:
            return answers.reasons(answers.false & self.ruleset.declining)
        if self.outcome == REFERRED:
            return answers.reasons(answers.false)
        return ()

    @property
    def principal_reasons(self) -> tuple[Reason, ...]:
        """The reasons for a notice to the merchant: the first four, in order of priority."""
        return self.reasons[:MOST_PRINCIPAL]

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the reasons."""
        return tuple(reason.code for reason in self.reasons)

    @property
    def _looked_at(self) -> bool:
        """Whether the rules were looked at: not when progress is unknown or under the floor."""
        progress = self.answers.facts[self.ruleset.progress]
        return progress is not None and self.outcome != NOT_ASSESSED

    @property
    def needs(self) -> tuple[str, ...]:
        """The facts whose absence left the outcome `undetermined`."""
        if self.outcome != UNDETERMINED:
            return ()
        return self.answers.needs if self._looked_at else ("progress",)

    @property
    def trace(self) -> tuple[TraceLine, ...]:
        """Every rule's answer, in order of priority; empty when none was looked at."""
        return self.answers.trace if self._looked_at else ()

    def plain(self) -> dict[str, Json]:
        """The assessment as plain values (design 7a)."""
        return {
            "outcome": self.outcome,
            "eligible": self.eligible,
            "jurisdiction": self.ruleset.jurisdiction,
            "on": self.on.isoformat(),
            "digest": self.ruleset.digest,
            "reasons": [
                {
                    "code": reason.code,
                    "rule": reason.rule,
                    "text": reason.text,
                    "facts": reason.facts,
                    "file": reason.file,
                    "line": reason.line,
                }
                for reason in self.reasons
            ],
            "needs": list(self.needs),
            "trace": [
                {"rule": line.rule, "answer": line.answer, "facts": line.facts}
                for line in self.trace
            ],
        }

    def record(self) -> dict[str, Json]:
        """The decision record: the assessment, its format, and every fact that was known (design 7a)."""
        return {
            **self.plain(),
            "format": RECORD_FORMAT,
            "facts": self.answers.known,
        }

    def _repr_html_(self) -> str:
        return assessment_html(self.plain())


def assess(rules: RuleSet, facts: Facts, on: date) -> Assessment:
    """
    The assessment of prepared *facts*, those of the day *on*, by a jurisdiction's renewal *rules*.

    Progress unknown: `undetermined`. Under the floor: `not_assessed`. A declining rule false:
    `ineligible`. Else a rule unknown: `undetermined`. Else a rule false: `referred`. Else `eligible`.
    """
    progress = facts[rules.progress]
    if progress is None:
        return Assessment(UNDETERMINED, on, (rules, facts, 0, 0))
    if progress < FLOOR:
        return Assessment(NOT_ASSESSED, on, (rules, facts, 0, 0))
    false, unknown = rules.masks(facts)
    if false & rules.declining:
        outcome = INELIGIBLE
    elif unknown:
        outcome = UNDETERMINED
    elif false:
        outcome = REFERRED
    else:
        outcome = ELIGIBLE
    return Assessment(outcome, on, (rules, facts, false, unknown))
