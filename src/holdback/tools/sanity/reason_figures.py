"""Figures in a reason that its rule contradicts: a sentence that says 80% where the rule says 75%.

A figure that is written out stays when a parameter changes, so each rule is compared on all dates.
Figures are read from a sentence as people write them: numbers with their units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from attrs import field

from holdback.eligibility.ruleset import PLACEHOLDER, Rule
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.jurisdictions.timeline import Period
from holdback.rules import Fact, Kind
from holdback.rules.number_format import NumberFormat
from holdback.rules.tree import Constant, leaves
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, joined, slices

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
    product: str
    figure: Figure
    constants: tuple[Constant, ...]


def contradicted_reasons(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the figures in reasons, also in inherited ones, that their rules contradict."""
    days: dict[tuple[str, int, Figure], list[Period]] = {}
    first: dict[tuple[str, int, Figure], _Contradiction] = {}
    seen: dict[Rule, tuple[_Contradiction, ...]] = {}
    for rulebook, period in slices(jurisdiction):
        sets = [("", rulebook.renewal), *((terms.key, terms.rules) for terms in rulebook.products)]
        for product, rules in sets:
            for rule in rules.rules:
                if rule not in seen:
                    seen[rule] = tuple(_contradictions(rule, product, rules.figures))
                for wrong in seen[rule]:
                    key = (rule.file or "", rule.line or 0, wrong.figure)
                    days.setdefault(key, []).append(period)
                    first.setdefault(key, wrong)
    for key, wrong in first.items():
        yield _finding(jurisdiction, wrong, joined(days[key]))


def _contradictions(
    rule: Rule, product: str, written: NumberFormat | None
) -> Iterator[_Contradiction]:
    """Yield the figures in the reason of *rule* that are none of the rule's."""
    # Placeholders are blanked, so that figures keep their places.
    text = PLACEHOLDER.sub(lambda match: " " * len(match[0]), rule.reason)
    separators = (".", ",") if written is None else (written.decimal, written.group)
    stated = list(figures(text, *separators))
    if not stated:
        return
    constants = tuple(
        leaf
        for leaf in leaves(rule.checked.tree)
        if isinstance(leaf, Constant) and leaf.type.kind in _NUMBERS
    )
    facts = [fact for fact in rule.checked.catalogue.facts if fact.name in rule.checked.names]
    for figure in stated:
        if _is_of_a_fact(figure, facts):
            continue
        same = [constant for constant in constants if _comparable(figure, constant, facts)]
        if same and not any(_agrees(figure, constant) for constant in same):
            yield _Contradiction(rule, product, figure, tuple(dict.fromkeys(same)))


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
        return figure.number in (value, share, _HUNDRED - share)
    if kind in (Kind.COUNT, Kind.DAYS):
        return abs(figure.number - value) <= 1  # `fewer than 3` is `at most 2`
    return figure.number == value


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


PERCENT: Final = "%"
MONEY: Final = "money"
DAYS: Final = "days"
MONTHS: Final = "months"
NO_UNIT: Final = ""

# The units of a time, with how many days or months each is.
_TIMES: Final = {
    "day": (DAYS, 1),
    "week": (DAYS, 7),
    "month": (MONTHS, 1),
    "year": (MONTHS, 12),
}
# A number after one of these names a text, not a quantity.
_NUMBERED: Final = (
    r"section|article|rule|regulation|form|act|part|chapter|clause|paragraph|schedule"
    r"|no\.|number|step"
)
_SYMBOLS: Final = "£$€¥"


@frozen
class Figure:
    """A number of a `unit`, and its characters in the text."""

    number: Decimal
    unit: str
    span: tuple[int, int] = field(eq=False)


@lru_cache(maxsize=64)
def _pattern(decimal: str, group: str) -> re.Pattern[str]:
    """Return the pattern of a figure in a text with these separators."""
    groups = rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+|" if group else ""
    return re.compile(
        rf"(?P<numbered>\b(?i:{_NUMBERED}|§)\s*)?"
        rf"(?P<before>\b[A-Z]{{3}}\s?|[{_SYMBOLS}]\s?)?"
        rf"(?<![\w.,/-])(?P<number>(?:{groups}\d+)(?:{re.escape(decimal)}\d+)?)"
        rf"(?:\s?(?P<percent>%|(?i:per\s?cent)\b)"
        rf"|(?P<after>\s?(?:[{_SYMBOLS}]|[A-Z]{{3}}\b))"
        rf"|[\s-](?P<time>(?i:day|week|month|year))s?\b)?"
        r"(?![\w/]|-\d|[.,]\d)",
    )


def figures(text: str, decimal: str = ".", group: str = ",") -> Iterator[Figure]:
    """
    Yield the figures in *text*, from left to right, without numbers of sections, dates and years.

    >>> [(str(figure.number), figure.unit) for figure in figures("under 80% for 2 weeks, £1,200")]
    [('80', '%'), ('14', 'days'), ('1200', 'money')]
    """
    for match in _pattern(decimal, group).finditer(text):
        plain = match["number"].replace(group, "") if group else match["number"]
        number = Decimal(plain.replace(decimal, "."))
        unit = NO_UNIT
        if match["percent"]:
            unit = PERCENT
        elif match["before"] or match["after"]:
            unit = MONEY
        elif match["time"]:
            unit, times = _TIMES[match["time"].lower()]
            number *= times
        is_year = unit == NO_UNIT and re.fullmatch("(19|20)[0-9]{2}", match["number"])
        if not match["numbered"] and not is_year:
            yield Figure(number, unit, match.span("number"))
