"""The commands about a deal while it runs: takings, remittances and reversals, an early end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from attrs import evolve

from holdback.errors import InvalidDocument, Refusal
from holdback.lifecycle.commands import (
    DEAL_ENDINGS,
    CloseDeal,
    RecordRemittance,
    RecordTakings,
    ReinstateDeal,
)
from holdback.lifecycle.configuration import FIRST_FORMAT, Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.events import (
    DealClosed,
    DealReinstated,
    DealReopened,
    DealRepaid,
    Event,
    RemittancesRecorded,
    TakingsRecorded,
)
from holdback.lifecycle.input_checks import Situation, input_errors
from holdback.lifecycle.lookup import find_deal
from holdback.lifecycle.receipts import deal_receipt, takings_receipt
from holdback.lifecycle.transitions import next_states
from holdback.model.deal import FUNDED, REPAID, Deal, Entry
from holdback.model.merchant import Merchant, Takings
from holdback.model.receipt import DealReceipt, TakingsReceipt


def record_takings(
    merchant: Merchant, command: RecordTakings, context: Context, configuration: Configuration
) -> Decision[TakingsReceipt]:
    """
    Return the days of takings that are new or stated anew; no events if all were recorded before.

    The newest statement of a day holds, in any order; one that gives no instant is of now.

    Raises:
        Refusal: `request_conflict` for two amounts of one day that were stated at one instant.
        InvalidDocument: naming every invalid day and amount.
    """
    _check_input(command, configuration.situation(merchant, context))
    by_day = {takings.on: takings for takings in command.takings}
    held = {takings.on: takings for takings in merchant.takings}
    new = tuple(
        _stated(by_day[on], context)
        for on in sorted(by_day)
        if _is_newer(by_day[on], held.get(on), context)
    )
    through = _extended(merchant.takings_complete_through, command.complete_through)
    events: tuple[Event, ...] = ()
    if new or through is not None:
        events = (TakingsRecorded(at=context.at, takings=new, complete_through=through),)
    return Decision(events, takings_receipt(len(by_day)))


def _check_input(command: RecordTakings | RecordRemittance, situation: Situation) -> None:
    errors = list(input_errors(type(command), command, situation))
    if errors:
        raise InvalidDocument(errors)


def _stated(takings: Takings, context: Context) -> Takings:
    return takings if takings.stated_at is not None else evolve(takings, stated_at=context.at)


def _is_newer(takings: Takings, held: Takings | None, context: Context) -> bool:
    """Return whether *takings* is a newer statement of its day than the one that is *held*."""
    if held is None:
        return True
    # The amount that is held, stated again without an instant, is not another statement.
    if takings.amount == held.amount and takings.stated_at is None:
        return False
    stated_at = takings.stated_at or context.at
    if held.stated_at is None or stated_at > held.stated_at:
        return True
    if stated_at == held.stated_at and takings.amount != held.amount:
        message = f"{takings.on} was stated with another amount at the same instant"
        raise Refusal("request_conflict", message)
    return False


def record_remittance(
    merchant: Merchant, command: RecordRemittance, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the new entries of a deal, and whether they repay or reopen it.

    An entry that was recorded before has no effect. An unsettled entry may be recorded again as
    settled; the two may arrive in either order (decisions/entries).

    Raises:
        Refusal: `deal_not_found`, `request_conflict` for other content under the id of an entry, or
            `deal_closed_to_entries` for an entry of a time of which entries are no longer held.
        InvalidDocument: naming everything that is invalid in every entry.
    """
    deal = find_deal(merchant, command.deal_id)
    situation = configuration.situation(merchant, context)
    _check_open(deal, command.entries, situation.day, configuration)
    _check_input(command, situation)
    new = _new_entries(deal, command.entries)
    through = _extended(deal.complete_through, command.complete_through)
    events: tuple[Event, ...] = ()
    if new or through is not None:
        recorded = RemittancesRecorded(
            at=context.at, deal_id=deal.id, entries=new, complete_through=through
        )
        change = _change_of_status(merchant, deal, deal.with_entries(new, through), context)
        events = (recorded, *change)
    return Decision(events, deal_receipt(deal.id, command))


