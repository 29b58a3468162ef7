"""The rectification of a profile: the applicants or the company are corrected."""

from __future__ import annotations

from attrs import field

from holdback.errors import InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import ProfileRectified
from holdback.lifecycle.operation import Case, Decision, PersonalCommand, record_receipt
from holdback.merchant.application import CLOSED, PEOPLE, Applicants
from holdback.merchant.receipt import RecordReceipt


@frozen(kw_only=True)
class RectifyProfile(PersonalCommand[RecordReceipt]):
    """
    Correct the applicants or the company of the merchant: each section given replaces the one held.

    An address is part of them. Checks of a corrected section are to be made again, and an open
    referral about it ends (decisions/evidence#corrected-sections). No events if these are held.

    Raises:
        InvalidDocument: neither of them is given.
        Refusal: `not_possible_now` before the first acceptance, or `profile_erased`.
    """

    name = "rectify_profile"

    applicants: Applicants | None = field(default=None, repr=False, validator=CLOSED)
    company: Opaque | None = field(default=None, repr=False, validator=CLOSED)

    def __attrs_post_init__(self) -> None:
        if not self._given:
            message = "expected the applicants or the company, as they should be"
            raise InvalidDocument.of("missing", message, path="$.applicants")

    @property
    def _given(self) -> dict[str, Opaque]:
        given = {name: getattr(self, name) for name in PEOPLE}
        return {name: content for name, content in given.items() if content is not None}

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        merchant = case.merchant
        if merchant.provider_id is None:
            raise Refusal("not_possible_now", "no offer was accepted yet")
        if merchant.profile_erased:
            raise Refusal("profile_erased", "the merchant's profile was erased")
        changed = {
            name: digest
            for name, digest in case.profile.people_of(self).items()
            if merchant.sections.get(name) != digest
        }
        if not changed:
            return Decision((), record_receipt)
        event = ProfileRectified(at=case.at, sections=changed)
        return Decision((event,), record_receipt, case.profile.with_sections(self._given.values()))
