"""Replies of the first format, in which servicing operations showed the whole deal.

While a host writes format 1, its processes of the version before still answer so, and the answers
of both have one form (how-to/upgrade).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from attrs import frozen

from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.lookup import deal_reply
from holdback.model.deal import LookupDeal
from holdback.model.merchant import Merchant
from holdback.model.receipt import DealReceipt


@frozen(kw_only=True)
class TakingsHeld:
    """The reply of the first format about takings: the days held, and how far they are complete."""

    days: int
    complete_through: date | None


_Reply: TypeAlias = Callable[[Merchant, Any], Any]


def _deal(
    context: Context, configuration: Configuration
) -> Callable[[Merchant, DealReceipt], LookupDeal]:
    def reply(after: Merchant, receipt: DealReceipt) -> LookupDeal:
        return deal_reply(receipt.deal_id, context, configuration)(after)

    return reply


def _takings(_: Context, __: Configuration) -> Callable[[Merchant, Any], TakingsHeld]:
    def reply(after: Merchant, _: Any) -> TakingsHeld:
        return TakingsHeld(days=len(after.takings), complete_through=after.takings_complete_through)

    return reply


_REPLIES: Final[Mapping[str, Callable[[Context, Configuration], _Reply]]] = MappingProxyType(
    {
        "fund_deal": _deal,
        "record_remittance": _deal,
        "close_deal": _deal,
        "record_takings": _takings,
    }
)


def first_format_reply(
    operation: str, context: Context, configuration: Configuration
) -> _Reply | None:
    """Return the function of merchant and receipt that replies in the first format, or None."""
    reply = _REPLIES.get(operation)
    return None if reply is None else reply(context, configuration)
