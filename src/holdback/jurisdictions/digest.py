"""What a rulebook means, as plain values, and the digest of it.

The digest changes with everything that can change an answer, and with nothing else: not with comments,
layout or prose, nor with the dates between which a slice holds (design 5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from typing import Final, TypeVar

from attrs import define, field

from holdback.exact_json import Json, Verbatim, canonical, digest
from holdback.jurisdictions.source_rules import WrittenProduct
from holdback.money import Currency, plain
from holdback.rules import Catalogue, Fact, text
from holdback.ruleset import Rule

# The version of the rule language's semantics: raised when a rule with the same text comes to mean
# something else, so that no decision of before seems to have been made by the rules of after.
LANGUAGE: Final = 1

_T = TypeVar("_T", bound=Hashable)

# Percentages and amounts of money in settings: with or without trailing zeros they are the same.
_QUANTITY: Final = re.compile(r"([A-Z]{3} )?(-?[0-9]+)(?:\.([0-9]+))?(%?)")


@define(eq=False)
class Identity:
    """
    Makes the digests of a jurisdiction's rulebooks. A rule or a product that stands in many of them is
    written down once.
    """

    _written: dict[Hashable, Verbatim] = field(factory=dict)

    def digest(
        self,
        catalogue: Catalogue,
        rules: Iterable[Rule],
        products: Iterable[tuple[WrittenProduct, tuple[Rule, ...]]],
        settings: Mapping[str, Json],
    ) -> str:
        """
        The digest of a rulebook with these renewal *rules*, *products* with their rules, and *settings*.

        The order of rules and products is part of the meaning: it is their priority.
        """
        renewal, offered = tuple(rules), tuple(products)
        every_rule = [*renewal, *(rule for _, checked in offered for rule in checked)]
        read = {place for rule in every_rule for place in rule.checked.facts}
        # A calculator may be told the name of a fact to look at.
        settings_of = (
            choice.settings for product, _ in offered for choice in product.calculators.values()
        )
        named = {value for each in settings_of for value in each.values() if isinstance(value, str)}
        read |= {place for place, fact in enumerate(catalogue.facts) if fact.name in named}
        facts = (catalogue.facts[place] for place in sorted(read))
        return digest(
            {
                "language": LANGUAGE,
                "currency": [catalogue.currency.code, catalogue.currency.places],
                "settings": settings,
                "rules": [self._once(rule, _rule) for rule in renewal],
                "products": [
                    {
                        **self._terms(product),
                        "rules": [self._once(rule, _rule) for rule in checked],
                    }
                    for product, checked in offered
                ],
                "facts": [self._once(fact, _fact) for fact in facts],
            }
        )

    def _terms(self, product: WrittenProduct) -> dict[str, Json]:
        return {
            "key": product.key,
            "repayment_mechanism": product.repayment_mechanism,
            "amounts": product.amounts,
            "calculators": self._once(product, _calculators),
        }

    def _once(self, thing: _T, write: Callable[[_T], Json]) -> Verbatim:
        """The canonical text of what *write* makes of *thing*."""
        if thing not in self._written:
            self._written[thing] = Verbatim(canonical(write(thing)).decode())
        return self._written[thing]


def _calculators(product: WrittenProduct) -> Json:
    return {
        kind: {"calculator": choice.name, "settings": settled(choice.settings)}
        for kind, choice in product.calculators.items()
    }


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.id,
        "code": rule.code,
        "otherwise": rule.otherwise,
        "text": text(rule.checked),
    }


def _fact(fact: Fact) -> Json:
    currency: Currency | None = fact.type.currency
    return {
        "name": fact.name,
        "kind": fact.type.kind.value,
        "currency": None if currency is None else [currency.code, currency.places],
        "options": fact.type.options,
        "range": [fact.low, fact.high],
        "derived": fact.derived,
    }


def settled(value: Json) -> Json:
    """
    A calculator's setting in the one form that its meaning has.

    Only what has a unit is known to be a number: `"1.10"` without one may be a name.

    >>> settled({"minimum": "GBP 1000.00", "choices": ["12.50%"], "rate": "1.10"})
    {'minimum': 'GBP 1000', 'choices': ['12.5%'], 'rate': '1.10'}
    """
    if isinstance(value, Mapping):
        return {key: settled(part) for key, part in value.items()}
    if isinstance(value, list):
        return [settled(part) for part in value]
    if isinstance(value, Decimal):
        digits, point, decimals = plain(value).partition(".")
        decimals = decimals.rstrip("0")
        return Verbatim(f"{digits}{point if decimals else ''}{decimals}")
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value)
        if match is not None and (match[1] or match[4]):
            decimals = (match[3] or "").rstrip("0")
            return f"{match[1] or ''}{match[2]}{'.' if decimals else ''}{decimals}{match[4]}"
    return value
