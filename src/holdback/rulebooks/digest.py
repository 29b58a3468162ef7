"""The digest of a rulebook: a SHA-256 over the canonical JSON of its meaning.

The digest changes with the rules, calculators and settings that can change an answer or a price,
and with nothing else: not with comments, layout or prose, nor with the dates between which it
holds. What it leaves out is a list (decisions/jurisdiction-folders#settings-that-no-digest-covers).

It is made in two steps: the digest of what the files mean, and of that the digest with the versions
of the calculators that the files name, so that two rulebooks with the same digest price alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias, TypeVar

from attrs import define, field

from holdback.eligibility.ruleset import Rule
from holdback.exact.exact_json import Json, Verbatim, canonical, digest
from holdback.exact.exact_numbers import plain, without_zeros
from holdback.exact.money import Currency
from holdback.merchant.deal import CANCELLED, DEFAULTED, FUNDED, RENEWED, REPAID
from holdback.rulebooks.product_terms import CalculatorChoice
from holdback.rules import Catalogue, Fact, text

# The version of the rule language's semantics, part of every digest. It is raised when a rule with
# the same text changes its meaning; otherwise a decision made under the old meaning would seem to
# have been made by the new rules.
LANGUAGE: Final = 1

# The ends of built-in ranges as digests have them. Some currencies got wider ranges later: these
# change no answer that was given, and so no digest.
_HIGHEST: Final[Mapping[str, int]] = MappingProxyType(
    {"balance": 10**12, "average_monthly_takings": 10**12}
)
# The declared sets of built-in texts as digests have them. A status that came later had no value on
# any day before, so it changes no answer that was given; a rule that names it has it in its text.
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"status": (FUNDED, REPAID, RENEWED, DEFAULTED, CANCELLED)}
)

# The versions of what prices offers, by name. `pricing` is how the results of calculators become
# offers (`offers/quote.py`); it is raised when the same results give other offers. The others are
# the built-in calculators, whose classes have the same numbers. They are data here, because folders
# are read without any calculator (decisions/engine#calculators).
VERSIONS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "pricing": 1,
        "limits/fixed": 1,
        "limits/takings_multiple": 1,
        "limits/table": 1,
        "split_percentage/chosen": 1,
        "split_percentage/affordability": 1,
        "split_percentage/table": 1,
        "factor_rate/flat": 1,
        "factor_rate/banded": 1,
        "factor_rate/table": 1,
        "settlement/percentage": 1,
        "settlement/bands": 1,
        "term/takings_pace": 1,
        "term/fixed": 1,
        "term/chosen": 1,
    }
)

# Versions by name, as in `VERSIONS`. That of a host's own calculator is None until an engine with
# that calculator binds the jurisdiction.
Versions: TypeAlias = Mapping[str, int | None]

_T = TypeVar("_T", bound=Hashable)

# Percentages and amounts of money in settings: trailing zeros do not change their meaning.
_QUANTITY: Final = re.compile(r"([A-Z]{3} )?(-?[0-9]+)(?:\.([0-9]+))?(%?)")


class PricedProduct(Hashable, Protocol):
    """What a digest covers of a product: of one in a file, or of one on a day."""

    @property
    def key(self) -> str:
        """Its key."""

    @property
    def repayment_mechanism(self) -> str:
        """How the merchant repays."""

    @property
    def amounts(self) -> tuple[int, ...]:
        """The shares of the merchant's maximum to offer."""

    @property
    def choices(self) -> tuple[CalculatorChoice, ...]:
        """Its calculators."""


