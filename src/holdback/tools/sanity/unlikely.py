"""What is valid and hardly meant: in settings, in thresholds, and in what a product lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from holdback.eligibility.ruleset import DECLINE, Rule
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.rules.tree import Constant, FactRead, Rounding
from holdback.rules.written import FRACTIONS_BELOW
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, slices
from holdback.tools.sanity.reasons import thresholds

LONG_OFFER: Final = "long-offer"
MAXIMUM_NOT_OFFERED: Final = "maximum-not-offered"
DEFAULT_NOT_ASKED: Final = "default-not-asked"
SMALL_SHARE: Final = "small-share"

# Real offers are good for a week to a month. Beyond a quarter nothing that was known still holds.
_MOST_HOURS: Final = 92 * 24
_DEFAULTS: Final = "deals_defaulted"
# A smaller share of a deal is most likely a fraction with a sign: 0.75% for 75%.
SMALLEST_SHARE: Final = scaled(FRACTIONS_BELOW, PERCENT_PLACES)


def unlikely(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield what the own files of *jurisdiction* hardly mean."""
    yield from _long_offers(jurisdiction)
    yield from _maximum_not_offered(jurisdiction)
    yield from _default_not_asked(jurisdiction)
    yield from _small_shares(jurisdiction)


def _long_offers(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the periods in which offers are good for longer than a quarter."""
    name = "offers_valid_hours"
    node, timeline = jurisdiction.details.timelines[name]
    if node.document.file != jurisdiction.details.node.document.file:
        return
    for entry in timeline.entries:
        if entry.value > _MOST_HOURS and entry.node is not None:
            headline = Headline(
                claim=LONG_OFFER,
                code="out_of_range",
                message=f"offers are good for {entry.value // 24} days",
                hint=f"`{name}` counts hours: a month is 720",
            )
            line = Line(entry.node.entries()["value"].position(), f"{name} = {entry.value}")
            yield headline.finding(jurisdiction, [line], days=entry.period)


def _maximum_not_offered(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the products whose amounts are all less than the maximum that was calculated."""
    for product in jurisdiction.policy.own.products:
        if product.amounts[-1] < HUNDRED_PERCENT:
            headline = Headline(
                claim=MAXIMUM_NOT_OFFERED,
                code="misleading",
                message=f"`{product.key}` never offers the maximum that a merchant may have",
                hint="amounts are shares of it: add 100%, or lower the limits instead",
            )
            line = Line(product.table["amounts"].position(), f"amounts of {product.key}")
            days = product.period
            yield headline.finding(jurisdiction, [line], days=days, product=product.key)


def _default_not_asked(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield own products that accept a merchant who defaulted, where renewals decline it."""
    *_, (rulebook, days) = slices(jurisdiction)
    declining = [
        rule
        for rule in rulebook.renewal.rules
        if rule.otherwise == DECLINE and rule.checked.names == (_DEFAULTS,)
    ]
    if not declining:
        return
    for product in jurisdiction.policy.own.products:
        rules = rulebook.rulesets.get(product.key)
        if days.start not in product.period or rules is None:
            continue
        if not any(_DEFAULTS in rule.checked.names for rule in rules.rules):
            headline = Headline(
                claim=DEFAULT_NOT_ASKED,
                code="missing",
                message=f"no rule of `{product.key}` reads `{_DEFAULTS}`, and a renewal is "
                f"declined for it by `{declining[0].id}`",
                hint="a merchant who cannot renew gets the product by a new application; write "
                "the rule for the product, too",
            )
            line = Line(product.table["key"].position(), f"product {product.key}")
            finding = headline.finding(jurisdiction, [line], days=days, product=product.key)
            yield evolve(finding, reads=frozenset({_DEFAULTS}))


# -- Thresholds of a share of a deal that are nearly nothing: "0.75%" where 75% is meant.


def _small_shares(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    seen = set[object]()
    for rulebook in jurisdiction.slices:
        for product, rules in rulebook.rulesets.items():
            for rule in rules.rules:
                for constant, fact in _thresholds_of_shares(rule):
                    lines = _small_lines(jurisdiction, rule, constant)
                    if lines and (rule.id, lines[0].place) not in seen:
                        seen.add((rule.id, lines[0].place))
                        shown = constant.type.show(constant.number)
                        meant = constant.type.show(100 * constant.number)
                        headline = Headline(
                            claim=SMALL_SHARE,
                            code="misleading",
                            message=f"`{rule.id}` compares `{fact}` with {shown}",
                            hint=f"write {meant} if that is meant",
                        )
                        days = rule.origin.period
                        yield headline.finding(jurisdiction, lines, days=days, product=product)


def _small_lines(jurisdiction: Jurisdiction, rule: Rule, constant: Constant) -> list[Line]:
    """Return where *constant*, if it is too small, is written; one that changes is a jump."""
    numbers, lines = [constant.number], []
    if constant.name is not None:
        entries = jurisdiction.policy.parameters[constant.name].timeline.entries
        numbers = [entry.value for entry in entries]
        shown = f"{constant.name} = {constant.type.show(numbers[0])}"
        lines = [Line(entry.node.position(), shown) for entry in entries[:1] if entry.node]
    if not all(0 < number < SMALLEST_SHARE for number in numbers):
        return []
    source: SourceRule = rule.origin
    return [*lines, Line(source.table["require"].position(), f"{rule.id}: {rule.require}")]


def _thresholds_of_shares(rule: Rule) -> Iterator[tuple[Constant, str]]:
    """Yield the constants that a percentage which follows from amounts is compared with."""
    for constant, _, opposite in thresholds(rule.checked.tree):
        match opposite:
            case [FactRead(rounding=Rounding.DOWN, name=fact)]:
                yield constant, fact
