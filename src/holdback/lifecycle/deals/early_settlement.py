"""What settles a deal early, and the payment that does."""

from __future__ import annotations

from datetime import date

from attrs import field

from holdback.errors import ConfigurationError, Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import conflict, is_recorded, posted
from holdback.lifecycle.events import Event
from holdback.lifecycle.input_checks import amount_errors, quote_errors
from holdback.lifecycle.operation import Case, Command, Decision, Question, deal_receipt
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import DISCOUNT, PAYMENT, Entry, Posting
from holdback.merchant.receipt import DealReceipt, SettlementQuote
from holdback.merchant.schedule import elapsed_days
from holdback.merchant.validators import amount, day, plain_day, text
from holdback.offers.calculator import SettlementCase
from holdback.offers.settlement import settlement_discount
from holdback.rulebooks.rulebook import Rulebook


@frozen(kw_only=True)
class QuoteSettlement(Question[SettlementQuote]):
    """
    Ask what settles a deal early, when it is paid up to the end of the day `on`.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is past.
    """

    name = "settlement_quote"
    input_errors = staticmethod(quote_errors)

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)

    def decide(self, case: Case) -> Decision[SettlementQuote]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        quote = _quote(case, deal, self.on)
        return Decision((), lambda _: quote)


@frozen(kw_only=True)
class SettleEarly(Command[DealReceipt]):
    """
    Record a payment that settles the active deal, less the discount of its product.

    What is paid beyond is overpaid.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible` for less than settles
            it, `request_conflict` or `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
        ConfigurationError: the calculator of the discount failed.
    """

    name = "settle_early"
    input_errors = staticmethod(amount_errors)

    deal_id: str = field(validator=text)
    id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        payment = Entry(id=self.id, on=self.on, amount=self.amount, kind=PAYMENT)
        events: tuple[Event, ...] = ()
        held = deal.entry_of(self.id)
        if held is not None and not held.settled:
            raise conflict(payment)  # which would settle the entry, and not the deal
        if not is_recorded(deal, payment):
            quote = _quote(case, deal, self.on)
            if self.amount < quote.amount:
                raise Refusal("amount_not_possible", f"at least {quote.amount} settles the deal")
            entries = [payment]
            if quote.discount.minor:
                entries.append(
                    Entry(
                        id=case.make_id(DISCOUNT, deal.id),
                        on=self.on,
                        amount=quote.discount,
                        kind=DISCOUNT,
                    )
                )
            postings = [Posting(deal_id=deal.id, entry=entry) for entry in entries]
            events = posted(case, postings)
        return Decision(events, deal_receipt(deal.id, self))


def _quote(case: Case, deal: Deal, on: date) -> SettlementQuote:
    if not deal.active:
        raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
    discount = _discount(case, deal, on)
    return SettlementQuote(
        deal_id=deal.id,
        on=on,
        balance=deal.balance,
        discount=discount,
        amount=deal.balance - discount,
        fees_owed=deal.fees_owed,
    )


def _discount(case: Case, deal: Deal, on: date) -> Money:
    """
    Return the discount by the terms of the deal's product, as they were when it was priced.

    A discount that was given before, with a payment that was taken back since, is not given again.
    """
    none = Money(0, deal.balance.currency)
    given = deal.credits.get(DISCOUNT, none)
    if deal.product is None or deal.priced_on is None:
        return none  # its terms are not known
    rulebook = _rulebook(case, deal.priced_on)
    changes = deal.terms_changes
    priced = SettlementCase(
        balance=deal.balance + given,
        repayment_amount=deal.repayment_amount,
        funded_amount=deal.funded_amount,
        elapsed_days=max(0, elapsed_days(deal.pauses, deal.funded_on, on)),
        term_days=changes[-1].term_days if changes else deal.term_days,
        currency=deal.balance.currency,
        rounding=rulebook.rounding,
    )
    whole = settlement_discount(rulebook, deal.product, case.configuration.calculators, priced)
    return min(deal.balance, max(none, whole - given))


def _rulebook(case: Case, on: date) -> Rulebook:
    """Return the rulebook of the day *on*, by whose terms the deal was priced."""
    try:
        return case.configuration.jurisdictions.resolve(case.merchant.jurisdiction, on=on)
    except ConfigurationError:
        message = "the rules that priced the deal are not loaded, which say what settles it"
        raise Refusal("not_possible_now", message) from None
