"""Thresholds without an example on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from attrs import define, field

from holdback.errors import ErrorDetail
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.rulebook import Rulebook
from holdback.jurisdictions.source_rules import SourceRule
from holdback.rules import Facts, Kind, Trace, check, trace
from holdback.rules.tree import comparisons
from holdback.toml import Node

_BOTH: Final = 2


@define
class _Threshold:
    """
    A comparison in a rule, and the answers that examples gave it.

    `text` is the comparison as written, `meaning` the same with the values of its parameters: each
    value of a parameter makes another threshold.
    """

    rule: SourceRule
    node: Node
    span: tuple[int, int]
    text: str
    meaning: str
    since: date
    answers: set[object] = field(factory=set)


def one_sided_thresholds(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """
    Yield the comparisons that the examples answer on one side only, or not at all.

    Those of own rules count, and those of inherited rules that read an own parameter.
    """
    thresholds: dict[object, _Threshold] = {}
    for rulebook in jurisdiction.slices:
        for product, rule in _rules_to_hold(jurisdiction, rulebook):
            for key, threshold in _thresholds(rule, rulebook, product):
                # The first slice counts: a finding says from which day the threshold is in force.
                thresholds.setdefault(key, threshold)
    for example in jurisdiction.examples:
        rulebook = jurisdiction.rulebook(example.on)
        facts = rulebook.catalogue.prepare(example.given)
        if not example.of_rules:
            continue
        if example.product is None and not rulebook.assess_prepared(facts).trace:
            continue  # below the floor no rule is evaluated
        for product, rule in _rules_to_hold(jurisdiction, rulebook):
            if product == example.product:
                for key, answer in _answers(rule, rulebook, product, facts):
                    thresholds[key].answers.add(answer)
    for threshold in thresholds.values():
        words = ((True, "true"), (False, "false"))
        missing = [word for answer, word in words if answer not in threshold.answers]
        if missing:
            yield _finding(threshold, missing, jurisdiction)


def _finding(threshold: _Threshold, missing: list[str], jurisdiction: Jurisdiction) -> ErrorDetail:
    sides = "on either side" if len(missing) == _BOTH else f"where it is {missing[0]}"
    meaning = "" if threshold.meaning == threshold.text else f" (`{threshold.meaning}`)"
    message = f"`{threshold.text}`{meaning}, from {threshold.since} on, has no example {sides}"
    hint = "add an example on each side, one unit apart"
    rule = threshold.rule
    if rule.jurisdiction == jurisdiction.code:
        position = threshold.node.position_of_part(threshold.span)
        return ErrorDetail(code="not_tested", message=message, hint=hint, **position)
    # The child's parameter makes the threshold, and its file is the one that can be corrected.
    own = jurisdiction.policy.own_parameters
    parameter = next(parameter for name, parameter in own.items() if name in rule.names)
    return ErrorDetail(
        code="not_tested",
        message=f"in the inherited rule `{rule.id}`, {message}",
        hint=f"{hint}; examples of a parent do not count here",
        **parameter.node.position(key=True),
    )


def _rules_to_hold(
    jurisdiction: Jurisdiction, rulebook: Rulebook
) -> Iterator[tuple[str | None, SourceRule]]:
    """Yield the rules in force that the jurisdiction's own examples have to test, by product."""
    own = jurisdiction.policy.own_parameters.keys()
    rules = [(None, rule) for rule in rulebook.renewal.rules] + [
        (terms.key, rule) for terms in rulebook.products for rule in terms.rules.rules
    ]
    for product, rule in rules:
        source: SourceRule = rule.origin
        if source.jurisdiction == jurisdiction.code or own & source.names:
            yield product, source


def _thresholds(
    rule: SourceRule, rulebook: Rulebook, product: str | None
) -> Iterator[tuple[object, _Threshold]]:
    nothing: Facts = (None,) * len(rulebook.catalogue.facts)
    for place, key, part in _comparisons(rule, rulebook, nothing):
        node = rule.table[key]
        yield (
            (product, rule, key, place, part.text),
            _Threshold(
                rule=rule,
                node=node,
                span=(part.node.start, part.node.end),
                text=node.value[part.node.start : part.node.end],
                meaning=part.text,
                since=rulebook.since,
            ),
        )


def _answers(
    rule: SourceRule, rulebook: Rulebook, product: str | None, facts: Facts
) -> Iterator[tuple[object, object]]:
    for place, key, part in _comparisons(rule, rulebook, facts):
        yield (product, rule, key, place, part.text), part.value


def _comparisons(
    rule: SourceRule, rulebook: Rulebook, facts: Facts
) -> Iterator[tuple[int, str, Trace]]:
    """Yield every comparison in *rule*, with its place, the key it is under and its answer."""
    for key, tree in rule.expressions:
        checked = check(tree, rulebook.catalogue, Kind.FLAG)
        for place, part in enumerate(_parts(trace(checked, facts))):
            yield place, key, part


def _parts(part: Trace) -> Iterator[Trace]:
    if any(part.node is comparison for comparison, _ in comparisons(part.node)):
        yield part
    else:
        for child in part.children:
            yield from _parts(child)
