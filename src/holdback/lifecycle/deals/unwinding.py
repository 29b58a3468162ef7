"""The undoing of a deal: the merchant gives its money back, or the payout never arrived."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from attrs import evolve, field

from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.fulfilment import lapses_from_now
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import is_recorded
from holdback.lifecycle.events import DealUnwound, EntriesPosted, Event, PayoutReturned
from holdback.lifecycle.input_checks import (
    movement_errors,
    unwind_quote_errors,
    unwinding_errors,
)
from holdback.lifecycle.operation import Case, Command, Decision, Question, deal_receipt
from holdback.lifecycle.people.bank_details import needed_details
from holdback.lifecycle.transitions import next_states
from holdback.merchant.deal import DEFAULTED, RENEWED, UNWOUND, Deal
from holdback.merchant.ledger import (
    CHARGE_CANCELLED,
    DISCOUNT,
    PAYOUT_RETURN,
    PRINCIPAL_RETURN,
    SETTLEMENT,
    Entry,
    EntryKind,
    Posting,
)
from holdback.merchant.merchant import FUNDED_APPLICATION, IN_FULFILMENT, Merchant
from holdback.merchant.receipt import DealReceipt, UnwindQuote
from holdback.merchant.validators import amount, day, optional, optional_day, plain_day, text


@frozen(kw_only=True)
class UnwindDeal(Command[DealReceipt]):
    """
    Undo a deal within its cooling-off days; `amount` is the principal that came back.

    The merchant cancelled on the day `cancelled_on`, None for the day `on` of the money. The days
    are counted to it, and the money comes back within 30 days of it.

    The merchant has returned the principal: what it was funded with, less what that settled of the
    base deal, less what it has paid. What it paid beyond is overpaid. The charge is cancelled.
    The deal that it renewed is active again.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: a day or the amount is invalid.
    """

    name = "unwind_deal"
    input_errors = staticmethod(unwinding_errors)

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)
    cancelled_on: date | None = field(default=None, converter=optional_day, validator=optional(day))

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        returned = Entry(id=self.id, on=self.on, amount=self.amount, kind=PRINCIPAL_RETURN)
        events: tuple[Event, ...] = ()
        if not is_recorded(deal, returned):
            for why in _obstacles(case.merchant, deal, self.cancelled_on or self.on):
                raise Refusal("not_possible_now", why)
            base = _renewed_by(case.merchant, deal)
            due = _principal_left(deal, base)
            if self.amount != due:
                message = f"the principal that comes back is {due}"
                raise Refusal("amount_not_possible", message)
            base_id = None if base is None else base.id
            events = (
                _undoing(case, deal, base, returned),
                DealUnwound(
                    at=case.at,
                    deal_id=deal.id,
                    on=self.on,
                    base_deal_id=base_id,
                    cancelled_on=self.cancelled_on,
                ),
            )
        return Decision(events, deal_receipt(deal.id, self))


@frozen(kw_only=True)
class QuoteUnwinding(Question[UnwindQuote]):
    """
    Ask what has to come back for a deal to be unwound on the day `on`, and until when it can be.

    The days are as in `unwind_deal`, and may still come. It is said of what is recorded now; where
    the deal cannot be unwound so, the reason is.

    Raises:
        Refusal: `deal_not_found`.
        InvalidDocument: a day is before the funding, or the cancellation does not fit the money.
    """

    name = "unwind_quote"
    input_errors = staticmethod(unwind_quote_errors)

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    cancelled_on: date | None = field(default=None, converter=optional_day, validator=optional(day))

    def decide(self, case: Case) -> Decision[UnwindQuote]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        reason = next(_obstacles(case.merchant, deal, self.cancelled_on or self.on), None)
        due = _principal_left(deal, _renewed_by(case.merchant, deal))
        days = deal.cooling_off_days
        quote = UnwindQuote(
            deal_id=deal.id,
            on=self.on,
            amount=due if reason is None else None,
            currency=deal.currency,
            until=deal.funded_on + timedelta(days=days) if days else None,
            reason=reason,
        )
        return Decision((), lambda _: quote)


@frozen(kw_only=True)
class ReturnPayout(Command[DealReceipt]):
    """
    Undo a funding whose payout came back whole, on any day before the first entry of the deal.

    The charge is cancelled, and the deal that it renewed is active again. The application waits
    again, with the terms that were promised, and is funded as another deal. Where the jurisdiction
    names bank details, they are corrected or confirmed first (`change_bank_details`).

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day is invalid.
    """

    name = "return_payout"
    input_errors = staticmethod(movement_errors)

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        base = _renewed_by(case.merchant, deal)
        held = deal.entry_of(self.id)
        payout = deal.funded_amount - _settled(deal, base) if held is None else held.amount
        returned = Entry(id=self.id, on=self.on, amount=payout, kind=PAYOUT_RETURN)
        events: tuple[Event, ...] = ()
        if not is_recorded(deal, returned):
            for why in _obstacles_to_return(case.merchant, deal, payout):
                raise Refusal("not_possible_now", why)
            events = (
                _undoing(case, deal, base, returned),
                _waiting_again(case, deal, base, self.on),
            )
        return Decision(events, deal_receipt(deal.id, self))


def _waiting_again(case: Case, deal: Deal, base: Deal | None, on: date) -> PayoutReturned:
    """Return the event after which the application of *deal* waits to be funded again."""
    base_id = None if base is None else base.id
    returned = PayoutReturned(at=case.at, deal_id=deal.id, on=on, base_deal_id=base_id)
    fulfilment = case.merchant.fulfilment_of(deal.application_id)
    if fulfilment is None:
        return returned
    # The details that it was paid out to are most likely wrong.
    doubted = ("bank_details",) if needed_details(case.loaded_rulebook()) else ()
    return evolve(
        returned,
        application_id=fulfilment.application_id,
        omitted=(*doubted, *fulfilment.omitted),
        lapses_at=lapses_from_now(case),
    )


# -- What both have in common: a deal is as if it had never been funded.


def _renewed_by(merchant: Merchant, deal: Deal) -> Deal | None:
    """Return the deal that the funding of *deal* settled, None if it settled none."""
    base = merchant.deal_of(deal.base_deal_id)
    # One that was repaid before the funding was not settled by it.
    return base if base is not None and base.status == RENEWED else None


def _settled(deal: Deal, base: Deal | None) -> Money:
    return Money(0, deal.funded_amount.currency) if base is None else base.settled


def _charge_left(deal: Deal) -> int:
    """Return the charge of *deal*, without what the discount of a settlement took off it."""
    charge, discount = deal.repayment_amount - deal.funded_amount, deal.credits.get(DISCOUNT)
    return max(0, charge.minor - (0 if discount is None else discount.minor))


def _principal_left(deal: Deal, base: Deal | None) -> Money:
    """Return what the merchant still has of the principal of *deal*."""
    settled = _settled(deal, base)
    left = deal.outstanding - _charge_left(deal) - settled.minor
    return Money(max(0, left), settled.currency)


def _undoing(case: Case, deal: Deal, base: Deal | None, returned: Entry) -> EntriesPosted:
    """Return the entries that undo *deal*: the money back, the charge, what went to the base."""
    lines: list[tuple[EntryKind, int, str | None]] = [(CHARGE_CANCELLED, _charge_left(deal), None)]
    if base is not None:
        lines.append((SETTLEMENT, base.settled.minor, base.id))
    entries = [
        Entry(
            id=case.make_id(kind, deal.id),
            on=returned.on,
            amount=Money(minor, returned.amount.currency),
            kind=kind,
            counterpart=counterpart,
        )
        for kind, minor, counterpart in lines
        if minor
    ]
    postings = tuple(Posting(deal_id=deal.id, entry=entry) for entry in (returned, *entries))
    return EntriesPosted(at=case.at, postings=postings)


def _obstacles(merchant: Merchant, deal: Deal, on: date) -> Iterator[str]:
    """Yield why *deal* cannot be unwound when its merchant cancels on the day *on*."""
    if UNWOUND not in next_states("deal", deal.status, "unwind_deal"):
        yield f"the deal is {deal.status.lower()}"
    if deal.fees_owed.minor:
        yield f"{deal.fees_owed} is owed in fees: `waive_fee` first"
    days = deal.cooling_off_days or 0
    if (on - deal.funded_on).days > days or not days:
        yield f"the deal can be undone for {days} days after its funding, {deal.funded_on}"
    yield from _followers(merchant, deal)


def _obstacles_to_return(merchant: Merchant, deal: Deal, payout: Money) -> Iterator[str]:
    """Yield why the funding of *deal* cannot be undone because its *payout* came back."""
    if UNWOUND not in next_states("deal", deal.status, "return_payout"):
        first = ": `reinstate_deal` first" if deal.status == DEFAULTED else ""
        yield f"the deal is {deal.status.lower()}{first}"
    if deal.entries or deal.closed_entries is not None:
        yield (
            "the deal has entries: undo it with `unwind_deal` in its cooling-off days, or correct"
            " what is owed with `adjust`"
        )
    if not payout.minor:
        yield "nothing was paid out: the funding settled another deal with all of it"
    yield from _followers(merchant, deal)


def _followers(merchant: Merchant, deal: Deal) -> Iterator[str]:
    """Yield what came after *deal* and relies on it."""
    if _renewed_by(merchant, deal) is not None and merchant.active_deal not in {None, deal}:
        yield "the deal that it renewed cannot be active beside another active deal"
    accepted = [fulfilment.application_id for fulfilment in merchant.fulfilments]
    # One that is no longer remembered came before those that are.
    place = accepted.index(deal.application_id) if deal.application_id in accepted else -1
    if any(
        later.status in {*IN_FULFILMENT, FUNDED_APPLICATION}
        for later in merchant.fulfilments[place + 1 :]
    ):
        yield "an offer was accepted after it"
