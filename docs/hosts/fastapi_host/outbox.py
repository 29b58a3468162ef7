"""
Webhooks: they notify partners, after the commit, of what happened without a request of theirs.

Service 6 names the one about renewal eligibility, and leaves its form open. Others say that a
partner may ask again, because a referral was decided, that an application lapsed, that a queued
renewal can be funded, and what a partner has to know to withhold the right share of the takings: a
deal is paused, resumed or undone, or has other terms. What was paid is in the look-up, and in no
webhook. They are delivered at least once, and in order for each merchant. The table of events is
the outbox: a notification is committed together with its event, and cannot be lost.
`webhook_delivery` signs and sends it.

Several processes may deliver. A process claims an event by a compare-and-set on `due` and `tries`,
for longer than a delivery should take; if the process dies, the claim expires. Only a merchant's
earliest undelivered event can be claimed, so the next one waits.

Nothing bounds a whole delivery: a partner may answer one byte at a time, and a process may be
suspended. When a delivery outlasts its claim, another process delivers the event and goes on to the
next, and the late delivery may still arrive after both. So a partner may get an event twice, the
second time out of order. Both have the same `webhook-id`, and `at` says which event is newer.
"""

import hashlib
import json
import threading
import time
from contextlib import contextmanager, suppress

import httpx
from sqlalchemy import and_, null, select, update
from sqlalchemy.exc import DBAPIError

from fastapi_host.attempts import retry
from fastapi_host.documents import read_documents
from fastapi_host.logs import Note, log
from fastapi_host.tables import EVENTS, MERCHANTS
from fastapi_host.webhook_delivery import Post, client, signed
from holdback import wire
from holdback.lifecycle.events import (
    ApplicationLapsed,
    DealPaused,
    DealResumed,
    DealUnwound,
    PayoutReturned,
    QueuedRenewalReady,
    ReferralDecided,
    RenewalEligibilityChanged,
    TermsChanged,
)

CLAIMED = 120  # seconds in which no other process tries
WAIT = (5, 30, 120, 600, 3600)  # seconds after each failure; the last one repeats
PAUSE = 1  # seconds between two queries for due events
BATCH = 50  # rows of one query
UPDATE_ATTEMPTS = 5  # of a compare-and-set that the database refuses
NEEDED_OF_MERCHANT = (MERCHANTS.c.version, MERCHANTS.c.state, null().label("profile"))


def deliver_due(store, partner, post, *, now=time.time, stop=lambda: False):
    """
    Deliver what is due to one partner, and return the number of events delivered.

    Ends when nothing is due, or when `stop()` is true. `post(url, headers, body)` returns the
    status of the answer, or raises `httpx.HTTPError`.
    """
    delivered, before = 0, None
    while delivered != before:  # what is left has failed and waits, or is claimed elsewhere
        before = delivered
        # A database refuses reads too, such as one in a conflict of serializable transactions.
        for row in retry(lambda: _due(store, partner, int(now())), Note()):
            if stop():
                return delivered
            delivered += _deliver(store, partner, row, post, now)
    return delivered


def _due(store, partner, now):
    """Return each merchant's earliest undelivered event, if it is due."""
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
    same_merchant = and_(
        MERCHANTS.c.partner == EVENTS.c.partner, MERCHANTS.c.merchant_id == EVENTS.c.merchant_id
    )
    query = select(EVENTS, *NEEDED_OF_MERCHANT).join(MERCHANTS, same_merchant)
    query = query.where(EVENTS.c.partner == partner.name, EVENTS.c.due <= now, first)
    with store.reading.connect() as db:
        return db.execute(query.order_by(EVENTS.c.due, EVENTS.c.number).limit(BATCH)).all()


