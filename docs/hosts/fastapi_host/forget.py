"""
Forget: delete stored replies, and pages of finished reviews, of more than some days ago.

It walks through the replies in the order of their keys and deletes a few in each transaction, so it
holds no lock for long, can be stopped at any time, and needs no index on their age, which every
request would have to keep.
"""

from functools import partial

from attrs import frozen
from sqlalchemy import and_, delete, select, tuple_, update

from fastapi_host.attempts import retry
from fastapi_host.logs import Note, log
from fastapi_host.tables import REPLIES, REVIEW_PAGES

BATCH = 1000  # rows that one transaction looks at
DAY = 24 * 60 * 60
place = tuple_(REPLIES.c.caller, REPLIES.c.key)  # the order of the walk


@frozen
class Forgot:
    """The numbers of replies and of pages of reviews that were deleted."""

    replies: int
    pages: int


def forget(store, keep_days, now, *, stop=lambda: False):
    """
    Delete what was written more than `keep_days` before the Unix second `now`.

    A reply that the version before wrote has no time; it gets that of this walk, so it is deleted
    `keep_days` after the first one. A repeated request whose reply is gone is a new one.
    """
    before, replies, after = now - keep_days * DAY, 0, None
    while not stop():
        last = retry(partial(_last_of_batch, store, after), Note())
        if last is None:
            break
        batch = _between(after, last)
        replies += retry(partial(_forget_replies, store, batch, before, now), Note())
        after = last
    pages = retry(partial(_forget_pages, store, before), Note())
    log("forgot", replies=replies, pages=pages, keep_days=keep_days)
    return Forgot(replies, pages)


def _between(after, last):
    up_to = place <= tuple_(*last)
    return up_to if after is None else and_(place > tuple_(*after), up_to)


def _last_of_batch(store, after):
    """Return the last place of the next batch, None at the end."""
    query = select(REPLIES.c.caller, REPLIES.c.key).order_by(REPLIES.c.caller, REPLIES.c.key)
    if after is not None:
        query = query.where(place > tuple_(*after))
    batch = query.limit(BATCH).subquery()
    last = select(batch).order_by(batch.c.caller.desc(), batch.c.key.desc()).limit(1)
    with store.reading.connect() as db:
        row = db.execute(last).one_or_none()
        return None if row is None else tuple(row)


def _forget_replies(store, batch, before, now):
    with store.engine.begin() as db:
        deleted = db.execute(delete(REPLIES).where(batch, REPLIES.c.at.between(1, before - 1)))
        db.execute(update(REPLIES).where(batch, REPLIES.c.at == 0).values(at=now))
        return deleted.rowcount


def _forget_pages(store, before):
    done = delete(REVIEW_PAGES).where(REVIEW_PAGES.c.due.is_(None), REVIEW_PAGES.c.at < before)
    with store.engine.begin() as db:
        return db.execute(done).rowcount
