"""Receipts: what a servicing operation has done (service 1)."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.acceptance import ApplicationStatus


@frozen(kw_only=True)
class DealReceipt:
    """
    The receipt of an operation on a deal: the ids of its entries, and the balance after it.

    `sequence` is the number of the last event of the operation. If the operation changed nothing,
    it is that of the last event before.
    """

    deal_id: str
    entry_ids: tuple[str, ...] = ()
    sequence: int
    balance: Money


@frozen(kw_only=True)
class SettlementQuote:
    """
    What settles a deal early, if it is paid up to the end of the day `on`.

    `amount` is the `balance` less the `discount`. The `fees_owed` are owed beside it: what is paid
    beyond `amount` pays them.
    """

    deal_id: str
    on: date
    balance: Money
    discount: Money
    amount: Money
    fees_owed: Money


@frozen(kw_only=True)
class UnwindQuote:
    """
    What has to come back for a deal to be unwound on the day `on`, and the last day `until`.

    Where the deal cannot be unwound then, `reason` says why and `amount` is None. `until` is None
    of a deal without cooling-off days.
    """

    deal_id: str
    on: date
    amount: Money | None
    currency: str
    until: date | None
    reason: str | None


@frozen(kw_only=True)
class RefundableDeal:
    """What is due to the merchant of one deal: the `amount` that was paid beyond what was owed."""

    deal_id: str
    amount: Money
    currency: str


@frozen(kw_only=True)
class Refundable:
    """What is due to the merchant: its overpaid deals, oldest first."""

    deals: tuple[RefundableDeal, ...]


@frozen(kw_only=True)
class TakingsReceipt:
    """
    The receipt of recorded takings: the number of days, and how far takings are complete after it.

    `sequence` is as in `DealReceipt`.
    """

    days: int
    complete_through: date | None
    sequence: int


@frozen(kw_only=True)
class SuspenseReceipt:
    """
    The receipt of an operation on cash in suspense: what is `left` of it.

    `suspense_id` is the id with which it was recorded; `sequence` is as in `DealReceipt`.
    """

    suspense_id: str
    sequence: int
    left: Money


@frozen(kw_only=True)
class ProfileStatus:
    """The reply to an erasure: whether the merchant's profile is erased."""

    erased: bool


@frozen(kw_only=True)
class RecordReceipt:
    """The receipt of what was recorded about a merchant: the number of its last event."""

    sequence: int


# What a remembered request replied.
Receipt: TypeAlias = (
    DealReceipt | TakingsReceipt | ApplicationStatus | RecordReceipt | SuspenseReceipt
)
