"""Another amount in the set of an open offer, priced as the set was."""

from __future__ import annotations

from typing import Final

from attrs import field

from holdback.errors import ConfigurationError, Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import Event, OfferRequoted
from holdback.lifecycle.input_checks import requote_errors
from holdback.lifecycle.offers.acceptance import check_base_deal, open_offer, product_of
from holdback.lifecycle.offers.since_the_offer import check_offer
from holdback.lifecycle.operation import Case, Command, Decision
from holdback.merchant.merchant import Merchant, OfferSet
from holdback.merchant.offer import Offer
from holdback.merchant.product import Offers, Product
from holdback.merchant.validators import amount, text
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import quote_amount, with_settlement
from holdback.offers.registry import PriceableProduct
from holdback.rulebooks.rulebook import Rulebook

# The offers that a set can have beyond those that it was issued with.
MOST_REQUOTED: Final = 60


@frozen(kw_only=True)
class Requote(Command[Offers]):
    """
    Price another amount in the set of an open offer, within its product's steps and limits.

    There are no events if the product has offers of this amount already.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`,
            `referred`, `amount_not_possible` outside the limits or steps, `not_possible_now` when
            the balance has changed, or when the rules of the set are not there.
        InvalidDocument: the amount is invalid.
        ConfigurationError: a calculator failed.
    """

    name = "requote"
    remembered = False
    input_errors = staticmethod(requote_errors)

    offer_id: str = field(validator=text)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[Offers]:
        self.check(case.input_context)
        offer_set, offer = open_offer(case, self.offer_id)
        product = product_of(offer_set, offer)
        check_offer(case, offer_set, product.key)
        check_base_deal(case.merchant, offer_set)
        events: tuple[Event, ...] = ()
        if all(offer.funded_amount != self.amount for offer in product.offers):
            offers = _priced(case, offer_set, product, self.amount)
            if len(offer_set.requoted) + len(offers) > MOST_REQUOTED:
                message = f"more than {MOST_REQUOTED} offers were added; ask for offers again"
                raise Refusal("not_possible_now", message)
            requoted = OfferRequoted(
                at=case.at,
                application_id=offer_set.application_id,
                product=product.key,
                offers=offers,
            )
            events = (requoted,)
        return Decision(events, lambda after: _reply(after, offer_set, product))


def _reply(after: Merchant, offer_set: OfferSet, product: Product) -> Offers:
    sets = (held for held in after.offer_sets if held.application_id == offer_set.application_id)
    products = (held for held in next(sets).products if held.key == product.key)
    return Offers(products=tuple(products), expires_at=offer_set.expires_at)


def _priced(case: Case, offer_set: OfferSet, product: Product, amount: Money) -> tuple[Offer, ...]:
    """Return the offers of *amount*, from the facts and by the rulebook of the set."""
    bound, rulebook = _bound(case, offer_set, product)
    priced = PricingCase(
        facts=rulebook.catalogue.prepare(offer_set.facts),
        catalogue=bound.terms.rules.catalogue,
        renewal=offer_set.renewal,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    base = case.merchant.deal_of(offer_set.base_deal_id)
    if base is not None and priced.number("balance") != base.balance.minor:
        message = "the balance that a renewal settles has changed; ask for offers again"
        raise Refusal("not_possible_now", message)
    limits, step = product.limits, bound.limits.step
    if not limits.minimum <= amount <= limits.maximum:
        message = f"the product is offered from {limits.minimum} to {limits.maximum}"
        raise Refusal("amount_not_possible", message)
    if step is not None and amount.minor % step.minor:
        raise Refusal("amount_not_possible", f"the product is offered in steps of {step}")
    make_id = case.configuration.id_factory(case.merchant, offer_set.request_id)
    offers, reasons = quote_amount(
        bound,
        priced,
        lambda place: make_id("requote", product.key, str(amount.minor), str(place)),
        amount,
    )
    if not offers:
        why = " ".join(f"{reason.code}: {reason.text}" for reason in reasons)
        raise Refusal("amount_not_possible", why)
    return with_settlement(offers, None if base is None or product.queued else base.balance)


def _bound(case: Case, offer_set: OfferSet, product: Product) -> tuple[PriceableProduct, Rulebook]:
    """Return the product as the set priced it."""
    try:
        rulebook = case.configuration.jurisdictions.resolve(
            case.merchant.jurisdiction, on=offer_set.issued_on
        )
    except ConfigurationError:
        rulebook = None
    if rulebook is not None and offer_set.digest == rulebook.digest:
        for bound in case.configuration.products(rulebook):
            if bound.terms.key == product.key:
                return bound, rulebook
    message = "the rules that priced the offers are no longer loaded; ask for offers again"
    raise Refusal("not_possible_now", message)
