"""A rule of a child that is looser than its parent's, and the deals that show it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from holdback.eligibility.ruleset import DECLINE, REFER, Rule, RuleSet
from holdback.rules import words
from holdback.rules.render import in_words
from holdback.rules.tree import Constant, leaves
from holdback.tools.proofs.broken_claim import BrokenClaim, Spot
from holdback.tools.proofs.finding import WARNING
from holdback.tools.proofs.question import Question, better, rule_meaning
from holdback.tools.proofs.shared_facts import shared_facts

KEEPS_UP: Final = "child-keeps-up"
_ANSWERS: Final = {DECLINE: "declined", REFER: "referred"}


def looser_rules(
    rules: RuleSet, parent: RuleSet, product: str | None, on: date
) -> Iterator[tuple[str, BrokenClaim]]:
    """
    Yield the ids of rules of a child that *parent* has too, and which ask for something else there.

    With each is what it would be if it became looser *on* that day. Its question asks for a deal
    that has a better answer here than there, by this rule alone as by all of them.
    """
    shared = shared_facts(parent, rules)
    of_parent = {rule.id: rule for rule in parent.rules}
    by_all = better(rules, parent, product)
    for rule in rules.rules:
        above = of_parent.get(rule.id)
        if above is None or shared.why_not_comparable or rule_meaning(rule) == rule_meaning(above):
            continue
        alone = better(rules.altered(rules=(rule,)), parent.altered(rules=(above,)), product)
        pairs = tuple((*by_rule, *by_set) for by_rule in alone for by_set in by_all)
        yield (
            rule.id,
            BrokenClaim(
                claim=KEEPS_UP,
                severity=WARNING,
                code="contradiction",
                message=f"the rule `{rule.id}` has become looser than in {parent.jurisdiction} "
                f"on {on}: {_difference(rule, above)}",
                hint='follow the parent; if it is meant, claim it: `overlay = "loosen"`',
                spots=(Spot(rule=rule),),
                question=Question(catalogue=shared.catalogue, alternatives=pairs),
            ),
        )


def _difference(rule: Rule, above: Rule) -> str:
    """Return how *rule* differs from that of the parent *above*: in figures, or in words."""
    same_text = (rule.require, rule.when) == (above.require, above.when)
    if same_text and rule.otherwise == above.otherwise:
        pairs = zip(leaves(above.checked.tree), leaves(rule.checked.tree), strict=True)
        figures = [
            f"`{own.name}` is {there.type.show(there.number)} there and {own.type.show(own.number)}"
            for there, own in pairs
            if isinstance(there, Constant) and isinstance(own, Constant) and there != own
        ]
        return f"{in_words([*dict.fromkeys(figures)])} here"
    there, here = (
        f"{words(of.checked)}, or it is {_ANSWERS[of.otherwise]}" for of in (above, rule)
    )
    return f"there {there}; here {here}"
