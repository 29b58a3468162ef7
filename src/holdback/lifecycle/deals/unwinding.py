"""The undoing of a deal within its cooling-off days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from attrs import field

from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import is_recorded
from holdback.lifecycle.events import DealUnwound, EntriesPosted, Event
from holdback.lifecycle.input_checks import unwinding_errors
from holdback.lifecycle.operation import Case, Command, Decision, deal_receipt
from holdback.lifecycle.transitions import next_states
from holdback.merchant.deal import RENEWED, UNWOUND, Deal
from holdback.merchant.ledger import (
    CHARGE_CANCELLED,
    DISCOUNT,
    PRINCIPAL_RETURN,
    SETTLEMENT,
    Entry,
    EntryKind,
    Posting,
)
from holdback.merchant.merchant import FUNDED_APPLICATION, IN_FULFILMENT, Merchant
from holdback.merchant.receipt import DealReceipt
from holdback.merchant.validators import amount, day, plain_day, text


@frozen(kw_only=True)
class UnwindDeal(Command[DealReceipt]):
    """
    Undo a deal within its cooling-off days; `amount` is the principal that came back.

    The merchant has returned the principal: what it was funded with, less what that settled of the
    base deal, less what it has paid. What it paid beyond is overpaid. The charge is cancelled.
    The deal that it renewed is active again.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "unwind_deal"
    input_errors = staticmethod(unwinding_errors)

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        returned = Entry(id=self.id, on=self.on, amount=self.amount, kind=PRINCIPAL_RETURN)
        events: tuple[Event, ...] = ()
        if not is_recorded(deal, returned):
            _check_may_unwind(case.merchant, deal, self)
            base = case.merchant.deal_of(deal.base_deal_id)
            if base is not None and base.status != RENEWED:
                base = None  # it was repaid before the funding, which settled nothing of it
            settled = 0 if base is None else base.settled.minor
            charge = _charge_left(deal)
            due = Money(max(0, deal.outstanding - charge - settled), self.amount.currency)
            if self.amount != due:
                message = f"the principal that comes back is {due}"
                raise Refusal("amount_not_possible", message)
            lines: list[tuple[EntryKind, int, str | None]] = [(CHARGE_CANCELLED, charge, None)]
            if base is not None:
                lines.append((SETTLEMENT, settled, base.id))
            entries = [
                returned,
                *(
                    Entry(
                        id=case.make_id(kind, deal.id),
                        on=self.on,
                        amount=Money(minor, due.currency),
                        kind=kind,
                        counterpart=counterpart,
                    )
                    for kind, minor, counterpart in lines
                    if minor
                ),
            ]
            postings = tuple(Posting(deal_id=deal.id, entry=entry) for entry in entries)
            base_id = None if base is None else base.id
            events = (
                EntriesPosted(at=case.at, postings=postings),
                DealUnwound(at=case.at, deal_id=deal.id, on=self.on, base_deal_id=base_id),
            )
        return Decision(events, deal_receipt(deal.id, self))


def _charge_left(deal: Deal) -> int:
    """Return the charge of *deal*, without what the discount of a settlement took off it."""
    charge, discount = deal.repayment_amount - deal.funded_amount, deal.credits.get(DISCOUNT)
    return max(0, charge.minor - (0 if discount is None else discount.minor))


def _check_may_unwind(merchant: Merchant, deal: Deal, command: UnwindDeal) -> None:
    for why in _obstacles(merchant, deal, command):
        raise Refusal("not_possible_now", why)


def _obstacles(merchant: Merchant, deal: Deal, command: UnwindDeal) -> Iterator[str]:
    """Yield why *deal* cannot be undone."""
    if UNWOUND not in next_states("deal", deal.status, "unwind_deal"):
        yield f"the deal is {deal.status.lower()}"
    days = deal.cooling_off_days or 0
    if (command.on - deal.funded_on).days > days or not days:
        yield f"the deal can be undone for {days} days after its funding, {deal.funded_on}"
    base = merchant.deal_of(deal.base_deal_id)
    if base is not None and base.status == RENEWED and merchant.active_deal not in {None, deal}:
        yield "the deal that it renewed cannot be active beside another active deal"
    accepted = [fulfilment.application_id for fulfilment in merchant.fulfilments]
    # One that is no longer remembered came before those that are.
    place = accepted.index(deal.application_id) if deal.application_id in accepted else -1
    if any(
        later.status in {*IN_FULFILMENT, FUNDED_APPLICATION}
        for later in merchant.fulfilments[place + 1 :]
    ):
        yield "an offer was accepted after it"
