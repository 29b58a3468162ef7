"""What may be named twice in a jurisdiction: versions of one rule or product, one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from holdback.jurisdictions.overlay import Layer
from holdback.jurisdictions.source_rules import WrittenProduct, WrittenRule


def note_reuse(layers: Iterable[Layer]) -> None:
    """Note every key, id and code in the last of *layers* that is taken."""
    *inherited, own = layers
    _products(own.products)
    first: dict[str, tuple[str, WrittenRule]] = {}
    for layer in inherited:
        for owner, rule in _owned(layer):
            first.setdefault(rule.code, (owner, rule))
    _rules(own, first)


def _owned(layer: Layer) -> list[tuple[str, WrittenRule]]:
    """Every rule of *layer*, each with the key of its product, renewal rules with none."""
    renewal = [("", rule) for rule in layer.rules]
    return renewal + [
        (product.key, rule) for product in layer.products for rule in product.rules if product.key
    ]


def _products(products: Iterable[WrittenProduct]) -> None:
    """Note every product that is offered while another has its key."""
    versions: dict[str, list[WrittenProduct]] = {}
    for product in products:
        if not product.key:
            continue  # it is at fault
        earlier = versions.setdefault(product.key, [])
        if any(product.period.overlaps(each.period) for each in earlier):
            product.keys["key"].fault(
                f"there is a product `{product.key}` on these days already",
                "a product that changes ends with `until` where the next version begins",
            )
        earlier.append(product)


def _rules(own: Layer, first: dict[str, tuple[str, WrittenRule]]) -> None:
    """
    Note every id and code that is used for two rules, or twice on a day.

    A rule may have several versions, one after the other, that share its id and code; so may the rules
    of a product's versions. Nothing else may, after a rule's retirement neither.
    """
    versions: dict[tuple[str, str], list[WrittenRule]] = {}
    for owner, rule in _owned(own):
        first_owner, first_rule = first.setdefault(rule.code, (owner, rule))
        earlier = versions.setdefault((owner, rule.id), [])
        if (first_owner, first_rule.id) != (owner, rule.id):
            rule.keys["code"].fault(
                f"`{rule.code}` is the code of the rule `{first_rule.id}`",
                "a code is never used again",
            )
        elif earlier and earlier[0].code != rule.code:
            rule.keys["code"].fault(
                f"the rule `{rule.id}` has the code `{earlier[0].code}`",
                "its versions keep its code",
            )
        elif any(rule.period.overlaps(each.period) for each in earlier):
            rule.keys["id"].fault(
                f"there is a rule `{rule.id}` on these days already",
                "a rule that changes ends with `until` where the next version begins",
            )
        earlier.append(rule)
