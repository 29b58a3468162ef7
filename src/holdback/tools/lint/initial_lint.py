"""Findings in products: rules that no initial application can satisfy."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from holdback.eligibility.facts import NEVER_INITIAL
from holdback.eligibility.ruleset import Rule
from holdback.errors import ErrorDetail
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.source_rules import SourceRule
from holdback.rules.operators import OPERATORS, Role
from holdback.rules.tree import Constant, FactRead, Node, Operation, leaves


def distinct_rules(jurisdiction: Jurisdiction) -> Iterator[tuple[Rule, bool]]:
    """
    Yield every rule that is in force on some day, and whether it is a renewal rule.

    A rule comes once for each combination of values of its parameters.
    """
    seen = set[Rule]()
    for rulebook in jurisdiction.slices:
        rule_sets = [(rulebook.renewal, True)]
        rule_sets += [(terms.rules, False) for terms in rulebook.products]
        for rule_set, renewal in rule_sets:
            for rule in rule_set.rules:
                if rule not in seen:
                    seen.add(rule)
                    yield rule, renewal


def never_accepted(jurisdiction: Jurisdiction) -> Iterator[ErrorDetail]:
    """
    Yield own rules of products that are never true in an initial application.

    The facts that only a deal has are unknown there; of any other comparison it is assumed that it
    can be true, and that it can be false. So a rule that is reported is never true for certain.
    """
    reported = set[SourceRule]()
    for rule, renewal in distinct_rules(jurisdiction):
        source: SourceRule = rule.origin
        if renewal or source.jurisdiction != jurisdiction.code or source in reported:
            continue
        unknown = [name for name in rule.checked.names if name in NEVER_INITIAL]
        places = {rule.checked.catalogue.place(name) for name in unknown}
        if unknown and not _can_be(rule.checked.tree, places, wanted=True):
            reported.add(source)
            listed = " and ".join(f"`{name}`" for name in unknown)
            yield ErrorDetail(
                code="no_effect",
                message=f"the rule `{source.id}` is never true in an initial application, where "
                f"{listed} is unknown: the product is then never accepted",
                hint="a rule about a deal belongs in `renewal.toml`; here read what every "
                "application has, such as `deals_defaulted`",
                **source.table["require"].position(),
            )


def _can_be(node: Node, unknown: Collection[int], *, wanted: bool) -> bool:
    """Return whether *node* may be *wanted* while the facts in the places *unknown* are unknown."""
    if isinstance(node, Constant):
        return bool(node.number) is wanted
    if isinstance(node, Operation) and OPERATORS[node.operator].role is Role.LOGIC:
        if node.operator == "not":
            return _can_be(node.operands[0], unknown, wanted=not wanted)
        parts = (_can_be(operand, unknown, wanted=wanted) for operand in node.operands)
        return all(parts) if (node.operator == "and") is wanted else any(parts)
    return not any(isinstance(leaf, FactRead) and leaf.place in unknown for leaf in leaves(node))
