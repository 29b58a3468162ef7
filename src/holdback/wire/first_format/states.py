"""From a state of format 1 to a merchant and its profile.

What states of format 1 did not hold stays unknown: the facts of a set of offers, the kinds of
evidence, the time zone (decisions/formats#from-format-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

import attrs
from attrs import define, field

from holdback.errors import StateError
from holdback.exact.exact_json import Json, Opaque
from holdback.lifecycle.fingerprint import fingerprint
from holdback.merchant import application, deal, merchant, offer, product
from holdback.merchant.acceptance import BankDetails
from holdback.merchant.evidence import HeldFact
from holdback.merchant.ledger import Entry
from holdback.merchant.profile import Profile, details_section
from holdback.operations import RequestOffers
from holdback.wire.first_format import documents as first

_T = TypeVar("_T")
_REQUEST_SECTIONS: Final = ("consents", "applicants", "company")


def like(kind: type[_T], stored: Any, **changes: Any) -> _T:
    """Return a *kind* with the fields of *stored*, of a class of format 1, and *changes*."""
    fields = {item.name: getattr(stored, item.name) for item in attrs.fields(type(stored))}
    return kind(**fields | changes)


@define
class Sections:
    """The sections of a profile while documents of format 1 are read, each named by its digest."""

    profile: Profile
    # The digests by text: a state repeats the same large section many times.
    digests: dict[str, str] = field(factory=dict)

    def name(self, section: Opaque) -> str:
        """Return the digest of *section*, which the profile has from now on."""
        if section.text not in self.digests:
            self.digests[section.text] = self.profile.digest(section)
            self.profile = self.profile.with_sections((section,))
        return self.digests[section.text]

    def of(
        self,
        holder: first.Merchant | first.OffersRequest | first.FilledApplication | None,
        *,
        use: str | None,
        bank_details: first.BankDetails | None = None,
        links: Mapping[str, str] | None = None,
    ) -> dict[str, str]:
        """Return the digests of the sections of *holder*, and of what else is given, by name."""
        contents = {
            **{name: getattr(holder, name, None) for name in _REQUEST_SECTIONS},
            "intended_use_of_funds": None if use is None else Opaque.of(use),
            "bank_details": None if bank_details is None else _details(bank_details),
            "links": None if links is None else Opaque.of(dict(links)),
        }
        return {name: self.name(text) for name, text in contents.items() if text is not None}

    def fingerprint(self, request: first.OffersRequest) -> str:
        """Return the fingerprint of *request*, by which a repetition of it is recognised."""
        block = like(application.Application, request.application)
        whole = like(application.OffersRequest, request, application=block)
        return fingerprint(RequestOffers(request=whole), self.profile)


def upcast_merchant(
    stored: first.Merchant, *, salt: bytes, sequence: int
) -> tuple[merchant.Merchant, Profile]:
    """
    Return the merchant and the profile that *stored* holds, as of the event *sequence*.

    Raises:
        StateError: an accepted application has no set of offers.
    """
    sections = Sections(Profile.new(salt=salt))
    fulfilments = tuple(_fulfilments(stored, sections))
    sets, takings = stored.offer_sets, stored.takings
    upcast = merchant.Merchant(
        partner=stored.partner,
        merchant_id=stored.merchant_id,
        jurisdiction=stored.jurisdiction,
        sequence=sequence,
        currency=sets[-1].request.application.currency if sets else None,
        provider_id=stored.provider_id,
        last_seen_at=stored.last_seen_at,
        sections=sections.of(
            stored, use=stored.intended_use_of_funds, bank_details=stored.bank_details
        ),
        evidence=_held(stored.evidence),
        evidence_on=stored.evidence_on,
        offer_sets=tuple(upcast_offer_set(offer_set, sections) for offer_set in sets),
        last_accepted_at=fulfilments[-1].accepted_at if fulfilments else None,
        fulfilments=fulfilments,
        deals=tuple(upcast_deal(item) for item in stored.deals),
        takings=upcast_takings(takings),
        takings_since=takings[0].on if takings else None,
        takings_complete_through=stored.takings_complete_through,
        renewal_eligibility=stored.renewal_eligibility,
    )
    return upcast, sections.profile.keeping(upcast.named_sections)


def _details(stored: first.BankDetails) -> Opaque:
    return details_section(like(BankDetails, stored))


def _held(evidence: Mapping[str, Json]) -> dict[str, HeldFact]:
    return {name: HeldFact(value) for name, value in evidence.items()}


def upcast_offer(stored: first.Offer) -> offer.Offer:
    """Return the offer that *stored* holds."""
    return like(offer.Offer, stored)


def _product(stored: first.Product) -> product.Product:
    limits = like(product.Limits, stored.limits)
    offers = tuple(upcast_offer(item) for item in stored.offers)
    return like(product.Product, stored, limits=limits, offers=offers)


def upcast_offer_set(stored: first.OfferSet, sections: Sections) -> merchant.OfferSet:
    """Return the set that *stored* holds, without the personal data in its request."""
    request = stored.request
    return merchant.OfferSet(
        request_id=stored.request_id,
        application_id=stored.application_id,
        fingerprint=sections.fingerprint(request),
        renewal=request.renewal,
        sections=sections.of(request, use=request.application.intended_use_of_funds),
        issued_at=stored.issued_at,
        issued_on=stored.issued_on,
        expires_at=stored.expires_at,
        products=tuple(_product(item) for item in stored.products),
        digest=stored.digest,
        base_deal_id=stored.base_deal_id,
        evidence=_held(stored.evidence),
    )


def upcast_deal(stored: first.Deal) -> deal.Deal:
    """Return the deal that *stored* holds."""
    return like(deal.Deal, stored, entries=upcast_entries(stored.entries))


def upcast_entries(stored: Iterable[first.Entry]) -> tuple[Entry, ...]:
    """Return the entries that *stored* hold."""
    return tuple(like(Entry, entry) for entry in stored)


def upcast_takings(stored: Iterable[first.Takings]) -> tuple[merchant.Takings, ...]:
    """Return the days of takings that *stored* hold."""
    return tuple(like(merchant.Takings, takings) for takings in stored)


def _fulfilments(stored: first.Merchant, sections: Sections) -> Iterator[merchant.Fulfilment]:
    """Yield the accepted applications, each with the sections that it was filled with."""
    requests = _requests(stored)
    initial = [place for place, request in enumerate(requests) if not request.renewal]
    held: dict[str, str] = {}
    for place, (fulfilment, request) in enumerate(zip(stored.fulfilments, requests, strict=True)):
        use = request.application.intended_use_of_funds
        if not request.renewal:
            # Only the merchant holds a use of funds that was supplied later, and only until its
            # next initial application replaces it.
            held_use = stored.intended_use_of_funds if place == initial[-1] else use
            held = sections.of(request, use=held_use)
        own = sections.of(
            request, use=use, bank_details=fulfilment.bank_details, links=fulfilment.reply.links
        )
        yield merchant.Fulfilment(
            application_id=fulfilment.application_id,
            status=fulfilment.status,
            omitted=fulfilment.omitted,
            accepted_at=fulfilment.accepted_at,
            offer=upcast_offer(fulfilment.reply.offer),
            sections=held | own,
            base_deal_id=fulfilment.base_deal_id,
            deal_id=fulfilment.deal_id,
        )


def _requests(stored: first.Merchant) -> tuple[first.OffersRequest, ...]:
    """Return the request of each accepted application."""
    requests = {offer_set.application_id: offer_set.request for offer_set in stored.offer_sets}
    for place, fulfilment in enumerate(stored.fulfilments):
        if fulfilment.application_id not in requests:
            message = "expected the application_id of a set of offers"
            path = f"$.fulfilments[{place}].application_id"
            raise StateError.of("contradiction", message, path=path)
    return tuple(requests[fulfilment.application_id] for fulfilment in stored.fulfilments)
