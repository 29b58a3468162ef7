"""
What was known of a merchant's deals when offers were issued, and what is worse since then.

Offers promise their terms, on what was known of the merchant's deals. What is known against the
merchant since then holds back an acceptance and a payout (decisions/offers#since-the-offer).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.deal import DEFAULTED, DEFAULTS, FUNDED, Deal

_GROWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "written_off": "a part of a deal was written off",
        "shortfall": "a deal that has ended is not paid in full",
        "overpaid": "a refund is due",
    }
)


@frozen(kw_only=True)
class KnownDeal:
    """A deal at an instant: its status, what is left to pay or to give back, and what was lost."""

    deal_id: str
    status: str
    shortfall: Money
    written_off: Money
    overpaid: Money

    @classmethod
    def of(cls, deal: Deal) -> KnownDeal:
        """Return what is known of *deal*."""
        return cls(
            deal_id=deal.id,
            status=deal.status,
            shortfall=deal.shortfall,
            written_off=deal.written_off,
            overpaid=deal.overpaid,
        )

    @property
    def is_settled(self) -> bool:
        """Whether the deal has ended without anything that is owed, lost or to be given back."""
        owed = self.shortfall.minor or self.written_off.minor or self.overpaid.minor
        return self.status not in {FUNDED, *DEFAULTS} and not owed


def known_deals_of(deals: Iterable[Deal]) -> tuple[KnownDeal, ...]:
    """Return what is known of those *deals* that are not settled."""
    return tuple(deal for deal in map(KnownDeal.of, deals) if not deal.is_settled)


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
