"""The commands that put a ledger right: refunds, transfers, recoveries, write-offs, adjustments."""

from __future__ import annotations

from datetime import date
from typing import ClassVar

from attrs import field

from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import is_recorded, posted
from holdback.lifecycle.events import Event
from holdback.lifecycle.input_checks import adjustment_errors, amount_errors
from holdback.lifecycle.operation import Case, Command, Decision, Question, deal_receipt
from holdback.merchant.deal import CANCELLED, DEFAULTED, DEFAULTS, FUNDED, SETTLED, UNWOUND, Deal
from holdback.merchant.ledger import (
    ADJUSTMENT,
    RECOVERY,
    REFUND,
    TRANSFER,
    WAIVER,
    WRITE_OFF,
    Entry,
    EntryKind,
    Posting,
    SignedMoney,
)
from holdback.merchant.receipt import DealReceipt, Refundable, RefundableDeal
from holdback.merchant.validators import amount, day, plain_day, text


@frozen(kw_only=True)
class LedgerCommand(Command[DealReceipt]):
    """A command that posts an entry of its own to the ledger of a deal, and what goes with it."""

    kind: ClassVar[EntryKind]
    input_errors = staticmethod(amount_errors)

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        events: tuple[Event, ...] = ()
        if not is_recorded(deal, self.entry):
            self.check_possible(deal)
            entries = (self.entry, *self.with_it(case, deal))
            events = posted(case, [Posting(deal_id=deal.id, entry=entry) for entry in entries])
        return Decision(events, deal_receipt(deal.id, self))

    @property
    def entry(self) -> Entry:
        """The entry that it asks for."""
        return Entry(id=self.id, on=self.on, amount=self.amount, kind=self.kind)

    def check_possible(self, deal: Deal) -> None:
        """
        Check that *deal* takes the entry.

        Raises:
            Refusal: it does not.
        """
        raise NotImplementedError

    def with_it(self, case: Case, deal: Deal) -> tuple[Entry, ...]:  # noqa: ARG002 - of those that post more
        """Return the entries that are posted with it."""
        return ()


@frozen(kw_only=True)
class Refund(LedgerCommand):
    """
    Record that money was given back to the merchant: at most what was overpaid.

    Raises:
        Refusal: `deal_not_found`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "refund"
    kind = REFUND

    def check_possible(self, deal: Deal) -> None:
        check_at_most(self.amount, deal.overpaid, "refunded: that was overpaid")


@frozen(kw_only=True)
class AskRefundable(Question[Refundable]):
    """Ask what is due to the merchant, by deal: what `refund` or `transfer` takes at most."""

    name = "refundable"

    def decide(self, case: Case) -> Decision[Refundable]:
        due = tuple(
            RefundableDeal(deal_id=deal.id, amount=deal.overpaid, currency=deal.currency)
            for deal in case.merchant.deals
            if deal.overpaid.minor
        )
        reply = Refundable(deals=due)
        return Decision((), lambda _: reply)


@frozen(kw_only=True)
class Transfer(Command[DealReceipt]):
    """
    Move what was overpaid on one deal to another deal of the merchant, which owes as much.

    The receipt is of the deal that receives it.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "transfer"
    input_errors = staticmethod(amount_errors)

    from_deal_id: str = field(validator=text)
    to_deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        source = find_deal(case.merchant, self.from_deal_id)
        target = find_deal(case.merchant, self.to_deal_id)
        self.check(case.input_context)
        halves = transfer_halves(source, target, self.id, self.on, self.amount)
        recorded = [
            is_recorded(deal, half.entry)
            for deal, half in zip((source, target), halves, strict=True)
        ]
        events: tuple[Event, ...] = ()
        if not all(recorded):
            if any(recorded):  # a half alone: the id is that of another movement
                raise Refusal("request_conflict", f"entry `{self.id}` was recorded before")
            check_at_most(self.amount, source.overpaid, "transferred: that was overpaid")
            owed = max(target.balance, target.shortfall)
            if not target.written_off.minor:  # which is paid before fees are, by a recovery
                owed += target.fees_owed
            check_at_most(self.amount, owed, "transferred: that is owed on the other deal")
            events = posted(case, halves)
        return Decision(events, deal_receipt(target.id, self))


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


