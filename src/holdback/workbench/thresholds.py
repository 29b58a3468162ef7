"""Thresholds that are not held by an example on either side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from attrs import define, field

from holdback.errors import ErrorDetail
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.rulebook import Rulebook
from holdback.jurisdictions.source_rules import WrittenRule
from holdback.rules import Facts, Kind, Trace, check, trace
from holdback.rules.tree import comparisons
from holdback.toml.node import Item

_BOTH: Final = 2


@define
class _Threshold:
    """A comparison in a rule, by the values of its parameters, and the answers that examples gave it."""

    written: WrittenRule
    item: Item
    span: tuple[int, int]
    text: str
    meaning: str
    since: date
    answers: set[object] = field(factory=set)


def one_sided(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """
    The comparisons of own rules, and of inherited ones with an own parameter, that examples answer on one
    side only, or on none.
    """
    found: dict[object, _Threshold] = {}
    for rulebook in jurisdiction.slices:
        for product, written in _rules(jurisdiction, rulebook):
            for key, threshold in _thresholds(written, rulebook, product):
                found.setdefault(key, threshold)
    for example in jurisdiction.examples:
        rulebook = jurisdiction.rulebook(example.on)
        facts = rulebook.catalogue.prepare(example.given)
        if example.of_settings:
            continue
        if example.product is None and not rulebook.assess_prepared(facts).trace:
            continue  # below the floor no rule is looked at
        for product, written in _rules(jurisdiction, rulebook):
            if product == example.product:
                for key, answer in _answers(written, rulebook, product, facts):
                    found[key].answers.add(answer)
    for threshold in found.values():
        words = ((True, "true"), (False, "false"))
        missing = [word for answer, word in words if answer not in threshold.answers]
        if missing:
            yield _fault(threshold, missing, jurisdiction)


def _fault(threshold: _Threshold, missing: list[str], jurisdiction: Jurisdiction) -> ErrorDetail:
    sides = "on either side" if len(missing) == _BOTH else f"where it is {missing[0]}"
    meaning = "" if threshold.meaning == threshold.text else f" (`{threshold.meaning}`)"
    said = f"`{threshold.text}`{meaning}, from {threshold.since} on, has no example {sides}"
    written, hint = (
        threshold.written,
        "each threshold has an example on either side, one unit apart",
    )
    if written.jurisdiction == jurisdiction.code:
        return ErrorDetail(message=said, hint=hint, **threshold.item.part_position(threshold.span))
    # It is the child's parameter that the inherited rule holds against.
    parameters = jurisdiction.policy.parameters.items()
    own = [each for name, each in parameters if name in written.names and each is not None]
    item = next(each.item for each in own if each.code == jurisdiction.code)
    return ErrorDetail(
        message=f"in the inherited rule `{written.id}`, {said}",
        hint=f"{hint}; those of a parent do not count here",
        **item.position(key=True),
    )


def _rules(
    jurisdiction: Jurisdiction, rulebook: Rulebook
) -> Iterator[tuple[str | None, WrittenRule]]:
    """The rules of *rulebook* that the jurisdiction's own examples have to hold, each with its product."""
    policy, day = jurisdiction.policy, rulebook.since
    own = {
        name
        for name, each in policy.parameters.items()
        if each is not None and each.code == jurisdiction.code
    }
    rules: list[tuple[str | None, WrittenRule]] = [(None, rule) for rule in policy.rules_on(day)]
    for product in policy.products_on(day):
        rules += [(product.key, rule) for rule in product.rules if day in rule.period]
    for key, rule in rules:
        if rule.jurisdiction == jurisdiction.code or own & rule.names:
            yield key, rule


def _thresholds(
    written: WrittenRule, rulebook: Rulebook, product: str | None
) -> Iterator[tuple[object, _Threshold]]:
    nothing: Facts = (None,) * len(rulebook.catalogue.facts)
    for place, key, part in _compared(written, rulebook, nothing):
        text = written.keys[key].value[part.node.start : part.node.end]
        yield (
            (product, written, key, place, part.text),
            _Threshold(
                written=written,
                item=written.keys[key],
                span=(part.node.start, part.node.end),
                text=text,
                meaning=part.text,
                since=rulebook.since,
            ),
        )


def _answers(
    written: WrittenRule, rulebook: Rulebook, product: str | None, facts: Facts
) -> Iterator[tuple[object, object]]:
    for place, key, part in _compared(written, rulebook, facts):
        yield (product, written, key, place, part.text), part.value


def _compared(
    written: WrittenRule, rulebook: Rulebook, facts: Facts
) -> Iterator[tuple[int, str, Trace]]:
    """Every comparison in *written* and its answer on *facts*."""
    for key, tree in (("when", written.when), ("require", written.require)):
        if tree is not None:
            checked = check(tree, rulebook.catalogue, Kind.FLAG)
            for place, part in enumerate(_parts(trace(checked, facts))):
                yield place, key, part


def _parts(part: Trace) -> Iterator[Trace]:
    if any(part.node is each for each, _ in comparisons(part.node)):
        yield part
    else:
        for child in part.children:
            yield from _parts(child)
