"""
What waits for an agent, across all merchants: applications in fulfilment, open referrals (of
products, and of a payout that waits), and deals that have ended with too much or too little paid.

The rows derive from the states and the rules of that moment, and are written in one transaction
with the states: a merchant that changes adds and removes its own. They decide nothing.
"""

import base64
import binascii
import json
from datetime import UTC, datetime, time
from typing import NamedTuple

from attrs import frozen
from sqlalchemy import select, tuple_

from fastapi_host.tables import OPEN_WORK, UNSTORABLE
from holdback import InvalidDocument

APPLICATION, REFERRAL, DEAL = "application", "referral", "deal"
REFERRED = "referred"  # the status of every open referral
REFUND_DUE, SHORTFALL = "refund_due", "shortfall"  # the statuses of deals to put right
MOST = 100  # rows of one page


class Work(NamedTuple):
    """
    Something that waits. `since` is a Unix second.

    Only a referral has a `product`, and only a deal a `deal_id` and an `amount`; else they are "".
    """

    kind: str
    application_id: str
    product: str
    status: str
    since: int
    deal_id: str = ""
    amount: str = ""

    @property
    def key(self):
        """What tells it from the merchant's other work."""
        return self[:3]


class Place(NamedTuple):
    """A place in the queue, in which the oldest is first."""

    since: int
    partner: str
    merchant_id: str
    application_id: str
    product: str


_PLACE = [OPEN_WORK.c[name] for name in Place._fields]


@frozen
class Page:
    """A page of the queue, and the place after which the next one begins, None at the end."""

    rows: tuple
    after: Place | None


def open_work(merchant, referrals):
    """
    Return what waits for an agent at a merchant, by its key; nothing for None.

    The `referrals` are those of the engine. That of a payout dates from the acceptance: the engine
    asks anew each time whether it waits.
    """
    if merchant is None:
        return {}
    waiting = merchant.in_fulfilment
    work = []
    for one in referrals:
        of_payout = waiting is not None and waiting.application_id == one.application_id
        since = _second(waiting.accepted_at if of_payout else one.referred_at)
        work.append(Work(REFERRAL, one.application_id, one.product, REFERRED, since))
    if waiting is not None:
        status, since = merchant.shown_status(waiting), _second(waiting.accepted_at)
        work.append(Work(APPLICATION, waiting.application_id, "", status, since))
    work += _deals_to_put_right(merchant)
    return {one.key: one for one in work}


def _deals_to_put_right(merchant):
    """Yield the deals of which money is to be given back, or is missing although they ended."""
    for deal in merchant.deals:
        for status, money in ((REFUND_DUE, deal.overpaid), (SHORTFALL, deal.shortfall)):
            if money.minor:
                since = _second(datetime.combine(_last_movement(deal), time(), tzinfo=UTC))
                yield Work(DEAL, deal.application_id, "", status, since, deal.id, str(money))


def _last_movement(deal):
    """Return the day since which the deal's figures have not changed."""
    closed = deal.closed_entries
    days = [deal.entries[-1].on if deal.entries else None, deal.closed_on, deal.funded_on]
    days.append(None if closed is None else closed.last_on)
    return max(day for day in days if day is not None)


def changes(before, after, referrals):
    """Return the keys of what no longer waits, and the work to write; `referrals` are those now."""
    earlier = open_work(before, () if before is None else before.referrals)
    now = open_work(after, referrals)
    accepted = before and before.in_fulfilment
    payout = [(REFERRAL, accepted.application_id, accepted.product)] if accepted else []
    done = [key for key in (*earlier, *payout) if key not in now]
    return done, [work for key, work in now.items() if earlier.get(key) != work]


def read_page(store, kind, after=None, most=MOST):
    """Return open work of one kind, the oldest first, after a place of an earlier page."""
    query = select(OPEN_WORK).where(OPEN_WORK.c.kind == kind).order_by(*_PLACE)
    if after is not None:
        query = query.where(tuple_(*_PLACE) > tuple_(*after))
    with store.reading.connect() as db:
        rows = db.execute(query.limit(most + 1)).all()
    more = len(rows) > most
    place = Place(*(getattr(rows[most - 1], name) for name in Place._fields)) if more else None
    return Page(tuple(rows[:most]), place)


def write_place(place):
    """Return a place as the text by which a caller asks for the next page."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def read_place(text):
    """
    Return the place that `write_place` wrote.

    Raises:
        InvalidDocument: it is another text.
    """
    try:
        place = Place(*json.loads(base64.b64decode(text.encode(), b"-_", validate=True)))
    except (binascii.Error, TypeError, ValueError):
        place = None
    if place is None or not _is_place(place):
        message = "expected `after` of the page before"
        raise InvalidDocument.of("wrong_value", message, path="$.query.after")
    return place


def _is_place(place):
    since, *names = place
    in_range = type(since) is int and abs(since) < 2**63
    return in_range and all(type(name) is str and not UNSTORABLE.search(name) for name in names)


def _second(at):
    return int(at.timestamp())
