"""What settles a deal early, and the payment that does."""

from __future__ import annotations

from datetime import date

from holdback.errors import ConfigurationError, Refusal
from holdback.exact.money import Money
from holdback.jurisdictions.rulebook import Rulebook
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import Event
from holdback.lifecycle.input_checks import check_input
from holdback.lifecycle.lookup import find_deal
from holdback.lifecycle.money_commands import QuoteSettlement, SettleEarly
from holdback.lifecycle.postings import conflict, is_recorded, posted
from holdback.lifecycle.receipts import deal_receipt
from holdback.merchant.deal import Deal
from holdback.merchant.ledger import DISCOUNT, PAYMENT, Entry, Posting
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import DealReceipt, SettlementQuote
from holdback.merchant.schedule import elapsed_days
from holdback.offers.calculator import SettlementCase
from holdback.offers.settlement import settlement_discount


def settlement_quote(
    merchant: Merchant, question: QuoteSettlement, context: Context, configuration: Configuration
) -> Decision[SettlementQuote]:
    """
    Return what settles the active deal, if it is paid up to the end of the day asked for.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is past.
    """
    deal = find_deal(merchant, question.deal_id)
    check_input(question, configuration.situation(merchant, context))
    quote = _quote(merchant, deal, question.on, configuration)
    return Decision((), lambda _: quote)


def settle_early(
    merchant: Merchant, command: SettleEarly, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the payment that settles the active deal, with its discount; the deal is repaid.

    What is paid beyond is overpaid.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible` for less than settles
            it, `request_conflict` or `deal_closed_to_entries`.
        InvalidDocument: the day or the amount is invalid.
        ConfigurationError: the calculator of the discount failed.
    """
    deal = find_deal(merchant, command.deal_id)
    check_input(command, configuration.situation(merchant, context))
    payment = Entry(id=command.id, on=command.on, amount=command.amount, kind=PAYMENT)
    events: tuple[Event, ...] = ()
    held = deal.entry_of(command.id)
    if held is not None and not held.settled:
        raise conflict(payment)  # which would settle the entry, and not the deal
    if not is_recorded(deal, payment):
        quote = _quote(merchant, deal, command.on, configuration)
        if command.amount < quote.amount:
            raise Refusal("amount_not_possible", f"at least {quote.amount} settles the deal")
        entries = [payment]
        if quote.discount.minor:
            make_id = configuration.id_factory(merchant, context.request_id)
            entries.append(
                Entry(
                    id=make_id(DISCOUNT, deal.id),
                    on=command.on,
                    amount=quote.discount,
                    kind=DISCOUNT,
                )
            )
        postings = [Posting(deal_id=deal.id, entry=entry) for entry in entries]
        events = posted(merchant, postings, context, configuration)
    return Decision(events, deal_receipt(deal.id, command))


def _quote(
    merchant: Merchant, deal: Deal, on: date, configuration: Configuration
) -> SettlementQuote:
    if not deal.active:
        raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
    discount = _discount(merchant, deal, on, configuration)
    return SettlementQuote(
        deal_id=deal.id,
        on=on,
        balance=deal.balance,
        discount=discount,
        amount=deal.balance - discount,
    )


def _discount(merchant: Merchant, deal: Deal, on: date, configuration: Configuration) -> Money:
    """
    Return the discount by the terms of the deal's product, as they were when it was priced.

    A discount that was given before, with a payment that was taken back since, is not given again.
    """
    none = Money(0, deal.balance.currency)
    given = deal.credits.get(DISCOUNT, none)
    if deal.product is None or deal.priced_on is None:
        return none  # a deal from before discounts
    rulebook = _rulebook(merchant, deal.priced_on, configuration)
    changes = deal.terms_changes
    case = SettlementCase(
        balance=deal.balance + given,
        repayment_amount=deal.repayment_amount,
        funded_amount=deal.funded_amount,
        elapsed_days=max(0, elapsed_days(deal.pauses, deal.funded_on, on)),
        term_days=changes[-1].term_days if changes else deal.term_days,
        currency=deal.balance.currency,
        rounding=rulebook.rounding,
    )
    whole = settlement_discount(rulebook, deal.product, configuration.calculators, case)
    return min(deal.balance, max(none, whole - given))


def _rulebook(merchant: Merchant, on: date, configuration: Configuration) -> Rulebook:
    """Return the rulebook of the day *on*, by whose terms the deal was priced."""
    try:
        return configuration.jurisdictions.resolve(merchant.jurisdiction, on=on)
    except ConfigurationError:
        message = "the rules that priced the deal are not loaded, which say what settles it"
        raise Refusal("not_possible_now", message) from None
