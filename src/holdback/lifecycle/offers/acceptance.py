"""The acceptance of one offer (service 3 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import attrs
from attrs import field

from holdback.errors import ConfigurationError, Refusal
from holdback.exact.exact_json import Json, Opaque
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import REQUIRED_LINKS, Configuration
from holdback.lifecycle.events import (
    ApplicationSubmitted,
    Event,
    OfferAccepted,
)
from holdback.lifecycle.offers.disclosure_gate import check_disclosed
from holdback.lifecycle.offers.requests import offers_expired
from holdback.lifecycle.offers.since_the_offer import check_offer
from holdback.lifecycle.operation import Case, Decision, PersonalCommand
from holdback.lifecycle.people.bank_details import check_details, needed_details
from holdback.merchant import offer as offer_states
from holdback.merchant.acceptance import DETAILS, Acceptance, AcceptanceIds, BankDetails
from holdback.merchant.deal import FUNDED, REPAID, Deal
from holdback.merchant.instants import plus
from holdback.merchant.merchant import (
    BEFORE_SUBMISSION,
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    ClosedOfferSet,
    Fulfilment,
    Merchant,
    OfferSet,
)
from holdback.merchant.offer import Offer
from holdback.merchant.product import Product
from holdback.merchant.profile import Profile, details_section, read_details
from holdback.merchant.validators import instance_of, optional, text
from holdback.rulebooks.rulebook import Rulebook


@frozen(kw_only=True)
class AcceptOffer(PersonalCommand[Acceptance]):
    """
    Accept one offer on the merchant's behalf (service 4.2).

    A retry with the same details gets the same reply, even after the expiry.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`,
            `referred`, or `not_disclosed` where the law asks for it first.
        InvalidDocument: the jurisdiction does not take a field of the bank details.
    """

    name = "accept_offer"
    remembered = False

    offer_id: str = field(validator=text)
    bank_details: BankDetails | None = field(
        default=None,
        repr=False,
        validator=optional(instance_of(BankDetails, "bank details, `BankDetails`")),
    )

    def decide(self, case: Case) -> Decision[Acceptance]:
        details = None if self.bank_details == BankDetails() else self.bank_details
        # The order of these checks is decided: a retry of an acceptance that succeeded gets its
        # reply, even after the expiry (decisions/offers).
        earlier = _accepted_before(case.merchant, self.offer_id)
        if earlier is not None:
            if details is None or _same_details(earlier, details, case.profile):
                return Decision((), lambda _: _reply(case, earlier))
            raise Refusal("already_accepted", "this offer was accepted with other bank details")
        offer_set, offer = open_offer(case, self.offer_id)
        check_offer(case, offer_set, product_of(offer_set, offer).key)
        check_base_deal(case.merchant, offer_set)
        check_disclosed(case, offer.offer_id)
        return _acceptance(case, offer_set, offer, details)


def _accepted_before(merchant: Merchant, offer_id: str) -> Fulfilment | None:
    return next((f for f in merchant.fulfilments if f.offer.offer_id == offer_id), None)


def _same_details(earlier: Fulfilment, details: BankDetails, profile: Profile) -> bool:
    """Return whether an acceptance had these *details*; once erased, nobody can tell."""
    if profile.is_erased:
        return True
    given = earlier.accepted_details or earlier.sections.get("bank_details")
    return profile.digest(details_section(details)) == given


def open_offer(case: Case, offer_id: str) -> tuple[OfferSet, Offer]:
    """
    Return the offer with its set, if it is open.

    Raises:
        Refusal: `offer_not_found`, `already_accepted`, `offers_expired` or `offer_withdrawn`.
    """
    offer_set, offer, status = find_offer(case.merchant, offer_id)
    withdrawn = status in {offer_states.WITHDRAWN, offer_states.DECLINED}
    if status == offer_states.ACCEPTED or (
        status == offer_states.WITHDRAWN and _acceptance_holds(case.merchant)
    ):
        raise Refusal("already_accepted", "another offer of the merchant was accepted")
    # What the lender withdrew is answered as an expiry (decisions/applications#withdrawn-offers).
    by_lender = status == offer_states.WITHDRAWN_BY_LENDER
    if offer is None or case.at >= offer_set.expires_at or by_lender:
        raise offers_expired()
    if withdrawn:
        raise Refusal(
            "offer_withdrawn", "the offer was withdrawn; a new application must be submitted"
        )
    assert isinstance(offer_set, OfferSet), "a set with its products is held whole"
    return offer_set, offer


def product_of(offer_set: OfferSet, offer: Offer) -> Product:
    """Return the product of an *offer* of the set."""
    return next(product for product in offer_set.products if offer in product.offers)


def acceptance_ids(
    merchant: Merchant, offer_id: str, configuration: Configuration
) -> AcceptanceIds:
    """
    Return the ids that the acceptance of an offer has, before or after it.

    Raises:
        Refusal: `offer_not_found`.
    """
    offer_set, _, _ = find_offer(merchant, offer_id)
    return AcceptanceIds(
        application_id=offer_set.application_id, provider_id=configuration.provider_id(merchant)
    )


def find_offer(
    merchant: Merchant, offer_id: str
) -> tuple[OfferSet | ClosedOfferSet, Offer | None, str]:
    """
    Return the set of an offer, the offer if the state still holds it, and its status.

    Raises:
        Refusal: `offer_not_found`.
    """
    for offer_set in merchant.offer_sets:
        for offer in offer_set.offers:
            if offer.offer_id == offer_id:
                return offer_set, offer, offer.offer_status
    for closed in merchant.closed_offer_sets:
        if offer_id in closed.offers:
            return closed, None, closed.offers[offer_id]
    raise Refusal("offer_not_found", "no offer of this merchant has this offer_id")


def _acceptance_holds(merchant: Merchant) -> bool:
    """
    Return whether the last acceptance, which withdrew all other offers, has not ended.

    An erasure ends it as well: it withdraws offers of its own (decisions/errors#which-code).
    """
    if merchant.profile_erased or not merchant.fulfilments:
        return False
    return merchant.fulfilments[-1].status in {*IN_FULFILMENT, FUNDED_APPLICATION}


def check_base_deal(merchant: Merchant, offer_set: OfferSet) -> None:
    """
    Refuse an offer if its base deal has ended early.

    A deal that has become active since the offer holds it back (decisions/offers#since-the-offer).

    Raises:
        Refusal: `offer_withdrawn`.
    """
    base = merchant.deal_of(offer_set.base_deal_id)
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("offer_withdrawn", "the deal that the offer would renew has ended")


def _acceptance(
    case: Case, offer_set: OfferSet, offer: Offer, details: BankDetails | None
) -> Decision[Acceptance]:
    accepted_offer = attrs.evolve(offer, offer_status=offer_states.ACCEPTED)
    links = _links(case, offer_set, accepted_offer)
    new = {"links": Opaque.of(links)}
    if details is not None:
        new["bank_details"] = details_section(details)
    sections = {
        **_filled(case.merchant, offer_set),
        **{name: case.profile.digest(content) for name, content in new.items()},
    }
    rulebook = case.loaded_rulebook()
    needed = needed_details(rulebook)
    check_details(details, needed)
    given = details if details is not None else _held_details(sections, case.profile)
    complete = given is not None and not given.lacks(needed)
    omitted = tuple(
        name
        for name in DETAILS
        if (not complete if name == "bank_details" else name not in sections)
        and not (offer_set.renewal and name != "bank_details")
    )
    accepted = OfferAccepted(
        at=case.at,
        application_id=offer_set.application_id,
        provider_id=case.provider_id,
        offer=accepted_offer,
        omitted=omitted,
        sections=sections,
        # What was stored: rules and facts may have changed since (decisions/renewal).
        facts=offer_set.facts,
        earlier_deals=tuple(_deal_summary(deal) for deal in case.merchant.deals),
        **_fulfilment_terms(case, offer_set, offer, rulebook),
    )
    events: tuple[Event, ...] = (accepted,)
    if complete and accepted.signature_before != BEFORE_SUBMISSION:
        application_id = offer_set.application_id
        events += (ApplicationSubmitted(at=case.at, application_id=application_id),)
    reply = Acceptance(
        application_id=accepted.application_id,
        provider_id=accepted.provider_id,
        offer=accepted_offer,
        links=links,
    )
    return Decision(events, lambda _: reply, case.profile.with_sections(new.values()))


def _held_details(sections: Mapping[str, str], profile: Profile) -> BankDetails | None:
    """Return the bank details that the merchant has from before, None without any."""
    digest = sections.get("bank_details")
    return None if digest is None else read_details(profile.section(digest))


def _fulfilment_terms(
    case: Case, offer_set: OfferSet, offer: Offer, rulebook: Rulebook | None
) -> dict[str, Any]:
    """Return what was priced, until when the application waits, and what it waits for."""
    product = product_of(offer_set, offer)
    terms: dict[str, Any] = {
        "product": product.key,
        "priced_on": offer_set.issued_on,
        "queued": product.queued,
    }
    if rulebook is None:
        return terms
    base = case.merchant.deal_of(offer_set.base_deal_id)
    # One that is queued waits for its base deal first, however long that takes.
    waits = product.queued and base is not None and base.active
    days = timedelta(days=rulebook.acceptance_days)
    return {
        **terms,
        "lapses_at": None if waits else plus(case.at, days),
        "signature_before": rulebook.signature,
    }


def _filled(merchant: Merchant, offer_set: OfferSet) -> dict[str, str]:
    """Return the sections of the application, filled from what the service holds (service 1)."""
    # A renewal carries the application block alone; the profile is that of the initial application.
    if offer_set.renewal:
        return {**merchant.sections, **offer_set.sections}
    held = merchant.sections.get("bank_details")
    return {**({} if held is None else {"bank_details": held}), **offer_set.sections}


def _reply(case: Case, fulfilment: Fulfilment) -> Acceptance:
    """Return the first reply to an acceptance that succeeded before."""
    links = case.profile.section(fulfilment.sections.get("links"))
    assert case.merchant.provider_id is not None, "an acceptance gave the merchant its provider_id"
    return Acceptance(
        application_id=fulfilment.application_id,
        provider_id=case.merchant.provider_id,
        offer=fulfilment.offer,
        # The links of an erased profile are made again.
        links=_links(case, fulfilment, fulfilment.offer) if links is None else links.value,
    )


def _links(case: Case, application: OfferSet | Fulfilment, offer: Offer) -> dict[str, str]:
    """Return the host's links, checked: a wrong function is the host's error, not the partner's."""
    links: object = case.configuration.links(
        partner=case.merchant.partner,
        merchant_id=case.merchant.merchant_id,
        application_id=application.application_id,
        provider_id=case.provider_id,
        offer=offer,
    )
    names = ", ".join(REQUIRED_LINKS)
    if not isinstance(links, Mapping) or any(type(links.get(k)) is not str for k in REQUIRED_LINKS):
        message = f"`links` must return a text for each of {names}"
        raise ConfigurationError.of("wrong_result", message, path="$.links")
    if any(type(text) is not str for text in (*links, *links.values())):
        message = "`links` must return nothing but texts"
        raise ConfigurationError.of("wrong_result", message, path="$.links")
    return dict(links)


def _deal_summary(deal: Deal) -> Mapping[str, Json]:
    return {
        "id": deal.id,
        "type": deal.type,
        "status": deal.status,
        "funded_amount": str(deal.funded_amount),
        "repayment_amount": str(deal.repayment_amount),
        "remitted": str(deal.remitted),
        "balance": str(deal.balance),
    }
