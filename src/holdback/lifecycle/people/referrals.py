"""Referrals: what a person has to decide, and what the decision does (decisions/applications)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import get_args

from attrs import converters, field
from pendulum import DateTime

from holdback.errors import InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import ReferralDecided
from holdback.lifecycle.offers.funding_rules import waiting_funding
from holdback.lifecycle.operation import (
    Case,
    Decision,
    FreeText,
    PersonalCommand,
    Question,
    record_receipt,
)
from holdback.merchant.instants import as_instant, plus
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.referral import (
    APPROVE,
    Referral,
    ReferralDecision,
    ReferralEnding,
    Referrals,
)
from holdback.merchant.validators import one_of, optional, text


def _instant(value: datetime) -> DateTime:
    return as_instant(value, "$.until")


@frozen(kw_only=True)
class DecideReferral(PersonalCommand[RecordReceipt]):
    """
    Decide a referral: approve the product, or decline it, until the instant `until`.

    `by` is the host's identifier of the person, not a name. The note is kept in the profile.

    An approval lifts the referring rules that were false or unknown, for this product and this base
    deal: rules of offers or, once an offer was accepted, those of its funding. A decline makes the
    product `Declined`. Sets already issued do not change: the partner asks again.

    Raises:
        Refusal: `referral_not_found`, `not_possible_now` for an approval that would lift nothing,
            or `profile_erased`.
        InvalidDocument: `until` is not after now.
    """

    name = "decide_referral"

    application_id: str = field(validator=text)
    product: str = field(validator=text)
    decision: ReferralEnding = field(validator=one_of(*get_args(ReferralEnding)))
    by: str = field(validator=text)
    note: FreeText | None = field(default=None, repr=False, validator=optional(text))
    until: DateTime | None = field(default=None, converter=converters.optional(_instant))

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        referral = _referral(case, self)
        until = _until(case, self)
        if self.decision == APPROVE and not referral.rules:
            needs = f"; it needs {', '.join(referral.needs)}" if referral.needs else ""
            message = f"no rule refers it{needs}"
            raise Refusal("not_possible_now", message)
        sections, after = noted(self.note, case.profile)
        decision = ReferralDecision(
            application_id=referral.application_id,
            product=referral.product,
            decision=self.decision,
            decided_at=case.at,
            until=until,
            by=self.by,
            base_deal_id=referral.base_deal_id,
            rules=tuple(rule.digest for rule in referral.rules) if self.decision == APPROVE else (),
            sections={**referral.sections, **sections},
        )
        event = ReferralDecided(at=case.at, decision=decision)
        return Decision((event,), record_receipt, after)


def _open(case: Case) -> tuple[Referral, ...]:
    """Return what waits for a person now: products, or the funding of an accepted application."""
    funding = waiting_funding(case)
    return case.merchant.referrals if funding is None else (*case.merchant.referrals, funding)


def _referral(case: Case, command: DecideReferral) -> Referral:
    for referral in _open(case):
        if (referral.application_id, referral.product) == (command.application_id, command.product):
            return referral
    raise Refusal("referral_not_found", "no open referral has this application and this product")


def _until(case: Case, command: DecideReferral) -> DateTime:
    """Return until when the decision holds: as given, or for the jurisdiction's `approval_days`."""
    if command.until is None:
        days = case.rulebook().approval_days
        return plus(case.at, timedelta(days=days))
    if command.until <= case.at:
        message = "expected an instant after now"
        raise InvalidDocument.of("out_of_range", message, path="$.until")
    return command.until


def noted(note: str | None, profile: Profile) -> tuple[dict[str, str], Profile]:
    """Return the sections that name *note*, and the profile that holds it; neither without one."""
    if note is None:
        return {}, profile
    content = Opaque.of(note)
    return {"note": profile.digest(content)}, profile.with_sections((content,))


@frozen(kw_only=True)
class AskReferrals(Question[Referrals]):
    """Ask what a person has to decide about the merchant, and what was decided."""

    name = "referrals"
    by_provider = True

    def decide(self, case: Case) -> Decision[Referrals]:
        in_force = tuple(
            decision for decision in case.merchant.referral_decisions if case.at < decision.until
        )
        reply = Referrals(referrals=_open(case), decisions=in_force)
        return Decision((), lambda _: reply)
