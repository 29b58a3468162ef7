"""Cash in suspense: recorded when it has no deal to go to, then applied to a deal or sent back."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal, TypeAlias, get_args

from attrs import field

from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.ledger_operations import check_at_most, no_longer_lost
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import conflict, is_recorded, posted
from holdback.lifecycle.events import Event
from holdback.lifecycle.input_checks import suspense_errors
from holdback.lifecycle.operation import Case, Command, Decision, deal_receipt, suspense_receipt
from holdback.merchant.deal import DEFAULTS
from holdback.merchant.ledger import PAYMENT, RECOVERY, WRITE_OFF, Entry, EntryKind, Posting
from holdback.merchant.receipt import DealReceipt, SuspenseReceipt
from holdback.merchant.suspense import (
    SUSPENSE_APPLIED,
    SUSPENSE_REFUND,
    SUSPENSE_REVERSAL,
    SUSPENSE_TRANSFER,
    Suspense,
    SuspenseEntry,
    SuspenseKind,
)
from holdback.merchant.validators import amount, day, one_of, plain_day, text

# Where cash goes that leaves suspense without a deal, and the kind of its entry.
SuspenseEnding: TypeAlias = Literal["refund", "reversal", "transfer"]
_ENDINGS: Final[dict[str, SuspenseKind]] = {
    "refund": SUSPENSE_REFUND,
    "reversal": SUSPENSE_REVERSAL,
    "transfer": SUSPENSE_TRANSFER,
}


@frozen(kw_only=True)
class RecordSuspense(Command[SuspenseReceipt]):
    """
    Record cash that came in and has no deal to go to, under the `id` of its receipt.

    It needs no deal. An old receipt that is found late is of the day on which it was found.

    Raises:
        Refusal: `request_conflict` for other content under the id, or `suspense_closed` for a day
            of which nobody can tell any more whether the receipt was recorded.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "record_suspense"
    input_errors = staticmethod(suspense_errors)

    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[SuspenseReceipt]:
        self.check(case.input_context)
        entry = SuspenseEntry(id=self.id, on=self.on, amount=self.amount)
        is_new = not _is_recorded(case.merchant.suspense, entry)
        events = posted(case, (), (entry,)) if is_new else ()
        return Decision(events, suspense_receipt(self.id))


@frozen(kw_only=True)
class ApplySuspense(Command[DealReceipt]):
    """
    Apply cash in suspense, or a part of it, to a deal: at most what is owed on the deal.

    On the deal it is a payment, or a recovery if the deal has defaulted, with the `id` that is
    given. If the cash is taken back afterwards, the entry of the deal is reversed.

    Raises:
        Refusal: `deal_not_found`, `suspense_not_found`, `amount_not_possible`, `request_conflict`,
            `suspense_closed` or `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "apply_suspense"
    input_errors = staticmethod(suspense_errors)

    suspense_id: str = field(validator=text)
    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        taken = _taken(self, SUSPENSE_APPLIED, deal.id)
        events: tuple[Event, ...] = ()
        if not _is_recorded(case.merchant.suspense, taken):
            kind: EntryKind = RECOVERY if deal.status in DEFAULTS else PAYMENT
            paid = Entry(id=self.id, on=self.on, amount=self.amount, kind=kind)
            if is_recorded(deal, paid):  # the deal has a payment of this id that is not from here
                raise conflict(paid)
            _check_left(case.merchant.suspense, self)
            owed = Money(
                max(0, deal.outstanding + deal.written_off.minor + deal.fees), self.amount.currency
            )
            check_at_most(self.amount, owed, "applied: that is owed on the deal")
            after, id_ = deal.with_entries([paid]), case.make_id(WRITE_OFF, deal.id)
            entries = [paid, *no_longer_lost(deal, after, id_, self.on)]
            postings = [Posting(deal_id=deal.id, entry=entry) for entry in entries]
            events = posted(case, postings, (taken,))
        return Decision(events, deal_receipt(deal.id, self))


@frozen(kw_only=True)
class ReturnSuspense(Command[SuspenseReceipt]):
    """
    Record that cash in suspense, or a part of it, left again.

    `kind` says how: a `refund` to whom it came from, a `reversal` by the bank, or a `transfer` to
    another merchant, on which it is recorded.

    Raises:
        Refusal: `suspense_not_found`, `amount_not_possible`, `request_conflict` or
            `suspense_closed`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "return_suspense"
    input_errors = staticmethod(suspense_errors)

    suspense_id: str = field(validator=text)
    kind: SuspenseEnding = field(validator=one_of(*get_args(SuspenseEnding)))
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[SuspenseReceipt]:
        self.check(case.input_context)
        taken = _taken(self, _ENDINGS[self.kind])
        events: tuple[Event, ...] = ()
        if not _is_recorded(case.merchant.suspense, taken):
            _check_left(case.merchant.suspense, self)
            events = posted(case, (), (taken,))
        return Decision(events, suspense_receipt(self.suspense_id))


def _taken(
    command: ApplySuspense | ReturnSuspense, kind: SuspenseKind, deal_id: str | None = None
) -> SuspenseEntry:
    """Return the entry with which *command* takes cash of a receipt."""
    return SuspenseEntry(
        id=command.id,
        on=command.on,
        amount=command.amount,
        kind=kind,
        receipt=command.suspense_id,
        deal_id=deal_id,
    )


def _is_recorded(suspense: Suspense, entry: SuspenseEntry) -> bool:
    """
    Return whether *entry* was recorded before.

    Raises:
        Refusal: `request_conflict` for another content under its id, `suspense_not_found` for a
            receipt that is not held, or `suspense_closed` if nobody can tell any more.
    """
    held = suspense.entry_of(entry.id)
    if held is not None:
        if held != entry:
            message = f"entry `{entry.id}` was recorded with another content"
            raise Refusal("request_conflict", message)
        return True
    if entry.receipt is not None and suspense.left_of(entry.receipt) is None:
        message = "no cash in suspense has this suspense_id; the statement lists what is held"
        raise Refusal("suspense_not_found", message)
    if suspense.closed is not None and entry.on <= suspense.closed.through:
        through = suspense.closed.through
        message = (
            f"suspense is closed up to {through}; what is found late is of the day it is found"
        )
        raise Refusal("suspense_closed", message)
    return False


def _check_left(suspense: Suspense, command: ApplySuspense | ReturnSuspense) -> None:
    left = suspense.left_of(command.suspense_id)
    assert left is not None, "the receipt is held"
    check_at_most(command.amount, left, "taken: that is left of the cash")
