"""Acceptance of one offer, and the application's way through fulfilment (service 3 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from holdback.derived_facts import merchant_facts
from holdback.errors import Refusal
from holdback.exact_json import Json
from holdback.lifecycle.commands import (
    AcceptOffer,
    CloseApplication,
    FundDeal,
    SupplyDetails,
)
from holdback.lifecycle.context import REQUIRED_LINKS, Configuration, Context
from holdback.lifecycle.events import (
    ApplicationClosed,
    ApplicationSubmitted,
    DealFunded,
    DealRenewed,
    DetailsSupplied,
    Event,
    FilledApplication,
    OfferAccepted,
)
from holdback.lifecycle.transitions import follows
from holdback.model import offer as offer_states
from holdback.model.acceptance import Acceptance, BankDetails
from holdback.model.deal import FUNDED, INITIAL, RENEWAL, REPAID, Deal
from holdback.model.merchant import (
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    SUBMITTED,
    Fulfilment,
    Merchant,
    OfferSet,
)
from holdback.model.offer import Offer
from holdback.money import Money


def accept(
    merchant: Merchant, command: AcceptOffer, context: Context, configuration: Configuration
) -> tuple[Event, ...]:
    """
    The acceptance of an offer; nothing when this offer was accepted before with the same details.

    The order of the checks is design 6a's: a retry of an acceptance that succeeded gets its reply, even
    after the expiry.
    """
    offer_set, offer = _find(merchant, command.offer_id)
    details = _given(command.bank_details)
    if offer.offer_status == offer_states.ACCEPTED:
        first = _fulfilment_of(merchant, offer_set)
        if details is None or details == first.bank_details:
            return ()
        raise Refusal("already_accepted", "this offer was accepted with other bank details")
    withdrawn = offer.offer_status == offer_states.WITHDRAWN
    if withdrawn and _stands(merchant):
        raise Refusal("already_accepted", "another offer of the merchant was accepted")
    if context.at >= offer_set.expires_at:
        raise Refusal(
            "offers_expired", "the offers have expired; a new application must be submitted"
        )
    if withdrawn:
        raise Refusal(
            "offer_withdrawn", "the offer was withdrawn; a new application must be submitted"
        )
    _check_base(merchant, offer_set)
    return _accepted(merchant, offer_set, offer, details, context, configuration)


def _find(merchant: Merchant, offer_id: str) -> tuple[OfferSet, Offer]:
    for offer_set in merchant.offer_sets:
        for product in offer_set.products:
            for offer in product.offers:
                if offer.offer_id == offer_id:
                    return offer_set, offer
    raise Refusal("offer_not_found", "no offer of this merchant has this offer_id")


def _given(details: BankDetails | None) -> BankDetails | None:
    """*details*, or None when they say nothing."""
    return None if details == BankDetails() else details


def _fulfilment_of(merchant: Merchant, offer_set: OfferSet) -> Fulfilment:
    return next(
        each for each in merchant.fulfilments if each.application_id == offer_set.application_id
    )


def _stands(merchant: Merchant) -> bool:
    """Whether the last acceptance, which withdrew the offers then open, still stands."""
    return merchant.fulfilments[-1].status in {*IN_FULFILMENT, FUNDED_APPLICATION}


def _check_base(merchant: Merchant, offer_set: OfferSet) -> None:
    """Refuse an offer whose base deal failed meanwhile, or beside another active deal."""
    active = merchant.active_deal
    if active is not None and active.id != offer_set.base_deal_id:
        raise Refusal("active_deal", "the merchant has an active deal")
    base = _deal(merchant, offer_set.base_deal_id)
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("offer_withdrawn", "the deal that the offer would renew has ended")


def _deal(merchant: Merchant, deal_id: str | None) -> Deal | None:
    return next((deal for deal in merchant.deals if deal.id == deal_id), None)


def _accepted(
    merchant: Merchant,
    offer_set: OfferSet,
    offer: Offer,
    details: BankDetails | None,
    context: Context,
    configuration: Configuration,
) -> tuple[Event, ...]:
    application_id, provider_id = offer_set.application_id, configuration.provider_id(merchant)
    links = configuration.links(application_id, provider_id)
    if not isinstance(links, Mapping) or any(type(links.get(k)) is not str for k in REQUIRED_LINKS):
        raise TypeError(f"links has to give a text for each of {', '.join(REQUIRED_LINKS)}")
    if any(type(text) is not str for text in (*links, *links.values())):
        raise TypeError("links has to give texts alone")
    held = details or merchant.bank_details
    omitted = _omitted(offer_set, held)
    accepted = OfferAccepted(
        at=context.at,
        request_id=offer_set.request_id,
        reply=Acceptance(
            application_id=application_id,
            provider_id=provider_id,
            offer=attrs.evolve(offer, offer_status=offer_states.ACCEPTED),
            links=dict(links),
        ),
        filled=_filled(merchant, offer_set, provider_id, context, configuration),
        omitted=omitted,
        bank_details=held,
    )
    if held is None:
        return (accepted,)
    return (accepted, ApplicationSubmitted(at=context.at, application_id=application_id))


def _omitted(offer_set: OfferSet, held: BankDetails | None) -> tuple[str, ...]:
    """What the merchant may be contacted for (service 1): it was not in the request and is not held."""
    omitted = [] if held is not None else ["bank_details"]
    application = offer_set.request.application
    if not offer_set.request.renewal and application.intended_use_of_funds is None:
        omitted.append("intended_use_of_funds")
    return tuple(omitted)


def _filled(
    merchant: Merchant,
    offer_set: OfferSet,
    provider_id: str,
    context: Context,
    configuration: Configuration,
) -> FilledApplication:
    """The application filled from what is held (service 1, renewal flow 9)."""
    request = offer_set.request
    renewal = request.renewal
    rulebook = configuration.rulebook(merchant, context.at)
    known: Mapping[str, int | None]
    if renewal:
        known = merchant_facts(merchant, offer_set.evidence, rulebook.catalogue, rulebook.on)
    else:
        known = dict(
            zip(
                (fact.name for fact in rulebook.catalogue.facts),
                rulebook.catalogue.prepare(offer_set.evidence),
                strict=True,
            )
        )
    facts: dict[str, Json] = {
        fact.name: fact.type.plain(number)
        for fact in rulebook.catalogue.facts
        if (number := known.get(fact.name)) is not None
    }
    application = request.application
    if renewal and application.intended_use_of_funds is None:
        use = merchant.intended_use_of_funds
        application = attrs.evolve(application, intended_use_of_funds=use)
    return FilledApplication(
        application=attrs.evolve(application, provider_id=provider_id),
        consents=merchant.consents if renewal else request.consents,
        applicants=merchant.applicants if renewal else request.applicants,
        company=merchant.company if renewal else request.company,
        facts=facts,
        deals=tuple(_in_short(deal) for deal in merchant.deals),
    )


def _in_short(deal: Deal) -> Mapping[str, Json]:
    return {
        "id": deal.id,
        "type": deal.type,
        "status": deal.status,
        "funded_amount": str(deal.funded_amount),
        "repayment_amount": str(deal.repayment_amount),
        "remitted": str(deal.remitted),
        "balance": str(deal.balance),
    }


def _fulfilment(merchant: Merchant, application_id: str) -> Fulfilment:
    for each in merchant.fulfilments:
        if each.application_id == application_id:
            return each
    raise Refusal("application_not_found", "no accepted application has this application_id")


def _not_now(what: str, status: str) -> Refusal:
    return Refusal("not_possible_now", f"{what}: the application is {status.replace('_', ' ')}")


def supply_details(
    merchant: Merchant, command: SupplyDetails, context: Context
) -> tuple[Event, ...]:
    """Details that were omitted; with bank details the application is submitted."""
    each = _fulfilment(merchant, command.application_id)
    given = {
        "bank_details": (_given(command.bank_details), each.bank_details),
        "intended_use_of_funds": (command.intended_use_of_funds, merchant.intended_use_of_funds),
    }
    new: dict[str, Any] = {}
    for name, (value, has) in given.items():
        if value is None or value == has:
            continue
        if name not in each.omitted:
            raise Refusal("request_conflict", f"the application has another {name} already")
        new[name] = value
    if not new:
        return ()
    if each.status not in IN_FULFILMENT:
        raise _not_now("details are not taken", each.status)
    supplied = DetailsSupplied(
        at=context.at,
        application_id=each.application_id,
        omitted=tuple(name for name in each.omitted if name not in new),
        **new,
    )
    if "bank_details" not in new or SUBMITTED not in follows(
        "application", each.status, "supply_details"
    ):
        return (supplied,)
    return (supplied, ApplicationSubmitted(at=context.at, application_id=each.application_id))


def close_application(
    merchant: Merchant, command: CloseApplication, context: Context
) -> tuple[Event, ...]:
    """The end of an application in fulfilment; nothing when it ended so before."""
    each = _fulfilment(merchant, command.application_id)
    if each.status == command.status:
        return ()
    if command.status not in follows("application", each.status, "close_application"):
        raise _not_now(f"it cannot be {command.status}", each.status)
    return (
        ApplicationClosed(at=context.at, application_id=each.application_id, status=command.status),
    )


def fund(
    merchant: Merchant, command: FundDeal, context: Context, configuration: Configuration
) -> tuple[Event, ...]:
    """The deal of a submitted application; a renewal settles its base deal in the same batch."""
    each = _fulfilment(merchant, command.application_id)
    if each.status == FUNDED_APPLICATION:
        return ()
    if FUNDED_APPLICATION not in follows("application", each.status, "fund_deal"):
        raise _not_now("it cannot be funded", each.status)
    base = _deal(merchant, each.base_deal_id)
    active = merchant.active_deal
    if active is not None and (base is None or active.id != base.id):
        raise Refusal("active_deal", "the merchant has an active deal")
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("not_possible_now", "the deal that it would renew has ended")
    today = configuration.local_day(merchant, context.at)
    offer = each.reply.offer
    deal = Deal(
        id=configuration.identities(merchant, context.request_id)("deal", each.application_id),
        application_id=each.application_id,
        type=INITIAL if base is None else RENEWAL,
        funded_on=today,
        funded_amount=offer.funded_amount,
        repayment_amount=offer.repayment_amount,
        factor_rate=offer.factor_rate,
        split_percentage=offer.split_percentage,
        term_length=offer.term_length,
        term_days=offer.term_days,
        settled=Money(0, offer.funded_amount.currency),
    )
    funded = DealFunded(at=context.at, deal=deal)
    if active is None:
        return (funded,)
    # The new funds pay the base deal; what they do not reach stays on it as a shortfall.
    settled = min(active.balance, offer.funded_amount)
    return (
        DealRenewed(at=context.at, deal_id=active.id, settled=settled, on=today),
        funded,
    )
