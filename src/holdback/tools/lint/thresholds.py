"""Thresholds without an example on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from attrs import define, evolve, field

from holdback.errors import ErrorDetail
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.jurisdictions.toml import Node
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Checked, Kind, check
from holdback.rules.interpreter import answer
from holdback.rules.render import text_of
from holdback.rules.tree import Operation, comparisons

_BOTH: Final = 2


@define
class Threshold:
    """
    A comparison in a rule, and the answers that examples gave it.

    `text` is the comparison as written, `meaning` the same with the values of its parameters: each
    value of a parameter makes another threshold. It is the comparison with the number `place` under
    the `key` of the rule, and the rule is one of `product`, or of renewals. That of a shared rule
    is the same in every product, of which `product` is the first.
    """

    product: str | None
    rule: SourceRule
    key: str
    place: int
    node: Node
    span: tuple[int, int]
    text: str
    meaning: str
    since: date
    answers: set[object] = field(factory=set)

    @property
    def missing(self) -> tuple[bool, ...]:
        """The answers that no example gives."""
        return tuple(answer for answer in (True, False) if answer not in self.answers)

    def comparison(self, rulebook: Rulebook) -> Checked | None:
        """Return the comparison as *rulebook* has it; None where it has another or none."""
        for product, rule, checked in _checked_rules(rulebook):
            if product == self.product and rule is self.rule:
                for place, key, node in _comparisons(rule, rulebook):
                    if (key, place, text_of(node)) == (self.key, self.place, self.meaning):
                        return evolve(checked, tree=node)
        return None


def one_sided_thresholds(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """Yield the comparisons that the examples answer on one side only, or not at all."""
    for threshold in thresholds(jurisdiction):
        if threshold.missing:
            words = ["true" if answer else "false" for answer in threshold.missing]
            yield _finding(threshold, words, jurisdiction)


def thresholds(jurisdiction: Jurisdiction) -> list[Threshold]:
    """
    Return the comparisons of *jurisdiction*, with the answers that its examples give.

    Those of own rules count, and those of inherited rules that read an own parameter.
    """
    thresholds: dict[object, Threshold] = {}
    for rulebook in jurisdiction.slices:
        for product, rule in _rules_to_test(jurisdiction, rulebook):
            for key, threshold in _thresholds(rule, rulebook, product):
                # The first slice counts: a finding says from which day the threshold is in force.
                thresholds.setdefault(key, threshold)
    for example in jurisdiction.examples:
        if not example.of_rules:
            continue
        rulebook = jurisdiction.rulebook(example.on)
        facts = rulebook.catalogue.prepare(example.given)
        if example.product is None and not rulebook.assess_prepared(facts).trace:
            continue  # below the floor no rule is evaluated
        for product, rule in _rules_to_test(jurisdiction, rulebook):
            if product == example.product:
                for place, key, node in _comparisons(rule, rulebook):
                    threshold = thresholds[_of(rule, product), rule, key, place, text_of(node)]
                    threshold.answers.add(answer(node, facts))
    return list(thresholds.values())


def _finding(threshold: Threshold, missing: list[str], jurisdiction: Jurisdiction) -> ErrorDetail:
    """Return the finding that no example is on the sides that *missing* names, true and false."""
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


def _rules_to_test(
    jurisdiction: Jurisdiction, rulebook: Rulebook
) -> Iterator[tuple[str | None, SourceRule]]:
    """Yield the rules in force that the jurisdiction's own examples have to test, by product."""
    own = jurisdiction.policy.own_parameters.keys()
    for product, source, _ in _checked_rules(rulebook):
        if source.jurisdiction == jurisdiction.code or own & source.names:
            yield product, source


def _checked_rules(rulebook: Rulebook) -> Iterator[tuple[str | None, SourceRule, Checked]]:
    """Yield the rules in force as written and as checked, by product."""
    for product, rules in rulebook.rulesets.items():
        for rule in rules.rules:
            yield product, rule.origin, rule.checked


def _thresholds(
    rule: SourceRule, rulebook: Rulebook, product: str | None
) -> Iterator[tuple[object, Threshold]]:
    """Yield the comparisons in *rule*, with the key by which answers of examples are counted."""
    for place, key, node in _comparisons(rule, rulebook):
        written, meaning = rule.table[key], text_of(node)
        yield (
            (_of(rule, product), rule, key, place, meaning),
            Threshold(
                product=product,
                rule=rule,
                key=key,
                place=place,
                node=written,
                span=(node.start, node.end),
                text=written.value[node.start : node.end],
                meaning=meaning,
                since=rulebook.since,
            ),
        )


def _of(rule: SourceRule, product: str | None) -> str | None:
    """Return *product*, and for a shared rule the same whichever product is asked for."""
    return product if rule.products is None else ""


def _comparisons(rule: SourceRule, rulebook: Rulebook) -> Iterator[tuple[int, str, Operation]]:
    """Yield every comparison in *rule*, with its place and the key it is under."""
    for key, tree in rule.expressions:
        checked = check(tree, rulebook.catalogue, Kind.FLAG)
        for place, (node, _) in enumerate(comparisons(checked.tree)):
            yield place, key, node
