"""
The outcomes of a whole table as SQL, in steps.

Each step is computed for all rows before the next begins, so that nothing is computed twice: first
what each rule answers, then the outcome, then the rules and facts that explain it.

Rulebooks whose rules differ in their numbers only share one condition, in which each number is the
one of the row's rulebook; so ten jurisdictions cost little more than one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import Final

from attrs import field

from holdback.eligibility import assessment as eligibility
from holdback.eligibility.reasons import FLOOR_CODE
from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.errors import printable
from holdback.frozen_classes import FrozenMapping, frozen
from holdback.portfolio.assessing.outcome_codes import (
    FLOOR_BIT,
    INVALID,
    JURISDICTION_BIT,
    ON_BIT,
    PLACES,
)
from holdback.portfolio.assessing.outcome_columns import (
    CODES,
    ELIGIBLE,
    FAILING,
    FALSE_RULES,
    NEEDS,
    OUTCOME,
    PREFIX,
    RESULT_COLUMNS,
    RULEBOOK,
    TEXT_COLUMNS,
    UNKNOWN_RULES,
    UNREADABLE,
    rule_column,
)
from holdback.portfolio.assessing.row_rulebooks import RowRulebooks
from holdback.portfolio.sql.words import (
    conditional,
    identifier,
    one_of,
    only,
    text_literal,
    tinyint,
)
from holdback.rules.render import text as rule_text
from holdback.rules.sql import POLARS, FlagSql, always_unknown_without, flag_sql, literal
from holdback.rules.tree import Checked

_DECLINING, _REFERRING, _MISSING = f"{PREFIX}declining", f"{PREFIX}referring", f"{PREFIX}missing"
# The mask of the facts that are null.
_NULLS: Final = f"{PREFIX}nulls"
# INVARIANT: the first mask that is not zero decides, in the order of `eligibility.assess`.
_BY_MASK: Final = (
    (_DECLINING, eligibility.INELIGIBLE),
    (_MISSING, eligibility.UNDETERMINED),
    (_REFERRING, eligibility.REFERRED),
)
# The next line of a mask, for people.
_NEXT: Final = "\n      "
# A number of a rule between null characters (`_marked`), so that rules that differ in numbers only
# can be recognised: split by it, a text gives its pieces at even places and its numbers between.
_MARKED: Final = re.compile("\0(-?[0-9]+)\0")
# New columns by name, all computed from the columns that are there before.
SqlStep = Mapping[str, str]
# By number, a part of a mask: the condition under which it is set, and a comment for the reader.
Flags = Mapping[int, tuple[str, str]]


@lru_cache(maxsize=64)
def outcome_sql(  # noqa: PLR0913  # what a table is asked
    dialect: str,
    rulebooks: RowRulebooks,
    numbers: FrozenMapping[str, str],
    *,
    readable: bool,
    codes: tuple[str, ...],
    masks: bool,
) -> tuple[SqlStep, ...]:
    """
    Return the steps from scaled integers to results, by the rules of *rulebooks*.

    *numbers* has the SQL of each fact's column, by the fact's name; the table has a column
    `UNREADABLE` with the mask of the facts that cannot be read. The last three steps are empty
    unless asked for: texts of a *readable* result, a column with the own answer of each rule in
    *codes*, and with *masks*, the columns `FALSE_RULES` and `UNKNOWN_RULES`.
    """
    writer = _OutcomeWriter(dialect, rulebooks, numbers)
    return (
        *writer.steps(),
        writer.texts() if readable else {},
        {rule_column(code): writer.answer_of(code) for code in codes},
        writer.masks() if masks else {},
    )


@frozen
class _OutcomeWriter:
    """
    Writes the steps for the rows of *rulebooks*.

    Its methods return SQL: a mask, or the condition under which something holds. A *place* is that
    of a rulebook in *rulebooks*, as the column `RULEBOOK` has it.
    """

    dialect: str
    rulebooks: RowRulebooks
    numbers: Mapping[str, str]
    rulesets: Sequence[RuleSet] = field(init=False)
    # By identity: to compare two rules takes longer than to write one.
    _answers: dict[int, FlagSql] = field(factory=dict, init=False, eq=False)

    @rulesets.default
    def _rulesets(self) -> Sequence[RuleSet]:
        return [rulebook.renewal for rulebook in self.rulebooks.rulebooks]

    def col(self, name: str) -> str:
        """The column *name*."""
        return identifier(name, self.dialect)

    def steps(self) -> Sequence[SqlStep]:
        """
        The masks, then the outcome, then the columns that explain it.

        A mask is calculated only where the one before it leaves the outcome open.
        """
        progress, floor = self.numbers["progress"], f">= {eligibility.FLOOR}"
        nulls = conditional([(f"{progress} {floor}", self.nulls())])
        declining = self.only(progress, floor, self.false_rules(DECLINE))
        missing = self.only(self.col(_DECLINING), "= 0", self.missing_facts())
        steps = [{_NULLS: nulls, _DECLINING: declining}, {_MISSING: missing}]
        masks = {_DECLINING, _MISSING}
        if any(rule.otherwise == REFER for rules in self.rulesets for rule in rules.rules):
            steps.append(
                {_REFERRING: self.only(self.col(_MISSING), "= 0", self.false_rules(REFER))}
            )
            masks.add(_REFERRING)
        return [*steps, {RESULT_COLUMNS[OUTCOME]: self.outcome(masks)}, self.explanation(masks)]

    def answer(self, checked: Checked) -> FlagSql:
        """The conditions of the rule *checked*, with its numbers marked as `_MARKED` says."""
        if id(checked) not in self._answers:
            self._answers[id(checked)] = flag_sql(checked, self.numbers, self.dialect, _marked)
        return self._answers[id(checked)]

    def only(self, column: str, test: str, mask: str) -> str:
        """The *mask* where the *column* passes the *test*."""
        return only(column, test, mask, self.dialect)

    def false_rules(self, otherwise: str) -> str:
        """The mask of the false rules that decline, or of those that refer: what *otherwise* is."""
        return self.mask(
            lambda bit, rule: 1 << bit if rule.otherwise == otherwise else 0,
            lambda rule: self.answer(rule.checked).false,
        )

    def mask(self, number: Callable[[int, Rule], int], flag: Callable[[Rule], str]) -> str:
        """
        A mask over the rules of the row's rulebook: the sum of the numbers whose flag holds.

        *number* gives the number of a rule, from its place among the rules and the rule; a rule
        with 0 is left out. *flag* gives the condition under which it is added.
        """
        flags = [
            {
                number(bit, rule): (flag(rule), self.described(rule))
                for bit, rule in enumerate(rules.rules)
                if number(bit, rule)
            }
            for rules in self.rulesets
        ]
        return self.by_rulebook(flags, f"{_NEXT}+ ")

    def answer_of(self, code: str) -> str:
        """
        The answer of the rule *code*: true, false, or null.

        It is null where the rule is unknown, where the row's rulebook does not have it, and in a
        row that is invalid.
        """

        def one_if_it(_: int, rule: Rule) -> int:
            return int(rule.code == code)

        # Each of these masks is 1 or 0, because a code is that of one rule at most.
        true = self.mask(one_if_it, lambda rule: self.answer(rule.checked).true)
        false = self.mask(one_if_it, lambda rule: self.answer(rule.checked).false)
        is_valid = f"{self.col(UNREADABLE)} = 0"
        return conditional(
            [(f"{is_valid} and {true} = 1", "true"), (f"{is_valid} and {false} = 1", "false")]
        )

    def masks(self) -> SqlStep:
        """
        The masks `FALSE_RULES` and `UNKNOWN_RULES`, in every row.

        Each has the bit of the floor as well, where progress is below it or unknown.
        """
        progress, outcome = self.numbers["progress"], self.col(RESULT_COLUMNS[OUTCOME])
        floors = (f"{progress} < {eligibility.FLOOR}", f"{progress} is null")
        rules = (
            self.mask(lambda bit, _: 1 << bit, lambda rule: self.answer(rule.checked).false),
            self.mask(lambda bit, _: 1 << bit, lambda rule: self.answer(rule.checked).unknown),
        )
        return {
            # Every row has an outcome, so the test is always true: `only` is for Spark's sake.
            name: f"{self.only(outcome, '>= 0', mask)} + "
            + conditional([(floor, str(1 << FLOOR_BIT))], "0")
            for name, floor, mask in zip((FALSE_RULES, UNKNOWN_RULES), floors, rules, strict=True)
        }

    def described(self, rule: Rule) -> str:
        """A comment on *rule*: its code, and its text too if there is no other rulebook."""
        is_alone = len(self.rulesets) == 1
        return f"{rule.code}: {rule_text(rule.checked)}" if is_alone else rule.code

    def nulls(self) -> str:
        """
        The mask of the facts that are null, among those that rules of any rulebook read.

        Two jurisdictions may declare facts of different names in the same bit (`any_null`).
        """
        by_bit: dict[int, dict[str, list[int]]] = {}
        for place, rules in enumerate(self.rulesets):
            for name in {name for rule in rules.rules for name in rule.checked.names}:
                bit = rules.catalogue.place(name)
                by_bit.setdefault(bit, {}).setdefault(name, []).append(place)
        terms = [
            (1 << bit, self.any_null(by_name), ", ".join(sorted(by_name)))
            for bit, by_name in sorted(by_bit.items())
        ]
        return self.sum(terms)

    def any_null(self, by_name: Mapping[str, list[int]]) -> str:
        """
        The condition under which the fact of a bit is null.

        *by_name* has the facts of the bit, each with the places of its rulebooks: jurisdictions may
        declare different facts with the same bit.
        """
        nulls = [f"{self.numbers[name]} is null" for name in sorted(by_name)]
        if len(nulls) == 1:
            return nulls[0]
        rulebook = self.col(RULEBOOK)
        return " or ".join(
            f"({null} and {one_of(rulebook, by_name[name])})"
            for null, name in zip(nulls, sorted(by_name), strict=True)
        )

    def missing_facts(self) -> str:
        """The mask of the missing facts that an unknown rule reads."""
        nulls = self.col(_NULLS)
        flags = [self.unknown_rules(rules) for rules in self.rulesets]
        read = self.by_rulebook(flags, f"{_NEXT}| ")
        return conditional([(f"{nulls} = 0", "0")], f"({nulls} & ({read}))")

    def unknown_rules(self, rules: RuleSet) -> Flags:
        """
        For the rules of *rules*: the mask of the facts that each reads, where the rule is unknown.

        The facts in it need not be null; `missing_facts` keeps those that are.
        """
        bits = [
            sum(1 << rules.catalogue.place(name) for name in rule.checked.names)
            for rule in rules.rules
        ]
        # A rule that reads one fact only is unknown wherever the fact is missing, so its mask needs
        # no condition.
        one_fact = [always_unknown_without(rule.checked) for rule in rules.rules]
        always = reduce(or_, itertools.compress(bits, one_fact), 0)
        flags: dict[int, tuple[str, str]] = {always: ("true", "")} if always else {}
        for mask, rule in zip(bits, rules.rules, strict=True):
            if mask & ~always:  # it adds a fact to those that are there without a condition
                unknown = self.answer(rule.checked).unknown
                unknown = f"{flags[mask][0]} or {unknown}" if mask in flags else unknown
                flags[mask] = (unknown, rule.code)
        return flags

    def by_rulebook(self, flags: Sequence[Flags], operator: str) -> str:
        """
        For each row, the parts of its rulebook's *flags* that are set, joined by *operator*.

        *flags* has those of each rulebook, by place. Jurisdictions with the same rules, but for
        their numbers, share one text.
        """
        by_code: dict[str, list[int]] = {}
        for place, rulebook in enumerate(self.rulebooks.rulebooks):
            by_code.setdefault(rulebook.code, []).append(place)
        groups: dict[frozenset[tuple[int, str]], list[int]] = {}
        for places in by_code.values():
            shapes = frozenset(
                (mask, _MARKED.sub("?", text))
                for place in places
                for mask, (text, _) in flags[place].items()
            )
            groups.setdefault(shapes, []).extend(places)
        masks = [(places, self.mask_of(flags, places, operator)) for places in groups.values()]
        if len(masks) == 1:
            return masks[0][1]
        # Where all jurisdictions have an empty mask it is not written.
        written = [(places, mask) for places, mask in masks if mask != "0"]
        column = self.col(RULEBOOK)
        cases = ((one_of(column, places), f"{_NEXT}{mask}{_NEXT}") for places, mask in written)
        return conditional(cases, "0")

    def mask_of(self, flags: Sequence[Flags], places: Sequence[int], operator: str) -> str:
        """The mask of the rulebooks at *places*, whose rules differ in little but their numbers."""
        by_mask: dict[int, list[tuple[int, str]]] = {}
        names: dict[int, str] = {}
        for place in places:
            for mask, (text, name) in flags[place].items():
                by_mask.setdefault(mask, []).append((place, text))
                names.setdefault(mask, name)
        terms = [
            (mask, self.flag_of(parts, len(places)), names[mask])
            for mask, parts in sorted(by_mask.items())
        ]
        return self.sum(terms, operator)

    def sum(self, terms: Sequence[tuple[int, str, str]], operator: str = f"{_NEXT}+ ") -> str:
        """
        The numbers in *terms* whose condition holds, joined by *operator*.

        A term is a number, its condition, and a comment.
        """
        # Polars takes a small number for one of 32 bits, and joins no bits of two sizes.
        form = "cast({} as bigint)" if self.dialect == POLARS else "{}"
        parts = (
            f"{conditional([(condition, form.format(number))], '0')} {_comment(name)}".rstrip()
            for number, condition, name in terms
        )
        return operator.join(parts) or "0"

    def flag_of(self, parts: Sequence[tuple[int, str]], count: int) -> str:
        """
        For each row, the condition of its rulebook among *parts*: a place and a condition each.

        Conditions that differ in their numbers only become one, with the numbers of the rulebook.
        *count* is the number of rulebooks that a row may have here; those without a part have no
        such rule, so for their rows the condition is not true.
        """
        # By text without numbers, then by numbers: the places with that condition.
        shapes: dict[tuple[str, ...], dict[tuple[str, ...], list[int]]] = {}
        for place, text in parts:
            pieces = _MARKED.split(text)
            numbers = shapes.setdefault(tuple(pieces[::2]), {})
            numbers.setdefault(tuple(pieces[1::2]), []).append(place)
        if len(shapes) == 1 and len(parts) == count:
            return next(itertools.starmap(self.filled, shapes.items()))
        rulebook = self.col(RULEBOOK)
        cases = [
            (one_of(rulebook, [place for places in numbers.values() for place in places]), filled)
            for (shape, numbers), filled in zip(
                shapes.items(), itertools.starmap(self.filled, shapes.items()), strict=True
            )
        ]
        if len(cases) == 1:
            return " and ".join(f"({condition})" for condition in cases[0])
        return conditional(cases)

    def filled(self, pieces: Sequence[str], numbers: Mapping[tuple[str, ...], list[int]]) -> str:
        """
        The condition of *pieces* of text, with the numbers of the row's rulebook between them.

        *numbers* has the places of the rulebooks with each combination of numbers.
        """
        # INVARIANT: a row without a rulebook gets all numbers of one rulebook, so that no
        # combination is calculated that `check` has not bounded.
        ranked = sorted(numbers, key=lambda values: -len(numbers[values]))
        columns = zip(*ranked, strict=True)
        by_place = [self.threshold(column, [numbers[key] for key in ranked]) for column in columns]
        return "".join(
            piece for pair in zip(pieces, [*by_place, ""], strict=True) for piece in pair
        )

    def threshold(self, values: Sequence[str], places: Sequence[list[int]]) -> str:
        """
        The one of *values* for the row's rulebook: each belongs to the *places* next to it.

        A row of no other place gets the first.
        """
        by_value: dict[str, list[int]] = {}
        for value, of_value in zip(values, places, strict=True):
            by_value.setdefault(value, []).extend(of_value)
        first, *others = by_value
        cases = ((one_of(self.col(RULEBOOK), by_value[v]), literal(int(v))) for v in others)
        return conditional(cases, literal(int(first)))

    def outcome(self, masks: Collection[str]) -> str:
        """
        The number of the outcome, in the order of `eligibility.assess`.

        A row with a fact that cannot be read is invalid before all that. *masks* are the columns
        among those of `_BY_MASK` that the steps before have.
        """
        progress = self.numbers["progress"]
        cases = [(f"{self.col(UNREADABLE)} <> 0", INVALID)]
        cases.append((f"{progress} is null", eligibility.UNDETERMINED))
        cases.append((f"{progress} < {eligibility.FLOOR}", eligibility.NOT_ASSESSED))
        cases.extend((f"{self.col(name)} <> 0", word) for name, word in _BY_MASK if name in masks)
        words = [(condition, f"{PLACES[word]} {_comment(word)}") for condition, word in cases]
        last = f"{PLACES[eligibility.ELIGIBLE]} {_comment(eligibility.ELIGIBLE)}"
        return f"cast({conditional(words, last)} as {tinyint(self.dialect)})"

    def explanation(self, masks: Collection[str]) -> SqlStep:
        """
        Whether a row is eligible, and the masks of the rules and of the facts that decided.

        *masks* are as in `outcome`.
        """
        progress = self.numbers["progress"]
        # Built-in facts, such as progress, have the same place in every catalogue.
        progress_bit = 1 << self.rulesets[0].catalogue.place("progress")
        outcome = self.col(RESULT_COLUMNS[OUTCOME])
        is_ = {word: f"{outcome} = {place}" for word, place in PLACES.items()}
        failing = [(is_[eligibility.NOT_ASSESSED], str(1 << FLOOR_BIT))]
        failing.append((is_[eligibility.INELIGIBLE], self.col(_DECLINING)))
        if _REFERRING in masks:
            failing.append((is_[eligibility.REFERRED], self.col(_REFERRING)))
        needs = [(is_[INVALID], self.col(UNREADABLE))]
        undetermined = is_[eligibility.UNDETERMINED]
        needs.append((f"{undetermined} and {progress} is null", str(progress_bit)))
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
        """
        The words of the bits that are set in the mask *column*, with commas between them.

        *words* has, for each bit, its word in each rulebook: the places with that word.
        """
        parts = []
        for bit, by_word in sorted(words.items()):
            word = self.word(by_word)
            parts.append(
                conditional(
                    [(f"({self.col(RESULT_COLUMNS[column])} & {1 << bit}) <> 0", word)], "''"
                )
            )
        # Each word follows a comma and a space, so the text of the first begins at the third.
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
    """
    For each row, the one of *parts* whose places include the place of its rulebook; else null.

    *count* is the number of all rulebooks, and *rulebook* gives the SQL of the row's own place: it
    is not called if one part is for all of them, when the table may have no such column.
    """
    (places, part), *others = parts
    if not others and len(places) == count:
        return part
    return conditional((one_of(rulebook(), places), part) for places, part in parts)


def _marked(number: int) -> str:
    """*number* as `_MARKED` finds it."""
    return f"\0{number}\0"


def _comment(text: str) -> str:
    """*text* as a comment of SQL that it cannot end itself; nothing for an empty text."""
    if not text:
        return ""
    return f"/* {printable(text).replace('*/', '* /').replace('/*', '/ *')} */"
