"""The commands that put a ledger right: refunds, transfers, recoveries, write-offs, adjustments."""

from __future__ import annotations

from datetime import date

from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import Event
from holdback.lifecycle.input_checks import check_input
from holdback.lifecycle.lookup import find_deal
from holdback.lifecycle.money_commands import Adjust, RecordRecovery, Refund, Transfer, WriteOff
from holdback.lifecycle.postings import is_recorded, posted
from holdback.lifecycle.receipts import deal_receipt
from holdback.merchant.deal import CANCELLED, DEFAULTED, FUNDED, RECOVERED, UNWOUND, Deal
from holdback.merchant.ledger import (
    ADJUSTMENT,
    RECOVERY,
    REFUND,
    TRANSFER,
    WRITE_OFF,
    Entry,
    EntryKind,
    Posting,
)
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import DealReceipt


def refund(
    merchant: Merchant, command: Refund, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the refund of what was overpaid; no events if the entry was recorded before.

    Raises:
        Refusal: `deal_not_found`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """
    deal, entry = _entry(merchant, command, REFUND, context, configuration)
    events: tuple[Event, ...] = ()
    if not is_recorded(deal, entry):
        check_at_most(command.amount, deal.overpaid, "refunded: that was overpaid")
        events = posted(merchant, [Posting(deal_id=deal.id, entry=entry)], context, configuration)
    return Decision(events, deal_receipt(deal.id, command))


def transfer(
    merchant: Merchant, command: Transfer, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the transfer of what was overpaid to another deal; the receipt is of that deal.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """
    source = find_deal(merchant, command.from_deal_id)
    target = find_deal(merchant, command.to_deal_id)
    check_input(command, configuration.situation(merchant, context))
    halves = transfer_halves(source, target, command.id, command.on, command.amount)
    recorded = [
        is_recorded(deal, half.entry) for deal, half in zip((source, target), halves, strict=True)
    ]
    events: tuple[Event, ...] = ()
    if not all(recorded):
        if any(recorded):  # a half alone: the id is that of another movement
            raise Refusal("request_conflict", f"entry `{command.id}` was recorded before")
        check_at_most(command.amount, source.overpaid, "transferred: that was overpaid")
        owed = max(target.balance, target.shortfall)
        check_at_most(command.amount, owed, "transferred: that is owed on the other deal")
        events = posted(merchant, halves, context, configuration)
    return Decision(events, deal_receipt(target.id, command))


def transfer_halves(
    source: Deal, target: Deal, id_: str, on: date, amount: Money
) -> tuple[Posting, Posting]:
    """Return both halves of a transfer, of which neither is ever recorded alone."""
    out = Money(-amount.minor, amount.currency)
    return (
        Posting(
            deal_id=source.id,
            entry=Entry(id=id_, on=on, amount=out, kind=TRANSFER, counterpart=target.id),
        ),
        Posting(
            deal_id=target.id,
            entry=Entry(id=id_, on=on, amount=amount, kind=TRANSFER, counterpart=source.id),
        ),
    )


def record_recovery(
    merchant: Merchant, command: RecordRecovery, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the recovery of money after a default; it takes back what was written off too early.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """
    deal, entry = _entry(merchant, command, RECOVERY, context, configuration)
    events: tuple[Event, ...] = ()
    if not is_recorded(deal, entry):
        if deal.status not in {DEFAULTED, RECOVERED}:
            message = f"a recovery follows a default: the deal is {deal.status.lower()}"
            raise Refusal("not_possible_now", message)
        make_id = configuration.id_factory(merchant, context.request_id)
        after, id_ = deal.with_entries([entry]), make_id(WRITE_OFF, deal.id)
        entries = [entry, *no_longer_lost(deal, after, id_, command.on)]
        postings = [Posting(deal_id=deal.id, entry=posting) for posting in entries]
        events = posted(merchant, postings, context, configuration)
    return Decision(events, deal_receipt(deal.id, command))


def no_longer_lost(before: Deal, after: Deal, id_: str, on: date) -> tuple[Entry, ...]:
    """
    Return the entry that takes back what was written off and has come in *after* all, if any has.

    Otherwise the merchant would have overpaid what it owed.
    """
    beyond = after.overpaid.minor - before.overpaid.minor
    taken_back = min(beyond, after.written_off.minor)
    if taken_back <= 0:
        return ()
    amount = Money(-taken_back, after.overpaid.currency)
    return (Entry(id=id_, on=on, amount=amount, kind=WRITE_OFF),)


def write_off(
    merchant: Merchant, command: WriteOff, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the writing off of what is left to pay on a deal that has ended.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """
    deal, entry = _entry(merchant, command, WRITE_OFF, context, configuration)
    events: tuple[Event, ...] = ()
    if not is_recorded(deal, entry):
        if deal.status == FUNDED:
            raise Refusal("not_possible_now", "the deal is active: nothing of it is lost yet")
        left = max(deal.balance, deal.shortfall)
        check_at_most(command.amount, left, "written off: that is left to pay")
        events = posted(merchant, [Posting(deal_id=deal.id, entry=entry)], context, configuration)
    return Decision(events, deal_receipt(deal.id, command))


def adjust(
    merchant: Merchant, command: Adjust, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return a correction of what is owed, without money.

    It never makes a merchant overpay, never takes what is to be refunded, and never makes a deal
    cost more than its repayment amount.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """
    deal, entry = _entry(merchant, command, ADJUSTMENT, context, configuration)
    events: tuple[Event, ...] = ()
    if not is_recorded(deal, entry):
        left, currency = deal.outstanding, command.amount.currency
        if deal.status == DEFAULTED and 0 < left == command.amount.minor:
            # Nobody has paid: the deal has not recovered.
            raise Refusal("not_possible_now", "what is left of a default is written off")
        if deal.status in {CANCELLED, UNWOUND}:
            raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
        if left < 0:
            message = "the deal is overpaid: refund or transfer that first"
            raise Refusal("not_possible_now", message)
        if command.amount.minor > 0:
            check_at_most(command.amount, Money(left, currency), "taken off: that is owed")
        else:
            raised = Money(-command.amount.minor, currency)
            room = Money(max(0, deal.repayment_amount.minor - left), currency)
            check_at_most(raised, room, "added: more would be owed than the repayment amount")
        events = posted(merchant, [Posting(deal_id=deal.id, entry=entry)], context, configuration)
    return Decision(events, deal_receipt(deal.id, command))


def _entry(
    merchant: Merchant,
    command: Refund | RecordRecovery | WriteOff | Adjust,
    kind: EntryKind,
    context: Context,
    configuration: Configuration,
) -> tuple[Deal, Entry]:
    """Return the deal that *command* is about, and the entry that it asks for."""
    deal = find_deal(merchant, command.deal_id)
    check_input(command, configuration.situation(merchant, context))
    return deal, Entry(id=command.id, on=command.on, amount=command.amount, kind=kind)


def check_at_most(amount: Money, most: Money, what: str) -> None:
    """
    Refuse an *amount* above the *most* that can be.

    Raises:
        Refusal: `amount_not_possible`.
    """
    if amount > most:
        raise Refusal("amount_not_possible", f"at most {most} can be {what}")
