"""What is valid and hardly meant: in settings, in reasons, and in what a product lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdback.eligibility.ruleset import DECLINE, Rule
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.rules.operators import MIRRORED, OPERATORS, Role
from holdback.rules.tree import Constant, FactRead, Node, Operation, Rounding, leaves
from holdback.rules.written import FRACTIONS_BELOW
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, slices

LONG_OFFER: Final = "long-offer"
MAXIMUM_NOT_OFFERED: Final = "maximum-not-offered"
DEFAULT_NOT_ASKED: Final = "default-not-asked"
REASON_BOUND: Final = "reason-bound"
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
    yield from _reasons(jurisdiction)
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
            yield headline.finding(jurisdiction, [line], days=days, product=product.key)


# -- Reasons that say another thing than their rule: "at least" where it has `>`.

# What each phrase before a threshold says of the rule: which comparisons fit, whether the sentence
# says what is needed or what is not enough. The rule is never `at least` where it has `>`.
_FITTING: Final = {
    "at least": (">=", "<"),
    "at most": ("<=", ">"),
    "no more than": ("<=", ">"),
    "more than": (">", "<="),
    "less than": ("<", ">="),
    "fewer than": ("<", ">="),
}
_PHRASE: Final = re.compile(rf"\b({'|'.join(_FITTING)})\s+", re.IGNORECASE)


def _reasons(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    seen = set[SourceRule]()
    for rulebook, days in slices(jurisdiction):
        for product, rules in rulebook.rulesets.items():
            for rule in rules.rules:
                source: SourceRule = rule.origin
                if source.jurisdiction == jurisdiction.code and source not in seen:
                    seen.add(source)
                    wrong = _bound(rule)
                    if wrong is not None:
                        lines = [
                            Line(source.table[key].position(), f"{rule.id}: {text}")
                            for key, text in (("reason", rule.reason), ("require", rule.require))
                        ]
                        yield wrong.finding(jurisdiction, lines, days=days, product=product)


def _bound(rule: Rule) -> Headline | None:
    """Return that the reason of *rule* includes a bound and the rule does not, or the opposite."""
    compared = dict[str, set[str]]()
    for node in rule.required:
        for constant, operator, _ in _comparisons(node):
            shown = constant.type.show(constant.number)
            threshold = shown if constant.name is None else f"{{{constant.name}}}"
            compared.setdefault(threshold, set()).add(operator)
    for phrase in _PHRASE.finditer(rule.reason):
        for threshold, operators in compared.items():
            said = re.match(rf"{re.escape(threshold)}(?![\w%])", rule.reason[phrase.end() :])
            if said and operators.isdisjoint(_FITTING[phrase[1].lower()]):
                return Headline(
                    claim=REASON_BOUND,
                    code="contradiction",
                    message=f"the reason of `{rule.id}` says {phrase[1]} {threshold}, and the rule "
                    f"has `{min(operators)}`: for a merchant with just that it is the other way",
                    hint="correct the one or the other",
                )
    return None


def _comparisons(node: Node) -> Iterator[tuple[Constant, str, list[Constant | FactRead]]]:
    """Yield the constants that facts in *node* are compared with, how, and what with."""
    if not isinstance(node, Operation):
        return
    if OPERATORS[node.operator].role is Role.LOGIC and node.operator != "not":
        for operand in node.operands:
            yield from _comparisons(operand)
    elif any(node.operator in fitting for fitting in _FITTING.values()):
        left, right = ([*leaves(operand)] for operand in node.operands)
        for side, opposite, operator in (
            (right, left, node.operator),
            (left, right, MIRRORED[node.operator]),
        ):
            if all(isinstance(leaf, Constant) for leaf in opposite):
                continue
            for leaf in side:
                if isinstance(leaf, Constant):
                    yield leaf, operator, opposite


# -- Thresholds of a share of a deal that are nearly nothing: "0.75%" where 75% is meant.


def _small_shares(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    seen = set[object]()
    for rulebook, days in slices(jurisdiction):
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
    for node in rule.required:
        for constant, _, opposite in _comparisons(node):
            match opposite:
                case [FactRead(rounding=Rounding.DOWN, name=fact)]:
                    yield constant, fact
