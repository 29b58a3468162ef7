"""From a journal of format 1 to events of format 2.

A journal is carried over as a whole: its events are numbered by their places, their personal data
moves into the profile, and they lead to the state that was stored beside them
(decisions/formats#from-format-1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from attrs import define, evolve, field

from holdback.lifecycle import events
from holdback.lifecycle.evolve import evolve_all
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.wire.first_format import documents as first
from holdback.wire.first_format.states import (
    Sections,
    like,
    upcast_deal,
    upcast_entries,
    upcast_offer,
    upcast_offer_set,
    upcast_takings,
)


def upcast_events(
    stored: Sequence[first.Event], *, partner: str, merchant_id: str, jurisdiction: str, salt: bytes
) -> tuple[tuple[events.Event, ...], Profile]:
    """
    Return the events of a whole journal, and the profile after them.

    Raises:
        HistoryError: the events do not follow one another.
    """
    journal = _Journal(
        jurisdiction=jurisdiction,
        sections=Sections(Profile.new(salt=salt)),
        last_initial=_last_initial(stored),
    )
    upcast = tuple(
        evolve(
            journal.upcast(place, event),
            partner=partner,
            merchant_id=merchant_id,
            sequence=place + 1,
        )
        for place, event in enumerate(stored)
    )
    new = Merchant.new(partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction)
    after = evolve_all(new, upcast)
    return upcast, journal.sections.profile.keeping(after.named_sections)


def upcast_event(
    stored: first.Event, *, partner: str, merchant_id: str, sequence: int
) -> events.Event | None:
    """Return one event that never had personal data; None for another."""
    make = _WITHOUT_PERSONAL_DATA.get(type(stored))
    if make is None:
        return None
    return evolve(make(stored), partner=partner, merchant_id=merchant_id, sequence=sequence)


_Make: TypeAlias = Callable[[Any], events.Event]


def _same(kind: type[events.Event]) -> _Make:
    """Return the upcast of events that have the fields of *kind*."""
    return lambda stored: like(kind, stored)


_WITHOUT_PERSONAL_DATA: Final[Mapping[type[first.Event], _Make]] = MappingProxyType(
    {
        first.ApplicationSubmitted: _same(events.ApplicationSubmitted),
        first.ApplicationClosed: _same(events.ApplicationClosed),
        first.DealFunded: lambda stored: like(
            events.DealFunded, stored, deal=upcast_deal(stored.deal)
        ),
        first.DealRepaid: _same(events.DealRepaid),
        first.DealReopened: _same(events.DealReopened),
        first.DealRenewed: _same(events.DealRenewed),
        first.DealClosed: _same(events.DealClosed),
        first.TakingsRecorded: lambda stored: like(
            events.TakingsRecorded, stored, takings=upcast_takings(stored.takings)
        ),
        first.RemittancesRecorded: lambda stored: like(
            events.RemittancesRecorded, stored, entries=upcast_entries(stored.entries)
        ),
        first.RenewalEligibilityChanged: _same(events.RenewalEligibilityChanged),
    }
)


@define
class _Journal:
    """A journal while it is carried over, event by event."""

    jurisdiction: str
    sections: Sections
    # The place of the last acceptance of an initial application, -1 without one.
    last_initial: int
    requests: dict[str, first.OffersRequest] = field(factory=dict)
    held_use: str | None = None

    def upcast(self, place: int, stored: first.Event) -> events.Event:
        """Return the event *stored* at *place*, without its envelope."""
        if isinstance(stored, first.OffersIssued):
            return self._offers_issued(stored)
        if isinstance(stored, first.OfferAccepted):
            return self._offer_accepted(stored)
        if isinstance(stored, first.DetailsSupplied):
            return self._details_supplied(place, stored)
        return _WITHOUT_PERSONAL_DATA[type(stored)](stored)

    def _offers_issued(self, stored: first.OffersIssued) -> events.OffersIssued:
        offer_set = stored.offer_set
        self.requests[offer_set.request_id] = offer_set.request
        return events.OffersIssued(
            at=stored.at,
            request_id=offer_set.request_id,
            jurisdiction=self.jurisdiction,
            currency=offer_set.request.application.currency,
            offer_set=upcast_offer_set(offer_set, self.sections),
            assessment=stored.assessment,
            decisions=stored.decisions,
            first_format={"facts": stored.facts},
        )

    def _offer_accepted(self, stored: first.OfferAccepted) -> events.OfferAccepted:
        filled, reply = stored.filled, stored.reply
        request = self.requests.get(stored.request_id)
        use = None if request is None else request.application.intended_use_of_funds
        if request is not None and request.renewal:
            use = use or self.held_use
        else:
            self.held_use = use
        return events.OfferAccepted(
            at=stored.at,
            application_id=reply.application_id,
            provider_id=reply.provider_id,
            offer=upcast_offer(reply.offer),
            omitted=stored.omitted,
            sections=self.sections.of(
                filled, use=use, bank_details=stored.bank_details, links=reply.links
            ),
            first_format={"facts": filled.facts, "deals": [*filled.deals]},
        )

    def _details_supplied(
        self, place: int, stored: first.DetailsSupplied
    ) -> events.DetailsSupplied:
        # States of format 1 held a use of funds that was supplied later only until the next initial
        # application replaced it, so it is carried over only if none did.
        use = stored.intended_use_of_funds if place > self.last_initial else None
        self.held_use = use or self.held_use
        return events.DetailsSupplied(
            at=stored.at,
            application_id=stored.application_id,
            omitted=stored.omitted,
            sections=self.sections.of(None, use=use, bank_details=stored.bank_details),
        )


def _last_initial(stored: Sequence[first.Event]) -> int:
    """Return the place of the last acceptance of an initial application, -1 without one."""
    initial = {
        event.offer_set.request_id
        for event in stored
        if isinstance(event, first.OffersIssued) and not event.offer_set.request.renewal
    }
    places = (
        place
        for place, event in enumerate(stored)
        if isinstance(event, first.OfferAccepted) and event.request_id in initial
    )
    return max(places, default=-1)
