"""Whether a deal may be renewed.

1. Nothing outside this file decides what the renewal rules lead to. What else bars a renewal, such
   as a hold, is in `lifecycle.offers.renewal_eligibility`, which records for a person which rules
   refer.
2. This file reads no clock: the facts are those of one day.

Below the floor a deal is not assessed at all. At or above it the jurisdiction's rules decide, and
may still refuse (service 1). A missing fact never makes a deal eligible (decisions/three-ideas),
unless a person approved the rule that lacks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, get_args

from attrs import field

from holdback.eligibility.reasons import Reason, floor_reason, reasons
from holdback.eligibility.ruleset import Answers, RuleSet, TraceLine
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import PERCENT_PLACES
from holdback.frozen_classes import frozen, frozen_record
from holdback.rules.types import Facts
from holdback.tool_named import shown_by, tool_named

# The percentage of a deal that must be paid down before a renewal is assessed at all (service 1). A
# jurisdiction may require more in a rule of its own, never less.
FLOOR_PERCENT: Final = 50
# INVARIANT: progress is rounded down to 4 decimals, so comparing it with this whole number is
# exact: progress >= FLOOR just when remitted * 100 >= FLOOR_PERCENT * repayment_amount.
FLOOR: Final = FLOOR_PERCENT * 10**PERCENT_PLACES

ELIGIBLE: Final = "eligible"
REFERRED: Final = "referred"
INELIGIBLE: Final = "ineligible"
UNDETERMINED: Final = "undetermined"
NOT_ASSESSED: Final = "not_assessed"
RenewalOutcome: TypeAlias = Literal[
    "eligible", "referred", "ineligible", "undetermined", "not_assessed"
]
OUTCOMES: Final[tuple[RenewalOutcome, ...]] = get_args(RenewalOutcome)

# The number of reasons in a notice to a merchant. More than four explain less.
MOST_PRINCIPAL: Final = 4

# A decision record states its format, so that old ones stay readable (decisions/wire).
RECORD_FORMAT: Final = 1


@frozen
class Assessment:
    """
    The answer of a jurisdiction's renewal rules on the facts of a deal.

    `outcome` is one of `eligible`, `referred`, `ineligible`, `undetermined` and `not_assessed`.
    Reasons, needs and trace are derived when they are asked for.
    """

    outcome: RenewalOutcome
    on: date
    # The rules, the facts, and the masks of the false and of the unknown rules, as `Answers` has
    # them: it is made of them only when somebody asks for more than the outcome.
    _evaluation: tuple[RuleSet, Facts, int, int] = field(repr=False)
    # The mask of the referring rules that a person's approval lifts: they count as true.
    _lifted: int = field(default=0, repr=False, kw_only=True)

    @cached_property
    def answers(self) -> Answers:
        """The answers of all rules, and the facts that they read."""
        return Answers(*self._evaluation)

    @property
    def lifted(self) -> tuple[str, ...]:
        """The codes of the rules that a person's approval lifted, which count as true."""
        return tuple(rule.code for rule in self.answers.selected(self._lifted))

    @property
    def eligible(self) -> bool:
        """Whether the deal may be renewed: only `eligible` is true (service 2.5)."""
        return self.outcome == ELIGIBLE

    def __bool__(self) -> bool:
        return self.eligible

    @property
    def ruleset(self) -> RuleSet:
        """The rules that were evaluated."""
        return self._evaluation[0]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The false rules that led to the outcome, in order of priority; empty for `eligible`."""
        answers = self.answers
        if self.outcome == NOT_ASSESSED:
            progress = answers.facts[self.ruleset.progress]
            assert progress is not None
            return (floor_reason(self.ruleset, progress=progress, floor=FLOOR),)
        if self.outcome == INELIGIBLE:
            return reasons(answers, answers.false & self.ruleset.declining)
        if self.outcome == REFERRED:
            return reasons(answers, answers.false)
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
    def _evaluated(self) -> bool:
        """Whether the rules were evaluated: not when progress is unknown or below the floor."""
        progress = self.answers.facts[self.ruleset.progress]
        return progress is not None and self.outcome != NOT_ASSESSED

    @property
    def needs(self) -> tuple[str, ...]:
        """The facts whose absence made the outcome `undetermined`."""
        if self.outcome != UNDETERMINED:
            return ()
        return self.answers.needs if self._evaluated else ("progress",)

    @property
    def trace(self) -> tuple[TraceLine, ...]:
        """The answer of every rule, in order of priority; empty when none was evaluated."""
        return self.answers.trace if self._evaluated else ()

    def what_would_help(self, movable: Iterable[str] | None = None) -> Any:
        """
        Return all minimal sets of changes with which the deal would be eligible on the day `on`.

        They are a `holdback.tools.advice.WhatWouldHelp`.

        *movable* are the names of the facts that the merchant can move, by default all that the
        catalogue marks as movable. Rules that a person's approval lifted count as met.

        >>> from holdback import load_jurisdictions
        >>> rulebook = load_jurisdictions().resolve("GB", on=date(2026, 7, 1))
        >>> deal = {"progress": "64%", "performance": "76%", "status": "Funded"}
        >>> print(rulebook.assess(deal).what_would_help().ways[0].moves[0].words)
        the performance is at least 80% of what is expected (now 76%)

        Raises:
            InvalidDocument: with every name in *movable* that is not a fact, or not one that moves.
        """
        rules, facts, *_ = self._evaluation
        search = tool_named("advice.ways.what_would_help")
        return search(rules, facts, floor=FLOOR, lifted=self._lifted, movable=movable)

    def plain(self) -> dict[str, Json]:
        """
        Return the assessment as plain values (decisions/wire).

        That of a proposal has its sentences, under `proposal`.
        """
        return self._as_plain_values(dict)

    def _as_plain_values(self, mapping: Callable[[Mapping[str, Any]], Json]) -> dict[str, Json]:
        """Return the assessment as plain values, with *mapping* of the facts of its rules."""
        proposal = list(self.ruleset.proposal)
        return {
            **({"proposal": proposal} if proposal else {}),
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
                    "facts": mapping(reason.facts),
                    "file": reason.file,
                    "line": reason.line,
                }
                for reason in self.reasons
            ],
            "needs": list(self.needs),
            "trace": [
                mapping({"rule": line.rule, "answer": line.answer, "facts": mapping(line.facts)})
                for line in self.trace
            ],
        }

    def record(self) -> dict[str, Json]:
        """
        Return the decision record: the assessment, its format, and every known fact.

        Its `versions` are those that its digest covers.

        Raises:
            ValueError: the rules are a proposal, by which nobody decides.
        """
        return self._record(dict)

    def frozen_record(self) -> Mapping[str, Json]:
        """Return the same record for an event, which holds it frozen."""
        # What is frozen already is not copied, since a record is made at every request for offers.
        return frozen_record(self._record(frozen_record))

    def _record(self, mapping: Callable[[Mapping[str, Any]], Json]) -> dict[str, Json]:
        """Return the record, with *mapping* of the mappings that it shares."""
        if self.ruleset.proposal:
            proposed = "; ".join(self.ruleset.proposal)
            raise ValueError(
                f"these rules are a proposal ({proposed}), and no decision is recorded by one; "
                "change the jurisdiction's files first"
            )
        record = {
            **self._as_plain_values(mapping),
            "format": RECORD_FORMAT,
            "facts": mapping(self.answers.known),
        }
        if self._lifted:
            record["lifted"] = list(self.lifted)
        return record | {"versions": mapping(self.ruleset.versions)}

    def __repr__(self) -> str:
        return shown_by("assessments.assessment_repr", self)

    def _repr_html_(self) -> str:
        return shown_by("assessments.assessment_html", self)


def assess(rules: RuleSet, facts: Facts, on: date, *, lifted: int = 0) -> Assessment:
    """
    Return the assessment of prepared *facts* of the day *on* by a jurisdiction's renewal *rules*.

    The first of these that applies is the outcome: progress is unknown (`undetermined`), progress
    is below the floor (`not_assessed`), a declining rule is false (`ineligible`), a rule is unknown
    (`undetermined`), a rule is false (`referred`), and otherwise `eligible`.

    *lifted* is a mask of rules that a person approved; it lifts none that declines, nor the floor.
    """
    progress = facts[rules.progress]
    if progress is None:
        return Assessment(UNDETERMINED, on, (rules, facts, 0, 0))
    if progress < FLOOR:
        return Assessment(NOT_ASSESSED, on, (rules, facts, 0, 0))
    false, unknown = rules.masks(facts)
    lifted &= (false | unknown) & ~rules.declining
    false, unknown = false & ~lifted, unknown & ~lifted
    outcome: RenewalOutcome
    if false & rules.declining:
        outcome = INELIGIBLE
    elif unknown:
        outcome = UNDETERMINED
    elif false:
        outcome = REFERRED
    else:
        outcome = ELIGIBLE
    return Assessment(outcome, on, (rules, facts, false, unknown), lifted=lifted)