def _check_open(
    deal: Deal, entries: tuple[Entry, ...], today: date, configuration: Configuration
) -> None:
    """Refuse entries that may have been recorded before, when nobody could tell any more."""
    held = {entry.id for entry in deal.entries}
    unknown = [entry for entry in entries if entry.id not in held]
    if not unknown or configuration.format == FIRST_FORMAT:
        return
    ended, days = deal.ended_on, configuration.memory_days
    if ended is not None and (today - ended).days > days:
        message = f"the deal ended more than {days} days ago, on {ended}"
        raise Refusal("deal_closed_to_entries", message)
    closed = deal.closed_entries
    if closed is not None and any(entry.on <= closed.through for entry in unknown):
        message = f"the entries of the deal are closed up to {closed.through}"
        raise Refusal("deal_closed_to_entries", message)


def close_deal(
    merchant: Merchant, command: CloseDeal, context: Context, configuration: Configuration
) -> Decision[DealReceipt]:
    """
    Return the early end of the active deal; no events if it already has this status.

    Raises:
        Refusal: `deal_not_found` or `not_possible_now`.
    """
    deal = find_deal(merchant, command.deal_id)
    status = DEAL_ENDINGS[command.status]
    events: tuple[Event, ...] = ()
    if deal.status != status:
        if status not in next_states("deal", deal.status, "close_deal"):
            raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
        today = configuration.local_day(merchant, context.at)
        events = (DealClosed(at=context.at, deal_id=deal.id, status=status, on=today),)
    return Decision(events, deal_receipt(deal.id, command))


def reinstate_deal(
    merchant: Merchant, command: ReinstateDeal, context: Context, _: Configuration
) -> Decision[DealReceipt]:
    """
    Return the undoing of a default that was a mistake; no events if the deal is active.

    A deal that was paid down in full meanwhile is repaid at once.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, or `active_deal` for another deal.
    """
    deal = find_deal(merchant, command.deal_id)
    events: tuple[Event, ...] = ()
    if deal.status != FUNDED:
        if FUNDED not in next_states("deal", deal.status, "reinstate_deal"):
            raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
        if merchant.active_deal is not None:
            raise Refusal("active_deal", "the merchant has another active deal")
        active = evolve(deal, status=FUNDED, closed_on=None)
        reinstated = DealReinstated(at=context.at, deal_id=deal.id)
        events = (reinstated, *_change_of_status(merchant, active, active, context))
    return Decision(events, deal_receipt(deal.id, command))


def _change_of_status(
    merchant: Merchant, before: Deal, after: Deal, context: Context
) -> Iterator[Event]:
    """Yield the repayment or the reopening that the new entries bring about."""
    may_follow = next_states("deal", before.status, "record_remittance")
    if REPAID in may_follow and after.outstanding <= 0:
        assert after.repaid_on is not None, "the remittances reach the repayment amount on a day"
        yield DealRepaid(at=context.at, deal_id=after.id, on=after.repaid_on)
    # Only a reversal reopens a deal: a shortfall from before stays one (decisions/deals).
    reversed_now = after.outstanding > max(0, before.outstanding)
    if FUNDED in may_follow and reversed_now and merchant.active_deal is None:
        yield DealReopened(at=context.at, deal_id=after.id)


def _new_entries(deal: Deal, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the *entries* that are not recorded yet, or that settle a recorded one, each once."""
    recorded = {entry.id: entry for entry in deal.entries}
    new: dict[str, Entry] = {}
    for entry in entries:
        earlier = recorded.get(entry.id)
        if earlier is not None and evolve(earlier, settled=True) != evolve(entry, settled=True):
            raise Refusal(
                "request_conflict", f"entry `{entry.id}` was recorded with another content"
            )
        if earlier is None or (entry.settled and not earlier.settled):
            recorded[entry.id] = new[entry.id] = entry
    return tuple(new.values())


def _extended(recorded: date | None, given: date | None) -> date | None:
    """Return the day *given* if it extends the history that is complete, else None."""
    return given if given is not None and (recorded is None or given > recorded) else None
