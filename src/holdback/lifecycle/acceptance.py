"""The acceptance of one offer (service 3 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from holdback.derived_facts import merchant_facts
from holdback.errors import Refusal
from holdback.exact_json import Json
from holdback.lifecycle.commands import AcceptOffer
from holdback.lifecycle.configuration import REQUIRED_LINKS, Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import (
    ApplicationSubmitted,
    Event,
    FilledApplication,
    OfferAccepted,
)
from holdback.model import offer as offer_states
from holdback.model.acceptance import Acceptance, AcceptanceIds, BankDetails
from holdback.model.deal import FUNDED, REPAID, Deal
from holdback.model.merchant import (
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    Merchant,
    OfferSet,
)
from holdback.model.offer import Offer


def accept_offer(
    merchant: Merchant, command: AcceptOffer, context: Context, configuration: Configuration
) -> Decision[Acceptance]:
    """
    Return the acceptance of an offer; no events if it was accepted before with the same details.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted` or
            `active_deal`.
    """
    offer_set, offer = _find_offer(merchant, command.offer_id)
    details = None if command.bank_details == BankDetails() else command.bank_details
    # The order of these checks is decided: a retry of an acceptance that succeeded gets its reply,
    # even after the expiry (decisions/acceptance).
    if offer.offer_status == offer_states.ACCEPTED:
        earlier = merchant.fulfilment_of(offer_set.application_id)
        assert earlier is not None, "an accepted offer has its fulfilment"
        if details is None or details == earlier.bank_details:
            return Decision((), lambda _: earlier.reply)
        raise Refusal("already_accepted", "this offer was accepted with other bank details")
    withdrawn = offer.offer_status == offer_states.WITHDRAWN
    if withdrawn and _acceptance_holds(merchant):
        raise Refusal("already_accepted", "another offer of the merchant was accepted")
    if context.at >= offer_set.expires_at:
        raise Refusal(
            "offers_expired", "the offers have expired; a new application must be submitted"
        )
    if withdrawn:
        raise Refusal(
            "offer_withdrawn", "the offer was withdrawn; a new application must be submitted"
        )
    _check_base_deal(merchant, offer_set)
    accepted = OfferAccepted(
        at=context.at,
        request_id=offer_set.request_id,
        reply=_reply(merchant, offer_set, offer, configuration),
        filled=_filled(merchant, offer_set, context, configuration),
        omitted=_omitted(offer_set, details or merchant.bank_details),
        bank_details=details or merchant.bank_details,
    )
    events: tuple[Event, ...] = (accepted,)
    if accepted.bank_details is not None:
        application_id = offer_set.application_id
        events += (ApplicationSubmitted(at=context.at, application_id=application_id),)
    return Decision(events, lambda _: accepted.reply)


def acceptance_ids(
    merchant: Merchant, offer_id: str, configuration: Configuration
) -> AcceptanceIds:
    """
    Return the ids that the acceptance of an offer has, before or after it.

    Raises:
        Refusal: `offer_not_found`.
    """
    offer_set, _ = _find_offer(merchant, offer_id)
    return AcceptanceIds(
        application_id=offer_set.application_id, provider_id=configuration.provider_id(merchant)
    )


def _find_offer(merchant: Merchant, offer_id: str) -> tuple[OfferSet, Offer]:
    for offer_set in merchant.offer_sets:
        for product in offer_set.products:
            for offer in product.offers:
                if offer.offer_id == offer_id:
                    return offer_set, offer
    raise Refusal("offer_not_found", "no offer of this merchant has this offer_id")


def _acceptance_holds(merchant: Merchant) -> bool:
    """Return whether the last acceptance, which withdrew all other offers, has not ended."""
    return merchant.fulfilments[-1].status in {*IN_FULFILMENT, FUNDED_APPLICATION}


def _check_base_deal(merchant: Merchant, offer_set: OfferSet) -> None:
    """Refuse an offer if its base deal has ended early, or if another deal is active."""
    active = merchant.active_deal
    if active is not None and active.id != offer_set.base_deal_id:
        raise Refusal("active_deal", "the merchant has an active deal")
    base = merchant.deal_of(offer_set.base_deal_id)
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("offer_withdrawn", "the deal that the offer would renew has ended")


def _reply(
    merchant: Merchant, offer_set: OfferSet, offer: Offer, configuration: Configuration
) -> Acceptance:
    application_id, provider_id = offer_set.application_id, configuration.provider_id(merchant)
    accepted = attrs.evolve(offer, offer_status=offer_states.ACCEPTED)
    links = configuration.links(
        partner=merchant.partner,
        merchant_id=merchant.merchant_id,
        application_id=application_id,
        provider_id=provider_id,
        offer=accepted,
    )
    return Acceptance(
        application_id=application_id,
        provider_id=provider_id,
        offer=accepted,
        links=_checked_links(links),
    )


def _checked_links(links: object) -> dict[str, str]:
    """Return the host's links, checked: a wrong function is the host's error, not the partner's."""
    if not isinstance(links, Mapping) or any(type(links.get(k)) is not str for k in REQUIRED_LINKS):
        raise TypeError(f"`links` must return a text for each of {', '.join(REQUIRED_LINKS)}")
    if any(type(text) is not str for text in (*links, *links.values())):
        raise TypeError("`links` must return nothing but texts")
    return dict(links)


def _omitted(offer_set: OfferSet, bank_details: BankDetails | None) -> tuple[str, ...]:
    """Return the details that are neither in the request nor held (service 1)."""
    omitted = [] if bank_details is not None else ["bank_details"]
    application = offer_set.request.application
    if not offer_set.request.renewal and application.intended_use_of_funds is None:
        omitted.append("intended_use_of_funds")
    return tuple(omitted)


def _filled(
    merchant: Merchant, offer_set: OfferSet, context: Context, configuration: Configuration
) -> FilledApplication:
    """Return the application, filled from the data that the service holds (service 1)."""
    request = offer_set.request
    application = request.application
    if request.renewal and application.intended_use_of_funds is None:
        use = merchant.intended_use_of_funds
        application = attrs.evolve(application, intended_use_of_funds=use)
    # A renewal carries the application block alone; the profile is that of the initial application.
    profile = merchant if request.renewal else request
    return FilledApplication(
        application=attrs.evolve(application, provider_id=configuration.provider_id(merchant)),
        consents=profile.consents,
        applicants=profile.applicants,
        company=profile.company,
        facts=_known_facts(merchant, offer_set, context, configuration),
        deals=tuple(_deal_summary(deal) for deal in merchant.deals),
    )


def _known_facts(
    merchant: Merchant, offer_set: OfferSet, context: Context, configuration: Configuration
) -> dict[str, Json]:
    """Return the facts about the merchant that are known at the acceptance, by name."""
    rulebook = configuration.rulebook(merchant, context.at)
    catalogue = rulebook.catalogue
    values: Mapping[str, int | None]
    if offer_set.request.renewal:
        values = merchant_facts(merchant, offer_set.evidence, catalogue, rulebook.on)
    else:
        names = (fact.name for fact in catalogue.facts)
        values = dict(zip(names, catalogue.prepare(offer_set.evidence), strict=True))
    return {
        fact.name: fact.type.plain(number)
        for fact in catalogue.facts
        if (number := values.get(fact.name)) is not None
    }


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
