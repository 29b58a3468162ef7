"""The receipts of servicing operations, and the replies to requests that are repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import evolve

from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import DealReceipt, Receipt, RecordReceipt, TakingsReceipt

_R = TypeVar("_R")


def deal_receipt(deal_id: str, command: Any) -> Callable[[Merchant], DealReceipt]:
    """Return the reply of *command*, which is about one deal."""

    def reply(after: Merchant) -> DealReceipt:
        deal = after.deal_of(deal_id)
        assert deal is not None, "the operation was about this deal"
        return DealReceipt(
            deal_id=deal_id,
            entry_ids=_entry_ids(command),
            sequence=after.sequence,
            balance=deal.balance,
        )

    return reply


def takings_receipt(days: int) -> Callable[[Merchant], TakingsReceipt]:
    """Return the reply of a command that recorded *days* of takings."""

    def reply(after: Merchant) -> TakingsReceipt:
        return TakingsReceipt(
            days=days, complete_through=after.takings_complete_through, sequence=after.sequence
        )

    return reply


def record_receipt(after: Merchant) -> RecordReceipt:
    """Return the reply of a command that recorded something about the merchant."""
    return RecordReceipt(sequence=after.sequence)


def without_entries(receipt: _R) -> _R:
    """Return *receipt* as it is remembered: a repeated command has its entries again."""
    return evolve(receipt, entry_ids=()) if isinstance(receipt, DealReceipt) else receipt


def repeated_reply(receipt: Receipt, command: Any) -> Receipt:
    """Return the reply to *command*, which was carried out before with this *receipt*."""
    if isinstance(receipt, DealReceipt):
        return evolve(receipt, entry_ids=_entry_ids(command))
    return receipt


def _entry_ids(command: Any) -> tuple[str, ...]:
    entries = getattr(command, "entries", ())
    movement = getattr(command, "id", None)  # of a command about one movement
    return tuple(entry.id for entry in entries) + (() if movement is None else (movement,))
