"""The methods of an engine for a deal's ledger, its schedule and its end.

A `Movement` has an id of the host's: the same movement again changes nothing. A day is a local one
up to today.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from holdback.carry_out import CarryOut
from holdback.exact.money import Money
from holdback.lifecycle.commands import (
    Adjust,
    AskStatement,
    ChangeTerms,
    PauseDeal,
    QuoteSettlement,
    RecordRecovery,
    Refund,
    Requote,
    ResumeDeal,
    SettleEarly,
    Transfer,
    UnwindDeal,
    WriteOff,
)
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Outcome
from holdback.merchant.ledger import Movement
from holdback.merchant.merchant import Merchant
from holdback.merchant.product import Offers
from holdback.merchant.receipt import DealReceipt, SettlementQuote
from holdback.merchant.statement import Statement


class MoneyMethods(CarryOut):
    """What an engine does with a deal after its funding, one method for each operation."""

    def refund(
        self,
        merchant: Merchant,
        deal_id: str,
        movement: Movement,
        context: Context,
    ) -> Outcome[DealReceipt]:
        """
        Record that at most what was overpaid was given back to the merchant.

        Raises:
            Refusal: `deal_not_found`, `amount_not_possible`,
                `request_conflict`, `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = Refund(deal_id=deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def transfer(
        self,
        merchant: Merchant,
        from_deal_id: str,
        to_deal_id: str,
        movement: Movement,
        context: Context,
    ) -> Outcome[DealReceipt]:
        """
        Move what was overpaid on one deal to another that owes it; the receipt is of the other.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`,
                `request_conflict`, `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = Transfer(from_deal_id=from_deal_id, to_deal_id=to_deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def record_recovery(
        self,
        merchant: Merchant,
        deal_id: str,
        movement: Movement,
        context: Context,
    ) -> Outcome[DealReceipt]:
        """
        Record money that came in after a default; paid in full, the deal is `Recovered`.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `request_conflict`,
                `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = RecordRecovery(deal_id=deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def write_off(
        self,
        merchant: Merchant,
        deal_id: str,
        movement: Movement,
        context: Context,
    ) -> Outcome[DealReceipt]:
        """
        Give up what is left to pay on a deal that has ended, or a part of it.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`,
                `request_conflict`, `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = WriteOff(deal_id=deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def adjust(
        self,
        merchant: Merchant,
        deal_id: str,
        movement: Movement,
        context: Context,
    ) -> Outcome[DealReceipt]:
        """
        Correct what is owed, without money: an amount below zero raises it.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`,
                `request_conflict`, `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = Adjust(deal_id=deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def unwind_deal(
        self,
        merchant: Merchant,
        deal_id: str,
        movement: Movement,
        context: Context,
    ) -> Outcome[DealReceipt]:
        """
        Undo a deal in its cooling-off days; the *movement* is the principal that came back.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`,
                `request_conflict`, `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = UnwindDeal(deal_id=deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def pause(
        self, merchant: Merchant, deal_id: str, on: date, context: Context
    ) -> Outcome[DealReceipt]:
        """
        Expect no remittances of the active deal from the day *on*.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`.
            InvalidDocument: the day is invalid.
        """
        return self.carry_out(merchant, PauseDeal(deal_id=deal_id, on=on), context)

    def resume(
        self, merchant: Merchant, deal_id: str, on: date, context: Context
    ) -> Outcome[DealReceipt]:
        """
        Expect remittances of the active deal again from the day *on*.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`.
            InvalidDocument: the day is invalid.
        """
        return self.carry_out(merchant, ResumeDeal(deal_id=deal_id, on=on), context)

    def change_terms(  # noqa: PLR0913 - either or both
        self,
        merchant: Merchant,
        deal_id: str,
        on: date,
        context: Context,
        *,
        split_percentage: Decimal | None = None,
        term_days: int | None = None,
    ) -> Outcome[DealReceipt]:
        """
        Change the split percentage or the whole term of the active deal from the day *on*.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`.
            InvalidDocument: the day is invalid, or there is nothing to change.
        """
        command = ChangeTerms(
            deal_id=deal_id, on=on, split_percentage=split_percentage, term_days=term_days
        )
        return self.carry_out(merchant, command, context)

    def settlement_quote(
        self, merchant: Merchant, deal_id: str, on: date, context: Context
    ) -> Outcome[SettlementQuote]:
        """
        Return what settles the active deal, if it is paid up to the end of the day *on*.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`.
            InvalidDocument: the day is past.
        """
        return self.carry_out(merchant, QuoteSettlement(deal_id=deal_id, on=on), context)

    def statement(
        self,
        merchant: Merchant,
        context: Context,
        *,
        since: date | None = None,
        until: date | None = None,
    ) -> Outcome[Statement]:
        """
        Return every movement of the merchant's deals from *since* to *until*, both days included.

        Raises:
            InvalidDocument: the period ends before it begins.
        """
        return self.carry_out(merchant, AskStatement(since=since, until=until), context)

    def settle_early(
        self, merchant: Merchant, deal_id: str, movement: Movement, context: Context
    ) -> Outcome[DealReceipt]:
        """
        Record a payment that settles the active deal; more than its quote stays overpaid.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `amount_not_possible`,
                `request_conflict`, `deal_closed_to_entries`.
            InvalidDocument: the day or the amount is invalid.
        """
        command = SettleEarly(deal_id=deal_id, **movement.fields)
        return self.carry_out(merchant, command, context)

    def requote(
        self, merchant: Merchant, offer_id: str, amount: Money, context: Context
    ) -> Outcome[Offers]:
        """
        Price another *amount* for the product of an open offer; the reply is that product.

        Raises:
            Refusal: as `accept_offer`, and `amount_not_possible` outside limits and steps.
            InvalidDocument: the amount is invalid.
        """
        return self.carry_out(merchant, Requote(offer_id=offer_id, amount=amount), context)
