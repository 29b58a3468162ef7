"""
Whether what is known since offers were issued holds back an acceptance or a payout.

The terms that were promised hold, and a person decides (decisions/offers#since-the-offer).
"""

from __future__ import annotations

from holdback.errors import Refusal
from holdback.lifecycle.offers.renewal_eligibility import decision_in_force
from holdback.lifecycle.operation import Case
from holdback.merchant.known_deals import known_since
from holdback.merchant.merchant import Fulfilment, OfferSet
from holdback.merchant.referral import DECLINE


def held_back(case: Case, application: OfferSet | Fulfilment, product: str | None) -> list[str]:
    """Return, in words, what holds back an offer of the *product*; nothing most of the time."""
    merchant, base = case.merchant, application.base_deal_id
    reasons = ["the merchant is on hold"] if merchant.on_hold else []
    reasons += known_since(application.known_deals, merchant.deals)
    decision = None if product is None else decision_in_force(merchant, product, base, case.at)
    if decision is not None and decision.decision == DECLINE:
        reasons.append("a person declined the product")
    return reasons


def check_offer(case: Case, offer_set: OfferSet, product: str) -> None:
    """
    Refuse what a partner asks of an offer while something holds it back.

    The partner reads one sentence, for every reason: it must not learn of a hold.

    Raises:
        Refusal: `referred`.
    """
    if held_back(case, offer_set, product):
        raise Refusal("referred", "a person decides first; the offer stays open until it expires")