def _deliver(store, partner, row, post, now):
    """Return whether this process delivered the event."""
    claim = {"due": int(now()) + CLAIMED, "tries": row.tries + 1}
    if not _compare_and_set(store, row, (row.due, row.tries), claim):
        return False
    event = wire.read_event(row.event)
    body, at = _payload(row, event), int(now())
    status = None
    try:
        status = post(partner.webhook.url, signed(partner.webhook.secret, _id(row), at, body), body)
    except httpx.HTTPError as error:
        log("webhook_failed", partner=partner.name, number=row.number, why=type(error).__name__)
    received = status is not None and 200 <= status < 300
    wait = WAIT[min(row.tries, len(WAIT) - 1)]
    after = {"due": None if received else int(now()) + wait, "tries": claim["tries"]}
    mine = _compare_and_set(store, row, (claim["due"], claim["tries"]), after)
    tried = {"attempt": claim["tries"], "status": status, "delivered": received and mine}
    assessment = getattr(event, "assessment", None)
    tried |= {"rulebook_digest": assessment and assessment["digest"]}
    log("webhook", partner=partner.name, number=row.number, **tried)
    return received and mine


def _compare_and_set(store, row, expected, values):
    """Update the row if it is unchanged; repeat what the database refuses, such as a conflict."""
    due, tries = expected
    mine = and_(EVENTS.c.number == row.number, EVENTS.c.due == due, EVENTS.c.tries == tries)
    for _ in range(UPDATE_ATTEMPTS):
        with suppress(DBAPIError), store.engine.begin() as db:
            return db.execute(update(EVENTS).where(mine).values(**values)).rowcount == 1
    return False  # unknown: the claim expires, and the event is delivered again


def _payload(row, event):
    """Return the body: ids that the partner knows, and no personal data; decimals as text."""
    payload = {**PAYLOADS[type(event)](row, event), "at": wire.write_timestamp(event.at)}
    return json.dumps(payload, separators=(",", ":"), default=str).encode()


def _eligibility_changed(row, event):
    # INVARIANT: the deal and a flag alone, which do not tell a hold from any other reason.
    flag = {"renewal_eligibility": event.renewal_eligibility}
    return _of_deal("renewal_eligibility_changed", row, event) | flag


def _of_deal(kind, row, event):
    provider_id = read_documents(row).merchant.provider_id
    return {"type": kind, "provider_id": provider_id, "deal_id": event.deal_id}


def _from_a_day(kind):
    """Return the form of an event by which a deal changes from a day on."""

    def payload(row, event):
        return _of_deal(kind, row, event) | {"on": event.on.isoformat()}

    return payload


def _terms_changed(row, event):
    change = event.change
    return _of_deal("terms_changed", row, event) | {
        "on": change.on.isoformat(),
        "split_percentage": change.split_percentage,
        "term_length": change.term_length,
    }


def _referral_decided(row, event):
    # What was decided, why and by whom is for agents: the partner asks again, and gets the answer.
    return {
        "type": "referral_decided",
        "merchant_id": row.merchant_id,
        "application_id": event.decision.application_id,
    }


def _of_application(kind):
    """Return the form of an event that has an application alone."""

    def payload(row, event):
        about = {"merchant_id": row.merchant_id, "application_id": event.application_id}
        return {"type": kind, **about}

    return payload


PAYLOADS = {
    RenewalEligibilityChanged: _eligibility_changed,
    ReferralDecided: _referral_decided,
    ApplicationLapsed: _of_application("application_lapsed"),
    QueuedRenewalReady: _of_application("queued_renewal_ready"),
    DealPaused: _from_a_day("deal_paused"),
    DealResumed: _from_a_day("deal_resumed"),
    TermsChanged: _terms_changed,
    DealUnwound: _from_a_day("deal_unwound"),
    PayoutReturned: _from_a_day("payout_returned"),
}


def _id(row):
    """Return the id of an event, the same in every delivery of it."""
    event = json.dumps([row.partner, row.merchant_id, row.place]).encode()
    return f"evt_{hashlib.sha256(event).hexdigest()[:32]}"


@contextmanager
def running(store, partners, *, private=False):
    """Run a thread for each partner with a webhook, so that a slow one does not delay others."""
    stop = threading.Event()
    with client() as sender:
        post = Post(sender, private)
        threads = [
            threading.Thread(target=_keep_delivering, args=(store, partner, post, stop))
            for partner in partners.partners
            if partner.webhook is not None
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
        except Exception as error:  # noqa: BLE001 - the thread outlives any failure of the database
            log("webhooks_stopped", partner=partner.name, why=type(error).__name__)
