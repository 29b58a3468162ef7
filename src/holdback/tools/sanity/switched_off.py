"""A child that drops most of what it inherits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.timeline import Period
from holdback.tools.proofs.finding import Finding
from holdback.tools.sanity.headline import Headline, Line, joined, slices

SWITCHED_OFF_RULES: Final = "switched-off-rules"


def mostly_switched_off(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """
    Yield the finding that a child switches off more than half of the rules that it inherits.

    A rule that it has a version of its own of is replaced, and so not switched off.
    """
    policy = jurisdiction.policy
    if len(policy.layers) == 1:
        return
    parents, own = evolve(policy, layers=policy.layers[:-1]), policy.own
    worst: tuple[int, int] = (0, 1)
    days: list[Period] = []
    dropped: set[str] = set()
    for rulebook, period in slices(jurisdiction):
        inherited = {rule.id for rule in parents.rules_by_id_on(rulebook.since)}
        here = {rule.id for rule in policy.rules_by_id_on(rulebook.since)}
        gone = (own.switched_off_on("rule", rulebook.since) & inherited) - here
        if 2 * len(gone) > len(inherited):
            days.append(period)
            dropped |= gone
            if len(gone) * worst[1] > worst[0] * len(inherited):
                worst = (len(gone), len(inherited))
    if not days:
        return
    lines = [
        Line(switch_off.node.position(), f"the rule `{switch_off.name}`: {switch_off.reason}")
        for switch_off in own.switched_off
        if switch_off.kind == "rule" and switch_off.name in dropped
    ]
    count, all_rules = worst
    headline = Headline(
        claim=SWITCHED_OFF_RULES,
        code="misleading",
        message=f"{count} of the {all_rules} rules of `{policy.layers[-2].code}` are switched off "
        "here, more than half of them",
        hint="a jurisdiction that shares little with its parent is clearer without one",
    )
    yield headline.finding(jurisdiction, lines, days=joined(days))
