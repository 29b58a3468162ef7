"""From format 2 back to format 1, for hosts that still run processes of the first version.

Documents have exactly the form in which the first version wrote them. What it cannot express is
left out where nothing depends on it (the instants at which takings were stated), and refused
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

import attrs

from holdback.errors import ConfigurationError, ErrorDetail
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle import events
from holdback.merchant import deal, evidence, ledger, merchant, offer, product
from holdback.merchant.profile import Profile
from holdback.wire.added_fields import ADDED_FIELDS
from holdback.wire.first_format import documents as first

_T = TypeVar("_T")
_PROFILE: Final = ("consents", "applicants", "company")
_STATUSES: Final = (deal.FUNDED, deal.REPAID, deal.RENEWED, deal.DEFAULTED, deal.CANCELLED)
_RULE: Final = "format 1 cannot say this"
_HINT: Final = "write format 2 (how-to/upgrade)"


def downcast_merchant(after: merchant.Merchant, profile: Profile) -> first.Merchant:
    """
    Return the state of *after* and its *profile* as one document of format 1.

    Raises:
        ConfigurationError: format 1 cannot say everything that the merchant holds.
        StateError: the profile lacks a section that the state names.
    """
    errors = [
        ErrorDetail(code="not_allowed", message=f"{_RULE}: {what}", path=path, hint=_HINT)
        for what, path in _not_expressible(after)
    ]
    if errors:
        raise ConfigurationError(errors)
    writer = _Writer(after, profile)
    return _first(
        first.Merchant,
        after,
        **writer.sections(after.sections),
        bank_details=writer.bank_details(after.sections),
        evidence=_evidence(after.evidence),
        offer_sets=tuple(writer.offer_set(offer_set) for offer_set in after.offer_sets),
        fulfilments=tuple(writer.fulfilment(item) for item in after.fulfilments),
        deals=tuple(_deal(item) for item in after.deals),
        takings=_takings(after.takings),
    )


def downcast_event(event: events.Event, after: merchant.Merchant, profile: Profile) -> first.Event:
    """
    Return *event* in format 1, from the merchant and the profile *after* it.

    Raises:
        ConfigurationError: format 1 has no such event.
        StateError: the profile lacks a section that the event names.
    """
    write = _EVENTS.get(type(event))
    if write is None:
        what = f"{_RULE}: {events.event_type(event)}"
        raise ConfigurationError.of("not_allowed", what, path="$.type", hint=_HINT)
    return write(event, _Writer(after, profile))


def _not_expressible(after: merchant.Merchant) -> Iterator[tuple[str, str]]:
    """Yield what *after* has that format 1 cannot say, with the places."""
    if after.profile_erased:
        yield "the profile was erased", "$.profile_erased"
    yield from _people(after)
    yield from _money(after)
    if after.requests:
        yield "requests are remembered", "$.requests"
    if after.closed_offer_sets or after.credit_check_due is not None:
        yield "sets of offers were forgotten", "$.closed_offer_sets"
    held = {offer_set.application_id for offer_set in after.offer_sets}
    accepted = {fulfilment.application_id for fulfilment in after.fulfilments}
    if not accepted >= {deal.application_id for deal in after.deals} or not held >= accepted:
        yield "applications were forgotten", "$.fulfilments"
    if after.takings_since != (after.takings[0].on if after.takings else None):
        yield "days of takings were forgotten", "$.takings"
    for place, deal_after in enumerate(after.deals):
        if deal_after.closed_entries is not None:
            yield "entries were closed", f"$.deals[{place}].closed_entries"
    for place, offer_set in enumerate(after.offer_sets):
        if not offer_set.renewal and not offer_set.sections.keys() >= set(_PROFILE):
            yield "the personal data was erased", f"$.offer_sets[{place}].sections"


def _people(after: merchant.Merchant) -> Iterator[tuple[str, str]]:
    """Yield what *after* has of checks and of people's decisions."""
    for name in ("checks", "consents", "referrals", "referral_decisions", "holds"):
        if getattr(after, name):
            yield f"{name.replace('_', ' ')} are held", f"$.{name}"
    for place, fulfilment in enumerate(after.fulfilments):
        if fulfilment.lapses_at or fulfilment.signature or fulfilment.accepted_details:
            yield "an application lapses, was signed or corrected", f"$.fulfilments[{place}]"


