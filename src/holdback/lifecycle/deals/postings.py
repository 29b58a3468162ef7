"""Entries that an operation posts, and the changes of status that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from holdback.errors import Refusal
from holdback.lifecycle.deals.fulfilment import lapses_from_now
from holdback.lifecycle.events import (
    DealDefaultedAgain,
    DealRecovered,
    DealReopened,
    DealRepaid,
    DealSettled,
    EntriesPosted,
    Event,
    QueuedRenewalReady,
)
from holdback.lifecycle.operation import Case
from holdback.lifecycle.transitions import next_states
from holdback.merchant.deal import DEFAULTED, FUNDED, RECOVERED, REPAID, SETTLED, Deal
from holdback.merchant.ledger import Entry, Posting
from holdback.merchant.suspense import SuspenseEntry


def posted(
    case: Case, postings: Iterable[Posting], suspense: tuple[SuspenseEntry, ...] = ()
) -> tuple[Event, ...]:
    """
    Return the event that records *postings*, and the changes of status that they bring about.

    It records entries of the merchant's *suspense* with them.
    """
    recorded = EntriesPosted(at=case.at, postings=tuple(postings), suspense=suspense)
    by_deal: dict[str, list[Entry]] = {}
    for posting in recorded.postings:
        by_deal.setdefault(posting.deal_id, []).append(posting.entry)
    changes: list[Event] = []
    for deal_id, entries in by_deal.items():
        before = case.merchant.deal_of(deal_id)
        assert before is not None, "entries are posted to deals of the merchant"
        changes += status_changes(case, before, before.with_entries(entries))
    return (recorded, *changes)


def status_changes(case: Case, before: Deal, after: Deal) -> Iterator[Event]:
    """Yield the changes of status that entries bring about, which made *after* of *before*."""
    left = after.outstanding
    may_follow = next_states("deal", before.status, "record_remittance")
    if REPAID in may_follow and left <= 0:
        assert after.repaid_on is not None, "the entries reach the repayment amount on a day"
        yield DealRepaid(at=case.at, deal_id=after.id, on=after.repaid_on)
        yield from _renewal_ready(case, after)
    # Only what raises what is owed does: a shortfall from before stays one (decisions/deals).
    raised_now = left > max(0, before.outstanding)
    if FUNDED in may_follow and raised_now and case.merchant.active_deal is None:
        yield DealReopened(at=case.at, deal_id=after.id)
    if before.status == DEFAULTED and left <= 0 and not after.written_off.minor:
        assert after.repaid_on is not None, "the entries reach the repayment amount on a day"
        ended = DealSettled if after.waived.minor else DealRecovered
        yield ended(at=case.at, deal_id=after.id, on=after.repaid_on)
    if before.status in {RECOVERED, SETTLED} and left > 0:
        yield DealDefaultedAgain(at=case.at, deal_id=after.id)


def _renewal_ready(case: Case, repaid: Deal) -> Iterator[Event]:
    """Yield that the renewal which waited for the deal *repaid* can be funded now."""
    waiting = case.merchant.in_fulfilment
    if waiting is None or not waiting.queued or waiting.base_deal_id != repaid.id:
        return
    yield QueuedRenewalReady(
        at=case.at, application_id=waiting.application_id, lapses_at=lapses_from_now(case)
    )


def is_recorded(deal: Deal, entry: Entry) -> bool:
    """
    Return whether *entry* was recorded on *deal* before.

    Raises:
        Refusal: `request_conflict` for another content under its id, or `deal_closed_to_entries` if
            nobody can tell any more.
    """
    held = deal.entry_of(entry.id)
    if held is None:
        closed = deal.closed_entries
        if closed is not None and entry.on <= closed.through:
            raise closed_to_entries(f"the entries of the deal are closed up to {closed.through}")
        return False
    if evolve(held, settled=True) != evolve(entry, settled=True):
        raise conflict(entry)
    return True


def closed_to_entries(why: str) -> Refusal:
    """Return the refusal of an entry that may have been recorded before, with *why*."""
    hint = "record cash that was not recorded before in suspense, with `record_suspense`"
    return Refusal("deal_closed_to_entries", f"{why}; {hint}")


def conflict(entry: Entry) -> Refusal:
    """Return the refusal of an *entry* whose id has another content already."""
    return Refusal("request_conflict", f"entry `{entry.id}` was recorded with another content")
