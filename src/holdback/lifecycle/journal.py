"""A merchant's journal: its events in order, from which state and transactions are derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from holdback.errors import HistoryError
from holdback.lifecycle.events import (
    DealFunded,
    EntriesPosted,
    Event,
    MayBeFirst,
    RemittancesRecorded,
)
from holdback.lifecycle.evolve import evolve_all
from holdback.merchant.consistency import merchant_errors
from holdback.merchant.ledger import Entry, in_order, merged
from holdback.merchant.merchant import Merchant


def rebuild(events: Iterable[Event], since: Merchant | None = None) -> Merchant:
    """
    Return the state after *events*: all of a merchant, or those after the state *since*.

    Events that *since* includes are passed over, so a host may hand in the whole journal.

    Raises:
        HistoryError: the events do not follow one another, the first is not that of a new merchant,
            or they lead to a state that contradicts itself.
    """
    if since is not None:
        later = (event for event in events if event.sequence > since.sequence)
        return _consistent(evolve_all(since, later))
    following = iter(events)
    first = next(following, None)
    if not isinstance(first, MayBeFirst) or first.jurisdiction is None:
        message = "expected a journal that begins with the first event of its merchant"
        hint = "for another journal, give a new merchant as `since`"
        raise HistoryError.of("does_not_follow", message, path="$[0]", hint=hint)
    new = Merchant.new(
        partner=first.partner, merchant_id=first.merchant_id, jurisdiction=first.jurisdiction
    )
    return _consistent(evolve_all(new, chain((first,), following)))


def _consistent(merchant: Merchant) -> Merchant:
    errors = merchant_errors(merchant)
    if errors:
        raise HistoryError(errors)
    return merchant


def transactions(events: Iterable[Event]) -> dict[str, tuple[Entry, ...]]:
    """
    Return the entries of every deal by deal id, from the whole journal of a merchant.

    A state holds the entries of the last months; this has all.

    Raises:
        HistoryError: entries are recorded on a deal that was not funded before.
    """
    entries: dict[str, dict[str, Entry]] = {}
    for event in events:
        if isinstance(event, DealFunded):
            entries[event.deal.id] = {}
        for deal_id, recorded in _recorded_in(event):
            if deal_id not in entries:
                message = "entries were recorded on a deal that was not funded before"
                raise HistoryError.of("does_not_follow", message, path=f"$[{event.sequence - 1}]")
            merged(entries[deal_id], recorded)
    return {deal_id: in_order(recorded.values()) for deal_id, recorded in entries.items()}


def _recorded_in(event: Event) -> Iterator[tuple[str, tuple[Entry, ...]]]:
    if isinstance(event, RemittancesRecorded):
        yield event.deal_id, event.entries
    elif isinstance(event, EntriesPosted):
        for posting in event.postings:
            yield posting.deal_id, (posting.entry,)
