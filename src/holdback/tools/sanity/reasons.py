"""What is wrong with a reason: another figure than its rule has, another bound, another rule's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import combinations
from typing import Final

from holdback.eligibility.ruleset import PLACEHOLDER, Rule, RuleSet
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.jurisdictions.timeline import Period
from holdback.rules import Fact, Kind
from holdback.rules.number_format import NumberFormat
from holdback.rules.operators import MIRRORED
from holdback.rules.tree import Constant, FactRead, Node, Operation, comparisons, leaves
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, joined, slices
from holdback.tools.sanity.written_figures import (
    DAYS,
    MONEY,
    MONTHS,
    NO_UNIT,
    PERCENT,
    SYMBOLS,
    Figure,
    figures,
)

# -- Figures in a reason that its rule contradicts: it says 80% where the rule says 75%.
#
# A figure that is written out stays when a parameter changes, so each rule is compared on all
# dates. Figures are read from a sentence as people write them: numbers with their units.

REASON_FIGURE: Final = "reason-figure"
_NUMBERS: Final = (Kind.PERCENT, Kind.RATIO, Kind.MONEY, Kind.COUNT, Kind.DAYS)
_HUNDRED: Final = 100
# A month has from 28 to 31 days, and a year of twelve has from 365 to 366.
_SHORTEST_MONTH: Final = 28
_LONGEST_MONTH: Final = 31


@frozen
class _Contradiction:
    """A figure in the reason of a rule, the product of which is given, and the rule's own."""

    rule: Rule
    product: str | None
    figure: Figure
    constants: tuple[Constant, ...]


