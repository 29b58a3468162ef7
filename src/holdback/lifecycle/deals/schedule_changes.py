"""The commands that change what a deal expects: pauses, and other terms from a day on."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from attrs import field

from holdback.errors import Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.events import DealPaused, DealResumed, Event, TermsChanged
from holdback.lifecycle.input_checks import movement_errors, terms_errors
from holdback.lifecycle.operation import Case, Command, Decision, deal_receipt
from holdback.merchant.deal import Deal
from holdback.merchant.receipt import DealReceipt
from holdback.merchant.schedule import Pause, TermsChange, elapsed_days
from holdback.merchant.validators import day, optional, percentage, plain_day, term_days, text
from holdback.offers.calculator import Term

# Pauses and changes of terms of one deal: its state holds each of them for ever.
MOST_SCHEDULE_CHANGES: Final = 40


@frozen(kw_only=True)
class ScheduleChange(Command[DealReceipt]):
    """A command that changes the schedule of the active deal from the day `on`."""

    input_errors = staticmethod(movement_errors)

    deal_id: str = field(validator=text)
    on: date = field(converter=plain_day, validator=day)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        self.check(case.input_context)
        events: tuple[Event, ...] = ()
        # Of a deal that has ended since, the same change is still a retry.
        if not self.is_recorded(deal):
            if not deal.active:
                raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
            events = (self.event(case, deal),)
        return Decision(events, deal_receipt(deal.id, self))

    def is_recorded(self, deal: Deal) -> bool:
        """Return whether the last change of *deal* of this kind was this one."""
        raise NotImplementedError

    def event(self, case: Case, deal: Deal) -> Event:
        """
        Return the event that records the change.

        Raises:
            Refusal: *deal*, which is active, does not take it.
        """
        raise NotImplementedError


@frozen(kw_only=True)
class PauseDeal(ScheduleChange):
    """
    Expect no remittances of the active deal from the day `on`.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is invalid.
    """

    name = "pause"

    def is_recorded(self, deal: Deal) -> bool:
        return bool(deal.pauses) and deal.pauses[-1] == Pause(on=self.on)

    def event(self, case: Case, deal: Deal) -> Event:
        if deal.paused:
            raise Refusal("not_possible_now", f"the deal is on pause since {deal.pauses[-1].on}")
        _check_after_changes(deal, self.on)
        _check_room(deal)
        return DealPaused(at=case.at, deal_id=deal.id, on=self.on)


@frozen(kw_only=True)
class ResumeDeal(ScheduleChange):
    """
    Expect remittances of the active deal again from the day `on`.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is invalid.
    """

    name = "resume"

    def is_recorded(self, deal: Deal) -> bool:
        return bool(deal.pauses) and deal.pauses[-1].until == self.on

    def event(self, case: Case, deal: Deal) -> Event:
        if not deal.paused:
            raise Refusal("not_possible_now", "the deal is not on pause")
        _check_after_changes(deal, self.on)
        return DealResumed(at=case.at, deal_id=deal.id, on=self.on)


@frozen(kw_only=True)
class ChangeTerms(ScheduleChange):
    """
    Change the split percentage or the term of the active deal from the day `on`.

    `term_days` is the whole new term: the days from the funding, without those on pause.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
        InvalidDocument: the day is invalid, or there is nothing to change.
    """

    name = "change_terms"
    input_errors = staticmethod(terms_errors)

    split_percentage: Decimal | None = field(default=None, validator=optional(percentage))
    term_days: int | None = field(default=None, validator=optional(term_days))

    def is_recorded(self, deal: Deal) -> bool:
        changes = deal.terms_changes
        return bool(changes) and changes[-1] == _change(deal, changes[:-1], self)

    def event(self, case: Case, deal: Deal) -> Event:
        _check_after_changes(deal, self.on)
        change = _change(deal, deal.terms_changes, self)
        elapsed = elapsed_days(deal.pauses, deal.funded_on, self.on)
        if change.term_days <= elapsed:
            message = f"a term of {change.term_days} days is over: {elapsed} have passed"
            raise Refusal("not_possible_now", message)
        _check_room(deal)
        return TermsChanged(at=case.at, deal_id=deal.id, change=change)


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


def _check_room(deal: Deal) -> None:
    if len(deal.pauses) + len(deal.terms_changes) >= MOST_SCHEDULE_CHANGES:
        message = (
            f"the schedule was changed {MOST_SCHEDULE_CHANGES} times; it can be changed no more"
        )
        raise Refusal("not_possible_now", message)


def _check_after_changes(deal: Deal, on: date) -> None:
    """Refuse a change of a time for which the schedule was changed already."""
    days = [change.on for change in deal.terms_changes]
    days += [pause.until or pause.on for pause in deal.pauses]
    if days and on < max(days):
        raise Refusal("not_possible_now", f"the schedule was changed from {max(days)} on")
