"""
The outcomes of a whole frame as expressions, in three steps.

Each step is computed for all rows before the next begins, so that no engine computes anything
twice: first what each rule answers, then the outcome, then the rules and facts that explain it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import add, or_
from types import ModuleType
from typing import Any, Final

from holdback.eligibility import assessment as eligibility
from holdback.eligibility.ruleset import DECLINE, RuleSet
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_codes import FLOOR_BIT, INVALID, PLACES
from holdback.rules.columns import FactColumn, FlagColumns, always_unknown_without, columns
from holdback.rules.tree import Checked

OUTCOME, ELIGIBLE, FAILING, NEEDS = "outcome", "eligible", "failing", "needs"
RESULTS: Final = (OUTCOME, ELIGIBLE, FAILING, NEEDS)
# The column of a prepared frame with the mask of the facts that could not be read.
INVALID_COLUMN: Final = "invalid"

# Columns whose names begin with it are dropped from the result.
PREFIX: Final = "__holdback_"
# INVARIANT: names of facts follow `fact_`, which no other name begins with, so that a jurisdiction
# may declare a fact called `rulebook`.
_FACT_PREFIX: Final = f"{PREFIX}fact_"
RULEBOOK: Final = f"{PREFIX}rulebook"
UNREADABLE: Final = f"{PREFIX}unreadable"
BALANCE: Final = f"{PREFIX}balance"
# Masks of the false rules that decline, of the other false rules, and of the missing facts.
_DECLINING, _REFERRING, _MISSING = f"{PREFIX}declining", f"{PREFIX}referring", f"{PREFIX}missing"
# INVARIANT: the first mask that is not zero decides, in the order of `eligibility.assess`.
_BY_MASK: Final = (
    (_DECLINING, eligibility.INELIGIBLE),
    (_MISSING, eligibility.UNDETERMINED),
    (_REFERRING, eligibility.REFERRED),
)

# Bits are added up in the engines' short integers, which are faster, and then cast to 64 bits.
_CHUNK: Final = 30

# An expression of narwhals or of Polars, whose functions have the same names.
Expr = Any
Case = tuple[Expr, Expr | int]
Step = Mapping[str, Expr]
_Flags = Mapping[int, Expr]
_Answers = Mapping[Checked, FlagColumns]


@lru_cache(maxsize=64)
def outcome_steps(
    rulesets: tuple[RuleSet, ...],
    api: ModuleType,
    facts_without_nulls: frozenset[str] = frozenset(),
    converted: frozenset[str] = frozenset(),
    *,
    may_be_invalid: bool = False,
) -> tuple[Step, ...]:
    """
    Return the steps from columns of scaled integers to `RESULTS`, by the rules of *rulesets*.

    If there are several, the column `RULEBOOK` has the place of each row's. The columns of
    *facts_without_nulls* have no nulls; facts *converted* are in `converted_column`. With
    *may_be_invalid*, the column `UNREADABLE` has the mask of the facts that cannot be read. *api*
    makes the expressions.
    """
    steps = StepWriter(api, facts_without_nulls, converted)
    return steps.write(rulesets, may_be_invalid=may_be_invalid)


def converted_column(name: str) -> str:
    """The column of the fact *name* in scaled integers, if it is not the user's own."""
    return f"{_FACT_PREFIX}{name}"


