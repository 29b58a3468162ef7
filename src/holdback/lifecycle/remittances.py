"""What a deal goes through: takings, remittances and reversals, and an early end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from attrs import evolve

from holdback.errors import ErrorDetail, InvalidDocument, Refusal
from holdback.lifecycle.commands import DEAL_ENDINGS, CloseDeal, RecordRemittance, RecordTakings
from holdback.lifecycle.context import Configuration, Context
from holdback.lifecycle.events import (
    DealClosed,
    DealReopened,
    DealRepaid,
    Event,
    RemittancesRecorded,
    TakingsRecorded,
)
from holdback.lifecycle.transitions import follows
from holdback.model.deal import FUNDED, REPAID, Deal, Entry
from holdback.model.merchant import Merchant
from holdback.money import Currency, Money


def find_deal(merchant: Merchant, deal_id: str) -> Deal:
    """
    The deal with *deal_id*.

    Raises:
        Refusal: `deal_not_found`.
    """
    for deal in merchant.deals:
        if deal.id == deal_id:
            return deal
    raise Refusal("deal_not_found", "no deal of this merchant has this deal_id")


def _not_future(day: date | None, today: date, path: str) -> Iterator[ErrorDetail]:
    if day is not None and day > today:
        yield ErrorDetail(message=f"expected a day up to today, {today.isoformat()}", path=path)


def _amount(money: Money, currency: Currency, path: str) -> Iterator[ErrorDetail]:
    if money.currency != currency:
        yield ErrorDetail(message=f"expected an amount in {currency}", path=path)
    elif money.minor < 0:
        yield ErrorDetail(
            message="expected an amount that is not negative",
            path=path,
            hint="to take a remittance back, record an entry that `reverses` it",
        )


def record_takings(
    merchant: Merchant, command: RecordTakings, context: Context, configuration: Configuration
) -> tuple[Event, ...]:
    """Days of takings; a day that was recorded before is restated, the same again is nothing."""
    rulebook = configuration.rulebook(merchant, context.at)
    faults = list(_not_future(command.complete_through, rulebook.on, "$.complete_through"))
    for place, each in enumerate(command.takings):
        faults += _not_future(each.on, rulebook.on, f"$.takings[{place}].on")
        faults += _amount(each.amount, rulebook.currency, f"$.takings[{place}].amount")
    by_day = {each.on: each for each in command.takings}
    if len(by_day) < len(command.takings):
        faults.append(ErrorDetail(message="expected each day once", path="$.takings"))
    if faults:
        raise InvalidDocument(faults)
    known = {each.on: each for each in merchant.takings}
    new = tuple(by_day[day] for day in sorted(by_day) if known.get(day) != by_day[day])
    through = _later(merchant.takings_complete_through, command.complete_through)
    if not new and through is None:
        return ()
    return (TakingsRecorded(at=context.at, takings=new, complete_through=through),)


def _later(known: date | None, given: date | None) -> date | None:
    """*given* when it says more than what is *known*."""
    return given if given is not None and (known is None or given > known) else None


def record_remittance(
    merchant: Merchant, command: RecordRemittance, context: Context, configuration: Configuration
) -> tuple[Event, ...]:
    """
    Entries of a deal, and what follows from them: the deal repaid, or reopened.

    The same entry again is nothing. An unsettled entry may come again settled, and in either order.
    Another content under the same id is refused.
    """
    deal = find_deal(merchant, command.deal_id)
    today = configuration.local_day(merchant, context.at)
    faults = list(_not_future(command.complete_through, today, "$.complete_through"))
    faults += _entry_faults(deal, command.entries, today)
    if faults:
        raise InvalidDocument(faults)
    new = _new_entries(deal, command.entries)
    through = _later(deal.complete_through, command.complete_through)
    if not new and through is None:
        return ()
    recorded = RemittancesRecorded(
        at=context.at, deal_id=deal.id, entries=new, complete_through=through
    )
    return (recorded, *_consequences(merchant, deal, deal.with_entries(new, through), context))


def _consequences(
    merchant: Merchant, before: Deal, after: Deal, context: Context
) -> Iterator[Event]:
    """Whether the entries changed the deal's status."""
    may = follows("deal", before.status, "record_remittance")
    if REPAID in may and after.outstanding <= 0:
        assert after.repaid_on is not None
        yield DealRepaid(at=context.at, deal_id=after.id, on=after.repaid_on)
    # What was a shortfall before stays one: only a reversal reopens (design 6a).
    reversed_now = after.outstanding > max(0, before.outstanding)
    if FUNDED in may and reversed_now and merchant.active_deal is None:
        yield DealReopened(at=context.at, deal_id=after.id)


def _new_entries(deal: Deal, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Those of *entries* that say something new, each once."""
    known = {entry.id: entry for entry in deal.entries}
    new: dict[str, Entry] = {}
    for entry in entries:
        held = known.get(entry.id)
        if held is not None and evolve(held, settled=True) != evolve(entry, settled=True):
            raise Refusal(
                "request_conflict", f"entry `{entry.id}` was recorded with another content"
            )
        if held is None or (entry.settled and not held.settled):
            known[entry.id] = new[entry.id] = entry
    return tuple(new.values())


def _entry_faults(deal: Deal, entries: tuple[Entry, ...], today: date) -> Iterator[ErrorDetail]:
    known = {entry.id: entry for entry in (*deal.entries, *entries)}
    reversals = {entry.reverses: entry.id for entry in deal.entries if entry.reverses is not None}
    for place, entry in enumerate(entries):
        path = f"$.entries[{place}]"
        yield from _not_future(entry.on, today, f"{path}.on")
        if entry.on < deal.funded_on:
            message = f"expected a day from the funding on, {deal.funded_on.isoformat()}"
            yield ErrorDetail(message=message, path=f"{path}.on")
        currency = deal.repayment_amount.currency
        yield from _amount(entry.amount, currency, f"{path}.amount")
        if entry.takings is not None:
            yield from _amount(entry.takings, currency, f"{path}.takings")
        if entry.reverses is not None:
            yield from _reversal_faults(entry, entry.reverses, known, reversals, f"{path}.reverses")
            reversals.setdefault(entry.reverses, entry.id)


def _reversal_faults(
    entry: Entry, target_id: str, known: dict[str, Entry], reversals: dict[str, str], path: str
) -> Iterator[ErrorDetail]:
    target = known.get(target_id)
    if target is None:
        yield ErrorDetail(message="expected the id of an entry of this deal", path=path)
    elif target.reverses is not None:
        yield ErrorDetail(
            message="a reversal cannot be reversed", path=path, hint="record a new entry"
        )
    elif reversals.get(target_id, entry.id) != entry.id:
        yield ErrorDetail(message="that entry is reversed already", path=path)
    elif target.amount != entry.amount:
        message = "a reversal takes an entry back whole: expected the same amount"
        yield ErrorDetail(message=message, path=path)
    elif entry.on < target.on:
        yield ErrorDetail(message="a reversal does not come before its entry", path=path)


def close_deal(
    merchant: Merchant, command: CloseDeal, context: Context, configuration: Configuration
) -> tuple[Event, ...]:
    """The early end of the active deal; nothing when it ended so before."""
    deal = find_deal(merchant, command.deal_id)
    status = DEAL_ENDINGS[command.status]
    if deal.status == status:
        return ()
    if status not in follows("deal", deal.status, "close_deal"):
        raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
    today = configuration.local_day(merchant, context.at)
    return (DealClosed(at=context.at, deal_id=deal.id, status=status, on=today),)
