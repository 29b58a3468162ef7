"""
Whether what is known since offers were issued holds back an acceptance or a payout.

The terms that were promised hold, and a person decides (decisions/offers#since-the-offer).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from holdback.errors import Refusal
from holdback.lifecycle.offers.renewal_eligibility import decision_in_force
from holdback.lifecycle.operation import Case
from holdback.merchant.deal import DEFAULTED, DEFAULTS, FUNDED, Deal
from holdback.merchant.merchant import Fulfilment, KnownDeal, OfferSet
from holdback.merchant.referral import DECLINE

_GROWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "written_off": "a part of a deal was written off",
        "shortfall": "a deal that has ended is not paid in full",
        "overpaid": "a refund is due",
    }
)


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


def known_since(before: Iterable[KnownDeal], deals: Iterable[Deal]) -> tuple[str, ...]:
    """
    Return, in words, what is worse with the *deals* than it was *before*, each once.

    A deal that is not among them was settled. What was put right since then no longer counts.
    """
    earlier = {deal.deal_id: deal for deal in before}
    worse = (
        reason for deal in deals for reason in _worse(earlier.get(deal.id), KnownDeal.of(deal))
    )
    return tuple(dict.fromkeys(worse))


def _worse(before: KnownDeal | None, now: KnownDeal) -> Iterator[str]:
    status = None if before is None else before.status
    # What had paid or settled a default may bounce.
    again = now.status == DEFAULTED and status != DEFAULTED
    if again or (now.status in DEFAULTS and status not in DEFAULTS):
        yield "a deal has defaulted"
    if now.status == FUNDED and status != FUNDED:
        yield "a deal is active again"
    for name, reason in _GROWN.items():
        was = 0 if before is None else getattr(before, name).minor
        if getattr(now, name).minor > was:
            yield reason