@frozen
class StepWriter:
    """Writes the steps with the functions of *api*."""

    api: Any
    facts_without_nulls: Collection[str]
    converted: Collection[str]

    def write(self, rulesets: Sequence[RuleSet], *, may_be_invalid: bool) -> tuple[Step, ...]:
        """The steps from facts to `RESULTS`, by the rules of *rulesets*."""
        trees = {rule.checked for rules in rulesets for rule in rules.rules}
        names = sorted({"progress", *(name for checked in trees for name in checked.names)})
        numbers = {name: self.number(name) for name in names}
        answers = {checked: columns(checked, numbers, self.api) for checked in trees}
        flags = {
            _DECLINING: self.false_rules(rulesets, answers, declining=True),
            _REFERRING: self.false_rules(rulesets, answers, declining=False),
            _MISSING: self.missing_facts(rulesets, answers, numbers),
        }
        masks = {name: self.mask(by_bit) for name, by_bit in flags.items() if by_bit}
        progress = numbers["progress"]
        # Built-in facts have the same place in every catalogue.
        progress_bit = rulesets[0].catalogue.place("progress")
        outcome = self.outcome(progress, masks, may_be_invalid=may_be_invalid)
        explanation = self.explanation(masks, progress, progress_bit, may_be_invalid=may_be_invalid)
        return masks, {OUTCOME: outcome}, explanation

    def number(self, name: str) -> FactColumn:
        """The column of the fact *name* in scaled integers."""
        column = converted_column(name) if name in self.converted else name
        return FactColumn(self.api.col(column), name in self.facts_without_nulls)

    def false_rules(
        self, rulesets: Sequence[RuleSet], answers: _Answers, *, declining: bool
    ) -> _Flags:
        """For each bit, where its rule is false: the rules that decline, or the others."""
        # Most rulebooks share most rules, so each distinct rule of a bit is written once.
        by_bit: dict[int, dict[Checked, list[int]]] = {}
        for place, rules in enumerate(rulesets):
            for bit, rule in enumerate(rules.rules):
                if (rule.otherwise == DECLINE) is declining:
                    by_bit.setdefault(bit, {}).setdefault(rule.checked, []).append(place)
        return {
            bit: self.by_rulebook(
                len(rulesets),
                [(places, answers[checked].false) for checked, places in by_rule.items()],
            )
            for bit, by_rule in by_bit.items()
        }

    def missing_facts(
        self, rulesets: Sequence[RuleSet], answers: _Answers, numbers: Mapping[str, FactColumn]
    ) -> _Flags:
        """Where a fact is missing that an unknown rule reads, by the facts' places."""
        by_bit: dict[int, dict[tuple[str, tuple[Checked, ...]], list[int]]] = {}
        for place, rules in enumerate(rulesets):
            for name, readers in _readers(rules, answers).items():
                bit = rules.catalogue.place(name)
                by_bit.setdefault(bit, {}).setdefault((name, readers), []).append(place)
        flags = {}
        for bit, by_readers in by_bit.items():
            parts = []
            for (name, readers), places in by_readers.items():
                missing = numbers[name].value.is_null()
                # A rule that reads this fact only is unknown wherever the fact is missing.
                if not any(always_unknown_without(rule) for rule in readers):
                    missing &= reduce(or_, [answers[rule].unknown for rule in readers])
                parts.append((places, missing))
            flags[bit] = self.by_rulebook(len(rulesets), parts)
        return flags

    def by_rulebook(self, count: int, parts: Sequence[tuple[Sequence[int], Expr]]) -> Expr:
        """For each row, the part whose places include its rulebook; there are *count* rulebooks."""
        (places, part), *others = parts
        if not others and len(places) == count:
            return part
        rulebook = self.api.col(RULEBOOK)
        return chain(self.api, [(rulebook.is_in(list(places)), part) for places, part in parts])

    def outcome(
        self, progress: FactColumn, masks: Collection[str], *, may_be_invalid: bool
    ) -> Expr:
        """The outcome in the order of `eligibility.assess`, after the rows that cannot be read."""
        col = self.api.col
        cases: list[tuple[Expr, str]] = [(col(UNREADABLE) != 0, INVALID)] if may_be_invalid else []
        if not progress.never_null:
            cases.append((progress.value.is_null(), eligibility.UNDETERMINED))
        cases.append((progress.value < eligibility.FLOOR, eligibility.NOT_ASSESSED))
        for name, outcome in _BY_MASK:
            if name in masks:
                cases.append((col(name) != 0, outcome))
        places = [(condition, self.place(outcome)) for condition, outcome in cases]
        return chain(self.api, places, self.place(eligibility.ELIGIBLE))

    def place(self, outcome: str) -> Expr:
        """The number of *outcome*."""
        return self.api.lit(PLACES[outcome], self.api.Int8)

    def explanation(
        self,
        masks: Collection[str],
        progress: FactColumn,
        progress_bit: int,
        *,
        may_be_invalid: bool,
    ) -> Step:
        """Eligibility, and the masks of the rules and facts that decided."""
        col, int64 = self.api.col, self.api.Int64
        is_ = {outcome: col(OUTCOME) == number for outcome, number in PLACES.items()}
        floor = self.api.lit(1 << FLOOR_BIT, int64)
        declining = col(_DECLINING) if _DECLINING in masks else 0
        failing: list[Case] = [(is_[eligibility.NOT_ASSESSED], floor)]
        if _REFERRING in masks:
            failing.append((is_[eligibility.REFERRED], col(_REFERRING)))
        if may_be_invalid:
            failing.append((is_[INVALID], 0))
        if not progress.never_null:  # without progress no rule is evaluated, so none has failed
            failing.append((is_[eligibility.UNDETERMINED], 0))
        needs: list[Case] = [(is_[INVALID], col(UNREADABLE))] if may_be_invalid else []
        if not progress.never_null:
            needs.append(
                (is_[eligibility.UNDETERMINED] & progress.value.is_null(), 1 << progress_bit)
            )
        if _MISSING in masks:
            needs.append((is_[eligibility.UNDETERMINED], col(_MISSING)))
        return {
            ELIGIBLE: is_[eligibility.ELIGIBLE],
            FAILING: chain(self.api, failing, declining).cast(int64),
            NEEDS: chain(self.api, needs, 0).cast(int64) if needs else self.api.lit(0, int64),
        }

    def mask(self, flags: _Flags) -> Expr:
        """The mask with each bit of *flags* set where its flag is true."""
        chunks: dict[int, list[Expr]] = {}
        for place, flag in flags.items():
            chunk, bit = divmod(place, _CHUNK)
            chunks.setdefault(chunk, []).append(chain(self.api, [(flag, 1 << bit)], 0))
        return reduce(
            add, [self.shifted(reduce(add, bits), chunk) for chunk, bits in chunks.items()]
        )

    def shifted(self, bits: Expr, chunk: int) -> Expr:
        """The *bits* of a *chunk* at their place in the mask; not every engine has a shift."""
        return bits.cast(self.api.Int64) * (1 << chunk * _CHUNK) if chunk else bits


def null_integer(api: Any) -> Any:
    """An integer that is null in every row; pandas has no null literal of that type."""
    # Never true: a mask is a sum of bits up to 62, so it is not negative.
    return api.when(api.col(NEEDS) < 0).then(api.col(NEEDS))


def int64_literal(api: Any, number: int) -> Any:
    """A literal of 64 bits; engines choose a shorter type for a small number."""
    return api.lit(number, api.Int64)


def chain(api: Any, cases: Iterable[Case], otherwise: Expr | int | None = None) -> Expr:
    """The value of the first of *cases* whose condition is true, else *otherwise*, or null."""
    chosen = api
    for condition, value in cases:
        chosen = chosen.when(condition).then(value)
    return chosen if otherwise is None else chosen.otherwise(otherwise)


def _readers(rules: RuleSet, answers: _Answers) -> Mapping[str, tuple[Checked, ...]]:
    """The facts that can make a rule unknown, each with the rules that read it."""
    readers: dict[str, tuple[Checked, ...]] = {}
    for rule in rules.rules:
        for name in () if answers[rule.checked].unknown is None else rule.checked.names:
            readers[name] = (*readers.get(name, ()), rule.checked)
    return readers
