"""The fees of a deal: what its terms allow to be charged, and what is given up of them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from attrs import field

from holdback.errors import Refusal
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.ledger_operations import LedgerCommand, check_at_most
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import is_recorded, posted
from holdback.lifecycle.events import Event
from holdback.lifecycle.input_checks import amount_errors
from holdback.lifecycle.operation import Case, Command, Decision, deal_receipt
from holdback.merchant.deal import CANCELLED, DEFAULTED, SETTLED, UNWOUND, Deal
from holdback.merchant.fee_terms import MOST_FEES, REVERSED, FeeTerms
from holdback.merchant.ledger import FEE, FEE_WAIVER, FEES, REVERSAL, Entry, Posting
from holdback.merchant.receipt import DealReceipt
from holdback.merchant.validators import amount, day, optional, plain_day, text

# A year of interest, everywhere in holdback.
_YEAR: Final = 365


@frozen(kw_only=True)
class ChargeFee(Command[DealReceipt]):
    """
    Charge a fee that the terms of the deal allow: the whole of it, or a lower `amount`.

    `fee` is its key in the terms. One that follows a reversal is charged for the entry `about`.
    Interest is charged for the days from the default, or the last day it was charged for, to `on`.

    Raises:
        Refusal: `deal_not_found`, `fee_not_allowed`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "charge_fee"
    input_errors = staticmethod(amount_errors)

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    fee: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    about: str | None = field(default=None, validator=optional(text))
    amount: Money | None = field(default=None, validator=optional(amount))

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        held = deal.entry_of(self.id)
        charged = self.amount or (None if held is None else held.amount)
        events: tuple[Event, ...] = ()
        if charged is None or not is_recorded(deal, self._entry(charged)):
            most = _most(deal, self)
            charged = self.amount or most
            check_at_most(charged, most, f"charged as `{self.fee}` now")
            posting = Posting(deal_id=deal.id, entry=self._entry(charged))
            is_recorded(deal, posting.entry)  # refuses a day of which nobody can tell
            events = posted(case, [posting])
        return Decision(events, deal_receipt(deal.id, self))

    def _entry(self, charged: Money) -> Entry:
        return Entry(
            id=self.id, on=self.on, amount=charged, kind=FEE, fee=self.fee, about=self.about
        )


@frozen(kw_only=True)
class WaiveFee(LedgerCommand):
    """
    Give up fees that a deal owes, or a part of them.

    Raises:
        Refusal: `deal_not_found`, `amount_not_possible`, `request_conflict` or
            `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
    """

    name = "waive_fee"
    kind = FEE_WAIVER

    def check_possible(self, deal: Deal) -> None:
        check_at_most(self.amount, deal.fees_owed, "waived: that is owed in fees")


def _most(deal: Deal, asked: ChargeFee) -> Money:
    """
    Return what can be charged at most of the fee that is *asked* for.

    Raises:
        Refusal: `fee_not_allowed`.
    """
    terms = next((terms for terms in deal.fee_terms if terms.key == asked.fee), None)
    if terms is None:
        raise _not_allowed(f"the terms of the deal have no fee `{asked.fee}`")
    if deal.status in {CANCELLED, SETTLED, UNWOUND}:
        raise _not_allowed(f"the deal is {deal.status.lower()}")
    if deal.overpaid.minor:
        raise _not_allowed(f"{deal.overpaid} is to be refunded or transferred first")
    fees = [entry for entry in deal.entries if entry.kind == FEE]
    if len(fees) >= MOST_FEES:
        raise _not_allowed(f"a deal has at most {MOST_FEES} fees")
    of_this = [entry for entry in fees if entry.fee == asked.fee]
    if terms.after == REVERSED:
        _check_reversal(deal, asked, of_this)
    else:
        _check_default(deal, asked, of_this, terms)
    left = terms.at_most.minor - sum(entry.amount.minor for entry in of_this)
    whole = terms.amount or _interest(deal, terms, of_this, asked.on)
    most = Money(max(0, min(whole.minor, left)), terms.at_most.currency)
    if not most.minor:
        raise _not_allowed(f"nothing is left to charge: the cap is {terms.at_most}")
    return most


def _check_reversal(deal: Deal, asked: ChargeFee, charged: list[Entry]) -> None:
    reversal = None if asked.about is None else deal.entry_of(asked.about)
    if reversal is None or reversal.kind != REVERSAL or not reversal.settled:
        raise _not_allowed("it is charged about a reversal of the deal, which `about` names")
    if asked.on < reversal.on:
        raise _not_allowed(f"it is charged from the day of the reversal on, {reversal.on}")
    if any(entry.about == asked.about for entry in charged):
        raise _not_allowed("it was charged for that reversal")


def _check_default(deal: Deal, asked: ChargeFee, charged: list[Entry], terms: FeeTerms) -> None:
    if deal.status != DEFAULTED or deal.closed_on is None:
        raise _not_allowed(f"it is charged in default: the deal is {deal.status.lower()}")
    if asked.about is not None:
        raise _not_allowed("it follows the default, and not an entry: leave `about` out")
    if asked.on < deal.closed_on:
        raise _not_allowed(f"it is charged from the day of the default on, {deal.closed_on}")
    if terms.amount is not None and charged:
        raise _not_allowed("it is charged once")


def _interest_from(deal: Deal, charged: list[Entry]) -> date:
    """
    Return the day up to which no interest can be charged any more: the default's, or the last's.

    The balance of a day whose entries are closed is not known, so interest is charged before.
    """
    assert deal.closed_on is not None, "a deal in default has ended on a day"
    closed = [] if deal.closed_entries is None else [deal.closed_entries.through]
    return max([deal.closed_on, *closed, *(entry.on for entry in charged)])


def _interest(deal: Deal, terms: FeeTerms, charged: list[Entry], until: date) -> Money:
    """
    Return the simple interest on the balance of every day after the default until *until*.

    The balance of a day is that at its end, without fees; a year has 365 days, and parts of a minor
    unit are dropped (decisions/money-after-funding#fees).
    """
    assert terms.yearly_rate is not None, "a fee has an amount or a rate"
    since = _interest_from(deal, charged)
    by_day: dict[date, int] = {}
    for entry, net in deal.counted:
        if entry.kind not in FEES:
            by_day[entry.on] = by_day.get(entry.on, 0) + net
    owed = deal.outstanding + sum(net for on, net in by_day.items() if on > since)
    total = 0
    for number in range((until - since).days):
        on = since + timedelta(days=number + 1)
        owed -= by_day.get(on, 0)
        total += max(0, owed)
    rate = scaled(terms.yearly_rate, PERCENT_PLACES)
    return Money(total * rate // (HUNDRED_PERCENT * _YEAR), terms.at_most.currency)


def _not_allowed(why: str) -> Refusal:
    return Refusal("fee_not_allowed", why)