@define(eq=False)
class RulebookDigester:
    """Computes the digests of a jurisdiction's rulebooks.

    Most rules and products are the same in many of them; the canonical text of each is made once.
    """

    _canonical: dict[Hashable, Verbatim] = field(factory=dict)

    def rules_digest(  # noqa: PLR0913 - what a rulebook consists of
        self,
        catalogue: Catalogue,
        rules: Iterable[Rule],
        products: Iterable[tuple[PricedProduct, tuple[Rule, ...]]],
        settings: Mapping[str, Json],
        funding: Iterable[Rule] = (),
        *,
        offer_rules: Mapping[str, tuple[Rule, ...]] = MappingProxyType({}),
    ) -> str:
        """
        Return the digest of what the files of a rulebook mean.

        It covers the renewal *rules*, the *products* with their rules, the *settings* and the
        *funding* rules and the *offer_rules* by product, where there are any. The order of rules
        and products is their priority, and so part of their meaning. Of the facts, only those that
        can decide something count: adding an unused fact changes no digest.
        """
        renewal, offered, at_funding = tuple(rules), tuple(products), tuple(funding)
        of_products = (rule for _, product_rules in offered for rule in product_rules)
        all_rules = [*renewal, *of_products, *at_funding]
        read = {place for rule in all_rules for place in rule.checked.facts}
        # A calculator reads a fact that its settings name, as `banded` does with `on`.
        texts = {
            name for product, _ in offered for choice in product.choices for name in choice.texts
        }
        read |= {place for place, fact in enumerate(catalogue.facts) if fact.name in texts}
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
                        "rules": [self._once(rule, _rule) for rule in product_rules],
                        # As with those at funding: a product without one keeps its digest.
                        **self._of_offers(offer_rules.get(product.key, ())),
                    }
                    for product, product_rules in offered
                ],
                "facts": [self._once(fact, _fact) for fact in facts],
                # Folders that were written before have none, and keep their digests.
                **({"funding": [self._once(r, _rule) for r in at_funding]} if at_funding else {}),
            }
        )

    def _of_offers(self, rules: tuple[Rule, ...]) -> dict[str, Json]:
        return {"offer_rules": [self._once(rule, _rule) for rule in rules]} if rules else {}

    def _terms(self, product: PricedProduct) -> dict[str, Json]:
        return {
            "key": product.key,
            "repayment_mechanism": product.repayment_mechanism,
            "amounts": product.amounts,
            "calculators": self._once(product, _calculators),
        }

    def _once(self, part: _T, write: Callable[[_T], Json]) -> Verbatim:
        """Return the canonical text of `write(part)`, made when *part* is first seen."""
        if part not in self._canonical:
            self._canonical[part] = Verbatim(canonical(write(part)).decode())
        return self._canonical[part]


def rulebook_digest(rules_digest: str, versions: Versions) -> str:
    """
    Return the digest of the rulebook with *rules_digest*.

    *versions* are those of all that prices its offers; see `versions_of`.

    >>> rulebook_digest("sha256:4d7e42dd", {"pricing": 1, "term/fixed": 1})[:14]
    'sha256:e777477'
    """
    return digest({"rules": rules_digest, "versions": versions})


def versions_of(choices: Iterable[CalculatorChoice]) -> dict[str, int | None]:
    """
    Return the versions of pricing and of the calculators that *choices* name, in order of names.

    That of a calculator that is not built in is None.
    """
    names = sorted({"pricing", *(choice.full_name for choice in choices)})
    return {name: VERSIONS.get(name) for name in names}


def rule_digest(rule: Rule) -> str:
    """Return the digest of the meaning of *rule*: its id, its code, and what it requires."""
    return digest(_rule(rule))


def _calculators(product: PricedProduct) -> Json:
    return {
        choice.kind: {"calculator": choice.name, "settings": normal_setting(choice.settings)}
        for choice in product.choices
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
    options = _OPTIONS.get(fact.name, fact.type.options)
    highest = len(options) - 1 if options else _HIGHEST.get(fact.name, fact.high)
    return {
        "name": fact.name,
        "kind": fact.type.kind.value,
        "currency": None if currency is None else [currency.code, currency.places],
        "options": options,
        "range": [fact.low, highest],
        "derived": fact.rounded_down,
        **({} if fact.of is None else {"of": fact.of}),
    }


def normal_setting(value: Json) -> Json:
    """
    Return a calculator's setting in the one form that its meaning has.

    A text is normalized only if it has a unit: `"1.10"` without one may be a name, and `1.10` and
    `1.1` different names.

    >>> normal_setting({"minimum": "GBP 1000.00", "choices": ["12.50%"], "rate": "1.10"})
    {'minimum': 'GBP 1000', 'choices': ['12.5%'], 'rate': '1.10'}
    """
    if isinstance(value, Mapping):
        return {key: normal_setting(part) for key, part in value.items()}
    if isinstance(value, list):
        return [normal_setting(part) for part in value]
    if isinstance(value, Decimal):
        return Verbatim(without_zeros(plain(value)))
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value)
        if match is not None and (match[1] or match[4]):
            decimals = (match[3] or "").rstrip("0")
            return f"{match[1] or ''}{match[2]}{'.' if decimals else ''}{decimals}{match[4]}"
    return value
