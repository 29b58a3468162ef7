"""`funnel`: what each rule answers by itself, and what would become eligible without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define, field

from holdback.eligibility.assessment import FLOOR_PERCENT
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.eligibility.ruleset import DECLINE
from holdback.exact.money import Money
from holdback.portfolio.answers.answer_table import AnswerTable
from holdback.portfolio.assessing.aggregation import DealTotals, count_rows
from holdback.portfolio.assessing.assessed_frames import deals_of
from holdback.portfolio.assessing.outcome_codes import FLOOR_BIT
from holdback.portfolio.assessing.outcome_columns import (
    BALANCE,
    FALSE_RULES,
    RULEBOOK,
    UNKNOWN_RULES,
    UNREADABLE,
)
from holdback.portfolio.assessing.row_rulebooks import DayOrColumn, Rules
from holdback.portfolio.reading.frames import answer_backend
from holdback.portfolio.sql.computed_frames import with_outcomes
from holdback.rulebooks.rulebook import Rulebook

_HEADS: Final = (
    "jurisdiction",
    "rule",
    "label",
    "otherwise",
    "passed",
    "failed",
    "unknown",
    "alone",
    "would_become_eligible",
    "balance",
    "currency",
)
# The mask with the floor's bit only. In this module a `bit` is such a mask, not a position in one.
_FLOOR: Final = 1 << FLOOR_BIT


@define
class _RuleTotals:
    """
    What one rule answers, counted, and the deals that would become eligible without it: `freed`.

    `alone` counts the valid ones among those. The other fields are columns of `funnel`.
    """

    label: str
    otherwise: str
    passed: int = 0
    failed: int = 0
    unknown: int = 0
    alone: int = 0
    freed: DealTotals = field(factory=DealTotals)

    def add(self, bit: int, false: int, unknown: int, totals: DealTotals) -> None:
        """Add the answer of this rule, whose mask is *bit*, to deals with these masks of rules."""
        if false & bit:
            self.failed += totals.deals
        elif unknown & bit:
            self.unknown += totals.deals
        else:
            self.passed += totals.deals


def funnel(
    frame: Any,
    rules: Rules,
    *,
    jurisdiction: str = "jurisdiction",
    on: DayOrColumn | None = None,
    prepared: bool = False,
) -> AnswerTable:
    """
    Return what each rule answers to the deals in *frame*, and what would be eligible without it.

    The arguments are those of `assess`. There is a row for each rule of each jurisdiction, in order
    of priority, and before them one for the floor. `passed`, `failed` and `unknown` count the
    rule's own answer to the deals that reach the rules: those at or above the floor. `alone` counts
    the deals that nothing but this rule keeps from being eligible: it is false or unknown, and all
    others are true. `would_become_eligible` counts the deals that `rulebook.without(rule)` makes
    eligible: these, and invalid deals of which only this rule reads what cannot be read. `balance`
    is the sum of theirs.

    >>> import polars as pl
    >>> from holdback import load_jurisdictions
    >>> from holdback.portfolio import sample
    >>> deals = sample(2000, seed=7, backend="polars").filter(pl.col("jurisdiction") == "GB")
    >>> answer = funnel(deals, load_jurisdictions()).to_frame()
    >>> answer.select("rule", "passed", "failed", "unknown", "would_become_eligible").rows()[1:4]
    [('GB-R-01', 252, 13, 1, 3), ('GB-R-02', 236, 28, 2, 11), ('GB-R-03', 253, 7, 6, 0)]

    Raises:
        InvalidDocument: naming every column that is missing or of the wrong type.
    """
    plan = deals_of(frame, rules, jurisdiction, on, prepared=prepared)
    masks = (FALSE_RULES, UNKNOWN_RULES, UNREADABLE)
    deals = with_outcomes(plan, (*masks, BALANCE))
    counted = _Funnel(plan.rulebooks.rulebooks)
    for (place, false, unknown, unreadable), totals in count_rows(deals, (RULEBOOK, *masks)):
        if unreadable:
            counted.add_invalid(place, false | unknown, unreadable, totals)
        else:
            counted.add(place, false, unknown, totals)
    return counted.answer(answer_backend(plan.frame))


@define
class _Funnel:
    """
    Counts deals by the masks of their rules.

    `freed_invalid` counts the invalid deals that would become eligible without one rule. `_totals`
    are by jurisdiction and code. `_own_facts` keeps the result of the function `_own_facts` for the
    rulebook at each place.
    """

    rulebooks: tuple[Rulebook, ...]
    valid: int = 0
    invalid: int = 0
    freed_invalid: int = 0
    _totals: dict[str, dict[str, _RuleTotals]] = field(factory=dict)
    _own_facts: dict[int, Mapping[int, int]] = field(factory=dict)

    def add(self, place: int, false: int, unknown: int, totals: DealTotals) -> None:
        """Add deals of the rulebook at *place* with the masks *false* and *unknown*."""
        self.valid += totals.deals
        rulebook = self.rulebooks[place]
        open_rules = false | unknown
        for bit, of_rule in self._of_rules(rulebook):
            # Below the floor only the floor itself answers.
            if bit == _FLOOR or not open_rules & _FLOOR:
                of_rule.add(bit, false, unknown, totals)
            # INVARIANT: a deal is eligible just when no rule is false or unknown, and neither is
            # the floor, so without one rule it is when that rule alone was (`eligibility.assess`).
            if open_rules == bit:
                of_rule.alone += totals.deals
                of_rule.freed += totals

    def add_invalid(self, place: int, open_rules: int, unreadable: int, totals: DealTotals) -> None:
        """
        Add invalid deals of the rulebook at *place*, -1 for none.

        *open_rules* is the mask of the rules that are false or unknown, and *unreadable* that of
        the facts that cannot be read.
        """
        self.invalid += totals.deals
        if place < 0:
            return
        if place not in self._own_facts:
            self._own_facts[place] = _own_facts(self.rulebooks[place])
        own = self._own_facts[place]
        for bit, of_rule in self._of_rules(self.rulebooks[place]):
            # INVARIANT: without the rule nothing reads the facts that it alone reads, so the row is
            # valid if no other is unreadable, and then eligible as any other.
            becomes_valid = not unreadable & ~own.get(bit, 0)
            others_are_true = not open_rules & ~bit
            if becomes_valid and others_are_true:
                of_rule.freed += totals
                self.freed_invalid += totals.deals

    def _of_rules(self, rulebook: Rulebook) -> Iterator[tuple[int, _RuleTotals]]:
        """
        Yield the bit and the totals of the floor, then those of each rule of *rulebook*.

        The totals are the ones to add to; the rulebooks of a jurisdiction share those of a code.
        """
        by_code = self._totals.setdefault(rulebook.code, {})
        label = f"at least {FLOOR_PERCENT}% is paid down"
        floor = by_code.setdefault(FLOOR_CODE, _RuleTotals(label, DECLINE))
        yield _FLOOR, floor
        for place, rule in enumerate(rulebook.renewal.rules):
            of_rule = by_code.setdefault(
                rule.code, _RuleTotals(rule.id.replace("-", " "), rule.otherwise)
            )
            yield 1 << place, of_rule

    def answer(self, backend: str) -> AnswerTable:
        """The counts as an answer."""
        return AnswerTable(
            question="funnel",
            title=f"What keeps deals from being eligible: {self.valid + self.invalid:,} deals",
            heads=_HEADS,
            rows=tuple(self._rows()),
            notes=tuple(self._notes()),
            backend=backend,
        )

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        currencies = {rulebook.code: rulebook.currency for rulebook in self.rulebooks}
        for jurisdiction, by_code in sorted(self._totals.items()):
            currency = currencies[jurisdiction]
            for code, of_rule in by_code.items():
                yield (
                    jurisdiction,
                    code,
                    of_rule.label,
                    of_rule.otherwise,
                    of_rule.passed,
                    of_rule.failed,
                    of_rule.unknown,
                    of_rule.alone,
                    of_rule.freed.deals,
                    Money(of_rule.freed.minor, currency).amount,
                    str(currency),
                )

    def _notes(self) -> Iterator[str]:
        for rulebook in self.rulebooks:
            yield from (f"{rulebook.code} is a proposal: {it}" for it in rulebook.proposal)
        if self.invalid:
            are = "deal is" if self.invalid == 1 else "deals are"
            freed = (
                f"; {self.freed_invalid:,} of them would become eligible without the only rule "
                "that reads what cannot be read"
            )
            note = f"{self.invalid:,} {are} invalid, and not among those passed, failed or unknown"
            yield note + freed if self.freed_invalid else note
        yield (
            f"the floor of {FLOOR_PERCENT}% is in every rulebook; its row counts what the rules "
            "say of the deals below it"
        )


def _own_facts(rulebook: Rulebook) -> Mapping[int, int]:
    """By the bit of each rule, the mask of the facts that it alone reads."""
    readers = Counter(["progress"])  # the floor reads it
    for rule in rulebook.renewal.rules:
        readers.update(set(rule.checked.names))
    return {
        1 << bit: sum(
            1 << rulebook.catalogue.place(name)
            for name in set(rule.checked.names)
            if readers[name] == 1
        )
        for bit, rule in enumerate(rulebook.renewal.rules)
    }
