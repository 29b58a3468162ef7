"""What an operation decides, and the outcome when it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from attrs import evolve, field

from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import Event, OfferAccepted, OfferRequoted, OffersIssued
from holdback.lifecycle.offers.invitation import Invitation
from holdback.merchant.merchant import Merchant
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import DealReceipt, Receipt, RecordReceipt, TakingsReceipt

Reply_co = TypeVar("Reply_co", covariant=True)

# What a partner can find a merchant by, besides its own merchant_id.
NameKind: TypeAlias = Literal["offer_id", "provider_id"]


@frozen
class Decision(Generic[Reply_co]):
    """
    The events of a command, and its reply as a function of the merchant after them.

    The reply is a function because some replies show the state after the events, and because a host
    that stores events alone never asks for it. `profile` is None where it does not change. `errors`
    are those of the host's calculators that made a renewal ineligible. `invitation` is what the
    decisions on all products of a renewal lead to, so that they are not made twice.
    """

    events: tuple[Event, ...]
    reply: Callable[[Merchant], Reply_co]
    profile: Profile | None = None
    errors: tuple[ErrorDetail, ...] = ()
    invitation: Invitation | None = None


@frozen
class Outcome(Generic[Reply_co]):
    """
    The outcome of an operation: the reply to send, the events, and the documents to store.

    Without events nothing has changed: the operation is a question or was carried out before.
    `profile` is the one to store: the one that was given, changed or not; None if none was given.
    `errors` are those of the host's calculators that kept a renewal from being eligible: the host
    repairs them, and no partner sees them.
    """

    reply: Reply_co
    events: tuple[Event, ...]
    merchant: Merchant
    profile: Profile | None = field(default=None, repr=False)
    errors: tuple[ErrorDetail, ...] = ()

    @property
    def names(self) -> tuple[tuple[NameKind, str], ...]:
        """
        The names by which the partner can find the merchant from now on, each with its kind.

        A host that finds merchants by them stores them beside the merchant. A partner's merchant
        keeps its provider_id, so that one may be stored already.
        """
        return tuple(name for event in self.events for name in _names_in(event))


def _names_in(event: Event) -> Iterator[tuple[NameKind, str]]:
    if isinstance(event, OffersIssued):
        for product in event.offer_set.products:
            for offer in product.offers:
                yield "offer_id", offer.offer_id
    elif isinstance(event, OfferRequoted):
        for offer in event.offers:
            yield "offer_id", offer.offer_id
    elif isinstance(event, OfferAccepted):
        yield "provider_id", event.provider_id


# -- The receipts of servicing operations, and the replies to requests that are repeated.

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
