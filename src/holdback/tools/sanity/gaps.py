"""Days on which nothing decides, between two versions of the same rule, product or switch-off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Final

from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.overlay import Policy
from holdback.jurisdictions.source_rules import SourceProduct, SourceRule
from holdback.jurisdictions.timeline import Period
from holdback.jurisdictions.toml import Node
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, days_text

GAP: Final = "gap"


@frozen(kw_only=True)
class _Version:
    """A version of something with a name: its days, where it begins and ends, and what it says."""

    key: tuple[str, ...]
    product: str | None = None
    what: str
    period: Period
    start: Node
    end: Node
    says: str


def gaps(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield the gaps of days between versions of the rules and products of its own folder."""
    policy, own = jurisdiction.policy, jurisdiction.policy.own
    for before, after, days in _between(_rule(rule, "") for rule in own.rules_by_id):
        inherited = _inherited(policy, before.key[1], days)
        yield _gap(jurisdiction, before, after, days, inherited or "nothing decides in its place")
    offered = [product for product in own.products if product.key]
    for before, after, days in _between(map(_product, offered)):
        then = "an inherited version is offered" if _is_inherited(policy, before, days) else ""
        yield _gap(jurisdiction, before, after, days, then or "it is not offered")
    versions = (_rule(rule, product.key) for product in offered for rule in product.rules)
    for before, after, days in _between(versions):
        # Where the product itself is not offered, that is the one headline.
        for part in _offered(offered, before.key[0], days):
            yield _gap(jurisdiction, before, after, part, "the product is offered without it")
    switched_off = (
        _Version(
            key=(switch_off.kind, switch_off.name, switch_off.product or ""),
            what=f"the switch-off of the {switch_off.kind} `{switch_off.name}`"
            + (f" of `{switch_off.product}`" if switch_off.product else ""),
            period=switch_off.period,
            start=switch_off.node,
            end=switch_off.node,
            says="it was switched off",
        )
        for switch_off in own.switched_off
    )
    for before, after, days in _between(switched_off):
        yield _gap(jurisdiction, before, after, days, f"the inherited {before.key[0]} is back")


def _rule(rule: SourceRule, product: str) -> _Version:
    table = rule.table
    when = "" if rule.when is None else f", when `{rule.when.source}`"
    return _Version(
        key=(product, rule.id),
        product=product or None,
        what=f"the rule `{rule.id}`" + (f" of `{product}`" if product else ""),
        period=rule.period,
        start=_given(table["from"], table["id"]),
        end=_given(table["until"], table["id"]),
        says=f"`{rule.require.source}`{when} decided",
    )


def _product(product: SourceProduct) -> _Version:
    table = product.table
    return _Version(
        key=(product.key,),
        product=product.key,
        what=f"the product `{product.key}`",
        period=product.period,
        start=_given(table["from"], table["key"]),
        end=_given(table["until"], table["key"]),
        says="it was offered",
    )


def _given(node: Node, otherwise: Node) -> Node:
    """Return *node*, or *otherwise* if the file lacks it."""
    return otherwise if node.absent else node


def _between(versions: Iterable[_Version]) -> Iterator[tuple[_Version, _Version, Period]]:
    """Yield successive versions of the same key with days between them, and these days."""
    by_key: dict[tuple[str, ...], list[_Version]] = {}
    for version in versions:
        by_key.setdefault(version.key, []).append(version)
    for same in by_key.values():
        for before, after in pairwise(sorted(same, key=lambda version: version.period.start)):
            end, start = before.period.end, after.period.start
            if end is not None and end < start:
                yield before, after, Period(end, start)


def _offered(products: Iterable[SourceProduct], key: str, days: Period) -> Iterator[Period]:
    """Yield the parts of *days* on which the product *key* is offered."""
    assert days.end is not None, "a gap ends"
    for product in products:
        if product.key == key and product.period.overlaps(days):
            end = days.end if product.period.end is None else min(days.end, product.period.end)
            yield Period(max(days.start, product.period.start), end)


def _inherited(policy: Policy, name: str, days: Period) -> str | None:
    """Return what decides on *days* in place of the own rule *name*; None where nothing does."""
    rules = {rule.id: rule for rule in policy.rules_by_id_on(days.start)}
    if name not in rules:
        return None
    return f"the rule of `{rules[name].jurisdiction}`, `{rules[name].require.source}`, decides"


def _is_inherited(policy: Policy, version: _Version, days: Period) -> bool:
    return any(product.key == version.key[0] for product in policy.products_on(days.start))


def _gap(
    jurisdiction: Jurisdiction, before: _Version, after: _Version, days: Period, then: str
) -> Finding:
    assert days.end is not None, "a gap ends"
    number = (days.end - days.start) // timedelta(days=1)
    count = "a gap of one day" if number == 1 else f"a gap of {number} days"
    says = f"before it {before.says}, and after it {after.says}"
    if before.says == after.says:
        says = f"before and after it {before.says}"
    headline = Headline(
        claim=GAP,
        code="missing",
        message=f"{count} between two versions of {before.what}: {days_text(days.start, days.end)} "
        f"{then}; {says}",
        hint=f"if that is not meant, write `until = {days.end}` here: `until` is the first day "
        "after",
    )
    lines = [Line(before.end.position(), before.says), Line(after.start.position(), after.says)]
    return headline.finding(jurisdiction, lines, days=days, product=before.product)
