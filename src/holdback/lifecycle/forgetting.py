"""What the state need not hold any longer (decisions/bounded-state).

What an operation can still ask for is kept, and the rest is in the journal. To forget is an event,
so that a replay gives the stored state.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

from pendulum import DateTime

from holdback.lifecycle.configuration import Configuration
from holdback.lifecycle.events import EntriesClosed, Event, Forgotten
from holdback.model.acceptance import ApplicationStatus
from holdback.model.deal import Deal
from holdback.model.instants import utc
from holdback.model.merchant import IN_FULFILMENT, Merchant

# The sets of offers that a state holds with all their products, open or closed lately.
MOST_SETS: Final = 50
# Days of takings: twice what an average needs, so that late statements still count.
TAKINGS_DAYS: Final = 180
# Entries of one deal. Those of the last days are held however many they are.
MOST_ENTRIES: Final = 2_000
ENTRY_DAYS: Final = 60
# What is old is forgotten together, about once a week, so that the journal stays short.
_SLACK: Final = timedelta(days=7)


def forgotten(merchant: Merchant, at: DateTime, configuration: Configuration) -> tuple[Event, ...]:
    """Return the event by which *merchant* forgets what is too old at the instant *at*, if any."""
    applications = _days_before(at, configuration.memory_days)
    servicing = _days_before(at, configuration.retry_days)
    event = Forgotten(
        at=at,
        closed_offer_sets=tuple(_closed_offer_sets(merchant, at, servicing)),
        applications_before=_cut(_application_instants(merchant), applications),
        servicing_before=_cut(_servicing_instants(merchant), servicing),
        takings_before=_takings_before(merchant),
        entries_through=tuple(_entries_through(merchant, at, configuration)),
    )
    return () if event == Forgotten(at=at) else (event,)


def _days_before(at: DateTime, days: int) -> datetime:
    # The standard library's arithmetic: pendulum's own is many times slower.
    moment = datetime.combine(at.date(), at.time(), UTC)
    return moment - timedelta(days=days)


def _cut(instants: Iterator[DateTime], before: datetime) -> DateTime | None:
    """Return *before* if something is older than it by the slack, else None."""
    overdue = before - _SLACK
    return utc(before) if any(instant < overdue for instant in instants) else None


def _closed_offer_sets(merchant: Merchant, at: DateTime, since: datetime) -> Iterator[str]:
    """Yield the sets that are closed, and were issued before *since* or are too many."""
    closed = [offer_set for offer_set in merchant.offer_sets if not offer_set.is_open(at)]
    too_many = len(merchant.offer_sets) - MOST_SETS
    for place, offer_set in enumerate(closed):
        if offer_set.issued_at < since or place < too_many:
            yield offer_set.application_id


def _application_instants(merchant: Merchant) -> Iterator[DateTime]:
    """Yield the instants of what is remembered of applications."""
    for offer_set in merchant.closed_offer_sets:
        yield offer_set.expires_at
    for fulfilment in merchant.fulfilments:
        if fulfilment.status not in IN_FULFILMENT:
            yield fulfilment.accepted_at
    yield from _first_instant(merchant, is_application=True)


def _servicing_instants(merchant: Merchant) -> Iterator[DateTime]:
    yield from _first_instant(merchant, is_application=False)


def _first_instant(merchant: Merchant, *, is_application: bool) -> Iterator[DateTime]:
    """Yield the instant of the first remembered request of a kind: they are in order."""
    for request in merchant.requests:
        if isinstance(request.carried_out.receipt, ApplicationStatus) == is_application:
            yield request.at
            return


def _takings_before(merchant: Merchant) -> date | None:
    if not merchant.takings:
        return None
    before = merchant.takings[-1].on - timedelta(days=TAKINGS_DAYS)
    return before if merchant.takings[0].on + _SLACK < before else None


def _entries_through(
    merchant: Merchant, at: DateTime, configuration: Configuration
) -> Iterator[EntriesClosed]:
    """Yield the deals of which entries are closed now, each with the last day that is closed."""
    today, memory_days = configuration.local_day(merchant, at), configuration.memory_days
    for deal in merchant.deals:
        through = _closing_day(deal, today, memory_days)
        if through is not None:
            yield EntriesClosed(deal_id=deal.id, through=through)


def _closing_day(deal: Deal, today: date, memory_days: int) -> date | None:
    if not deal.entries:
        return None
    memory = today - timedelta(days=memory_days)
    if deal.ended_on is not None:
        # Nothing more is recorded on a deal that ended so long ago.
        return today if deal.ended_on + _SLACK < memory and not _closed(deal) else None
    if deal.entries[0].on + _SLACK >= memory and len(deal.entries) <= MOST_ENTRIES:
        return None
    settled = [entry.on for entry in deal.entries if entry.settled]
    through = memory if settled and settled[0] + _SLACK < memory else None
    if len(settled) > MOST_ENTRIES:
        most = min(settled[-MOST_ENTRIES], today - timedelta(days=ENTRY_DAYS))
        through = most if through is None else max(through, most)
    return through if through is not None and settled[0] <= through else None


def _closed(deal: Deal) -> bool:
    return not any(entry.settled for entry in deal.entries)
