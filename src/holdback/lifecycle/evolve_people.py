"""Evolve a merchant by what checks and people brought about; `evolve` says how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs

from holdback.lifecycle import people_events as events
from holdback.lifecycle.draft import Draft, misplaced
from holdback.lifecycle.status_changes import (
    accepted_details,
    change_deal,
    change_fulfilment,
    close_offers,
    to_status,
)
from holdback.merchant import offer as offer_states
from holdback.merchant.deal import FUNDED
from holdback.merchant.instants import elapsed, plus
from holdback.merchant.merchant import IN_FULFILMENT, LAPSED, Fulfilment, OfferSet


def _application_lapsed(draft: Draft, event: events.ApplicationLapsed) -> None:
    to_status(draft, event, LAPSED, "time")


def _signature_recorded(draft: Draft, event: events.SignatureRecorded) -> None:
    change_fulfilment(draft, event, signature=event.signature)


def _bank_details_changed(draft: Draft, event: events.BankDetailsChanged) -> None:
    draft.changes["sections"] = {**draft.last("sections"), **event.sections}
    if event.application_id is None:
        return
    before: Fulfilment = draft.one("fulfilments", event.application_id, event)
    change_fulfilment(
        draft,
        event,
        omitted=event.omitted,
        sections={**before.sections, **event.sections},
        accepted_details=accepted_details(before, event.sections),
    )


def _offers_declined(draft: Draft, event: events.OffersDeclined) -> None:
    declined: OfferSet = draft.one("offer_sets", event.application_id, event)
    draft.all("offer_sets")[event.application_id] = close_offers(
        declined, None, offer_states.DECLINED
    )


def _evidence_recorded(draft: Draft, event: events.EvidenceRecorded) -> None:
    if event.jurisdiction != draft.base.jurisdiction:
        raise misplaced(event, "the merchant is of another jurisdiction")
    checks = draft.all("checks")
    for record in event.records:
        earlier = checks.get(record.check)
        if earlier is None or record.made_at > earlier.made_at:
            checks[record.check] = record


def _referral_decided(draft: Draft, event: events.ReferralDecided) -> None:
    decision = event.decision
    draft.all("referrals").pop(decision.product, None)
    decisions = draft.all("referral_decisions")
    # What has ended is in the journal, so the state does not grow with every deal.
    for about in [key for key, earlier in decisions.items() if earlier.until <= event.at]:
        del decisions[about]
    decisions[decision.product, decision.base_deal_id] = decision


def _hold_placed(draft: Draft, event: events.HoldPlaced) -> None:
    draft.all("holds")[event.hold.code] = event.hold


def _hold_lifted(draft: Draft, event: events.HoldLifted) -> None:
    draft.one("holds", event.code, event)
    holds = draft.all("holds")
    since = min(hold.placed_at for hold in holds.values())
    del holds[event.code]
    until = min((hold.placed_at for hold in holds.values()), default=event.at)
    # The time on hold does not count: an application lapses so much later.
    fulfilments = draft.all("fulfilments")
    for application_id, fulfilment in fulfilments.items():
        if fulfilment.status in IN_FULFILMENT and fulfilment.lapses_at is not None:
            lapses_at = plus(fulfilment.lapses_at, elapsed(since, until))
            fulfilments[application_id] = attrs.evolve(fulfilment, lapses_at=lapses_at)


def _consents_recorded(draft: Draft, event: events.ConsentsRecorded) -> None:
    draft.changes["consents"] = event.given
    draft.changes["sections"] = {**draft.last("sections"), **event.sections}


def _deal_reinstated(draft: Draft, event: events.DealReinstated) -> None:
    deals = draft.all("deals")
    if any(deal.status == FUNDED for deal in deals.values()):
        raise misplaced(event, "a deal is active")
    change_deal(draft, event, FUNDED, "reinstate_deal", closed_on=None)


APPLY_PEOPLE: Final[Mapping[type, Callable[[Draft, Any], None]]] = MappingProxyType(
    {
        events.EvidenceRecorded: _evidence_recorded,
        events.ReferralDecided: _referral_decided,
        events.HoldPlaced: _hold_placed,
        events.HoldLifted: _hold_lifted,
        events.OffersDeclined: _offers_declined,
        events.ApplicationLapsed: _application_lapsed,
        events.SignatureRecorded: _signature_recorded,
        events.BankDetailsChanged: _bank_details_changed,
        events.ConsentsRecorded: _consents_recorded,
        events.DealReinstated: _deal_reinstated,
    }
)
