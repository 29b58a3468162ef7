"""Bank details: which fields a jurisdiction takes and needs, and their correction by agents."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, field

from holdback.errors import ErrorDetail, InvalidDocument, Refusal, did_you_mean
from holdback.exact.exact_json import field_path
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import ApplicationSubmitted, BankDetailsChanged, Event
from holdback.lifecycle.operation import Case, Decision, PersonalCommand, record_receipt
from holdback.merchant.acceptance import SPECIFIED_DETAILS, BankDetails
from holdback.merchant.merchant import AWAITING_DETAILS, BEFORE_SUBMISSION, Fulfilment
from holdback.merchant.profile import details_section
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.validators import instance_of
from holdback.rulebooks.rulebook import Rulebook


def needed_details(rulebook: Rulebook | None) -> tuple[str, ...]:
    """Return the fields of complete bank details; with none named, any details are complete."""
    return () if rulebook is None else rulebook.bank_details


def check_details(details: BankDetails | None, named: tuple[str, ...]) -> None:
    """
    Refuse fields that are neither the service's nor *named* by the jurisdiction.

    Raises:
        InvalidDocument: naming every such field.
    """
    errors = [] if details is None else list(_not_taken(details, named))
    if errors:
        raise InvalidDocument(errors)


def _not_taken(details: BankDetails, named: tuple[str, ...]) -> Iterator[ErrorDetail]:
    taken = (*SPECIFIED_DETAILS, *named)
    for name in details.more:
        if name not in taken:
            yield ErrorDetail(
                code="unknown_field",
                message="unknown field",
                path=field_path("$.bank_details", name),
                hint=did_you_mean(name, taken),
            )


def may_submit(fulfilment: Fulfilment, *, signed: bool) -> bool:
    """Return whether *fulfilment*, which awaits details, is complete."""
    waits_for_signature = fulfilment.signature_before == BEFORE_SUBMISSION and not signed
    return (
        fulfilment.status == AWAITING_DETAILS
        and "bank_details" not in fulfilment.omitted
        and not waits_for_signature
    )


def completes(fulfilment: Fulfilment, omitted: tuple[str, ...]) -> bool:
    """Return whether the application is complete when only *omitted* is missing."""
    after = evolve(fulfilment, omitted=omitted)
    return may_submit(after, signed=fulfilment.signature is not None)


@frozen(kw_only=True)
class ChangeBankDetails(PersonalCommand[RecordReceipt]):
    """
    Correct the bank details of the application in fulfilment, or change those that are held.

    An application that lacked nothing else is submitted. No events if these details are held,
    unless the application waits for them because its payout came back: then they are confirmed.

    Raises:
        InvalidDocument: naming every field that is missing or not taken.
        Refusal: `not_possible_now` before the first acceptance, or `profile_erased`.
    """

    name = "change_bank_details"

    bank_details: BankDetails = field(
        repr=False, validator=instance_of(BankDetails, "bank details, `BankDetails`")
    )

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        if case.merchant.provider_id is None:
            raise Refusal("not_possible_now", "no offer was accepted yet")
        rulebook = case.loaded_rulebook()
        details = self.bank_details
        needed = needed_details(rulebook)
        check_details(details, needed)
        lacking = details.lacks(needed)
        if lacking:
            raise InvalidDocument(
                ErrorDetail(
                    code="missing", message="the field is missing", path=f"$.bank_details.{name}"
                )
                for name in lacking
            )
        section = details_section(details)
        digest, fulfilment = case.profile.digest(section), case.merchant.in_fulfilment
        held = case.merchant if fulfilment is None else fulfilment
        waits = fulfilment is not None and "bank_details" in fulfilment.omitted
        if not waits and held.sections.get("bank_details") == digest == case.merchant.sections.get(
            "bank_details"
        ):
            return Decision((), record_receipt)
        changed = BankDetailsChanged(
            at=case.at,
            application_id=None if fulfilment is None else fulfilment.application_id,
            omitted=()
            if fulfilment is None
            else tuple(name for name in fulfilment.omitted if name != "bank_details"),
            sections={"bank_details": digest},
        )
        events: tuple[Event, ...] = (changed,)
        if fulfilment is not None and completes(fulfilment, changed.omitted):
            submitted = ApplicationSubmitted(at=case.at, application_id=fulfilment.application_id)
            events = (changed, submitted)
        return Decision(events, record_receipt, case.profile.with_sections((section,)))
