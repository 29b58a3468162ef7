"""
Errors about keys, ids, codes and labels that are used twice.

A name may recur only in successive versions of the same rule or product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from holdback.eligibility.facts import BUILT_IN_FACTS, LABELS
from holdback.errors import excerpt
from holdback.jurisdictions.overlay import Layer, Policy
from holdback.jurisdictions.source_rules import SourceProduct, SourceRule
from holdback.jurisdictions.toml import Node
from holdback.rules.types import draft_label


def add_uniqueness_errors(layers: Iterable[Layer]) -> None:
    """Add an error for every key, id and code in the last of *layers* that is already used."""
    *inherited, own = layers
    _check_products(own.products)
    first: dict[str, tuple[str, SourceRule]] = {}
    for layer in inherited:
        for product, rule in _rules_by_product(layer):
            first.setdefault(rule.code, (product, rule))
    _check_rules(own, first)


def _rules_by_product(layer: Layer) -> list[tuple[str, SourceRule]]:
    """Return every rule of *layer* with the key of its product, "" for renewal rules."""
    renewal = [("", rule) for rule in layer.rules]
    return renewal + [
        (product.key, rule) for product in layer.products for rule in product.rules if product.key
    ]


def _check_products(products: Iterable[SourceProduct]) -> None:
    """Add an error for every product that is offered while another one has its key."""
    versions: dict[str, list[SourceProduct]] = {}
    for product in products:
        if not product.key:
            continue  # its key is invalid and has its error
        earlier = versions.setdefault(product.key, [])
        if any(product.period.overlaps(version.period) for version in earlier):
            product.table["key"].add_error(
                "duplicate",
                f"there is a product `{product.key}` on these days already",
                "a product that changes ends with `until` where the next version begins",
            )
        earlier.append(product)


def _check_rules(own: Layer, first: dict[str, tuple[str, SourceRule]]) -> None:
    """
    Add an error for every id and code that two rules share, or that has two versions on a day.

    *first* has the first rule with each code and the key of its product. Codes appear in decision
    records, so that a code is not used again even after its rule was retired.
    """
    versions: dict[tuple[str, str], list[SourceRule]] = {}
    for product, rule in _rules_by_product(own):
        first_product, first_rule = first.setdefault(rule.code, (product, rule))
        earlier = versions.setdefault((product, rule.id), [])
        overlapped = next(
            (version for version in earlier if rule.period.overlaps(version.period)), None
        )
        if overlapped is not None and overlapped.code != rule.code:
            rule.table["id"].add_error(
                "duplicate",
                f"there is a rule `{rule.id}` already, on line {overlapped.line}",
                "give one of them another id; only versions of one rule share it, and their code",
            )
        elif (first_product, first_rule.id) != (product, rule.id):
            rule.table["code"].add_error(
                "duplicate",
                f"`{rule.code}` is the code of the rule `{first_rule.id}`",
                "a code is never used again",
            )
        elif earlier and earlier[0].code != rule.code:
            rule.table["code"].add_error(
                "contradiction",
                f"the rule `{rule.id}` has the code `{earlier[0].code}`",
                "its versions keep its code",
            )
        elif overlapped is not None:
            rule.table["id"].add_error(
                "duplicate",
                f"there is a rule `{rule.id}` on these days already, on line {overlapped.line}",
                "a rule that changes ends with `until` where the next version begins",
            )
        earlier.append(rule)


def add_label_errors(policy: Policy, root: Node) -> None:
    """
    Add an error for everything in the own folder of *policy* that is called like something else.

    *root* is that of its `jurisdiction.toml`. Labels are compared without regard to case. Drafted
    labels are only compared with those that files give: no folder without labels is wrong.
    """
    given, own = dict(_given(policy)), _own_nodes(policy, root)
    names = [*(fact.name for fact in policy.catalogue.facts), *policy.parameters]
    taken: dict[str, str] = {}
    # Labels of the own folder come last, so that each error is about one of them, and once.
    for name in sorted(names, key=lambda name: (name in own, name in given)):
        label = given.get(name) or LABELS.get(name) or draft_label(name)
        first = taken.setdefault(label.casefold(), name)
        if first == name or name not in own or not {first, name} & given.keys():
            continue
        where = own[name].entries().get("label", own[name])
        message = f"`{excerpt(label)}` is what `{first}` is called in sentences as well"
        hint = "give one of them another `label`"
        where.add_error("duplicate", message, hint, key=where is own[name])


def _given(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the names that have a label in a file, each with it."""
    for fact in policy.catalogue.facts[BUILT_IN_FACTS:]:
        if fact.label is not None:
            yield fact.name, fact.label
    for parameter in policy.parameters.values():
        if parameter.label is not None:
            yield parameter.name, parameter.label


def _own_nodes(policy: Policy, root: Node) -> Mapping[str, Node]:
    """Return the nodes of the facts and parameters of the own folder, by name."""
    tables = root.entries()
    declared = tables["facts"].entries() if "facts" in tables else {}
    names = {fact.name for fact in policy.catalogue.facts[BUILT_IN_FACTS:]}
    facts = {name: node for name, node in declared.items() if name in names}
    return facts | {name: own.node for name, own in policy.own_parameters.items()}
