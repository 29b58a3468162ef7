"""The state after the events of a deal's ledger, its schedule and its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs

from holdback.exact.money import Money
from holdback.lifecycle import money_events as events
from holdback.lifecycle.draft import Draft, misplaced
from holdback.lifecycle.status_changes import change_deal, change_fulfilment
from holdback.merchant.deal import DEFAULTED, FUNDED, RECOVERED, RENEWED, REPAID, UNWOUND, Deal
from holdback.merchant.merchant import OfferSet
from holdback.merchant.schedule import Pause


def _entries_posted(draft: Draft, event: events.EntriesPosted) -> None:
    for posting in event.postings:
        deal: Deal = draft.one("deals", posting.deal_id, event)
        draft.record(deal, (posting.entry,), None)


def _deal_recovered(draft: Draft, event: events.DealRecovered) -> None:
    change_deal(draft, event, RECOVERED, "record_recovery")


def _deal_defaulted_again(draft: Draft, event: events.DealDefaultedAgain) -> None:
    change_deal(draft, event, DEFAULTED, "record_remittance")


def _deal_unwound(draft: Draft, event: events.DealUnwound) -> None:
    change_deal(draft, event, UNWOUND, "unwind_deal", closed_on=event.on)
    if event.base_deal_id is None:
        return
    draft.one("deals", event.base_deal_id, event)
    if any(deal.status == FUNDED for deal in draft.all("deals").values()):
        raise misplaced(event, "a deal is active")
    base = draft.with_entries(event.base_deal_id)
    if base.status != RENEWED or base.closed_on is None:
        raise misplaced(event, f"the deal that it renewed is {base.status}")
    active = attrs.evolve(
        base,
        status=FUNDED,
        closed_on=None,
        settled=Money(0, base.repayment_amount.currency),
        pauses=_with_gap(base.pauses, Pause(on=base.closed_on, until=event.on)),
    )
    status = FUNDED if active.outstanding > 0 else REPAID
    draft.all("deals")[base.id] = attrs.evolve(active, status=status)


def _with_gap(pauses: tuple[Pause, ...], gap: Pause) -> tuple[Pause, ...]:
    """
    Return the *pauses* of a deal that was renewed during *gap*: what it expected stood still.

    A deal that was on pause still is: its pause includes the gap.
    """
    return pauses if pauses and pauses[-1].until is None else (*pauses, gap)


def _deal_paused(draft: Draft, event: events.DealPaused) -> None:
    deal = _active(draft, event)
    if deal.paused:
        raise misplaced(event, "the deal is on pause")
    _change(draft, deal, pauses=(*deal.pauses, Pause(on=event.on)))


def _deal_resumed(draft: Draft, event: events.DealResumed) -> None:
    deal = _active(draft, event)
    if not deal.paused:
        raise misplaced(event, "the deal is not on pause")
    last = attrs.evolve(deal.pauses[-1], until=event.on)
    _change(draft, deal, pauses=(*deal.pauses[:-1], last))


def _terms_changed(draft: Draft, event: events.TermsChanged) -> None:
    deal = _active(draft, event)
    _change(draft, deal, terms_changes=(*deal.terms_changes, event.change))


def _active(draft: Draft, event: Any) -> Deal:
    deal: Deal = draft.one("deals", event.deal_id, event)
    if deal.status != FUNDED:
        raise misplaced(event, f"the deal is {deal.status}")
    return deal


def _change(draft: Draft, deal: Deal, **changes: Any) -> None:
    draft.all("deals")[deal.id] = attrs.evolve(deal, **changes)


def _offer_requoted(draft: Draft, event: events.OfferRequoted) -> None:
    offer_set: OfferSet = draft.one("offer_sets", event.application_id, event)
    products = tuple(
        attrs.evolve(product, offers=(*product.offers, *event.offers))
        if product.key == event.product
        else product
        for product in offer_set.products
    )
    if products == offer_set.products:
        raise misplaced(event, "its set has no such product")
    requoted = (*offer_set.requoted, *(offer.offer_id for offer in event.offers))
    draft.all("offer_sets")[event.application_id] = attrs.evolve(
        offer_set, products=products, requoted=requoted
    )


def _queued_renewal_ready(draft: Draft, event: events.QueuedRenewalReady) -> None:
    change_fulfilment(draft, event, lapses_at=event.lapses_at)


APPLY_MONEY: Final[Mapping[type, Callable[[Draft, Any], None]]] = MappingProxyType(
    {
        events.EntriesPosted: _entries_posted,
        events.DealRecovered: _deal_recovered,
        events.DealDefaultedAgain: _deal_defaulted_again,
        events.DealUnwound: _deal_unwound,
        events.DealPaused: _deal_paused,
        events.DealResumed: _deal_resumed,
        events.TermsChanged: _terms_changed,
        events.OfferRequoted: _offer_requoted,
        events.QueuedRenewalReady: _queued_renewal_ready,
    }
)
