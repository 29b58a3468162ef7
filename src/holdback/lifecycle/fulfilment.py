"""An accepted application on its way through fulfilment: details, an ending, or a funded deal."""

from __future__ import annotations

from holdback.errors import Refusal
from holdback.exact_json import Opaque
from holdback.lifecycle.commands import CloseApplication, FundDeal, SupplyDetails
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import (
    ApplicationClosed,
    ApplicationSubmitted,
    DealFunded,
    DealRenewed,
    DetailsSupplied,
    Event,
)
from holdback.lifecycle.receipts import deal_receipt
from holdback.lifecycle.transitions import next_states
from holdback.model.acceptance import ApplicationStatus, BankDetails
from holdback.model.deal import FUNDED, INITIAL, RENEWAL, REPAID, Deal
from holdback.model.merchant import (
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    SUBMITTED,
    Fulfilment,
    Merchant,
)
from holdback.model.profile import Profile, details_section
from holdback.model.receipt import DealReceipt
from holdback.money import Money


def supply_details(
    merchant: Merchant,
    command: SupplyDetails,
    context: Context,
    _: Configuration,
    profile: Profile,
) -> Decision[ApplicationStatus]:
    """
    Return the supply of omitted details; with bank details the application is submitted.

    Raises:
        Refusal: `application_not_found`, `not_possible_now`, `request_conflict` or
            `profile_erased`.
    """
    fulfilment = _fulfilment(merchant, command.application_id)
    contents = _new_details(merchant, fulfilment, command, profile)
    events: tuple[Event, ...] = ()
    if contents:
        if fulfilment.status not in IN_FULFILMENT:
            raise _not_possible("details are not taken", fulfilment)
        supplied = DetailsSupplied(
            at=context.at,
            application_id=fulfilment.application_id,
            omitted=tuple(name for name in fulfilment.omitted if name not in contents),
            sections={name: profile.digest(content) for name, content in contents.items()},
        )
        events = (supplied,)
        kept = {*merchant.named_sections, *supplied.sections.values()}
        profile = profile.with_sections(contents.values()).keeping(kept)
    may_follow = next_states("application", fulfilment.status, "supply_details")
    if "bank_details" in contents and SUBMITTED in may_follow:
        submitted = ApplicationSubmitted(at=context.at, application_id=fulfilment.application_id)
        events = (*events, submitted)
    return Decision(
        events, lambda after: _application_status(after, command.application_id), profile
    )


def _new_details(
    merchant: Merchant, fulfilment: Fulfilment, command: SupplyDetails, profile: Profile
) -> dict[str, Opaque]:
    """Return the details of *command* that are not held yet; other values of held ones conflict."""
    details, use = command.bank_details, command.intended_use_of_funds
    supplied = {
        "bank_details": None
        if details is None or details == BankDetails()
        else details_section(details),
        "intended_use_of_funds": None if use is None else Opaque.of(use),
    }
    held = {
        "bank_details": fulfilment.sections.get("bank_details"),
        "intended_use_of_funds": merchant.sections.get("intended_use_of_funds"),
    }
    new: dict[str, Opaque] = {}
    for name, content in supplied.items():
        if content is None or profile.digest(content) == held[name]:
            continue
        if name not in fulfilment.omitted:
            raise Refusal("request_conflict", f"the application has another {name} already")
        new[name] = content
    return new


def close_application(
    merchant: Merchant, command: CloseApplication, context: Context, _: Configuration
) -> Decision[ApplicationStatus]:
    """
    Return the ending of an application; no events if it already has this status.

    Raises:
        Refusal: `application_not_found` or `not_possible_now`.
    """
    fulfilment = _fulfilment(merchant, command.application_id)
    events: tuple[Event, ...] = ()
    if fulfilment.status != command.status:
        if command.status not in next_states("application", fulfilment.status, "close_application"):
            raise _not_possible(f"it cannot be {command.status}", fulfilment)
        closed = ApplicationClosed(
            at=context.at, application_id=fulfilment.application_id, status=command.status
        )
        events = (closed,)
    return Decision(events, lambda after: _application_status(after, command.application_id))


def fund_deal(
    merchant: Merchant, command: FundDeal, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the funding of a submitted application; no events if it was funded before.

    Raises:
        Refusal: `application_not_found`, `not_possible_now` or `active_deal`.
    """
    fulfilment = _fulfilment(merchant, command.application_id)
    if fulfilment.status == FUNDED_APPLICATION:
        assert fulfilment.deal_id is not None, "a funded application names its deal"
        return Decision((), deal_receipt(fulfilment.deal_id, command))
    deal_id, events = _funding(merchant, fulfilment, context, configuration)
    return Decision(events, deal_receipt(deal_id, command))


def _funding(
    merchant: Merchant, fulfilment: Fulfilment, context: Context, configuration: Configuration
) -> tuple[str, tuple[Event, ...]]:
    """Return the id of the new deal, and the events that begin it and settle its base deal."""
    if FUNDED_APPLICATION not in next_states("application", fulfilment.status, "fund_deal"):
        raise _not_possible("it cannot be funded", fulfilment)
    base, active = merchant.deal_of(fulfilment.base_deal_id), merchant.active_deal
    if active is not None and (base is None or active.id != base.id):
        raise Refusal("active_deal", "the merchant has an active deal")
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("not_possible_now", "the deal that it would renew has ended")
    today = configuration.local_day(merchant, context.at)
    offer = fulfilment.offer
    make_id = configuration.id_factory(merchant, context.request_id)
    deal = Deal(
        id=make_id("deal", fulfilment.application_id),
        application_id=fulfilment.application_id,
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
        return deal.id, (funded,)
    # The new funds pay what is left of the base deal; what they do not cover stays on it as a
    # shortfall (decisions/renewal).
    settled = min(active.balance, offer.funded_amount)
    renewed = DealRenewed(at=context.at, deal_id=active.id, settled=settled, on=today)
    return deal.id, (renewed, funded)


def _fulfilment(merchant: Merchant, application_id: str) -> Fulfilment:
    fulfilment = merchant.fulfilment_of(application_id)
    if fulfilment is None:
        raise Refusal("application_not_found", "no accepted application has this application_id")
    return fulfilment


def _application_status(after: Merchant, application_id: str) -> ApplicationStatus:
    fulfilment = _fulfilment(after, application_id)
    return ApplicationStatus(
        application_id=application_id, status=fulfilment.status, omitted=fulfilment.omitted
    )


def _not_possible(what: str, fulfilment: Fulfilment) -> Refusal:
    status = fulfilment.status.replace("_", " ")
    return Refusal("not_possible_now", f"{what}: the application is {status}")