def _money(after: merchant.Merchant) -> Iterator[tuple[str, str]]:
    """Yield what *after* has of ledgers, queued renewals and offers that were priced again."""
    if any(takings.amount.minor < 0 for takings in after.takings):
        yield "takings are below zero", "$.takings"
    for place, offer_set in enumerate(after.offer_sets):
        if offer_set.requoted or any(item.queued for item in offer_set.products):
            yield "offers were priced again, or are queued", f"$.offer_sets[{place}]"
    for place, fulfilment in enumerate(after.fulfilments):
        if fulfilment.queued or fulfilment.product is not None:
            yield "the product of an application is held", f"$.fulfilments[{place}]"
    for place, held in enumerate(after.deals):
        added = (getattr(held, name) for name in ADDED_FIELDS[deal.Deal])
        if held.status not in _STATUSES or any(value not in (None, ()) for value in added):
            yield "the deal has a newer status or terms", f"$.deals[{place}]"
        amounts = {entry.id: entry.amount for entry in held.entries}
        if not all(_is_of_first_format(entry, amounts) for entry in held.entries):
            yield "an entry is of a newer kind, or reverses a part", f"$.deals[{place}].entries"


def _is_of_first_format(entry: ledger.Entry, amounts: Mapping[str, Money]) -> bool:
    """Return whether *entry* is a remittance, or takes a whole one of *amounts* back."""
    if entry.takings is not None and entry.takings.minor < 0:
        return False
    if entry.reverses is None:
        return entry.kind == ledger.REMITTANCE
    return entry.amount == amounts.get(entry.reverses)


def _first(kind: type[_T], value: Any, **changes: Any) -> _T:
    """Return the document *kind* of format 1, with the fields of *value* and *changes*."""
    names = attrs.fields_dict(kind)  # type: ignore[arg-type]  # every document is a class of attrs
    return kind(**{n: changes[n] if n in changes else getattr(value, n) for n in names})


def _evidence(held: Mapping[str, evidence.HeldFact]) -> dict[str, Any]:
    return {name: fact.value for name, fact in held.items()}


def _offer(value: offer.Offer) -> first.Offer:
    return _first(first.Offer, value)


def _product(value: product.Product) -> first.Product:
    limits = _first(first.Limits, value.limits)
    return _first(first.Product, value, limits=limits, offers=tuple(map(_offer, value.offers)))


def _entries(value: deal.Deal | events.RemittancesRecorded) -> tuple[first.Entry, ...]:
    return tuple(_first(first.Entry, entry) for entry in value.entries)


def _deal(value: deal.Deal) -> first.Deal:
    return _first(first.Deal, value, entries=_entries(value))


def _takings(value: Iterable[merchant.Takings]) -> tuple[first.Takings, ...]:
    return tuple(_first(first.Takings, takings) for takings in value)


