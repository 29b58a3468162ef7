"""What a product costs one merchant, in money: the offers of an example, computed by the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdback.errors import ConfigurationError
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    divide,
    scaled,
)
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.merchant.offer import Offer
from holdback.offers.quote import Quote
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules import Facts, Kind, Type
from holdback.rules.render import in_words
from holdback.rules.types import draft_label
from holdback.tools.example_run import bound, quoted_on
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.workbench.overview import TAKINGS

OFFER_HEADS: Final = (
    "Receives",
    "Cost",
    "Repays",
    "Fees above that, at most",
    "Share of takings",
    "Expected term",
    "A month gives back",
)
_NO_EXAMPLE: Final = (
    "No example in the files prices an offer of it, so this page cannot say what it costs in "
    "money. One should be added."
)
_OF_THE_SERVICE: Final = (
    "It is priced by calculators of the service's own, which are not here, so this page cannot say "
    "what it costs in money."
)


def costs_in_money(policy: PolicyPage, key: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """
    Return which merchant is priced, in a sentence, and its offers of the product *key* as texts.

    The merchant is that of an example which expects offers: the one that differs least from the
    typical facts. A child without one has that of its parent. The rules and the calculators are
    those of the page. Without an example there are no offers, and the sentence says why.
    """
    rulebook = policy.rulebook
    try:
        priced = next(_priced(policy, key), None)
    except ConfigurationError:
        return _OF_THE_SERVICE, ()
    if priced is None:
        return _NO_EXAMPLE, ()
    example, facts, quoted = priced
    shown = [
        f"{rulebook.catalogue.label(fact.name)}: {rulebook.renewal.show(fact.type, number)}"
        for fact, number in zip(rulebook.catalogue.facts, facts, strict=True)
        if number is not None
    ]
    merchant = f"For a merchant as in the example “{example.name}” ({'; '.join(shown)})."
    takings = facts[rulebook.catalogue.place(TAKINGS)]
    if takings is not None:
        month = rulebook.renewal.show(Type(Kind.MONEY, rulebook.currency), takings)
        merchant += f" The last column is what a month of takings of {month} gives back."
    return merchant, tuple(_figures(rulebook, offer, takings) for offer in quoted.offers)


def _priced(policy: PolicyPage, key: str) -> Iterator[tuple[Example, Facts, Quote]]:
    """Yield the examples with offers of the product *key*, the plainest first, as priced here."""
    rulebook, own = policy.rulebook, policy.jurisdiction
    product = bound(rulebook, key)
    for jurisdiction in (own, *policy.above):
        # What a child asks and its parent does not, an example of the parent does not say.
        asked_here = {} if jurisdiction is own else own.typical.get("products", {})
        for example in _plainest_first(jurisdiction, key):
            facts = rulebook.catalogue.prepare({**asked_here, **example.given})
            quoted = quoted_on(product, rulebook, facts, None)
            if quoted.offers:
                yield example, facts, quoted


def _plainest_first(jurisdiction: Jurisdiction, key: str) -> list[Example]:
    typical = dict(jurisdiction.typical.get("products", {}))
    examples = (
        example
        for example in jurisdiction.examples
        if example.product == key and example.settles is None and example.expect.get("offers")
    )
    return sorted(examples, key=lambda example: len(dict(example.given).items() ^ typical.items()))


def _figures(rulebook: Rulebook, offer: Offer, takings: int | None) -> tuple[str, ...]:
    """Return the figures of *offer* under the heads; *takings* are those of a month."""

    def shown(kind: Kind, number: int) -> str:
        of = rulebook.currency if kind is Kind.MONEY else None
        return rulebook.renewal.show(Type(kind, of), number)

    funded, repaid = offer.funded_amount.minor, offer.repayment_amount.minor
    share = scaled(offer.split_percentage, PERCENT_PLACES)
    months = shown(Kind.RATIO, scaled(offer.term_length, RATIO_PLACES))
    back = "not known"
    if takings is not None:
        part = divide(takings * share, HUNDRED_PERCENT, rulebook.rounding)
        back = shown(Kind.MONEY, min(part, repaid))
    fees = [f"{draft_label(fee.key)} {shown(Kind.MONEY, fee.at_most.minor)}" for fee in offer.fees]
    return (
        *(shown(Kind.MONEY, number) for number in (funded, repaid - funded, repaid)),
        in_words(fees) if fees else "none",
        shown(Kind.PERCENT, share),
        f"{months} months ({offer.term_days} days)",
        back,
    )
