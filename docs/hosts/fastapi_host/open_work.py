"""
What waits for an agent, across all merchants: applications in fulfilment, and open referrals.

The rows derive from the states, and are written in one transaction with them: a merchant that
changes adds and removes its own. They decide nothing.
"""

import base64
import binascii
import json
from typing import NamedTuple

from attrs import frozen
from sqlalchemy import select, tuple_

from fastapi_host.tables import OPEN_WORK, UNSTORABLE
from holdback import InvalidDocument

APPLICATION, REFERRAL = "application", "referral"
REFERRED = "referred"  # the status of every open referral
MOST = 100  # rows of one page


class Work(NamedTuple):
    """Something that waits; `product` is empty for an application. `since` is a Unix second."""

    kind: str
    application_id: str
    product: str
    status: str
    since: int

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


def open_work(merchant):
    """Return what waits for an agent at a merchant, by its key; nothing for None."""
    if merchant is None:
        return {}
    work = [
        Work(REFERRAL, one.application_id, one.product, REFERRED, _second(one.referred_at))
        for one in merchant.referrals
    ]
    waiting = merchant.in_fulfilment
    if waiting is not None:
        since = _second(waiting.accepted_at)
        work.append(Work(APPLICATION, waiting.application_id, "", waiting.status, since))
    return {one.key: one for one in work}


def changes(before, after):
    """Return the keys of what no longer waits, and the work to write."""
    earlier, now = open_work(before), open_work(after)
    done = [key for key in earlier if key not in now]
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