@frozen(kw_only=True)
class RecordRecovery(LedgerCommand):
    """
    Record money that came in after a default.

    It takes back what was written off too early. Paid in full, the deal is `Recovered`.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "record_recovery"
    kind = RECOVERY

    def check_possible(self, deal: Deal) -> None:
        if deal.status not in DEFAULTS:
            message = f"a recovery follows a default: the deal is {deal.status.lower()}"
            raise Refusal("not_possible_now", message)

    def with_it(self, case: Case, deal: Deal) -> tuple[Entry, ...]:
        after, id_ = deal.with_entries([self.entry]), case.make_id(WRITE_OFF, deal.id)
        return no_longer_lost(deal, after, id_, self.on)


def no_longer_lost(before: Deal, after: Deal, id_: str, on: date) -> tuple[Entry, ...]:
    """
    Return the entry that takes back what was written off and has come in *after* all, if any has.

    Otherwise the merchant would have overpaid what it owed.
    """
    taken_back = min(after.excess - before.excess, after.written_off.minor)
    if taken_back <= 0:
        return ()
    amount = Money(-taken_back, after.overpaid.currency)
    return (Entry(id=id_, on=on, amount=amount, kind=WRITE_OFF),)


@frozen(kw_only=True)
class WriteOff(LedgerCommand):
    """
    Give up what is left to pay on a deal that has ended, or a part of it.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "write_off"
    kind = WRITE_OFF

    def check_possible(self, deal: Deal) -> None:
        if deal.status == FUNDED:
            raise Refusal("not_possible_now", "the deal is active: nothing of it is lost yet")
        left = max(deal.balance, deal.shortfall)
        check_at_most(self.amount, left, "written off: that is left to pay")


@frozen(kw_only=True)
class WaiveRest(LedgerCommand):
    """
    Settle a default for what has come in: all that is left to pay is waived, as was agreed.

    `amount` is what is left, and what was written off. If a payment is taken back, so is the
    waiver, and the deal is in default again.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible` for another amount than
            is left, `request_conflict` or `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "waive_rest"
    kind = WAIVER

    def check_possible(self, deal: Deal) -> None:
        if deal.status != DEFAULTED:
            message = f"the rest of a default is waived: the deal is {deal.status.lower()}"
            raise Refusal("not_possible_now", message)
        if deal.fees_owed.minor:
            message = f"{deal.fees_owed} is owed in fees: `waive_fee` first"
            raise Refusal("not_possible_now", message)
        lost = deal.written_off
        left = Money(deal.outstanding + lost.minor, lost.currency)
        if self.amount != left:
            message = f"{left} is left to pay: all of it is waived, or nothing"
            raise Refusal("amount_not_possible", message)

    def with_it(self, case: Case, deal: Deal) -> tuple[Entry, ...]:
        lost = deal.written_off
        return (_taken_back(lost, WRITE_OFF, case, deal, self.on),) if lost.minor else ()


def no_longer_waived(case: Case, after: Deal) -> tuple[Entry, ...]:
    """Return the entry that takes back the waiver of a settled deal, if *after* owes again."""
    if after.status != SETTLED or after.outstanding <= 0:
        return ()
    return (_taken_back(after.waived, WAIVER, case, after, case.day),)


def _taken_back(amount: Money, kind: EntryKind, case: Case, deal: Deal, on: date) -> Entry:
    """Return the entry that takes back an *amount* which *deal* no longer asked for."""
    id_ = case.make_id(kind, deal.id)
    return Entry(id=id_, on=on, amount=Money(-amount.minor, amount.currency), kind=kind)


@frozen(kw_only=True)
class Adjust(LedgerCommand):
    """
    Correct what is owed without money: a positive amount lowers it, a negative one raises it.

    It never makes a merchant overpay, never takes what is to be refunded, and never makes a deal
    cost more than its repayment amount. A negative one reopens a repaid deal, as a reversal does.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "adjust"
    kind = ADJUSTMENT
    input_errors = staticmethod(adjustment_errors)

    amount: SignedMoney = field(validator=amount)

    def check_possible(self, deal: Deal) -> None:
        left, currency = deal.outstanding, self.amount.currency
        if deal.status == DEFAULTED and 0 < left == self.amount.minor:
            # Nobody has paid: the deal has not recovered.
            raise Refusal("not_possible_now", "what is left of a default is written off")
        if deal.status in {CANCELLED, SETTLED, UNWOUND}:
            raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
        if deal.overpaid.minor or (left < 0 < self.amount.minor):
            message = "the deal is paid beyond its repayment amount: that comes first"
            raise Refusal("not_possible_now", message)
        if self.amount.minor > 0:
            check_at_most(self.amount, Money(left, currency), "taken off: that is owed")
        else:
            raised = Money(-self.amount.minor, currency)
            room = Money(max(0, deal.repayment_amount.minor - left), currency)
            check_at_most(raised, room, "added: more would be owed than the repayment amount")


def check_at_most(amount: Money, most: Money, what: str) -> None:
    """
    Refuse an *amount* above the *most* that can be.

    Raises:
        Refusal: `amount_not_possible`.
    """
    if amount > most:
        raise Refusal("amount_not_possible", f"at most {most} can be {what}")
