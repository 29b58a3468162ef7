"""What then is: the next state of a merchant after an event.

Rule 1: `evolve` needs no rulebook and no clock; an event carries everything that it changes.
Rule 2: it decides nothing. An event that has happened is applied; whether it might, `decide` has asked.
Rule 3: an event that cannot follow, because a host replays them wrongly, is refused and not applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

import attrs

from holdback.derived_facts import overlaid
from holdback.errors import InvalidDocument
from holdback.lifecycle import events as happened
from holdback.model import offer as offer_states
from holdback.model.deal import FUNDED, RENEWED, REPAID, Deal
from holdback.model.merchant import (
    AWAITING_DETAILS,
    FUNDED_APPLICATION,
    SUBMITTED,
    Fulfilment,
    Merchant,
    OfferSet,
)
from holdback.model.product import Product


def evolve(merchant: Merchant, event: happened.Event) -> Merchant:
    """The state of *merchant* after *event*."""
    changed = _APPLY[type(event)](merchant, event)
    seen = merchant.last_seen_at
    return attrs.evolve(
        merchant, last_seen_at=event.at if seen is None else max(seen, event.at), **changed
    )


def evolve_all(merchant: Merchant, events: Iterable[happened.Event]) -> Merchant:
    """The state of *merchant* after all of *events*, in their order."""
    return reduce(evolve, events, merchant)


_Changes = dict[str, Any]


def _unfit(event: happened.Event, why: str) -> InvalidDocument:
    return InvalidDocument.of(f"{happened.event_type(event)} does not follow here: {why}")


def _offers_issued(merchant: Merchant, event: happened.OffersIssued) -> _Changes:
    if any(each.request_id == event.offer_set.request_id for each in merchant.offer_sets):
        raise _unfit(event, "its request has a set of offers already")
    return {"offer_sets": (*merchant.offer_sets, event.offer_set)}


def _offer_accepted(merchant: Merchant, event: happened.OfferAccepted) -> _Changes:
    accepted = next((s for s in merchant.offer_sets if s.request_id == event.request_id), None)
    if accepted is None or merchant.in_fulfilment is not None:
        raise _unfit(event, "no such offers are open")
    fulfilment = Fulfilment(
        application_id=event.reply.application_id,
        status=AWAITING_DETAILS,
        omitted=event.omitted,
        accepted_at=event.at,
        reply=event.reply,
        bank_details=event.bank_details,
        base_deal_id=accepted.base_deal_id,
    )
    changes: _Changes = {
        "provider_id": event.reply.provider_id,
        "fulfilments": (*merchant.fulfilments, fulfilment),
        "offer_sets": tuple(
            _settle_offers(each, event.reply.offer.offer_id) if each.expires_at > event.at else each
            for each in merchant.offer_sets
        ),
        "evidence": overlaid(merchant.evidence, accepted.evidence),
    }
    if event.bank_details is not None:
        changes["bank_details"] = event.bank_details
    if not accepted.request.renewal:
        request = accepted.request
        changes |= {
            "consents": request.consents,
            "applicants": request.applicants,
            "company": request.company,
            "intended_use_of_funds": request.application.intended_use_of_funds,
            "evidence": dict(accepted.evidence),
            "evidence_on": accepted.issued_on,
        }
    return changes


def _settle_offers(offer_set: OfferSet, accepted_id: str) -> OfferSet:
    """*offer_set* with the accepted offer accepted and every other open one withdrawn."""
    products = tuple(_settle_product(product, accepted_id) for product in offer_set.products)
    return attrs.evolve(offer_set, products=products)


def _settle_product(product: Product, accepted_id: str) -> Product:
    offers = tuple(
        attrs.evolve(
            each,
            offer_status=offer_states.ACCEPTED
            if each.offer_id == accepted_id
            else offer_states.WITHDRAWN,
        )
        if each.offer_status == offer_states.ELIGIBLE
        else each
        for each in product.offers
    )
    return attrs.evolve(product, offers=offers)


def _fulfilments(merchant: Merchant, application_id: str, **changes: Any) -> _Changes:
    return {
        "fulfilments": tuple(
            attrs.evolve(each, **changes) if each.application_id == application_id else each
            for each in merchant.fulfilments
        )
    }


def _details_supplied(merchant: Merchant, event: happened.DetailsSupplied) -> _Changes:
    changed: _Changes = {"omitted": event.omitted}
    if event.bank_details is not None:
        changed["bank_details"] = event.bank_details
    changes = _fulfilments(merchant, event.application_id, **changed)
    if event.bank_details is not None:
        changes["bank_details"] = event.bank_details
    if event.intended_use_of_funds is not None:
        changes["intended_use_of_funds"] = event.intended_use_of_funds
    return changes


def _application_submitted(merchant: Merchant, event: happened.ApplicationSubmitted) -> _Changes:
    return _fulfilments(merchant, event.application_id, status=SUBMITTED)


def _application_closed(merchant: Merchant, event: happened.ApplicationClosed) -> _Changes:
    return _fulfilments(merchant, event.application_id, status=event.status)


def _deals(merchant: Merchant, deal_id: str, change: Callable[[Deal], Deal]) -> _Changes:
    return {"deals": tuple(change(deal) if deal.id == deal_id else deal for deal in merchant.deals)}


def _deal_funded(merchant: Merchant, event: happened.DealFunded) -> _Changes:
    deal = event.deal
    if merchant.active_deal is not None or any(each.id == deal.id for each in merchant.deals):
        raise _unfit(event, "a deal is active, or this one is known")
    funded = _fulfilments(merchant, deal.application_id, status=FUNDED_APPLICATION, deal_id=deal.id)
    return {**funded, "deals": (*merchant.deals, deal)}


def _deal_repaid(merchant: Merchant, event: happened.DealRepaid) -> _Changes:
    return _deals(merchant, event.deal_id, lambda deal: attrs.evolve(deal, status=REPAID))


def _deal_reopened(merchant: Merchant, event: happened.DealReopened) -> _Changes:
    return _deals(merchant, event.deal_id, lambda deal: attrs.evolve(deal, status=FUNDED))


def _deal_renewed(merchant: Merchant, event: happened.DealRenewed) -> _Changes:
    return _deals(
        merchant,
        event.deal_id,
        lambda deal: attrs.evolve(deal, status=RENEWED, settled=event.settled, closed_on=event.on),
    )


def _deal_closed(merchant: Merchant, event: happened.DealClosed) -> _Changes:
    return _deals(
        merchant,
        event.deal_id,
        lambda deal: attrs.evolve(deal, status=event.status, closed_on=event.on),
    )


def _takings_recorded(merchant: Merchant, event: happened.TakingsRecorded) -> _Changes:
    by_day = {each.on: each for each in (*merchant.takings, *event.takings)}
    days = [merchant.takings_complete_through, event.complete_through]
    return {
        "takings": tuple(by_day[day] for day in sorted(by_day)),
        "takings_complete_through": max((day for day in days if day is not None), default=None),
    }


def _remittances_recorded(merchant: Merchant, event: happened.RemittancesRecorded) -> _Changes:
    return _deals(
        merchant,
        event.deal_id,
        lambda deal: deal.with_entries(event.entries, event.complete_through),
    )


def _eligibility_changed(_: Merchant, event: happened.RenewalEligibilityChanged) -> _Changes:
    return {"renewal_eligibility": event.renewal_eligibility}


_APPLY: Final[Mapping[type, Callable[[Merchant, Any], _Changes]]] = MappingProxyType(
    {
        happened.OffersIssued: _offers_issued,
        happened.OfferAccepted: _offer_accepted,
        happened.DetailsSupplied: _details_supplied,
        happened.ApplicationSubmitted: _application_submitted,
        happened.ApplicationClosed: _application_closed,
        happened.DealFunded: _deal_funded,
        happened.DealRepaid: _deal_repaid,
        happened.DealReopened: _deal_reopened,
        happened.DealRenewed: _deal_renewed,
        happened.DealClosed: _deal_closed,
        happened.TakingsRecorded: _takings_recorded,
        happened.RemittancesRecorded: _remittances_recorded,
        happened.RenewalEligibilityChanged: _eligibility_changed,
    }
)
