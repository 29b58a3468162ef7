"""The erasure of a merchant's personal data, and when it must wait."""

from __future__ import annotations

from holdback.errors import Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import ProfileErased
from holdback.lifecycle.operation import Case, Decision, PersonalCommand
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import ProfileStatus
from holdback.rules.values import days_text


@frozen(kw_only=True)
class EraseProfile(PersonalCommand[ProfileStatus]):
    """
    Erase the merchant's personal data, and withdraw its open offers.

    With it go the results of checks that the state holds (`evolve` says what else). Journal and
    decisions stay whole: they name sections that nobody can read any more
    (decisions/documents#what-an-erasure-leaves).

    Raises:
        Refusal: `erasure_not_possible` on hold, in fulfilment, with a balance, an overpayment or
            cash in suspense, within the jurisdiction's `retain_profile_days` of the end of the last
            deal, or after a deal whose jurisdiction is not loaded.
    """

    name = "erase_profile"
    remembered = False

    def decide(self, case: Case) -> Decision[ProfileStatus]:
        # A new application after an erasure has brought new personal data, and so have new checks.
        merchant = case.merchant
        personal = any(merchant.named_sections) or merchant.checks or merchant.consents
        if merchant.profile_erased and not personal:
            return Decision((), _erased, case.profile.erased())
        why = _obstacle(case)
        if why is not None:
            raise Refusal("erasure_not_possible", why)
        return Decision((ProfileErased(at=case.at),), _erased, case.profile.erased())


def _erased(_: Merchant) -> ProfileStatus:
    return ProfileStatus(erased=True)


def _obstacle(case: Case) -> str | None:
    """Return why the profile must be kept, None if it need not."""
    if case.merchant.on_hold:
        return "the merchant is on hold"
    if case.merchant.in_fulfilment is not None:
        return "an application of the merchant is in fulfilment"
    if any(deal.active or deal.balance.minor for deal in case.merchant.deals):
        return "a deal of the merchant has a balance"
    if any(deal.overpaid.minor for deal in case.merchant.deals):
        return "the merchant has overpaid, and a refund may be due"
    if case.merchant.suspense.balance:
        return "cash of the merchant is in suspense"
    ended = [deal.ended_on for deal in case.merchant.deals if deal.ended_on is not None]
    if not ended:
        return None
    rulebook = case.loaded_rulebook()
    if rulebook is None:
        return "the jurisdiction is not loaded, which says for how long a profile is kept"
    days = (rulebook.on - max(ended)).days
    if days < rulebook.retain_profile_days:
        left = days_text(rulebook.retain_profile_days - days)
        return f"the last deal ended {days_text(days)} ago; the profile is kept for {left} more"
    return None
