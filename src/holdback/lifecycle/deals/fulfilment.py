"""An accepted application on its way through fulfilment: details, an ending, or a funded deal."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Literal, TypeAlias, get_args

from attrs import field
from pendulum import DateTime

from holdback.eligibility.assessment import FLOOR, FLOOR_PERCENT
from holdback.eligibility.reasons import PERSON
from holdback.errors import InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import (
    ApplicationClosed,
    ApplicationSubmitted,
    DealFunded,
    DealRenewed,
    DetailsSupplied,
    Event,
    SignatureRecorded,
)
from holdback.lifecycle.input_checks import late_record_errors
from holdback.lifecycle.offers.disclosure_gate import check_disclosed, signed_disclosure
from holdback.lifecycle.offers.funding_rules import funding_answers, funding_held_back
from holdback.lifecycle.operation import (
    Case,
    Command,
    Decision,
    FreeText,
    PersonalCommand,
    deal_receipt,
)
from holdback.lifecycle.people.bank_details import (
    check_details,
    completes,
    may_submit,
    needed_details,
)
from holdback.lifecycle.transitions import next_states
from holdback.merchant.acceptance import ApplicationStatus, BankDetails
from holdback.merchant.deal import FUNDED, INITIAL, RENEWAL, REPAID, Deal
from holdback.merchant.instants import plus
from holdback.merchant.merchant import (
    DECLINED_APPLICATION,
    FUNDED_APPLICATION,
    IN_FULFILMENT,
    Fulfilment,
    Merchant,
    Signature,
)
from holdback.merchant.profile import details_section
from holdback.merchant.receipt import DealReceipt
from holdback.merchant.validators import (
    day,
    instance_of,
    one_of,
    optional,
    optional_day,
    text,
)

# The words that end an application early, which it takes as its status.
ApplicationEnding: TypeAlias = Literal["declined", "withdrawn"]


@frozen(kw_only=True)
class SupplyDetails(PersonalCommand[ApplicationStatus]):
    """
    Supply details that the application omitted: bank details, the intended use of funds, or both.

    With complete bank details the application is submitted.

    Raises:
        Refusal: `application_not_found`, `not_possible_now`, `request_conflict` or
            `profile_erased`.
    """

    name = "supply_details"

    application_id: str = field(validator=text)
    bank_details: BankDetails | None = field(
        default=None,
        repr=False,
        validator=optional(instance_of(BankDetails, "bank details, `BankDetails`")),
    )
    intended_use_of_funds: FreeText | None = field(
        default=None, repr=False, validator=optional(text)
    )

    def decide(self, case: Case) -> Decision[ApplicationStatus]:
        fulfilment = find_fulfilment(case.merchant, self.application_id)
        rulebook = case.loaded_rulebook()
        needed = needed_details(rulebook)
        check_details(self.bank_details, needed)
        profile = case.profile
        contents = _new_details(case, fulfilment, self, needed)
        events: tuple[Event, ...] = ()
        if contents:
            if fulfilment.status not in IN_FULFILMENT:
                raise _not_possible("details are not taken", fulfilment)
            supplied = DetailsSupplied(
                at=case.at,
                application_id=fulfilment.application_id,
                omitted=_still_omitted(fulfilment, contents, self, needed),
                sections={name: case.profile.digest(content) for name, content in contents.items()},
            )
            events = (supplied,)
            profile = profile.with_sections(contents.values())
        if contents and completes(fulfilment, supplied.omitted):
            submitted = ApplicationSubmitted(at=case.at, application_id=fulfilment.application_id)
            events = (*events, submitted)
        return Decision(
            events, lambda after: _application_status(after, self.application_id), profile
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


def _new_details(
    case: Case, fulfilment: Fulfilment, command: SupplyDetails, needed: tuple[str, ...]
) -> dict[str, Opaque]:
    """
    Return the details of *command* that are not held yet; other values of held ones conflict.

    Complete bank details that are held and omitted are new: they are in doubt since a payout came
    back, and are confirmed.
    """
    details, use = command.bank_details, command.intended_use_of_funds
    supplied = {
        "bank_details": None
        if details is None or details == BankDetails()
        else details_section(details),
        "intended_use_of_funds": None if use is None else Opaque.of(use),
    }
    held = {
        "bank_details": fulfilment.sections.get("bank_details"),
        "intended_use_of_funds": case.merchant.sections.get("intended_use_of_funds"),
    }
    in_doubt = "bank_details" in fulfilment.omitted and not (details or BankDetails()).lacks(needed)
    new: dict[str, Opaque] = {}
    for name, content in supplied.items():
        confirmed = in_doubt and name == "bank_details"
        if content is None or (case.profile.digest(content) == held[name] and not confirmed):
            continue
        if name not in fulfilment.omitted:
            raise Refusal("request_conflict", f"the application has another {name} already")
        new[name] = content
    return new


@frozen(kw_only=True)
class CloseApplication(Command[ApplicationStatus]):
    """
    End an application in fulfilment without a deal.

    Raises:
        Refusal: `application_not_found` or `not_possible_now`.
    """

    name = "close_application"

    application_id: str = field(validator=text)
    status: ApplicationEnding = field(validator=one_of(*get_args(ApplicationEnding)))

    def decide(self, case: Case) -> Decision[ApplicationStatus]:
        fulfilment = find_fulfilment(case.merchant, self.application_id)
        events: tuple[Event, ...] = ()
        if fulfilment.status != self.status:
            if self.status not in next_states(
                "application", fulfilment.status, "close_application"
            ):
                raise _not_possible(f"it cannot be {self.status}", fulfilment)
            closed = ApplicationClosed(
                at=case.at,
                application_id=fulfilment.application_id,
                status=self.status,
                code=PERSON if self.status == DECLINED_APPLICATION else None,
            )
            events = (closed,)
        return Decision(events, lambda after: _application_status(after, self.application_id))


@frozen(kw_only=True)
class FundDeal(Command[DealReceipt]):
    """
    Fund a submitted application: its deal begins, and a renewal settles its base deal.

    The money was paid out on the day `on`, None for today. What is known now decides.

    Raises:
        Refusal: `application_not_found`, `not_possible_now`, `active_deal`, or `referred` when
            something is known against the merchant since the offers were issued, or a funding rule
            is not true; `not_disclosed` where the law asks for it first; `request_conflict` if it
            was funded on another day.
        InvalidDocument: the day is more than a week ago, or before what the funding follows.
    """

    name = "fund_deal"
    input_errors = staticmethod(late_record_errors)

    application_id: str = field(validator=text)
    on: date | None = field(default=None, converter=optional_day, validator=optional(day))

    def decide(self, case: Case) -> Decision[DealReceipt]:
        fulfilment = find_fulfilment(case.merchant, self.application_id)
        funded = _funded_before(case, fulfilment)
        if funded is not None:
            if self.on not in {None, funded.funded_on}:
                message = f"the deal was funded on {funded.funded_on}, and keeps that day"
                raise Refusal("request_conflict", message)
            return Decision((), deal_receipt(funded.id, self))
        self.check(case.input_context)
        funded_on = case.day if self.on is None else _checked_day(case, fulfilment, self.on)
        deal_id, events = _funding(case, fulfilment, funded_on)
        return Decision(events, deal_receipt(deal_id, self))


def _funded_before(case: Case, fulfilment: Fulfilment) -> Deal | None:
    """
    Return the deal that this request has funded, or the deal of a funded application.

    A request is known by the id that it made: one that arrives late again, when its payout has come
    back and it is no longer remembered, must not fund a second deal.
    """
    earlier = _deals_of(case, fulfilment.application_id)
    ids = (_deal_id(case, fulfilment.application_id, place) for place in range(len(earlier)))
    own = next((deal for deal, id_ in zip(earlier, ids, strict=True) if deal.id == id_), None)
    return own or case.merchant.deal_of(fulfilment.deal_id)


def _funding(case: Case, fulfilment: Fulfilment, funded_on: date) -> tuple[str, tuple[Event, ...]]:
    """Return the id of the new deal, and the events that begin it and settle its base deal."""
    if FUNDED_APPLICATION not in next_states("application", fulfilment.status, "fund_deal"):
        raise _not_possible("it cannot be funded", fulfilment)
    answered = funding_answers(case, fulfilment)
    reasons = funding_held_back(case, fulfilment, answered)
    if reasons:
        raise Refusal("referred", f"a person decides first: {', and '.join(reasons)}")
    check_disclosed(case, fulfilment.offer.offer_id, funded_on=funded_on)
    base, active = case.merchant.deal_of(fulfilment.base_deal_id), case.merchant.active_deal
    if active is not None and (base is None or active.id != base.id):
        raise Refusal("active_deal", "the merchant has an active deal")
    if active is not None and fulfilment.queued:
        raise Refusal("not_possible_now", "the deal that it follows is not repaid yet")
    _check_funding(fulfilment, base)
    offer, application_id = fulfilment.offer, fulfilment.application_id
    deal = Deal(
        id=_deal_id(case, application_id, len(_deals_of(case, application_id))),
        application_id=application_id,
        type=INITIAL if base is None else RENEWAL,
        funded_on=funded_on,
        funded_amount=offer.funded_amount,
        repayment_amount=offer.repayment_amount,
        factor_rate=offer.factor_rate,
        split_percentage=offer.split_percentage,
        term_length=offer.term_length,
        term_days=offer.term_days,
        fee_terms=offer.fees,
        renewals=0 if base is None else _renewals_after(base),
        settled=Money(0, offer.funded_amount.currency),
        **_terms(case, fulfilment, active, funded_on),
    )
    decided_by_rules = answered is not None and answered.answers.ruleset.rules
    record = answered.record() if answered is not None and decided_by_rules else None
    funded = DealFunded(at=case.at, deal=deal, decision=record)
    if active is None:
        return deal.id, (funded,)
    # The new funds pay what is left of the base deal; what they do not cover stays on it as a
    # shortfall (decisions/renewal).
    settled = min(active.balance, offer.funded_amount)
    renewed = DealRenewed(at=case.at, deal_id=active.id, settled=settled, on=funded_on)
    return deal.id, (renewed, funded)


def _renewals_after(base: Deal) -> int:
    """Return the number of renewals in a row with one of *base*; 0 where nobody knows it."""
    before = base.renewals_in_chain
    return 0 if before is None else before + 1


def _checked_day(case: Case, fulfilment: Fulfilment, on: date) -> date:
    """Return the day *on* of a funding, which may not come before what the funding follows."""
    accepted_on = case.configuration.local_day(case.merchant, fulfilment.accepted_at)
    before = [(accepted_on, "the acceptance")]
    for deal in case.merchant.deals:
        if deal.active:  # what it has after the payout would be settled as well
            before.append(
                (deal.recorded_until, "the last day of which the active deal has something")
            )
        elif deal.ended_on is not None:
            before.append((deal.ended_on, "the end of an earlier deal"))
    first, what = max(before)
    if on < first:
        message = f"expected a day on or after {what}, {first.isoformat()}"
        raise InvalidDocument.of("out_of_range", message, path="$.on")
    return on


def _deals_of(case: Case, application_id: str) -> list[Deal]:
    """Return the deals of an application: each but the last is one whose payout came back."""
    return [deal for deal in case.merchant.deals if deal.application_id == application_id]


def _deal_id(case: Case, application_id: str, place: int) -> str:
    """Return the id that this request makes for the deal of an application at this *place*."""
    number = (str(place + 1),) if place else ()
    return case.make_id("deal", application_id, *number)


def _terms(
    case: Case, fulfilment: Fulfilment, active: Deal | None, funded_on: date
) -> dict[str, Any]:
    """Return what the deal needs of its jurisdiction, and of the deal that is renewed, later on."""
    rulebook = case.configuration.loaded_rulebook_on(case.merchant, funded_on)
    return {
        "base_deal_id": None if active is None else active.id,
        "product": fulfilment.product,
        "priced_on": fulfilment.priced_on,
        "cooling_off_days": None if rulebook is None else rulebook.cooling_off_days,
        "late_remittances": None if rulebook is None else rulebook.late_remittances,
    }


def _check_funding(fulfilment: Fulfilment, base: Deal | None) -> None:
    """
    Refuse a funding if the deal to be renewed allows it no longer, or a signature is missing.

    The application stays submitted until it lapses.
    """
    if base is not None and base.status not in {FUNDED, REPAID}:
        raise Refusal("not_possible_now", "the deal that it would renew has ended")
    if base is not None and base.progress < FLOOR:
        message = f"less than {FLOOR_PERCENT} percent of the deal that it would renew is paid down"
        raise Refusal("not_possible_now", message)
    if fulfilment.signature_before is not None and fulfilment.signature is None:
        raise Refusal("not_possible_now", "the contract is not signed")


def lapses_from_now(case: Case) -> DateTime | None:
    """Return when an application lapses that can be funded from now on; None without rules."""
    rulebook = case.loaded_rulebook()
    if rulebook is None:
        return None
    # Lifting a hold moves the lapse by the whole time on hold: until then the days of acceptance
    # count from the beginning of the hold.
    since = min([case.at, *(hold.placed_at for hold in case.merchant.holds)])
    return plus(since, timedelta(days=rulebook.acceptance_days))


@frozen(kw_only=True)
class RecordSignature(Command[ApplicationStatus]):
    """
    Record that the merchant signed: the host's name of the document, and its digest.

    Another document replaces it until the funding, because a contract may be made anew. The digest
    of the offer's disclosure signs that, and no contract.

    Raises:
        Refusal: `application_not_found` or `not_possible_now`.
    """

    name = "record_signature"

    application_id: str = field(validator=text)
    document: str = field(validator=text)
    digest: str = field(validator=text)

    def decide(self, case: Case) -> Decision[ApplicationStatus]:
        fulfilment = find_fulfilment(case.merchant, self.application_id)
        disclosed = signed_disclosure(case.merchant, fulfilment, self.digest)
        held = fulfilment.signature if disclosed is None else disclosed.signature
        events: tuple[Event, ...] = ()
        if held is None or (held.document, held.digest) != (self.document, self.digest):
            if fulfilment.status not in IN_FULFILMENT:
                raise _not_possible("it is not signed", fulfilment)
            signature = Signature(document=self.document, digest=self.digest, signed_at=case.at)
            application_id = fulfilment.application_id
            signed = SignatureRecorded(
                at=case.at, application_id=application_id, signature=signature
            )
            events = (signed,)
            if disclosed is None and may_submit(fulfilment, signed=True):
                submitted = ApplicationSubmitted(at=case.at, application_id=application_id)
                events = (signed, submitted)
        return Decision(events, lambda after: _application_status(after, self.application_id))


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
