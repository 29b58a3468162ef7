"""Changes of status in a draft, which the events of several modules bring about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from holdback.lifecycle.draft import Draft, misplaced
from holdback.lifecycle.transitions import next_states
from holdback.merchant import offer as offer_states
from holdback.merchant.deal import Deal
from holdback.merchant.merchant import IN_FULFILMENT, Fulfilment, OfferSet
from holdback.merchant.product import Product


def close_offers(
    offer_set: OfferSet, accepted_id: str | None, others: str = offer_states.WITHDRAWN
) -> OfferSet:
    """Return *offer_set* with one offer accepted, and its other eligible offers closed."""
    products = tuple(_close_product(product, accepted_id, others) for product in offer_set.products)
    return attrs.evolve(offer_set, products=products)


def _close_product(product: Product, accepted_id: str | None, others: str) -> Product:
    offers = tuple(
        attrs.evolve(
            offer,
            offer_status=offer_states.ACCEPTED if offer.offer_id == accepted_id else others,
        )
        if offer.offer_status == offer_states.ELIGIBLE
        else offer
        for offer in product.offers
    )
    return attrs.evolve(product, offers=offers)


def to_status(draft: Draft, event: Any, status: str, trigger: str, **changes: Any) -> None:
    """Give the application of *event* the *status*, if it may follow on *trigger*."""
    fulfilment: Fulfilment = draft.one("fulfilments", event.application_id, event)
    if status not in next_states("application", fulfilment.status, trigger):
        raise misplaced(event, f"the application is {fulfilment.status}")
    draft.all("fulfilments")[event.application_id] = attrs.evolve(
        fulfilment, status=status, **changes
    )


def change_deal(draft: Draft, event: Any, status: str, trigger: str, **changes: Any) -> None:
    """Give the deal of *event* the *status*, if it may follow on *trigger*."""
    deal: Deal = draft.one("deals", event.deal_id, event)
    if status not in next_states("deal", deal.status, trigger):
        raise misplaced(event, f"the deal is {deal.status}")
    draft.all("deals")[deal.id] = attrs.evolve(deal, status=status, **changes)


def change_fulfilment(draft: Draft, event: Any, **changes: Any) -> None:
    """Change the application of *event*, which is in fulfilment."""
    fulfilment: Fulfilment = draft.one("fulfilments", event.application_id, event)
    if fulfilment.status not in IN_FULFILMENT:
        raise misplaced(event, f"the application is {fulfilment.status}")
    draft.all("fulfilments")[event.application_id] = attrs.evolve(fulfilment, **changes)


def accepted_details(before: Fulfilment, sections: Mapping[str, str]) -> str | None:
    """Return the digest of the bank details of the acceptance, when *sections* replace them."""
    held = before.sections.get("bank_details")
    replaced = sections.get("bank_details") not in {None, held}
    return before.accepted_details or (held if replaced else None)
