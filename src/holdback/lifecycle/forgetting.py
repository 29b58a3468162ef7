"""What the state need not hold any longer (decisions/documents).

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
from holdback.merchant.acceptance import ApplicationStatus
from holdback.merchant.deal import Deal
from holdback.merchant.instants import utc
from holdback.merchant.ledger import FEE
from holdback.merchant.merchant import IN_FULFILMENT, Merchant
from holdback.merchant.suspense import Suspense

# The sets of offers that a state holds with all their products, open or closed lately.
MOST_SETS: Final = 50
# Days of takings: twice what an average needs, so that late statements still count.
TAKINGS_DAYS: Final = 180
# Entries of one deal. Those of the last days are held however many they are: the 90 days of which
# facts speak, and today.
MOST_ENTRIES: Final = 2_000
ENTRY_DAYS: Final = 91
# Entries of a suspense account, of which few merchants have any. Those of used cash close earlier.
MOST_IN_SUSPENSE: Final = 20
SUSPENSE_DAYS: Final = 60
# What is old is forgotten together, about once a week, so that the journal stays short.
_SLACK: Final = timedelta(days=7)
_NO_SLACK: Final = timedelta()


def is_full_of_open_offers(merchant: Merchant, at: DateTime) -> bool:
    """Return whether another set of offers has no room: an open set is not forgotten."""
    return sum(offer_set.is_open(at) for offer_set in merchant.offer_sets) >= MOST_SETS


def forgotten(
    before: Merchant, merchant: Merchant, at: DateTime, configuration: Configuration
) -> tuple[Event, ...]:
    """
    Return the event by which *merchant* forgets what is too old at the instant *at*, if any.

    *before* is the merchant before the operation: what is old is looked for once a day.
    """
    if _was_looked_at(before, at):
        return ()
    nothing = Forgotten(at=at)
    if _forgotten(merchant, at, configuration, slack=_SLACK) == nothing:
        return ()
    return (_forgotten(merchant, at, configuration, slack=_NO_SLACK),)


def _was_looked_at(before: Merchant, at: DateTime) -> bool:
    """Return whether the merchant was looked at on this day, and cannot hold too much since."""
    seen = before.last_seen_at
    return (
        seen is not None
        and (seen.year, seen.month, seen.day) == (at.year, at.month, at.day)
        and len(before.offer_sets) < MOST_SETS
    )


def _forgotten(
    merchant: Merchant, at: DateTime, configuration: Configuration, *, slack: timedelta
) -> Forgotten:
    """Return what to forget if something is too old by *slack*."""
    applications = _days_before(at, configuration.memory_days)
    retries = _days_before(at, configuration.retry_days)
    today = configuration.local_day(merchant, at)
    memory = today - timedelta(days=configuration.memory_days)
    closed = ((deal.id, _closing_day(deal, today, memory, slack)) for deal in merchant.deals)
    return Forgotten(
        at=at,
        closed_offer_sets=tuple(_closed_offer_sets(merchant, at, retries)),
        applications_before=_cut(_application_instants(merchant), applications, slack),
        servicing_before=_cut(_servicing_instants(merchant), retries, slack),
        takings_before=_takings_before(merchant, slack),
        entries_through=tuple(
            EntriesClosed(deal_id=deal_id, through=day)
            for deal_id, day in closed
            if day is not None
        ),
        suspense_through=_suspense_through(merchant.suspense, today, memory, slack),
    )


def _days_before(at: DateTime, days: int) -> datetime:
    # The standard library's arithmetic: pendulum's own is many times slower.
    moment = datetime.combine(at.date(), at.time(), UTC)
    return moment - timedelta(days=days)


def _cut(instants: Iterator[DateTime], before: datetime, slack: timedelta) -> DateTime | None:
    """Return *before* if something is older than it by *slack*, else None."""
    overdue = before - slack
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


def _takings_before(merchant: Merchant, slack: timedelta) -> date | None:
    if not merchant.takings:
        return None
    # Differences of days, because a day that is very early or late has none before or after it.
    first, last = merchant.takings[0].on, merchant.takings[-1].on
    held = timedelta(days=TAKINGS_DAYS)
    return last - held if last - first > held + slack else None


def _closing_day(deal: Deal, today: date, memory: date, slack: timedelta) -> date | None:
    """Return the last day whose entries close now, None if none do."""
    if not deal.entries:
        return None
    recent = today - timedelta(days=ENTRY_DAYS)
    memory = min(memory, recent)
    # After its end, too, money may come in and be given back: the newest entries stay.
    if deal.ended_on is not None and memory - deal.ended_on <= slack:
        return None
    if memory - deal.entries[0].on <= slack and len(deal.entries) <= MOST_ENTRIES:
        return None
    # Fees stay: they close nothing.
    settled = [entry.on for entry in deal.entries if entry.settled and entry.kind != FEE]
    through = memory if settled and memory - settled[0] > slack else None
    if len(settled) > MOST_ENTRIES:
        most = min(settled[-MOST_ENTRIES], recent)
        through = most if through is None else max(through, most)
    return through if through is not None and settled[0] <= through else None


def _suspense_through(
    suspense: Suspense, today: date, memory: date, slack: timedelta
) -> date | None:
    """Return the last day whose entries in suspense close now, None if none do."""
    if not suspense.entries:
        return None
    if len(suspense.entries) > MOST_IN_SUSPENSE:
        most = min(suspense.entries[-MOST_IN_SUSPENSE].on, today - timedelta(days=SUSPENSE_DAYS))
        memory, slack = max(memory, most), _NO_SLACK
    # Cash that is not used yet stays, however old it is.
    used = suspense.closing(memory) or suspense.too_many(memory)
    return memory if used and memory - used[0].on >= slack else None
