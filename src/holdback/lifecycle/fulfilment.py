"""An accepted application on its way through fulfilment: details, an ending, or a funded deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from pendulum import DateTime

from holdback.eligibility.assessment import FLOOR, FLOOR_PERCENT
from holdback.errors import Refusal
from holdback.exact.exact_json import Opaque
from holdback.exact.money import Money
from holdback.lifecycle.bank_details import check_details, may_submit, needed_details
from holdback.lifecycle.commands import CloseApplication, FundDeal, RecordSignature, SupplyDetails
from holdback.lifecycle.configuration import FIRST_FORMAT, Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import (
    ApplicationClosed,
    ApplicationLapsed,
    ApplicationSubmitted,
    DealFunded,
    DealRenewed,
    DetailsSupplied,
    Event,
    SignatureRecorded,
)
from holdback.lifecycle.receipts import deal_receipt
from holdback.lifecycle.transitions import next_states
from holdback.merchant.acceptance import ApplicationStatus, BankDetails
from holdback.merchant.deal import DEFAULTED, FUNDED, INITIAL, RECOVERED, RENEWAL, REPAID, Deal
from holdback.merchant.merchant import (
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    Fulfilment,
    Merchant,
    Signature,
)
from holdback.merchant.profile import Profile, details_section
from holdback.merchant.receipt import DealReceipt


def supply_details(
    merchant: Merchant,
    command: SupplyDetails,
    context: Context,
    configuration: Configuration,
    profile: Profile,
) -> Decision[ApplicationStatus]:
    """
    Return the supply of omitted details; with bank details the application is submitted.

    Raises:
        Refusal: `application_not_found`, `not_possible_now`, `request_conflict` or
            `profile_erased`.
    """
    fulfilment = find_fulfilment(merchant, command.application_id)
    rulebook = configuration.loaded_rulebook(merchant, context.at)
    needed = needed_details(rulebook, configuration)
    check_details(command.bank_details, needed)
    contents = _new_details(merchant, fulfilment, command, profile)
    events: tuple[Event, ...] = ()
    if contents:
        if fulfilment.status not in IN_FULFILMENT:
            raise _not_possible("details are not taken", fulfilment)
        supplied = DetailsSupplied(
            at=context.at,
            application_id=fulfilment.application_id,
            omitted=_still_omitted(fulfilment, contents, command, needed),
            sections={name: profile.digest(content) for name, content in contents.items()},
        )
        events = (supplied,)
        kept = {*merchant.named_sections, *supplied.sections.values()}
        profile = profile.with_sections(contents.values()).keeping(kept)
    if contents and _completes(fulfilment, supplied.omitted):
        submitted = ApplicationSubmitted(at=context.at, application_id=fulfilment.application_id)
        events = (*events, submitted)
    return Decision(
        events, lambda after: _application_status(after, command.application_id), profile
    )


def _still_omitted(
    fulfilment: Fulfilment,
    contents: Mapping[str, Opaque],
    command: SupplyDetails,
    needed: tuple[str, ...],
) -> tuple[str, ...]:
    """Return what is omitted after the *contents*; incomplete bank details still are."""
    details = command.bank_details
    incomplete = "bank_details" in contents and details is not None and details.lacks(needed)
    return tuple(
        name
        for name in fulfilment.omitted
        if name not in contents or (name == "bank_details" and incomplete)
    )


def _completes(fulfilment: Fulfilment, omitted: tuple[str, ...]) -> bool:
    """Return whether the application is complete when only *omitted* is missing."""
    after = attrs.evolve(fulfilment, omitted=omitted)
    return may_submit(after, signed=fulfilment.signature is not None)


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
    fulfilment = find_fulfilment(merchant, command.application_id)
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
    fulfilment = find_fulfilment(merchant, command.application_id)
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
    if active is not None and fulfilment.queued:
        raise Refusal("not_possible_now", "the deal that it follows is not repaid yet")
    today = configuration.local_day(merchant, context.at)
    _check_funding(merchant, fulfilment, base, configuration)
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
        **_terms(merchant, fulfilment, active, context, configuration),
    )
    funded = DealFunded(at=context.at, deal=deal)
    if active is None:
        return deal.id, (funded,)
    # The new funds pay what is left of the base deal; what they do not cover stays on it as a
    # shortfall (decisions/renewal).
    settled = min(active.balance, offer.funded_amount)
    renewed = DealRenewed(at=context.at, deal_id=active.id, settled=settled, on=today)
    return deal.id, (renewed, funded)


def _terms(
    merchant: Merchant,
    fulfilment: Fulfilment,
    active: Deal | None,
    context: Context,
    configuration: Configuration,
) -> dict[str, Any]:
    """Return what the deal needs of its jurisdiction, and of the deal that is renewed, later on."""
    rulebook = configuration.loaded_rulebook(merchant, context.at)
    if configuration.format == FIRST_FORMAT:
        return {}
    return {
        "base_deal_id": None if active is None else active.id,
        "product": fulfilment.product,
        "priced_on": fulfilment.priced_on,
        "cooling_off_days": None if rulebook is None else rulebook.cooling_off_days,
        "late_remittances": None if rulebook is None else rulebook.late_remittances,
    }


def _check_funding(
    merchant: Merchant, fulfilment: Fulfilment, base: Deal | None, configuration: Configuration
) -> None:
    """
    Refuse a funding if what the acceptance relied on has changed.

    The application stays submitted until it lapses.
    """
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("not_possible_now", "the deal that it would renew has ended")
    if configuration.format == FIRST_FORMAT:
        return  # processes of the first version, which know no more, may still run
    if merchant.on_hold:
        raise Refusal("not_possible_now", "it cannot be funded now")
    accepted_on = configuration.local_day(merchant, fulfilment.accepted_at)
    if any(
        deal.status in {DEFAULTED, RECOVERED}
        and deal.closed_on is not None
        and deal.closed_on >= accepted_on
        for deal in merchant.deals
    ):
        raise Refusal("not_possible_now", "a deal defaulted after the acceptance")
    if base is not None and base.progress < FLOOR:
        message = f"less than {FLOOR_PERCENT} percent of the deal that it would renew is paid down"
        raise Refusal("not_possible_now", message)
    if fulfilment.signature_before is not None and fulfilment.signature is None:
        raise Refusal("not_possible_now", "the contract is not signed")


def lapse(merchant: Merchant, at: DateTime) -> tuple[Event, ...]:
    """
    Return the lapse of the application in fulfilment, if it was not funded in time.

    Nothing lapses on hold: that time does not count.
    """
    waiting = merchant.in_fulfilment
    if waiting is None or waiting.lapses_at is None or merchant.on_hold or at < waiting.lapses_at:
        return ()
    return (ApplicationLapsed(at=at, application_id=waiting.application_id),)


def record_signature(
    merchant: Merchant, command: RecordSignature, context: Context, _: Configuration
) -> Decision[ApplicationStatus]:
    """
    Return the signature of the contract; no events if this document was signed before.

    Another document replaces it until the funding, because a contract may be made anew.

    Raises:
        Refusal: `application_not_found` or `not_possible_now`.
    """
    fulfilment = find_fulfilment(merchant, command.application_id)
    held = fulfilment.signature
    events: tuple[Event, ...] = ()
    if held is None or (held.document, held.digest) != (command.document, command.digest):
        if fulfilment.status not in IN_FULFILMENT:
            raise _not_possible("it is not signed", fulfilment)
        signature = Signature(
            document=command.document, digest=command.digest, signed_at=context.at
        )
        application_id = fulfilment.application_id
        signed = SignatureRecorded(
            at=context.at, application_id=application_id, signature=signature
        )
        events = (signed,)
        if may_submit(fulfilment, signed=True):
            submitted = ApplicationSubmitted(at=context.at, application_id=application_id)
            events = (signed, submitted)
    return Decision(events, lambda after: _application_status(after, command.application_id))


def find_fulfilment(merchant: Merchant, application_id: str) -> Fulfilment:
    """
    Return the accepted application with *application_id*.

    Raises:
        Refusal: `application_not_found`.
    """
    fulfilment = merchant.fulfilment_of(application_id)
    if fulfilment is None:
        raise Refusal("application_not_found", "no accepted application has this application_id")
    return fulfilment


def _application_status(after: Merchant, application_id: str) -> ApplicationStatus:
    fulfilment = find_fulfilment(after, application_id)
    return ApplicationStatus(
        application_id=application_id, status=fulfilment.status, omitted=fulfilment.omitted
    )


def _not_possible(what: str, fulfilment: Fulfilment) -> Refusal:
    status = fulfilment.status.replace("_", " ")
    return Refusal("not_possible_now", f"{what}: the application is {status}")
