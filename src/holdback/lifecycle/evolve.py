"""Evolve a merchant: the next state after an event.

1. No rulebook and no clock is needed: an event carries everything that it changes.
2. Nothing is decided: `decide` has decided, and the event has happened.
3. An event that cannot follow is refused: the host has replayed its events wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

import attrs

from holdback.derived_facts import with_newer_evidence
from holdback.errors import InvalidDocument
from holdback.lifecycle import events
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


def evolve(merchant: Merchant, event: events.Event) -> Merchant:
    """Return the state of *merchant* after *event*."""
    changes = _APPLY[type(event)](merchant, event)
    earlier = merchant.last_seen_at
    last_seen_at = event.at if earlier is None else max(earlier, event.at)
    return attrs.evolve(merchant, last_seen_at=last_seen_at, **changes)


def evolve_all(merchant: Merchant, events: Iterable[events.Event]) -> Merchant:
    """Return the state of *merchant* after *events*, applied in order."""
    return reduce(evolve, events, merchant)


_Changes = dict[str, Any]


def _misplaced(event: events.Event, why: str) -> InvalidDocument:
    return InvalidDocument.of(f"{events.event_type(event)} does not follow here: {why}")


def _offers_issued(merchant: Merchant, event: events.OffersIssued) -> _Changes:
    if any(s.request_id == event.offer_set.request_id for s in merchant.offer_sets):
        raise _misplaced(event, "its request has a set of offers already")
    return {"offer_sets": (*merchant.offer_sets, event.offer_set)}


def _offer_accepted(merchant: Merchant, event: events.OfferAccepted) -> _Changes:
    accepted = next((s for s in merchant.offer_sets if s.request_id == event.request_id), None)
    if accepted is None or merchant.in_fulfilment is not None:
        raise _misplaced(event, "no such offers are open")
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
            _close_offers(offer_set, event.reply.offer.offer_id)
            if offer_set.expires_at > event.at
            else offer_set
            for offer_set in merchant.offer_sets
        ),
        "evidence": with_newer_evidence(merchant.evidence, accepted.evidence),
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


def _close_offers(offer_set: OfferSet, accepted_id: str) -> OfferSet:
    """Return *offer_set* with one offer accepted and its other eligible offers withdrawn."""
    products = tuple(_close_product(product, accepted_id) for product in offer_set.products)
    return attrs.evolve(offer_set, products=products)


def _close_product(product: Product, accepted_id: str) -> Product:
    offers = tuple(
        attrs.evolve(
            offer,
            offer_status=offer_states.ACCEPTED
            if offer.offer_id == accepted_id
            else offer_states.WITHDRAWN,
        )
        if offer.offer_status == offer_states.ELIGIBLE
        else offer
        for offer in product.offers
    )
    return attrs.evolve(product, offers=offers)


def _fulfilments(merchant: Merchant, application_id: str, **changes: Any) -> _Changes:
    return {
        "fulfilments": tuple(
            attrs.evolve(fulfilment, **changes)
            if fulfilment.application_id == application_id
            else fulfilment
            for fulfilment in merchant.fulfilments
        )
    }


def _details_supplied(merchant: Merchant, event: events.DetailsSupplied) -> _Changes:
    supplied: _Changes = {}
    if event.bank_details is not None:
        supplied["bank_details"] = event.bank_details
    changes = _fulfilments(merchant, event.application_id, omitted=event.omitted, **supplied)
    # The merchant holds the last details, for its next application.
    changes |= supplied
    if event.intended_use_of_funds is not None:
        changes["intended_use_of_funds"] = event.intended_use_of_funds
    return changes


def _application_submitted(merchant: Merchant, event: events.ApplicationSubmitted) -> _Changes:
    return _fulfilments(merchant, event.application_id, status=SUBMITTED)


def _application_closed(merchant: Merchant, event: events.ApplicationClosed) -> _Changes:
    return _fulfilments(merchant, event.application_id, status=event.status)


def _deals(merchant: Merchant, deal_id: str, change: Callable[[Deal], Deal]) -> _Changes:
    return {"deals": tuple(change(deal) if deal.id == deal_id else deal for deal in merchant.deals)}


def _deal_funded(merchant: Merchant, event: events.DealFunded) -> _Changes:
    deal = event.deal
    if merchant.active_deal is not None or merchant.deal_of(deal.id) is not None:
        raise _misplaced(event, "a deal is active, or this one is known")
    funded = _fulfilments(merchant, deal.application_id, status=FUNDED_APPLICATION, deal_id=deal.id)
    return {**funded, "deals": (*merchant.deals, deal)}


def _deal_repaid(merchant: Merchant, event: events.DealRepaid) -> _Changes:
    return _deals(merchant, event.deal_id, lambda deal: attrs.evolve(deal, status=REPAID))


def _deal_reopened(merchant: Merchant, event: events.DealReopened) -> _Changes:
    return _deals(merchant, event.deal_id, lambda deal: attrs.evolve(deal, status=FUNDED))


def _deal_renewed(merchant: Merchant, event: events.DealRenewed) -> _Changes:
    return _deals(
        merchant,
        event.deal_id,
        lambda deal: attrs.evolve(deal, status=RENEWED, settled=event.settled, closed_on=event.on),
    )


def _deal_closed(merchant: Merchant, event: events.DealClosed) -> _Changes:
    return _deals(
        merchant,
        event.deal_id,
        lambda deal: attrs.evolve(deal, status=event.status, closed_on=event.on),
    )


def _takings_recorded(merchant: Merchant, event: events.TakingsRecorded) -> _Changes:
    by_day = {takings.on: takings for takings in (*merchant.takings, *event.takings)}
    days = [merchant.takings_complete_through, event.complete_through]
    return {
        "takings": tuple(by_day[day] for day in sorted(by_day)),
        "takings_complete_through": max((day for day in days if day is not None), default=None),
    }


def _remittances_recorded(merchant: Merchant, event: events.RemittancesRecorded) -> _Changes:
    return _deals(
        merchant,
        event.deal_id,
        lambda deal: deal.with_entries(event.entries, event.complete_through),
    )


def _eligibility_changed(_: Merchant, event: events.RenewalEligibilityChanged) -> _Changes:
    return {"renewal_eligibility": event.renewal_eligibility}


_APPLY: Final[Mapping[type, Callable[[Merchant, Any], _Changes]]] = MappingProxyType(
    {
        events.OffersIssued: _offers_issued,
        events.OfferAccepted: _offer_accepted,
        events.DetailsSupplied: _details_supplied,
        events.ApplicationSubmitted: _application_submitted,
        events.ApplicationClosed: _application_closed,
        events.DealFunded: _deal_funded,
        events.DealRepaid: _deal_repaid,
        events.DealReopened: _deal_reopened,
        events.DealRenewed: _deal_renewed,
        events.DealClosed: _deal_closed,
        events.TakingsRecorded: _takings_recorded,
        events.RemittancesRecorded: _remittances_recorded,
        events.RenewalEligibilityChanged: _eligibility_changed,
    }
)
