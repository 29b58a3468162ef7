"""Evolve a merchant: the next state after events.

1. No rulebook and no clock is needed: an event carries everything that it changes.
2. Nothing is decided: `decide` has decided, and the event has happened.
3. An event that cannot follow is refused: the host has replayed its events wrongly.
4. The cost of n events is that of n, however large the state is: one draft takes them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs

from holdback.eligibility.derived_facts import with_newer_evidence
from holdback.lifecycle import events
from holdback.lifecycle.draft import Draft, misplaced
from holdback.lifecycle.evolve_money import APPLY_MONEY
from holdback.lifecycle.evolve_people import APPLY_PEOPLE
from holdback.lifecycle.status_changes import (
    accepted_details,
    change_deal,
    close_offers,
    to_status,
)
from holdback.lifecycle.transitions import next_states
from holdback.merchant import offer as offer_states
from holdback.merchant.acceptance import DETAILS, ApplicationStatus
from holdback.merchant.application import PROFILE
from holdback.merchant.deal import DEFAULTED, FUNDED, RENEWED, REPAID, Deal, later
from holdback.merchant.merchant import (
    AWAITING_DETAILS,
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    SUBMITTED,
    ClosedOfferSet,
    CreditCheckDue,
    Fulfilment,
    Merchant,
    OfferSet,
    RememberedRequest,
    Takings,
)
from holdback.merchant.referral import APPROVE


def evolve(merchant: Merchant, event: events.Event) -> Merchant:
    """
    Return the state of *merchant* after *event*.

    Raises:
        HistoryError: *event* is not the next one of this merchant, or cannot follow here.
    """
    return evolve_all(merchant, (event,))


def evolve_all(merchant: Merchant, events: Iterable[events.Event]) -> Merchant:
    """
    Return the state of *merchant* after *events*, applied in order.

    Raises:
        HistoryError: as `evolve`.
    """
    draft: Draft | None = None
    for event in events:
        draft = Draft(merchant) if draft is None else draft
        draft.apply(event, _APPLY[type(event)])
    return merchant if draft is None else draft.finished()


def _offers_issued(draft: Draft, event: events.OffersIssued) -> None:
    sets, issued = draft.all("offer_sets"), event.offer_set
    if issued.application_id in sets or issued.application_id in draft.all("closed_offer_sets"):
        raise misplaced(event, "its request has a set of offers already")
    if event.jurisdiction != draft.base.jurisdiction:
        raise misplaced(event, "the merchant is of another jurisdiction")
    sets[issued.application_id] = issued
    decided = {product.key for product in issued.products}
    referrals = draft.all("referrals")
    for product in decided & referrals.keys():
        del referrals[product]
    referrals |= {referral.product: referral for referral in event.referrals}
    if event.consents is not None:
        draft.changes["consents"] = event.consents
    draft.changes["currency"] = event.currency
    if event.timezone is not None:
        draft.changes["timezone"] = event.timezone


def _offer_accepted(draft: Draft, event: events.OfferAccepted) -> None:
    sets = draft.all("offer_sets")
    accepted: OfferSet = draft.one("offer_sets", event.application_id, event)
    fulfilments = draft.all("fulfilments")
    if any(fulfilment.status in IN_FULFILMENT for fulfilment in fulfilments.values()):
        raise misplaced(event, "an application is in fulfilment")
    if not any(offer.offer_id == event.offer.offer_id for offer in accepted.offers):
        raise misplaced(event, "its set has no such offer")
    fulfilments[event.application_id] = Fulfilment(
        application_id=event.application_id,
        status=AWAITING_DETAILS,
        omitted=event.omitted,
        accepted_at=event.at,
        offer=event.offer,
        sections=event.sections,
        base_deal_id=accepted.base_deal_id,
        facts=event.facts,
        earlier_deals=event.earlier_deals,
        lapses_at=event.lapses_at,
        signature_before=event.signature_before,
        product=event.product,
        priced_on=event.priced_on,
        queued=event.queued,
    )
    draft.all("referrals").clear()
    for application_id, offer_set in sets.items():
        if offer_set.expires_at > event.at:
            sets[application_id] = close_offers(offer_set, event.offer.offer_id)
    draft.changes["provider_id"] = event.provider_id
    # A renewal has a use of funds of its own; the profile is that of the initial application.
    kept = ("bank_details",) if accepted.renewal else (*PROFILE, *DETAILS)
    held = draft.last("sections") if accepted.renewal else {}
    sections = {name: event.sections[name] for name in kept if name in event.sections}
    draft.changes["sections"] = {**held, **sections}
    draft.changes["last_accepted_at"] = event.at
    draft.changes["credit_check_due"] = None
    if accepted.renewal:
        held = draft.last("evidence")
        draft.changes["evidence"] = with_newer_evidence(held, accepted.evidence)
    else:
        draft.changes["evidence"] = accepted.evidence
        draft.changes["evidence_on"] = accepted.issued_on
        draft.changes["profile_erased"] = False


def _details_supplied(draft: Draft, event: events.DetailsSupplied) -> None:
    fulfilment: Fulfilment = draft.one("fulfilments", event.application_id, event)
    draft.all("fulfilments")[event.application_id] = attrs.evolve(
        fulfilment,
        omitted=event.omitted,
        sections={**fulfilment.sections, **event.sections},
        accepted_details=accepted_details(fulfilment, event.sections),
    )
    # The merchant holds the last details, for its next application.
    draft.changes["sections"] = {**draft.last("sections"), **event.sections}


def _application_submitted(draft: Draft, event: events.ApplicationSubmitted) -> None:
    to_status(draft, event, SUBMITTED, "supply_details")


def _application_closed(draft: Draft, event: events.ApplicationClosed) -> None:
    to_status(draft, event, event.status, "close_application")


def _deal_funded(draft: Draft, event: events.DealFunded) -> None:
    deals, deal = draft.all("deals"), event.deal
    if deal.id in deals or any(deal.status == FUNDED for deal in deals.values()):
        raise misplaced(event, "a deal is active, or this one is known")
    fulfilment: Fulfilment = draft.one("fulfilments", deal.application_id, event)
    if FUNDED_APPLICATION not in next_states("application", fulfilment.status, "fund_deal"):
        raise misplaced(event, f"the application is {fulfilment.status}")
    draft.all("fulfilments")[deal.application_id] = attrs.evolve(
        fulfilment, status=FUNDED_APPLICATION, deal_id=deal.id
    )
    deals[deal.id] = deal


def _deal_repaid(draft: Draft, event: events.DealRepaid) -> None:
    change_deal(draft, event, REPAID, "record_remittance")


def _deal_reopened(draft: Draft, event: events.DealReopened) -> None:
    change_deal(draft, event, FUNDED, "record_remittance")
    # A renewal that is queued behind it waits again.
    fulfilments = draft.all("fulfilments")
    for application_id, waiting in fulfilments.items():
        is_behind = waiting.queued and waiting.base_deal_id == event.deal_id
        if waiting.status in IN_FULFILMENT and is_behind:
            fulfilments[application_id] = attrs.evolve(waiting, lapses_at=None)


def _deal_renewed(draft: Draft, event: events.DealRenewed) -> None:
    change_deal(draft, event, RENEWED, "fund_deal", settled=event.settled, closed_on=event.on)


def _deal_closed(draft: Draft, event: events.DealClosed) -> None:
    change_deal(draft, event, event.status, "close_deal", closed_on=event.on)
    if event.status == DEFAULTED:  # which voids every approval
        decisions = draft.all("referral_decisions")
        for about in [key for key, decision in decisions.items() if decision.decision == APPROVE]:
            del decisions[about]


def _takings_recorded(draft: Draft, event: events.TakingsRecorded) -> None:
    by_day: dict[Any, Takings] = draft.all("takings")
    since = draft.last("takings_since")
    for takings in event.takings:
        by_day[takings.on] = takings
        since = takings.on if since is None else min(since, takings.on)
    draft.changes["takings_since"] = since
    draft.changes["takings_complete_through"] = later(
        draft.last("takings_complete_through"), event.complete_through
    )


def _remittances_recorded(draft: Draft, event: events.RemittancesRecorded) -> None:
    deal: Deal = draft.one("deals", event.deal_id, event)
    draft.record(deal, event.entries, event.complete_through)


def _eligibility_changed(draft: Draft, event: events.RenewalEligibilityChanged) -> None:
    draft.changes["renewal_eligibility"] = event.renewal_eligibility


def _profile_erased(draft: Draft, event: events.ProfileErased) -> None:
    sets, fulfilments = draft.all("offer_sets"), draft.all("fulfilments")
    for application_id, offer_set in sets.items():
        is_open = offer_set.expires_at > event.at
        closed = close_offers(offer_set, None) if is_open else offer_set
        sets[application_id] = attrs.evolve(closed, sections={})
    for application_id, fulfilment in fulfilments.items():
        fulfilments[application_id] = attrs.evolve(fulfilment, sections={})
    decisions = draft.all("referral_decisions")
    for about, decision in decisions.items():
        decisions[about] = attrs.evolve(decision, sections={})
    draft.all("referrals").clear()
    # The consents were part of the profile: a merchant that comes back has to give them again.
    draft.changes |= {"sections": {}, "consents": (), "profile_erased": True}


def _forgotten(draft: Draft, event: events.Forgotten) -> None:
    for application_id in event.closed_offer_sets:
        offer_set = draft.one("offer_sets", application_id, event)
        del draft.all("offer_sets")[application_id]
        draft.all("closed_offer_sets")[application_id] = ClosedOfferSet.of(offer_set)
    for closed in event.entries_through:
        draft.one("deals", closed.deal_id, event)
        deal = draft.with_entries(closed.deal_id)
        draft.all("deals")[deal.id] = deal.closed_through(closed.through)
    if event.takings_before is not None:
        _drop(draft, "takings", lambda takings: takings.on < event.takings_before)
    _forget_requests(draft, event)


def _forget_requests(draft: Draft, event: events.Forgotten) -> None:
    servicing, applications = event.servicing_before, event.applications_before
    if servicing is not None or applications is not None:
        _drop(draft, "requests", lambda request: _is_over(request, servicing, applications))
    if applications is None:
        return
    _drop(
        draft,
        "fulfilments",
        lambda old: old.status not in IN_FULFILMENT and old.accepted_at < applications,
    )
    sets = draft.all("closed_offer_sets").values()
    due = draft.last("credit_check_due")
    for offer_set in sets:
        accepted = draft.last("last_accepted_at")
        if (
            offer_set.expires_at < applications
            and offer_states.ELIGIBLE in offer_set.offers.values()
            and (accepted is None or offer_set.expires_at > accepted)
            and (due is None or offer_set.expires_at >= due.expired_at)
        ):
            due = CreditCheckDue(
                expired_at=offer_set.expires_at, checked_on=offer_set.credit_checked_on
            )
    draft.changes["credit_check_due"] = due
    _drop(draft, "closed_offer_sets", lambda offer_set: offer_set.expires_at < applications)


def _is_over(request: RememberedRequest, servicing: Any, applications: Any) -> bool:
    is_application = isinstance(request.carried_out.receipt, ApplicationStatus)
    before = applications if is_application else servicing
    return before is not None and request.at < before


def _drop(draft: Draft, name: str, is_old: Callable[[Any], bool]) -> None:
    items = draft.all(name)
    for key in [key for key, item in items.items() if is_old(item)]:
        del items[key]


_APPLY: Final[Mapping[type, Callable[[Draft, Any], None]]] = MappingProxyType(
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
        events.ProfileErased: _profile_erased,
        events.Forgotten: _forgotten,
        **APPLY_MONEY,
        **APPLY_PEOPLE,
    }
)