@frozen
class _Writer:
    """A merchant and its profile while they are written in format 1."""

    after: merchant.Merchant
    profile: Profile

    def value(self, sections: Mapping[str, str], name: str) -> Any:
        """Return the content of the section *name* as a plain value, None without one."""
        section = self.profile.section(sections.get(name))
        return None if section is None else section.value

    def sections(self, sections: Mapping[str, str]) -> dict[str, Any]:
        """Return the profile that *sections* name, in the fields of format 1."""
        return {
            **{name: self.profile.section(sections.get(name)) for name in _PROFILE},
            "intended_use_of_funds": self.value(sections, "intended_use_of_funds"),
        }

    def bank_details(self, sections: Mapping[str, str]) -> first.BankDetails | None:
        details = self.value(sections, "bank_details")
        return None if details is None else first.BankDetails(**details)

    def offer_set(self, value: merchant.OfferSet) -> first.OfferSet:
        whole = self.sections(value.sections)
        block = self.application(value, self.after.provider_id if value.renewal else None, whole)
        return _first(
            first.OfferSet,
            value,
            request=first.OffersRequest(application=block, **whole),
            products=tuple(_product(item) for item in value.products),
            evidence=_evidence(value.evidence),
        )

    def application(
        self, offer_set: merchant.OfferSet, provider_id: str | None, whole: dict[str, Any]
    ) -> first.Application:
        """Return the application block of *offer_set*, with the use of funds out of *whole*."""
        # A request is in the currency of its products.
        codes = (item.limits.minimum.currency.code for item in offer_set.products)
        return first.Application(
            merchant_id=self.after.merchant_id,
            currency=next(codes, str(self.after.currency)),
            provider_id=provider_id,
            intended_use_of_funds=whole.pop("intended_use_of_funds"),
        )

    def acceptance(self, value: merchant.Fulfilment | events.OfferAccepted) -> first.Acceptance:
        provider_id = self.after.provider_id
        assert provider_id is not None, "an acceptance gave the merchant its provider_id"
        return first.Acceptance(
            application_id=value.application_id,
            provider_id=provider_id,
            offer=_offer(value.offer),
            links=self.value(value.sections, "links"),
        )

    def fulfilment(self, value: merchant.Fulfilment) -> first.Fulfilment:
        return _first(
            first.Fulfilment,
            value,
            reply=self.acceptance(value),
            bank_details=self.bank_details(value.sections),
        )

    def offers_issued(self, event: events.OffersIssued) -> first.OffersIssued:
        before = event.first_format or {}
        return _first(
            first.OffersIssued,
            event,
            offer_set=self.offer_set(event.offer_set),
            facts=before.get("facts", event.offer_set.facts),
        )

    def offer_accepted(self, event: events.OfferAccepted) -> first.OfferAccepted:
        before = event.first_format or {}
        accepted = next(
            item for item in self.after.offer_sets if item.application_id == event.application_id
        )
        whole = self.sections(event.sections)
        block = self.application(accepted, event.provider_id, whole)
        return first.OfferAccepted(
            at=event.at,
            request_id=accepted.request_id,
            reply=self.acceptance(event),
            filled=first.FilledApplication(
                application=block,
                **whole,
                facts=before.get("facts", event.facts),
                deals=before.get("deals", event.earlier_deals),
            ),
            omitted=event.omitted,
            bank_details=self.bank_details(event.sections),
        )

    def details_supplied(self, event: events.DetailsSupplied) -> first.DetailsSupplied:
        return _first(
            first.DetailsSupplied,
            event,
            bank_details=self.bank_details(event.sections),
            intended_use_of_funds=self.value(event.sections, "intended_use_of_funds"),
        )


_Write = Callable[[Any, _Writer], first.Event]


def _same(kind: type[first.Event]) -> _Write:
    """Return the writer of events that have the fields of *kind*."""
    return lambda event, _: _first(kind, event)


_EVENTS: Final[Mapping[type[events.Event], _Write]] = MappingProxyType(
    {
        events.OffersIssued: lambda event, writer: writer.offers_issued(event),
        events.OfferAccepted: lambda event, writer: writer.offer_accepted(event),
        events.DetailsSupplied: lambda event, writer: writer.details_supplied(event),
        events.ApplicationSubmitted: _same(first.ApplicationSubmitted),
        events.ApplicationClosed: _same(first.ApplicationClosed),
        events.DealFunded: lambda event, _: _first(first.DealFunded, event, deal=_deal(event.deal)),
        events.DealRepaid: _same(first.DealRepaid),
        events.DealReopened: _same(first.DealReopened),
        events.DealRenewed: _same(first.DealRenewed),
        events.DealClosed: _same(first.DealClosed),
        events.TakingsRecorded: lambda event, _: _first(
            first.TakingsRecorded, event, takings=_takings(event.takings)
        ),
        events.RemittancesRecorded: lambda event, _: _first(
            first.RemittancesRecorded, event, entries=_entries(event)
        ),
        events.RenewalEligibilityChanged: _same(first.RenewalEligibilityChanged),
    }
)
