"""
Errors about keys, ids and codes that are used twice.

A name may recur only in successive versions of the same rule or product.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdback.jurisdictions.overlay import Layer
from holdback.jurisdictions.source_rules import SourceProduct, SourceRule


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
        if (first_product, first_rule.id) != (product, rule.id):
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
        elif any(rule.period.overlaps(version.period) for version in earlier):
            rule.table["id"].add_error(
                "duplicate",
                f"there is a rule `{rule.id}` on these days already",
                "a rule that changes ends with `until` where the next version begins",
            )
        earlier.append(rule)
