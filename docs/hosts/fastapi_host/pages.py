"""
The pages of a run of the review: which merchants, who reviews them, and how far that is.

A process claims a page by a compare-and-set on `due`, for longer than it takes to save it again. So
several processes share a run, and none reviews what another one does. If a process dies, its claim
expires, and another one goes on after the merchant that was saved last.
"""

from attrs import asdict, define
from sqlalchemy import exists, func, select, update

from fastapi_host.tables import MERCHANTS, REVIEW_PAGES

SIZE = 100  # merchants
CLAIMED = 120  # seconds in which no other process takes the page


@define
class Page:
    """
    A claimed page of a run: the merchants of `partner` after `reached` and up to `last`.

    `due` is when the claim expires, and None when the page is done.
    """

    run: str
    partner: str
    number: int
    last: str
    reached: str
    due: int | None
    at: int


def claim(store, run, partner, now):
    """Claim a page whose claim has expired, else the next page; None if there is neither."""
    of_run = (REVIEW_PAGES.c.run == run, REVIEW_PAGES.c.partner == partner)
    expired = select(REVIEW_PAGES).where(*of_run, REVIEW_PAGES.c.due <= now)
    newest = select(REVIEW_PAGES.c.number, REVIEW_PAGES.c.last).where(*of_run)
    with store.reading.connect() as db:
        expired = db.execute(expired.order_by(REVIEW_PAGES.c.number)).all()
        newest = db.execute(newest.order_by(REVIEW_PAGES.c.number.desc()).limit(1)).one_or_none()
    for row in expired:
        page = Page(*row)
        if save(store, page, now):  # or another process was faster
            return page
    number, reached = newest or (0, "")
    merchant_ids = store.merchant_ids(partner, reached, most=SIZE)
    if not merchant_ids:
        return None
    page = Page(run, partner, number + 1, merchant_ids[-1], reached, now + CLAIMED, now)
    with store.engine.begin() as db:
        db.execute(REVIEW_PAGES.insert(), asdict(page))  # of two with one number, one tries again
    return page


def save(store, page, now):
    """Save how far the page is, and claim it on; return whether it is still this process's."""
    return _save(store, page, now, due=now + CLAIMED)


def release(store, page, now):
    """Save how far the page is, and let another process take it at once."""
    return _save(store, page, now, due=now)


def finish(store, page, now):
    """Save that the page is done."""
    return _save(store, page, now, due=None)


def _save(store, page, now, due):
    mine = (
        REVIEW_PAGES.c.run == page.run,
        REVIEW_PAGES.c.partner == page.partner,
        REVIEW_PAGES.c.number == page.number,
        REVIEW_PAGES.c.due == page.due,
    )
    values = {"reached": page.reached, "due": due, "at": now}
    with store.engine.begin() as db:
        saved = db.execute(update(REVIEW_PAGES).where(*mine).values(**values)).rowcount == 1
    if saved:
        page.due = due
    return saved


def is_done(store, run, partner):
    """Return whether all claimed pages are done."""
    of_run = (REVIEW_PAGES.c.run == run, REVIEW_PAGES.c.partner == partner)
    with store.reading.connect() as db:
        return not db.scalar(select(exists().where(*of_run, REVIEW_PAGES.c.due.is_not(None))))


def pages_of(store, partner):
    """Return the number of pages that the merchants of a partner fill now."""
    merchants = select(func.count()).select_from(MERCHANTS).where(MERCHANTS.c.partner == partner)
    with store.reading.connect() as db:
        return -(-db.scalar(merchants) // SIZE)