def wrong_reasons(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield what is wrong with the reasons of its rules; of swapped ones only that they are."""
    swapped = list(_swapped_reasons(jurisdiction))
    yield from swapped
    told = {place for finding in swapped for place in finding.places}
    for finding in (*_contradicted_reasons(jurisdiction), *_misplaced_bounds(jurisdiction)):
        if finding.places[0] not in told:
            yield finding


def _contradicted_reasons(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the figures in reasons, also in inherited ones, that their rules contradict."""
    days: dict[tuple[str, int, Figure], list[Period]] = {}
    first: dict[tuple[str, int, Figure], _Contradiction] = {}
    seen: dict[Rule, tuple[_Contradiction, ...]] = {}
    for rulebook, period in slices(jurisdiction):
        for product, rules in rulebook.rulesets.items():
            for rule in rules.rules:
                if rule not in seen:
                    seen[rule] = tuple(_contradictions(rule, product, rules))
                for wrong in seen[rule]:
                    key = (rule.file or "", rule.line or 0, wrong.figure)
                    days.setdefault(key, []).append(period)
                    first.setdefault(key, wrong)
    for key, wrong in first.items():
        yield _finding(jurisdiction, wrong, joined(days[key]))


def _contradictions(rule: Rule, product: str | None, rules: RuleSet) -> Iterator[_Contradiction]:
    """Yield the figures in the reason of *rule* that are none of the rule's."""
    stated = list(_figures_in(rule, rules.figures))
    if not stated:
        return
    # The one sentence of a table may say the figures of all its rows.
    table = rule.origin.of_table
    rows = [row for row in rules.rules if (row.origin.of_table, row.reason) == (table, rule.reason)]
    constants = tuple(
        leaf
        for row in (rows if table else [rule])
        for leaf in leaves(row.checked.tree)
        if isinstance(leaf, Constant) and leaf.type.kind in _NUMBERS
    )
    facts = _facts_of(rule)
    for figure in stated:
        if _is_of_a_fact(figure, facts):
            continue
        same = [constant for constant in constants if _comparable(figure, constant, facts)]
        if same and not any(_agrees(figure, constant) for constant in same):
            yield _Contradiction(rule, product, figure, tuple(dict.fromkeys(same)))


def _figures_in(rule: Rule, written: NumberFormat | None) -> Iterator[Figure]:
    """Yield the figures that are written out in the reason of *rule*."""
    # Placeholders are blanked, so that figures keep their places.
    text = PLACEHOLDER.sub(lambda match: " " * len(match[0]), rule.reason)
    separators = (".", ",") if written is None else (written.decimal, written.group)
    return figures(text, *separators)


def _facts_of(rule: Rule) -> list[Fact]:
    return [fact for fact in rule.checked.catalogue.facts if fact.name in rule.checked.names]


def _is_of_a_fact(figure: Figure, facts: Iterable[Fact]) -> bool:
    """Return whether *figure* belongs to what a fact is, such as the last 30 days."""
    for fact in facts:
        words = f"{fact.name.replace('_', ' ')} {fact.description}"
        if any(figure == described for described in figures(words)):
            return True
        if figure.unit in (NO_UNIT, DAYS) and f"{figure.number}d" in fact.name.split("_"):
            return True
    return False


def _comparable(figure: Figure, constant: Constant, facts: Iterable[Fact]) -> bool:
    """Return whether *figure* could stand for *constant*, by its unit."""
    kind = constant.type.kind
    if figure.unit == NO_UNIT:
        return True
    if figure.unit == PERCENT:
        return kind in (Kind.PERCENT, Kind.RATIO)
    if figure.unit == MONEY:
        return kind is Kind.MONEY
    if kind is Kind.DAYS:
        return True
    # A count is of months where a fact is.
    unit = "month" if figure.unit == MONTHS else "day"
    return kind is Kind.COUNT and any(unit in fact.name for fact in facts)


def _agrees(figure: Figure, constant: Constant) -> bool:
    """Return whether *figure* is what *constant* says, counted from either side."""
    kind, value = constant.type.kind, Decimal(constant.number).scaleb(-constant.places)
    if figure.unit == MONTHS and kind is Kind.DAYS:
        return _SHORTEST_MONTH * figure.number <= value <= _LONGEST_MONTH * figure.number
    if figure.unit in (PERCENT, NO_UNIT) and kind in (Kind.PERCENT, Kind.RATIO):
        share = value * _HUNDRED if kind is Kind.RATIO else value
        # What is not paid down is the rest of it.
        if figure.number in (value, share, _HUNDRED - share):
            return True
    # `fewer than 3` is `at most 2`, and `more than 80%` is `80.0001% or more`.
    return abs(figure.number - value).scaleb(constant.places) <= 1


def _finding(jurisdiction: Jurisdiction, wrong: _Contradiction, days: Period) -> Finding:
    rule, source = wrong.rule, wrong.rule.origin
    assert isinstance(source, SourceRule), "the rule was read from a file"
    start, end = wrong.figure.span
    reason = source.table["reason"].position_of_part((start, end))
    lines = [Line(reason, f"{rule.id}: {rule.reason}")]
    lines.append(Line(source.table["require"].position(), f"{rule.id}: {rule.require}"))
    names = [constant.name for constant in wrong.constants if constant.name is not None]
    entries = [
        Line(node.position(), f"{name} = {parameter.type.show(entry.value)}")
        for name in names
        for parameter in (jurisdiction.policy.parameters[name],)
        for entry in (parameter.timeline.entry_on(days.start),)
        if entry is not None and (node := entry.node) is not None
    ]
    # The reason of a parent may be right there, and wrong with a value that the child replaces.
    if source.jurisdiction != jurisdiction.code:
        own = [line for line in entries if line.position.get("file") != source.file]
        lines = [*own, *lines] if own else lines
    says = " or ".join(constant.type.show(constant.number) for constant in wrong.constants)
    hint = "correct the one or the other"
    if names:
        hint = f"name the parameter in the sentence, `{{{names[0]}}}`, which is always its value"
    headline = Headline(
        claim=REASON_FIGURE,
        code="contradiction",
        message=f"the reason of `{rule.id}` says {_as_written(rule, wrong.figure)}, "
        f"and the rule {says}",
        hint=hint,
    )
    lines = list({(line.place.file, line.place.line): line for line in (*lines, *entries)}.values())
    return headline.finding(jurisdiction, lines, days=days, product=wrong.product)


def _as_written(rule: Rule, figure: Figure) -> str:
    """Return *figure* as the reason has it, with its sign of percent."""
    start, end = figure.span
    return rule.reason[start:end] + ("%" if figure.unit == PERCENT else "")


# -- Reasons that draw the line elsewhere than their rule: "at least" where it has `>`.
#
# `>=` and `<` draw it just below their figure, `>` and `<=` just above it. Words do so as well,
# whether they say what is needed or what is not enough; a "not" before them changes nothing.

REASON_BOUND: Final = "reason-bound"
_BELOW: Final = (">=", "<")
_ORDERED: Final = (*_BELOW, ">", "<=")
_OVER: Final = "over"
_BEFORE: Final = re.compile(
    r"\b(?:(?P<below>at (?:the )?least|(?:less|fewer|lower|smaller|shorter|younger|earlier) than"
    r"|under|below|short of|reach(?:es|ed)?|minimum(?: \w+)?)"
    r"|(?P<above>at (?:the )?most|(?:more|greater|higher|larger|longer|older|later) than"
    rf"|{_OVER}|above|beyond|up to|exceed(?:s|ed|ing)?|maximum(?: \w+)?))"
    rf"(?:\s+(?:is|are|of|an?|the))*:?\s*(?:(?-i:[A-Z]{{3}})\s?|[{SYMBOLS}]\s?)?$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"(?:\s?%|\s\w+)?\s+or\s+(?:(?P<below>more|higher|larger|longer|older|later)"
    r"|(?P<above>less|fewer|lower|smaller|shorter|younger|earlier))\b(?!\s+than\b)",
    re.IGNORECASE,
)


def _misplaced_bounds(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the own reasons that include a bound where their rule does not, or the opposite."""
    checked, reported = set[Rule](), set[SourceRule]()
    for rulebook in jurisdiction.slices:
        for product, rules in rulebook.rulesets.items():
            for rule in rules.rules:
                source: SourceRule = rule.origin
                if rule in checked or source.jurisdiction != jurisdiction.code:
                    continue
                checked.add(rule)
                wrong = _misplaced_bound(rule, rules.figures)
                if wrong is not None and source not in reported:
                    reported.add(source)
                    days = source.period
                    yield wrong.finding(jurisdiction, _lines(rule), days=days, product=product)


def _lines(rule: Rule) -> list[Line]:
    source: SourceRule = rule.origin
    keys = [("reason", rule.reason), ("require", rule.require)]
    return [Line(source.table[key].position(), f"{rule.id}: {text}") for key, text in keys]


@frozen
class _Threshold:
    """A parameter or a figure in a reason: its characters, and which of the two it is."""

    start: int
    end: int
    shown: str | Figure

    def number(self, constant: Constant, *, next_to: bool) -> int | None:
        """
        Return its number, scaled as that of *constant*, if it may stand for it.

        It is the same one or, with *next_to*, the one before or after it.
        """
        if not isinstance(self.shown, Figure):
            return constant.number if self.shown == constant.name else None
        number, unit, kind = self.shown.number, self.shown.unit, constant.type.kind
        # Of a half as much is left, and a month has no exact days.
        if (unit == PERCENT and 2 * number == _HUNDRED) or (unit == MONTHS and kind is Kind.DAYS):
            return None
        scaled = number.scaleb(
            constant.places - (2 if unit == PERCENT and kind is Kind.RATIO else 0)
        )
        return int(scaled) if abs(scaled - constant.number) in (0, int(next_to)) else None


def _misplaced_bound(rule: Rule, written: NumberFormat | None) -> Headline | None:
    """Return that words before or after a threshold in the reason of *rule* contradict it."""
    compared = [(constant, operator) for constant, operator, _ in thresholds(rule.checked.tree)]
    for said in _thresholds_in(rule, written):
        words = _BEFORE.search(rule.reason[: said.start]) or _AFTER.match(rule.reason[said.end :])
        own = _constants_of(said, rule, compared)
        if words is None or not own or _is_a_time(words[0], own):
            continue
        below = words["below"] is not None
        if not any(
            number - below == constant.number - (operator in _BELOW)
            for number, constant, operator in own
        ):
            start = words.start() if words.re is _BEFORE else said.start
            end = said.end + (words.end() if words.re is _AFTER else 0)
            percent = isinstance(said.shown, Figure) and said.shown.unit == PERCENT
            return _bound(rule, rule.reason[start:end] + "%" * (percent and end == said.end), own)
    return None


def _thresholds_in(rule: Rule, written: NumberFormat | None) -> Iterator[_Threshold]:
    for match in PLACEHOLDER.finditer(rule.reason):
        yield _Threshold(*match.span(), match[1])
    facts = _facts_of(rule)
    for figure in _figures_in(rule, written):
        if not _is_of_a_fact(figure, facts):
            yield _Threshold(*figure.span, figure)


def _constants_of(
    said: _Threshold, rule: Rule, compared: list[tuple[Constant, str]]
) -> list[tuple[int, Constant, str]]:
    """Return those of the constants *compared* that *said* is about, with the number it has."""
    facts, shown = _facts_of(rule), said.shown
    if isinstance(shown, Figure):
        compared = [pair for pair in compared if _comparable(shown, pair[0], facts)]
    # A figure that the rule has elsewhere, as in `==`, is not the one beside a threshold.
    others = [leaf for leaf in leaves(rule.checked.tree) if isinstance(leaf, Constant)]
    is_there = any(said.number(leaf, next_to=False) is not None for leaf in others)
    return [
        (number, constant, operator)
        for constant, operator in compared
        if (number := said.number(constant, next_to=not is_there)) is not None
    ]


def _is_a_time(words: str, own: list[tuple[int, Constant, str]]) -> bool:
    """Return whether *words* may say how long something lasts: takings over 30 days."""
    return words.lower().startswith(_OVER) and own[0][1].type.kind is Kind.DAYS


def _bound(rule: Rule, says: str, own: list[tuple[int, Constant, str]]) -> Headline:
    number, constant, operator = min(own, key=lambda pair: pair[2])
    shown = "" if number == constant.number else f" {constant.type.show(constant.number)}"
    return Headline(
        claim=REASON_BOUND,
        code="contradiction",
        message=f"the reason of `{rule.id}` says {says}, and the rule has `{operator}{shown}`: for "
        "a merchant with just that it is the other way",
        hint="correct the one or the other",
    )


def thresholds(tree: Node) -> Iterator[tuple[Constant, str, list[Constant | FactRead]]]:
    """Yield the constants that facts in *tree* are compared with, how, and what with."""
    for comparison, _ in comparisons(tree):
        if comparison.operator in _ORDERED:
            left, right = comparison.operands
            for side, opposite, operator in (
                (right, [*leaves(left)], comparison.operator),
                (left, [*leaves(right)], MIRRORED[comparison.operator]),
            ):
                if not all(isinstance(leaf, Constant) for leaf in opposite):
                    for leaf in _added(side):
                        if isinstance(leaf, Constant):
                            yield leaf, operator, opposite


def _added(node: Node) -> Iterator[Constant | FactRead]:
    """Yield the leaves of *node* that are not taken off: those raise it."""
    if not isinstance(node, Operation):
        yield node
        return
    for operand in node.operands[: 1 if node.operator == "-" else None]:
        yield from _added(operand)


# -- Reasons that belong to each other's rules: each has words of what the other reads.

REASONS_SWAPPED: Final = "reasons-swapped"
# Words are the same that begin alike: `defaulted` and `default`, `remittances` and `remitted`.
_STEM: Final = re.compile(r"(?<![a-z])[a-z]{4,5}")


def _swapped_reasons(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the pairs of own rules that are asked together and have each other's reason."""
    asked, reported = set[tuple[object, ...]](), set[frozenset[object]]()
    for rulebook in jurisdiction.slices:
        for product, rules in rulebook.rulesets.items():
            own = [
                rule
                for rule in rules.rules
                # A reason that names a parameter of another rule is an error by itself.
                if rule.origin.jurisdiction == jurisdiction.code and not rule.unread_parameters
            ]
            sources = tuple(rule.origin for rule in own)
            if sources in asked:
                continue
            asked.add(sources)
            worded = [(rule, _words_read(rule), _words(rule.reason)) for rule in own]
            for (first, reads, said), (second, others, its) in combinations(worded, 2):
                pair = frozenset((first.origin, second.origin))
                if (
                    pair not in reported
                    and _is_about(said, others - reads, reads - others)
                    and _is_about(its, reads - others, others - reads)
                ):
                    reported.add(pair)
                    headline = _swapped(first, second)
                    lines = [_lines(first)[0], _lines(second)[0]]
                    both = (first.origin.period, second.origin.period)
                    ends = (period.end for period in both if period.end is not None)
                    days = Period(max(period.start for period in both), min(ends, default=None))
                    yield headline.finding(jurisdiction, lines, days=days, product=product)


def _words(text: str) -> frozenset[str]:
    return frozenset(_STEM.findall(text.lower().replace("_", " ")))


def _words_read(rule: Rule) -> frozenset[str]:
    return _words(" ".join((*rule.checked.names, *rule.checked.parameters)))


def _is_about(said: frozenset[str], foreign: frozenset[str], own: frozenset[str]) -> bool:
    """Return whether *said* has *foreign* words, the other rule's alone, and none of its *own*."""
    return bool(said & foreign) and not said & own


def _swapped(first: Rule, second: Rule) -> Headline:
    return Headline(
        claim=REASONS_SWAPPED,
        code="contradiction",
        message=f"the reasons of `{first.id}` and `{second.id}` are swapped: each says what the "
        "other rule reads, and nothing of its own",
        hint="give each rule the other's reason: a merchant reads the wrong one",
    )
