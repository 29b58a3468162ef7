"""Referrals: what a person has to decide, and what the decision does (decisions/referrals)."""

from __future__ import annotations

from datetime import timedelta

from pendulum import DateTime

from holdback.errors import InvalidDocument, Refusal
from holdback.exact.exact_json import Opaque
from holdback.lifecycle.commands import AskReferrals, DecideReferral
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import Event, ReferralDecided
from holdback.lifecycle.receipts import record_receipt
from holdback.merchant.instants import plus
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.referral import APPROVE, Referral, ReferralDecision, Referrals


def decide_referral(
    merchant: Merchant,
    command: DecideReferral,
    context: Context,
    configuration: Configuration,
    profile: Profile,
) -> Decision[RecordReceipt]:
    """
    Return a person's decision about a product that was referred.

    An approval lifts the referring rules that were false or unknown, for this product and this base
    deal; a decline makes the product `Declined`. Sets already issued do not change: the partner
    asks again.

    Raises:
        Refusal: `referral_not_found`, `not_possible_now` for an approval that would lift nothing,
            or `profile_erased`.
        InvalidDocument: `until` is not after now.
    """
    referral = _referral(merchant, command)
    until = _until(merchant, command, context, configuration)
    if command.decision == APPROVE and not referral.rules:
        message = f"no rule refers it; it needs {', '.join(referral.needs)}"
        raise Refusal("not_possible_now", message)
    sections, after = noted(command.note, merchant, profile)
    decision = ReferralDecision(
        application_id=referral.application_id,
        product=referral.product,
        decision=command.decision,
        decided_at=context.at,
        until=until,
        by=command.by,
        base_deal_id=referral.base_deal_id,
        rules=tuple(rule.digest for rule in referral.rules) if command.decision == APPROVE else (),
        sections=sections,
    )
    events: tuple[Event, ...] = (ReferralDecided(at=context.at, decision=decision),)
    return Decision(events, record_receipt, after)


def _referral(merchant: Merchant, command: DecideReferral) -> Referral:
    for referral in merchant.referrals:
        if (referral.application_id, referral.product) == (command.application_id, command.product):
            return referral
    raise Refusal("referral_not_found", "no open referral has this application and this product")


def _until(
    merchant: Merchant, command: DecideReferral, context: Context, configuration: Configuration
) -> DateTime:
    """Return until when the decision holds: as given, or for the jurisdiction's `approval_days`."""
    if command.until is None:
        days = configuration.rulebook(merchant, context.at).approval_days
        return plus(context.at, timedelta(days=days))
    if command.until <= context.at:
        message = "expected an instant after now"
        raise InvalidDocument.of("out_of_range", message, path="$.until")
    return command.until


def noted(note: str | None, merchant: Merchant, profile: Profile) -> tuple[dict[str, str], Profile]:
    """Return the sections that name *note*, and the profile that holds it; neither without one."""
    if note is None:
        return {}, profile
    content = Opaque.of(note)
    digest = profile.digest(content)
    kept = {*merchant.named_sections, digest}
    return {"note": digest}, profile.with_sections((content,)).keeping(kept)


def ask_referrals(
    merchant: Merchant, _: AskReferrals, context: Context, __: Configuration
) -> Decision[Referrals]:
    """Return the open referrals of the merchant, and the decisions that are in force."""
    in_force = tuple(
        decision for decision in merchant.referral_decisions if context.at < decision.until
    )
    reply = Referrals(referrals=merchant.referrals, decisions=in_force)
    return Decision((), lambda _: reply)
