"""What is recorded while a deal runs: takings, entries, its early end, a default undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from attrs import evolve, field

from holdback.eligibility.reasons import ENDED
from holdback.errors import Refusal
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.context import Context
from holdback.lifecycle.deals.ledger_operations import (
    no_longer_lost,
    no_longer_waived,
    transfer_halves,
)
from holdback.lifecycle.deals.lookup import find_deal
from holdback.lifecycle.deals.postings import closed_to_entries, conflict, status_changes
from holdback.lifecycle.events import (
    ApplicationClosed,
    DealClosed,
    DealReinstated,
    EntriesPosted,
    Event,
    RemittancesRecorded,
    TakingsRecorded,
)
from holdback.lifecycle.input_checks import ending_errors, remittance_errors, takings_errors
from holdback.lifecycle.operation import Case, Command, Decision, deal_receipt, takings_receipt
from holdback.lifecycle.transitions import next_states
from holdback.merchant.deal import CANCELLED, DEFAULTED, FUNDED, RENEWAL, Deal
from holdback.merchant.ledger import TRANSFER, WAIVER, WRITE_OFF, Entry, Posting
from holdback.merchant.merchant import DECLINED_APPLICATION, Takings
from holdback.merchant.receipt import DealReceipt, TakingsReceipt
from holdback.merchant.validators import (
    as_tuple,
    day,
    instance_of,
    one_of,
    optional,
    optional_day,
    text,
    tuple_of,
)

# The words that end a deal early, and the status that it takes by each.
DealEnding: TypeAlias = Literal["defaulted", "cancelled"]
DEAL_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {"defaulted": DEFAULTED, "cancelled": CANCELLED}
)


def _as_entries(given: Entry | Iterable[Entry]) -> tuple[Entry, ...]:
    return (given,) if isinstance(given, Entry) else as_tuple(given)


def _as_days(given: Iterable[Takings]) -> tuple[Takings, ...]:
    return as_tuple(given)


@frozen(kw_only=True)
class RecordTakings(Command[TakingsReceipt]):
    """
    Record days of takings, complete up to `complete_through` where it is given.

    The newest statement of a day holds, in any order; one that gives no instant is of now.

    Raises:
        Refusal: `request_conflict` for two amounts of one day that were stated at one instant.
        InvalidDocument: naming every invalid day and amount.
    """

    name = "record_takings"
    input_errors = staticmethod(takings_errors)

    takings: tuple[Takings, ...] = field(
        converter=_as_days, validator=tuple_of(instance_of(Takings, "days of takings"))
    )
    complete_through: date | None = field(
        default=None, converter=optional_day, validator=optional(day)
    )

    def decide(self, case: Case) -> Decision[TakingsReceipt]:
        self.check(case.input_context)
        by_day = {takings.on: takings for takings in self.takings}
        held = {takings.on: takings for takings in case.merchant.takings}
        new = tuple(
            _stated(by_day[on], case.context)
            for on in sorted(by_day)
            if _is_newer(by_day[on], held.get(on), case.context)
        )
        through = _extended(case.merchant.takings_complete_through, self.complete_through)
        events: tuple[Event, ...] = ()
        if new or through is not None:
            events = (TakingsRecorded(at=case.at, takings=new, complete_through=through),)
        return Decision(events, takings_receipt(len(by_day)))


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


@frozen(kw_only=True)
class RecordRemittance(Command[DealReceipt]):
    """
    Record entries of a deal, complete up to `complete_through` where it is given.

    An entry that was recorded before has no effect. An unsettled entry may be recorded again as
    settled; the two may arrive in either order (decisions/deals).

    Raises:
        Refusal: `deal_not_found`, `request_conflict` for other content under the id of an entry, or
            `deal_closed_to_entries` for an entry of a time of which entries are no longer held.
        InvalidDocument: naming everything that is invalid in every entry.
    """

    name = "record_remittance"
    input_errors = staticmethod(remittance_errors)

    deal_id: str = field(validator=text)
    entries: tuple[Entry, ...] = field(
        converter=_as_entries, validator=tuple_of(instance_of(Entry, "entries"))
    )
    complete_through: date | None = field(
        default=None, converter=optional_day, validator=optional(day)
    )

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        input_context = case.input_context
        _check_open_to_entries(deal, self.entries, input_context.day, case.configuration)
        self.check(input_context)
        new = _new_entries(deal, self.entries)
        through = _extended(deal.complete_through, self.complete_through)
        events: tuple[Event, ...] = ()
        if new or through is not None:
            recorded = RemittancesRecorded(
                at=case.at, deal_id=deal.id, entries=new, complete_through=through
            )
            after = deal.with_entries(new, through)
            reduced = (
                *no_longer_lost(deal, after, case.make_id(WRITE_OFF, deal.id), input_context.day),
                *no_longer_waived(case, after),
            )
            events = (recorded,)
            if reduced:
                postings = tuple(Posting(deal_id=deal.id, entry=entry) for entry in reduced)
                events = (recorded, EntriesPosted(at=case.at, postings=postings))
                after = after.with_entries(reduced)
            events = (
                *events,
                *status_changes(case, deal, after),
                *_passed_on(case, deal, after),
            )
        return Decision(events, deal_receipt(deal.id, self))


def _check_open_to_entries(
    deal: Deal, entries: tuple[Entry, ...], today: date, configuration: Configuration
) -> None:
    """Refuse new entries where older ones are forgotten: these may be the same ones again."""
    unknown = [
        entry
        for entry in entries
        if deal.entry_of(entry.id) is None
        # The reversals of an entry are held as long as it is, so a new one is recognised.
        and (entry.reverses is None or deal.entry_of(entry.reverses) is None)
    ]
    if not unknown:
        return
    ended, days = deal.ended_on, configuration.memory_days
    if ended is not None and (today - ended).days > days:
        raise closed_to_entries(f"the deal ended more than {days} days ago, on {ended}")
    closed = deal.closed_entries
    if closed is not None and any(entry.on <= closed.through for entry in unknown):
        raise closed_to_entries(f"the entries of the deal are closed up to {closed.through}")


@frozen(kw_only=True)
class CloseDeal(Command[DealReceipt]):
    """
    End the active deal early, as of the day `on`, None for today.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, or `request_conflict` if the end was recorded
            of another day.
        InvalidDocument: the day is more than a week ago, or before something of the deal.
    """

    name = "close_deal"
    input_errors = staticmethod(ending_errors)

    deal_id: str = field(validator=text)
    status: DealEnding = field(validator=one_of(*get_args(DealEnding)))
    on: date | None = field(default=None, converter=optional_day, validator=optional(day))

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        status = DEAL_ENDINGS[self.status]
        events: tuple[Event, ...] = ()
        if deal.status == status:
            if self.on not in {None, deal.closed_on}:
                message = f"the deal was {self.status} on {deal.closed_on}, and keeps that day"
                raise Refusal("request_conflict", message)
        else:
            self.check(case.input_context)
            if status not in next_states("deal", deal.status, "close_deal"):
                raise Refusal("not_possible_now", f"the deal is {deal.status.lower()}")
            on = self.on or case.day
            closed = DealClosed(at=case.at, deal_id=deal.id, status=status, on=on)
            events = (*_ending(case, deal, status, on), closed)
        return Decision(events, deal_receipt(deal.id, self))


def _ending(case: Case, deal: Deal, status: str, on: date) -> Iterator[Event]:
    """Yield what comes before the early end of *deal*: the end of a queued renewal, a waiver."""
    waiting = case.merchant.in_fulfilment
    if waiting is not None and waiting.queued and waiting.base_deal_id == deal.id:
        yield ApplicationClosed(
            at=case.at,
            application_id=waiting.application_id,
            status=DECLINED_APPLICATION,
            code=ENDED,
        )
    if status == CANCELLED:
        if deal.type == RENEWAL:
            # Its funds settled another deal, which would be forgiven with it.
            message = "a funded renewal cannot be cancelled; unwind it in its cooling-off days"
            raise Refusal("not_possible_now", message)
        if deal.fees_owed.minor:
            message = f"{deal.fees_owed} is owed in fees: `waive_fee` first"
            raise Refusal("not_possible_now", message)
        waiver = Entry(
            id=case.make_id(WAIVER, deal.id),
            on=on,
            amount=Money(deal.outstanding, deal.balance.currency),
            kind=WAIVER,
        )
        yield EntriesPosted(at=case.at, postings=(Posting(deal_id=deal.id, entry=waiver),))


@frozen(kw_only=True)
class ReinstateDeal(Command[DealReceipt]):
    """
    Undo a default that was recorded by mistake.

    A deal that was paid down in full meanwhile is repaid at once. One of which something was
    written off is not reinstated. Of a deal that is not in default there is nothing to undo, so a
    repetition changes nothing, also after the deal has ended in another way.

    Raises:
        Refusal: `deal_not_found`, `not_possible_now`, or `active_deal` for another deal.
    """

    name = "reinstate_deal"

    deal_id: str = field(validator=text)

    def decide(self, case: Case) -> Decision[DealReceipt]:
        deal = find_deal(case.merchant, self.deal_id)
        events: tuple[Event, ...] = ()
        if FUNDED in next_states("deal", deal.status, "reinstate_deal"):
            if case.merchant.active_deal is not None:
                raise Refusal("active_deal", "the merchant has another active deal")
            if deal.written_off.minor:
                raise Refusal("not_possible_now", "what is left of the deal was written off")
            active = evolve(deal, status=FUNDED, closed_on=None)
            reinstated = DealReinstated(at=case.at, deal_id=deal.id)
            changes = status_changes(case, active, active)
            events = (reinstated, *changes)
        return Decision(events, deal_receipt(deal.id, self))


def _new_entries(deal: Deal, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Return the *entries* that are not recorded yet, or that settle a recorded one, each once."""
    new: dict[str, Entry] = {}
    for entry in entries:
        earlier = new.get(entry.id) or deal.entry_of(entry.id)
        if earlier is not None and evolve(earlier, settled=True) != evolve(entry, settled=True):
            raise conflict(entry)
        if earlier is None or (entry.settled and not earlier.settled):
            new[entry.id] = entry
    return tuple(new.values())


def _passed_on(case: Case, before: Deal, after: Deal) -> tuple[Event, ...]:
    """
    Return the transfer of what came in late on an ended deal, where its jurisdiction says so.

    It goes to the active deal, up to its balance. Without one a refund is due.
    """
    active = case.merchant.active_deal
    late = after.overpaid.minor - before.overpaid.minor
    if before.late_remittances != TRANSFER or active is None or active.id == before.id or late <= 0:
        return ()
    amount = min(late, active.balance.minor)
    if not amount:
        return ()
    today = case.day
    given, taken = transfer_halves(
        after,
        active,
        case.make_id("transfer", after.id),
        today,
        Money(amount, active.balance.currency),
    )
    # The ended deal gives what was overpaid, which leaves its status.
    taker = active.with_entries([taken.entry])
    return (
        EntriesPosted(at=case.at, postings=(given, taken)),
        *status_changes(case, active, taker),
    )


def _extended(recorded: date | None, given: date | None) -> date | None:
    """Return the day *given* if it extends the history that is complete, else None."""
    return given if given is not None and (recorded is None or given > recorded) else None
