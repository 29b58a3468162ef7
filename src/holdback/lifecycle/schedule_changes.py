"""The commands that change what a deal expects: pauses, and other terms from a day on."""

from __future__ import annotations

from datetime import date

from holdback.errors import Refusal
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import DealPaused, DealResumed, Event, TermsChanged
from holdback.lifecycle.input_checks import check_input
from holdback.lifecycle.lookup import find_deal
from holdback.lifecycle.money_commands import ChangeTerms, PauseDeal, ResumeDeal
from holdback.lifecycle.receipts import deal_receipt
from holdback.merchant.deal import Deal
from holdback.merchant.merchant import Merchant
from holdback.merchant.receipt import DealReceipt
from holdback.merchant.schedule import TermsChange, elapsed_days
from holdback.offers.calculator import Term


def pause(
    merchant: Merchant, command: PauseDeal, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the pause of the active deal; no events if it is on pause since this day.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is invalid.
    """
    deal = _deal(merchant, command, context, configuration)
    events: tuple[Event, ...] = ()
    if not (deal.paused and deal.pauses[-1].on == command.on):
        _check_active(deal)
        if deal.paused:
            raise Refusal("not_possible_now", f"the deal is on pause since {deal.pauses[-1].on}")
        _check_after_changes(deal, command.on)
        events = (DealPaused(at=context.at, deal_id=deal.id, on=command.on),)
    return Decision(events, deal_receipt(deal.id, command))


def resume(
    merchant: Merchant, command: ResumeDeal, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the end of the pause; no events if the last one ended on this day.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is invalid.
    """
    deal = _deal(merchant, command, context, configuration)
    events: tuple[Event, ...] = ()
    if not (deal.pauses and deal.pauses[-1].until == command.on):
        _check_active(deal)
        if not deal.paused:
            raise Refusal("not_possible_now", "the deal is not on pause")
        _check_after_changes(deal, command.on)
        events = (DealResumed(at=context.at, deal_id=deal.id, on=command.on),)
    return Decision(events, deal_receipt(deal.id, command))


def change_terms(
    merchant: Merchant, command: ChangeTerms, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the change of the split percentage or the term; no events if they are so from this day.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is invalid, or there is nothing to change.
    """
    deal = _deal(merchant, command, context, configuration)
    changes = deal.terms_changes
    events: tuple[Event, ...] = ()
    if not changes or changes[-1] != _change(deal, changes[:-1], command):
        change = _change(deal, changes, command)
        _check_active(deal)
        _check_after_changes(deal, command.on)
        elapsed = elapsed_days(deal.pauses, deal.funded_on, command.on)
        if change.term_days <= elapsed:
            message = f"a term of {change.term_days} days is over: {elapsed} have passed"
            raise Refusal("not_possible_now", message)
        events = (TermsChanged(at=context.at, deal_id=deal.id, change=change),)
    return Decision(events, deal_receipt(deal.id, command))


def _change(deal: Deal, earlier: tuple[TermsChange, ...], command: ChangeTerms) -> TermsChange:
    """Return the terms from the day of *command* on; what it does not name stays."""
    split, length, days = deal.split_percentage, deal.term_length, deal.term_days
    if earlier:
        last = earlier[-1]
        split, length, days = last.split_percentage, last.term_length, last.term_days
    if command.term_days is not None and command.term_days != days:
        term = Term.of_days(command.term_days)
        length, days = term.months, term.days
    return TermsChange(
        on=command.on,
        split_percentage=command.split_percentage or split,
        term_length=length,
        term_days=days,
    )


def _deal(
    merchant: Merchant,
    command: PauseDeal | ResumeDeal | ChangeTerms,
    context: Context,
    configuration: Configuration,
) -> Deal:
    deal = find_deal(merchant, command.deal_id)
    check_input(command, configuration.situation(merchant, context))
    return deal


def _check_active(deal: Deal) -> None:
    if not deal.active:
        raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")


def _check_after_changes(deal: Deal, on: date) -> None:
    """Refuse a change of a time for which the schedule was changed already."""
    days = [change.on for change in deal.terms_changes]
    days += [pause.until or pause.on for pause in deal.pauses]
    if days and on < max(days):
        raise Refusal("not_possible_now", f"the schedule was changed from {max(days)} on")
