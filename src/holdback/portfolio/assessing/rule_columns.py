"""
Each rule's own answer to each row, as columns of flags and as masks.

An outcome says which rules decided; these say what every rule answers by itself, also below the
floor and where another rule has decided already.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from holdback.eligibility import assessment as eligibility
from holdback.frozen_classes import frozen
from holdback.portfolio.assessing.outcome_codes import FLOOR_BIT
from holdback.portfolio.assessing.outcome_columns import (
    PREFIX,
    RULEBOOK,
    UNREADABLE,
    Expr,
    Step,
    StepWriter,
    chain,
    null_integer,
)
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.portfolio.reading.work_frame import WorkFrame, as_flags
from holdback.rules.columns import FlagColumns, columns
from holdback.rules.tree import Checked

# The masks of the rules that are false and of those that are unknown. The floor has its bit in one
# or the other where progress is below it or unknown.
FALSE_RULES: Final = f"{PREFIX}false_rules"
UNKNOWN_RULES: Final = f"{PREFIX}unknown_rules"
_RULE_PREFIX: Final = f"{PREFIX}rule_"


def rule_codes(rulebooks: RowRulebooks) -> Sequence[str]:
    """Return the codes of the rules of *rulebooks*, in order of priority."""
    return tuple(
        dict.fromkeys(
            rule.code for rulebook in rulebooks.rulebooks for rule in rulebook.renewal.rules
        )
    )


def rule_column(code: str) -> str:
    """The column of the answer of the rule *code* in the work frame."""
    return f"{_RULE_PREFIX}{code}"


def with_rule_answers(
    work: WorkFrame, codes: Collection[str], writer: RuleWriter, *, may_be_invalid: bool
) -> WorkFrame:
    """
    Return *work* with `rule_column` for each of *codes*: true, false, or null.

    It is null where the rule is unknown, where the row's rulebook does not have it, and in a row
    that is invalid.
    """
    answers = writer.answers(codes, may_be_invalid=may_be_invalid)
    return as_flags(work.with_columns(answers), list(answers))


@frozen
class RuleWriter:
    """Writes what the rules of *rulebooks* answer, each alone, with the functions of *steps*."""

    rulebooks: RowRulebooks
    steps: StepWriter

    def answers(self, codes: Collection[str], *, may_be_invalid: bool) -> Step:
        """The answer of each rule of *codes* as 1, 0 or null."""
        api = self.steps.api
        flags = self._flags()
        by_code: dict[str, dict[Checked, list[int]]] = {code: {} for code in codes}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            for rule in rulebook.renewal.rules:
                if rule.code in by_code:
                    by_code[rule.code].setdefault(rule.checked, []).append(place)

        def answer(versions: Mapping[Checked, Sequence[int]]) -> Expr:
            cases = []
            for checked, places in versions.items():
                for flag, number in ((flags[checked].true, 1), (flags[checked].false, 0)):
                    condition = self._in_rulebooks(places, flag)
                    if may_be_invalid:
                        condition = (api.col(UNREADABLE) == 0) & condition
                    cases.append((condition, number))
            return chain(api, cases) if cases else null_integer(api)

        return {rule_column(code): answer(versions) for code, versions in by_code.items()}

    def masks(self) -> Step:
        """The masks `FALSE_RULES` and `UNKNOWN_RULES`, also in rows that are invalid."""
        flags = self._flags()
        progress = self.steps.number("progress")
        false: dict[int, list[Expr]] = {FLOOR_BIT: [progress.value < eligibility.FLOOR]}
        unknown: dict[int, list[Expr]] = {}
        if not progress.never_null:
            unknown[FLOOR_BIT] = [progress.value.is_null()]
        by_bit: dict[tuple[int, Checked], list[int]] = {}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            for bit, rule in enumerate(rulebook.renewal.rules):
                by_bit.setdefault((bit, rule.checked), []).append(place)
        for (bit, checked), places in by_bit.items():
            flag = flags[checked]
            false.setdefault(bit, []).append(self._in_rulebooks(places, flag.false))
            if flag.unknown is not None:
                unknown.setdefault(bit, []).append(self._in_rulebooks(places, flag.unknown))
        return {FALSE_RULES: self._mask(false), UNKNOWN_RULES: self._mask(unknown)}

    def _mask(self, flags: Mapping[int, Sequence[Expr]]) -> Expr:
        if not flags:
            return self.steps.api.lit(0, self.steps.api.Int64)
        return self.steps.mask({bit: reduce(or_, parts) for bit, parts in flags.items()})

    def _flags(self) -> Mapping[Checked, FlagColumns]:
        rulesets = [rulebook.renewal for rulebook in self.rulebooks.rulebooks]
        trees = {rule.checked for rules in rulesets for rule in rules.rules}
        numbers = {
            name: self.steps.number(name) for name in {n for tree in trees for n in tree.names}
        }
        return {checked: columns(checked, numbers, self.steps.api) for checked in trees}

    def _in_rulebooks(self, places: Sequence[int], flag: Expr) -> Expr:
        """*flag*, in the rows of the rulebooks at *places* only."""
        if len(places) == len(self.rulebooks.rulebooks):
            return flag
        return self.steps.api.col(RULEBOOK).is_in(list(places)) & flag
