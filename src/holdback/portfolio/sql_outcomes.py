"""
The outcomes of a whole table as SQL, in the steps of `outcome_columns`.

Rulebooks whose rules differ in their numbers only share one condition, in which each number is the
one of the row's rulebook; so ten jurisdictions cost little more than one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from attrs import field

from holdback import eligibility
from holdback.errors import printable
from holdback.frozen_classes import frozen
from holdback.portfolio.outcome_codes import FLOOR_BIT, INVALID, JURISDICTION_BIT, ON_BIT, PLACES
from holdback.portfolio.outcome_columns import (
    ELIGIBLE,
    FAILING,
    NEEDS,
    OUTCOME,
    PREFIX,
    RESULTS,
    RULEBOOK,
    UNREADABLE,
)
from holdback.portfolio.readable_columns import CODES, TEXT_COLUMNS
from holdback.portfolio.row_rulebooks import RowRulebooks
from holdback.portfolio.sql_words import conditional, identifier, one_of, text_literal, tinyint
from holdback.reasons import FLOOR_CODE
from holdback.rules.columns import always_unknown_without
from holdback.rules.render import text as rule_text
from holdback.rules.sql import FlagSql, flag_sql, literal
from holdback.rules.tree import Checked
from holdback.ruleset import DECLINE, RuleSet

# The results of a row. A table may have columns of their public names.
RESULT_COLUMNS: Final = {name: f"{PREFIX}{name}" for name in RESULTS}
_DECLINING, _REFERRING, _MISSING = f"{PREFIX}declining", f"{PREFIX}referring", f"{PREFIX}missing"
# INVARIANT: the first mask that is not zero decides, in the order of `eligibility.assess`.
_BY_MASK: Final = (
    (_DECLINING, eligibility.INELIGIBLE),
    (_MISSING, eligibility.UNDETERMINED),
    (_REFERRING, eligibility.REFERRED),
)
# Bits are added up in 32-bit integers, which are faster, and then cast to 64 bits.
_CHUNK: Final = 30
# A number of a rule, marked so that the rules that differ in it alone can be found.
_MARKED: Final = re.compile("\0(-?[0-9]+)\0")

# New columns by name, all computed from the columns that are there before.
SqlStep = Mapping[str, str]
# Texts with marked numbers, each with the places of the rulebooks that have it.
Marked = Sequence[tuple[Collection[int], str]]


@frozen
class OutcomeSql:
    """The steps for the rows of *rulebooks*; *numbers* has the SQL of each fact's column."""

    dialect: str
    rulebooks: RowRulebooks
    numbers: Mapping[str, str]
    may_be_invalid: bool
    _answers: dict[Checked, FlagSql] = field(factory=dict, init=False, eq=False)

    @property
    def rulesets(self) -> Sequence[RuleSet]:
        """The rules of each rulebook."""
        return [rulebook.renewal for rulebook in self.rulebooks.rulebooks]

    def col(self, name: str) -> str:
        """The column *name*."""
        return identifier(name, self.dialect)

    def steps(self) -> Sequence[SqlStep]:
        """The masks, then the outcome, then the columns that explain it."""
        masks = {
            _DECLINING: self.false_rules(declining=True),
            _REFERRING: self.false_rules(declining=False),
            _MISSING: self.missing_facts(),
        }
        written = {name: self.mask(bits) for name, bits in masks.items() if bits}
        return written, {RESULT_COLUMNS[OUTCOME]: self.outcome(written)}, self.explanation(written)

    def answer(self, checked: Checked) -> FlagSql:
        """The conditions of a rule, with its numbers marked."""
        if checked not in self._answers:
            self._answers[checked] = flag_sql(checked, self.numbers, self.dialect, _marked)
        return self._answers[checked]

    def false_rules(self, *, declining: bool) -> Mapping[int, tuple[str, str]]:
        """For each bit, where its rule is false, and its rules in words."""
        by_bit: dict[int, list[tuple[int, str]]] = {}
        names: dict[int, dict[str, None]] = {}
        for place, rules in enumerate(self.rulesets):
            for bit, rule in enumerate(rules.rules):
                if (rule.otherwise == DECLINE) is declining:
                    by_bit.setdefault(bit, []).append((place, self.answer(rule.checked).false))
                    name = f"{rule.code}: {rule_text(rule.checked)}"
                    names.setdefault(bit, {})[name] = None
        return {
            bit: (self.by_rulebook([((place,), text) for place, text in parts]), _some(names[bit]))
            for bit, parts in by_bit.items()
        }

    def missing_facts(self) -> Mapping[int, tuple[str, str]]:
        """Where a fact is missing that an unknown rule reads, by the facts' places."""
        by_bit: dict[int, list[tuple[Collection[int], str]]] = {}
        names: dict[int, dict[str, None]] = {}
        for place, rules in enumerate(self.rulesets):
            readers: dict[str, list[Checked]] = {}
            for rule in rules.rules:
                for name in rule.checked.names:
                    readers.setdefault(name, []).append(rule.checked)
            for name, checked in readers.items():
                bit = rules.catalogue.place(name)
                missing = f"{self.numbers[name]} is null"
                # A rule that reads this fact only is unknown wherever the fact is missing.
                if not any(always_unknown_without(rule) for rule in checked):
                    unknown = " or ".join(
                        dict.fromkeys(self.answer(rule).unknown for rule in checked)
                    )
                    missing = f"({missing} and ({unknown}))"
                by_bit.setdefault(bit, []).append(((place,), missing))
                names.setdefault(bit, {})[name] = None
        return {
            bit: (self.by_rulebook(parts), ", ".join(names[bit])) for bit, parts in by_bit.items()
        }

    def by_rulebook(self, parts: Marked) -> str:
        """
        For each row, the part whose places include its rulebook.

        Parts that differ in their numbers only become one, with the numbers of the row's rulebook.
        """
        shapes: dict[tuple[str, ...], dict[tuple[str, ...], list[int]]] = {}
        for places, text in parts:
            pieces = _MARKED.split(text)
            numbers = shapes.setdefault(tuple(pieces[::2]), {})
            numbers.setdefault(tuple(pieces[1::2]), []).extend(places)
        cases = [
            (sorted(place for places in numbers.values() for place in places), shape, numbers)
            for shape, numbers in shapes.items()
        ]
        (places, shape, numbers), *others = cases
        if not others and len(places) == len(self.rulesets):
            return self.filled(shape, numbers)
        rulebook = self.col(RULEBOOK)
        if not others:
            return f"({one_of(rulebook, places)} and {self.filled(shape, numbers)})"
        return conditional(
            (one_of(rulebook, places), self.filled(shape, numbers))
            for places, shape, numbers in cases
        )

    def filled(self, shape: Sequence[str], numbers: Mapping[tuple[str, ...], list[int]]) -> str:
        """The text of *shape* with *numbers* between its pieces, by the row's rulebook."""
        # INVARIANT: a row without a rulebook gets all numbers of one rulebook, so that no
        # combination is calculated that `check` has not bounded.
        ranked = sorted(numbers, key=lambda values: -len(numbers[values]))
        columns = zip(*ranked, strict=True)
        by_values = [self.threshold(column, [numbers[key] for key in ranked]) for column in columns]
        filled = [piece + value for piece, value in zip(shape, by_values, strict=False)]
        return "".join([*filled, shape[-1]])

    def threshold(self, values: Sequence[str], places: Sequence[list[int]]) -> str:
        """The one of *values* for the row's rulebook; the first is for all others."""
        by_value: dict[str, list[int]] = {}
        for value, of_value in zip(values, places, strict=True):
            by_value.setdefault(value, []).extend(of_value)
        first, *others = by_value
        cases = ((one_of(self.col(RULEBOOK), by_value[v]), literal(int(v))) for v in others)
        return conditional(cases, literal(int(first)))

    def mask(self, bits: Mapping[int, tuple[str, str]]) -> str:
        """The mask with each of *bits* set where its condition is true."""
        chunks: dict[int, list[str]] = {}
        for place, (flag, name) in sorted(bits.items()):
            chunk, bit = divmod(place, _CHUNK)
            one = conditional([(flag, str(1 << bit))], "0")
            chunks.setdefault(chunk, []).append(f"{one} {_comment(name)}")
        sums = ["\n+ ".join(terms) for terms in chunks.values()]
        return "\n+ ".join(
            f"cast({total} as bigint) * {1 << chunk * _CHUNK}" if chunk else total
            for chunk, total in zip(chunks, sums, strict=True)
        )

    def outcome(self, masks: Collection[str]) -> str:
        """The outcome in the order of `eligibility.assess`, after the rows that cannot be read."""
        progress = self.numbers["progress"]
        cases = [(f"{self.col(UNREADABLE)} <> 0", INVALID)] if self.may_be_invalid else []
        cases.append((f"{progress} is null", eligibility.UNDETERMINED))
        cases.append((f"{progress} < {eligibility.FLOOR}", eligibility.NOT_ASSESSED))
        cases.extend((f"{self.col(name)} <> 0", word) for name, word in _BY_MASK if name in masks)
        words = [(condition, f"{PLACES[word]} {_comment(word)}") for condition, word in cases]
        last = f"{PLACES[eligibility.ELIGIBLE]} {_comment(eligibility.ELIGIBLE)}"
        return f"cast({conditional(words, last)} as {tinyint(self.dialect)})"

    def explanation(self, masks: Collection[str]) -> SqlStep:
        """Eligibility, and the masks of the rules and facts that decided."""
        progress = self.numbers["progress"]
        # Built-in facts have the same place in every catalogue.
        progress_bit = 1 << self.rulesets[0].catalogue.place("progress")
        outcome = self.col(RESULT_COLUMNS[OUTCOME])
        is_ = {word: f"{outcome} = {place}" for word, place in PLACES.items()}
        failing = [(is_[eligibility.NOT_ASSESSED], str(1 << FLOOR_BIT))]
        if _DECLINING in masks:
            failing.append((is_[eligibility.INELIGIBLE], self.col(_DECLINING)))
        if _REFERRING in masks:
            failing.append((is_[eligibility.REFERRED], self.col(_REFERRING)))
        needs = [(is_[INVALID], self.col(UNREADABLE))] if self.may_be_invalid else []
        undetermined = is_[eligibility.UNDETERMINED]
        needs.append((f"{undetermined} and {progress} is null", str(progress_bit)))
        if _MISSING in masks:
            needs.append((undetermined, self.col(_MISSING)))
        return {
            RESULT_COLUMNS[ELIGIBLE]: f"({is_[eligibility.ELIGIBLE]})",
            RESULT_COLUMNS[FAILING]: f"cast({conditional(failing, '0')} as bigint)",
            RESULT_COLUMNS[NEEDS]: f"cast({conditional(needs, '0')} as bigint)",
        }

    def texts(self) -> SqlStep:
        """The outcome, the codes of its rules and the facts that it needs, as texts."""
        codes: dict[int, dict[str, list[int]]] = {FLOOR_BIT: {FLOOR_CODE: []}}
        names: dict[int, dict[str, list[int]]] = {}
        if self.rulebooks.jurisdiction_column is not None:
            names[JURISDICTION_BIT] = {str(self.rulebooks.jurisdiction_column): []}
            names[ON_BIT] = {str(self.rulebooks.day_or_column): []}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            for bit, rule in enumerate(rulebook.renewal.rules):
                codes.setdefault(bit, {}).setdefault(rule.code, []).append(place)
            for bit, fact in enumerate(rulebook.catalogue.facts):
                names.setdefault(bit, {}).setdefault(fact.name, []).append(place)
        outcomes = (
            (f"{self.col(RESULT_COLUMNS[OUTCOME])} = {place}", text_literal(word, self.dialect))
            for word, place in PLACES.items()
        )
        return {
            TEXT_COLUMNS[OUTCOME]: conditional(outcomes),
            TEXT_COLUMNS[CODES]: self.joined(FAILING, codes),
            TEXT_COLUMNS[NEEDS]: self.joined(NEEDS, names),
        }

    def joined(self, column: str, words: Mapping[int, Mapping[str, Sequence[int]]]) -> str:
        """The words of the bits that are set in the mask *column*, with commas between them."""
        parts = []
        for bit, by_word in sorted(words.items()):
            word = self.word(by_word)
            parts.append(conditional([(f"({self.col(RESULT_COLUMNS[column])} & {1 << bit}) <> 0", word)], "''"))
        return f"substr({' || '.join(parts)}, 3)"

    def word(self, by_word: Mapping[str, Sequence[int]]) -> str:
        """The word of a bit by the row's rulebook, after a comma."""
        texts = {word: text_literal(f", {word}", self.dialect) for word in by_word}
        if len(texts) == 1:  # the bit is set only in rows whose rulebook has it
            return next(iter(texts.values()))
        cases = ((one_of(self.col(RULEBOOK), by_word[word]), texts[word]) for word in texts)
        return conditional(cases, "''")


def by_places(
    parts: Sequence[tuple[Sequence[int], str]], count: int, rulebook: Callable[[], str]
) -> str:
    """For each row, the one of *parts* whose places include its rulebook, of *count*; or null."""
    (places, part), *others = parts
    if not others and len(places) == count:
        return part
    return conditional((one_of(rulebook(), places), part) for places, part in parts)


def _marked(number: int) -> str:
    return f"\0{number}\0"


def _some(names: Collection[str]) -> str:
    """The first of *names*, and how many more there are."""
    first, *others = names
    return f"{first} and {len(others)} more" if others else first


def _comment(text: str) -> str:
    return f"/* {printable(text).replace('*/', '* /').replace('/*', '/ *')} */"
