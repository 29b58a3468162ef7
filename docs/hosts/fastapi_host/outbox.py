"""Webhooks: partners are told, after the commit, that a merchant's renewal eligibility changed.

Service 6 names such a webhook and leaves it open. Here it follows https://www.standardwebhooks.com: signed,
at least once, and in order for each merchant. The table of events is the outbox: what is to be told was
committed with what it tells of, and cannot be lost.

Several processes may deliver. An event is claimed by a compare-and-set on `due` and `tries`, for longer
than a delivery should take; a process that dies leaves its claim to expire. Only a merchant's earliest event
that is due can be claimed, so the next one waits until it was delivered.

Nothing bounds a delivery as a whole: a partner may answer one byte at a time, and a process may be suspended
in the middle. When a delivery outlasts its claim, another process tells the event and goes on to the next, and
the late one may still arrive after both. So a partner may get an event twice and the second time out of order;
its `webhook-id` is the same then, and `at` says which of two events is the newer.
"""

import base64
import hashlib
import hmac
import json
import threading
import time
from contextlib import contextmanager, suppress

import httpx
from attrs import frozen
from sqlalchemy import and_, select, update
from sqlalchemy.exc import DBAPIError

from fastapi_host.logs import log
from fastapi_host.tables import EVENTS, MERCHANTS
from holdback import wire

TIMEOUT = 10  # seconds for each connect, read and write of a delivery
CLAIMED = 120  # seconds in which nobody else tries
WAIT = (5, 30, 120, 600, 3600)  # seconds after each failure; from then on the last
PAUSE = 1  # seconds between two looks at the table
AT_ONCE = 50  # rows looked at together
MOVES = 5  # tries of a compare-and-set that the database refuses


def deliver_due(store, partner, post, *, now=time.time, stop=lambda: False):
    """
    Deliver what is due to one partner, until nothing is or `stop()`; gives how many were delivered.

    `post(url, headers, body)` gives the status of the answer, or raises `httpx.HTTPError`.
    """
    delivered, before = 0, None
    while delivered != before:  # else what failed waits, and what others claimed is theirs
        before = delivered
        for row in _due(store, partner, int(now())):
            if stop():
                return delivered
            delivered += _deliver(store, partner, row, post, now)
    return delivered


def _due(store, partner, now):
    """Of each merchant the earliest event that was not told, if its time has come."""
    earlier = EVENTS.alias()
    first = ~(
        select(earlier.c.number)
        .where(
            earlier.c.partner == EVENTS.c.partner,
            earlier.c.merchant_id == EVENTS.c.merchant_id,
            earlier.c.place < EVENTS.c.place,
            earlier.c.due.is_not(None),
        )
        .exists()
    )
    whose = and_(
        MERCHANTS.c.partner == EVENTS.c.partner, MERCHANTS.c.merchant_id == EVENTS.c.merchant_id
    )
    query = select(EVENTS, MERCHANTS.c.state).join(MERCHANTS, whose)
    query = query.where(EVENTS.c.partner == partner.name, EVENTS.c.due <= now, first)
    with store.reading.connect() as db:
        return db.execute(query.order_by(EVENTS.c.due, EVENTS.c.number).limit(AT_ONCE)).all()


def _deliver(store, partner, row, post, now):
    """Whether it was delivered, and not by another process."""
    claim = {"due": int(now()) + CLAIMED, "tries": row.tries + 1}
    if not _move(store, row, (row.due, row.tries), claim):
        return False
    body, at = _payload(row), int(now())
    status = None
    try:
        status = post(partner.webhook.url, signed(partner.webhook.secret, _id(row), at, body), body)
    except httpx.HTTPError as error:
        log("webhook_failed", partner=partner.name, number=row.number, why=type(error).__name__)
    told = status is not None and 200 <= status < 300
    wait = WAIT[min(row.tries, len(WAIT) - 1)]
    after = {"due": None if told else int(now()) + wait, "tries": claim["tries"]}
    mine = _move(store, row, (claim["due"], claim["tries"]), after)
    tried = {"attempt": claim["tries"], "status": status, "delivered": told and mine}
    log("webhook", partner=partner.name, number=row.number, **tried)
    return told and mine


def _move(store, row, read, values):
    """Compare and set; what the database refused, such as for serialization, is tried again."""
    due, tries = read
    mine = and_(EVENTS.c.number == row.number, EVENTS.c.due == due, EVENTS.c.tries == tries)
    for _ in range(MOVES):
        with suppress(DBAPIError), store.engine.begin() as db:
            return db.execute(update(EVENTS).where(mine).values(**values)).rowcount == 1
    return False  # not known: the claim expires, and it is told again


def _payload(row):
    """What the partner is told: the ids that it knows, and nothing about a person."""
    event, merchant = wire.read_event(row.event), wire.read_merchant(row.state)
    told = {
        "type": "renewal_eligibility_changed",
        "provider_id": merchant.provider_id,
        "deal_id": event.deal_id,
        "renewal_eligibility": event.renewal_eligibility,
        "at": wire.write_timestamp(event.at),
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _id(row):
    """The same for every try of one event, and another for every other."""
    of = json.dumps([row.partner, row.merchant_id, row.place]).encode()
    return f"evt_{hashlib.sha256(of).hexdigest()[:32]}"


def signed(secret, event_id, at, body):
    """The headers of a webhook, with its signature by the convention of Standard Webhooks."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{event_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "content-type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }


@frozen
class Post:
    """Sends webhooks. Redirects are not followed, and what is answered is not read."""

    client: httpx.Client

    def __call__(self, url, headers, body):
        with self.client.stream("POST", url, headers=headers, content=body) as answer:
            return answer.status_code


@contextmanager
def running(store, partners):
    """A thread for each partner that has a webhook, so that a slow or failing one holds up no other."""
    stop = threading.Event()
    with httpx.Client(timeout=TIMEOUT) as client:
        threads = [
            threading.Thread(target=_keep_delivering, args=(store, each, Post(client), stop))
            for each in partners.partners
            if each.webhook is not None
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()


def _keep_delivering(store, partner, post, stop):
    while not stop.wait(PAUSE):
        try:
            deliver_due(store, partner, post, stop=stop.is_set)
        except Exception as error:  # noqa: BLE001 - the thread has to live on: the database may be away
            log("webhooks_stopped", partner=partner.name, why=type(error).__name__)
