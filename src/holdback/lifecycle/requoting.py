"""Another amount in the set of an open offer, priced as the set was."""

from __future__ import annotations

from typing import Final

from holdback.errors import ConfigurationError, Refusal
from holdback.exact.money import Money
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.acceptance import check_base_deal, open_offer
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import Event, OfferRequoted
from holdback.lifecycle.input_checks import check_input
from holdback.lifecycle.money_commands import Requote
from holdback.merchant.merchant import Merchant, OfferSet
from holdback.merchant.offer import Offer
from holdback.merchant.product import Offers, Product
from holdback.offers.calculator import PricingCase
from holdback.offers.quote import quote_amount, with_settlement
from holdback.offers.registry import PriceableProduct

# The offers that a set can have beyond those that it was issued with.
MOST_REQUOTED: Final = 60


def requote(
    merchant: Merchant, command: Requote, context: Context, configuration: Configuration
) -> Decision[Offers]:
    """
    Return offers of another amount, for the product of an open offer, with the expiry of its set.

    There are no events if the product has offers of this amount already.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`,
            `active_deal`, `amount_not_possible` outside the limits or steps, `not_possible_now` on
            hold, when the balance has changed, or when the rules of the set are not there.
        InvalidDocument: the amount is invalid.
        ConfigurationError: a calculator failed.
    """
    check_input(command, configuration.situation(merchant, context))
    offer_set, offer = open_offer(merchant, command.offer_id, context)
    if merchant.on_hold:
        raise Refusal("not_possible_now", "the offer cannot be quoted anew now")
    check_base_deal(merchant, offer_set)
    product = next(product for product in offer_set.products if offer in product.offers)
    events: tuple[Event, ...] = ()
    if all(offer.funded_amount != command.amount for offer in product.offers):
        offers = _priced(merchant, offer_set, product, command.amount, configuration)
        if len(offer_set.requoted) + len(offers) > MOST_REQUOTED:
            message = f"more than {MOST_REQUOTED} offers were added; ask for offers again"
            raise Refusal("not_possible_now", message)
        requoted = OfferRequoted(
            at=context.at,
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


def _priced(
    merchant: Merchant,
    offer_set: OfferSet,
    product: Product,
    amount: Money,
    configuration: Configuration,
) -> tuple[Offer, ...]:
    """Return the offers of *amount*, from the facts and by the rulebook of the set."""
    bound, rulebook = _bound(merchant, offer_set, product, configuration)
    case = PricingCase(
        facts=rulebook.catalogue.prepare(offer_set.facts),
        catalogue=bound.terms.rules.catalogue,
        renewal=offer_set.renewal,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    base = merchant.deal_of(offer_set.base_deal_id)
    if base is not None and case.number("balance") != base.balance.minor:
        message = "the balance that a renewal settles has changed; ask for offers again"
        raise Refusal("not_possible_now", message)
    limits, step = product.limits, bound.limits.step
    if not limits.minimum <= amount <= limits.maximum:
        message = f"the product is offered from {limits.minimum} to {limits.maximum}"
        raise Refusal("amount_not_possible", message)
    if step is not None and amount.minor % step.minor:
        raise Refusal("amount_not_possible", f"the product is offered in steps of {step}")
    make_id = configuration.id_factory(merchant, offer_set.request_id)
    offers = quote_amount(
        bound,
        case,
        lambda place: make_id("requote", product.key, str(amount.minor), str(place)),
        amount,
    )
    if not offers:
        raise Refusal("amount_not_possible", "this amount is not affordable from the takings")
    return with_settlement(offers, None if base is None or product.queued else base.balance)


def _bound(
    merchant: Merchant, offer_set: OfferSet, product: Product, configuration: Configuration
) -> tuple[PriceableProduct, Rulebook]:
    """Return the product as the set priced it."""
    try:
        rulebook = configuration.jurisdictions.resolve(
            merchant.jurisdiction, on=offer_set.issued_on
        )
    except ConfigurationError:
        rulebook = None
    if rulebook is not None and offer_set.digest in {rulebook.digest, rulebook.first_digest}:
        for bound in configuration.products(rulebook):
            if bound.terms.key == product.key:
                return bound, rulebook
    message = "the rules that priced the offers are no longer loaded; ask for offers again"
    raise Refusal("not_possible_now", message)
