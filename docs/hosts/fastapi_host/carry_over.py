"""
Carry over: rewrite states and journals of format 1 in the newest format, once after an upgrade.

A merchant is carried over when it is next written, but its earlier events stay in format 1, with
personal data in them, and so do merchants that nobody writes any more. This walks through all
merchants. Afterwards all personal data is in the profiles, and can be erased.

What waits for agents is listed again for every merchant, because a version before listed less
(decisions/hosts#what-waits-is-a-table).

Journal and profile name sections by digests with one salt, so all documents of a merchant are
rewritten in one transaction. It locks the merchant and gives it another version, so a request that
read it before starts again.
"""

import secrets
from functools import partial

from attrs import frozen
from sqlalchemy import and_, bindparam, func, null, select, tuple_, update

from fastapi_host.attempts import retry
from fastapi_host.documents import FIRST_FORMAT, SALT_BYTES, read_documents
from fastapi_host.logs import Note, log
from fastapi_host.open_work import open_work
from fastapi_host.tables import EVENTS, MERCHANTS, OPEN_WORK, PROFILES
from holdback import HistoryError, StateError, wire

PAGE = 200  # merchants of one query
HEAD = 100  # bytes of a document, among which is its format
place = tuple_(MERCHANTS.c.partner, MERCHANTS.c.merchant_id)  # the order of the walk


@frozen
class CarriedOver:
    """The numbers of merchants that were carried over, and that could not be."""

    merchants: int
    failed: int


def carry_over(store, *, stop=lambda: False):
    """
    Carry over every merchant with a document of format 1, and list what waits at all of them.

    A failure does not stop the others.
    """
    merchants, failed, after = 0, 0, None
    while not stop():
        page = retry(partial(_page, store, after), Note())
        if not page:
            break
        for row in page:
            first = _has_first_format(row.state, row.first_event)
            step = _carry_over if first else _list_work
            try:
                retry(partial(step, store, row.partner, row.merchant_id), Note())
                merchants += first
            except (StateError, HistoryError) as error:
                failed += 1
                details = [f"{detail.path}: {detail.code}" for detail in error.errors]
                why = type(error).__name__
                log("carry_over_failed", partner=row.partner, why=why, details=details)
        after = (page[-1].partner, page[-1].merchant_id)
        log("carry_over_page", merchants=merchants, failed=failed)
    log("carried_over", merchants=merchants, failed=failed)
    return CarriedOver(merchants, failed)


def _page(store, after):
    """Return the next merchants, with the heads of their states and of their first events."""
    same = and_(_is_of(EVENTS, MERCHANTS.c.partner, MERCHANTS.c.merchant_id), EVENTS.c.place == 1)
    heads = (
        func.substr(MERCHANTS.c.state, 1, HEAD).label("state"),
        func.substr(EVENTS.c.event, 1, HEAD).label("first_event"),
    )
    query = select(MERCHANTS.c.partner, MERCHANTS.c.merchant_id, *heads)
    query = query.join(EVENTS, same, isouter=True)
    if after is not None:
        query = query.where(place > tuple_(*after))
    query = query.order_by(MERCHANTS.c.partner, MERCHANTS.c.merchant_id).limit(PAGE)
    with store.reading.connect() as db:
        return db.execute(query).all()


def _has_first_format(*heads):
    """Return whether one of these beginnings says format 1; a journal begins with its oldest."""
    return any(head is not None and b'"format":1,' in bytes(head) for head in heads)


def _carry_over(store, partner, merchant_id):
    merchant = _is_of(MERCHANTS, partner, merchant_id)
    query = select(MERCHANTS.c.version, MERCHANTS.c.state, PROFILES.c.profile).where(merchant)
    query = query.outerjoin(PROFILES, _is_of(PROFILES, partner, merchant_id))
    journal = select(EVENTS.c.place, EVENTS.c.event).where(_is_of(EVENTS, partner, merchant_id))
    key = {"partner": partner, "merchant_id": merchant_id}
    with store.transaction() as db:
        # Locked first: at READ COMMITTED a row that is read while it waits for its lock has the new
        # state beside the old profile.
        db.execute(select(MERCHANTS.c.version).where(merchant).with_for_update()).one()
        documents = read_documents(db.execute(query).one())
        if documents.profile is None:
            raise StateError.of("contradiction", "the merchant has no profile", path="$")
        journal = db.execute(journal.order_by(EVENTS.c.place)).all()
        state = wire.write_merchant(documents.merchant)
        # Another version, so that a request which has read the merchant starts again.
        moved = {"version": MERCHANTS.c.version + 1, "state": state}
        db.execute(update(MERCHANTS).where(merchant).values(moved))
        if documents.format == FIRST_FORMAT:
            profile = wire.write_profile(documents.profile)
            db.execute(PROFILES.delete().where(_is_of(PROFILES, partner, merchant_id)))
            db.execute(PROFILES.insert(), key | {"profile": profile})
        # A process of the version before wrote the state without what waits for agents.
        _listed(db, documents.merchant)
        rewritten = list(_rewritten(documents, journal))
        if rewritten:
            db.execute(_REWRITE.where(_is_of(EVENTS, partner, merchant_id)), rewritten)


def _list_work(store, partner, merchant_id):
    query = select(MERCHANTS.c.version, MERCHANTS.c.state, null().label("profile"))
    query = query.where(_is_of(MERCHANTS, partner, merchant_id)).with_for_update()
    with store.transaction() as db:  # which locks the merchant, so no request lists it meanwhile
        _listed(db, read_documents(db.execute(query).one()).merchant)


def _listed(db, merchant):
    """Write what waits for an agent at a merchant, instead of what is listed."""
    key = {"partner": merchant.partner, "merchant_id": merchant.merchant_id}
    db.execute(OPEN_WORK.delete().where(_is_of(OPEN_WORK, **key)))
    work = [key | one._asdict() for one in open_work(merchant).values()]
    if work:
        db.execute(OPEN_WORK.insert(), work)


def _rewritten(documents, journal):
    """Yield the place of each event of format 1, and the event in the newest format."""
    merchant = documents.merchant
    first = [row for row in journal if wire.format_of(bytes(row.event)) == FIRST_FORMAT]
    # The salt of an erased profile is gone: what its journal has of personal data is dropped.
    salt = documents.profile.salt or secrets.token_bytes(SALT_BYTES)
    events, _ = wire.upcast_journal(
        [bytes(row.event) for row in first],
        partner=merchant.partner,
        merchant_id=merchant.merchant_id,
        jurisdiction=merchant.jurisdiction,
        salt=salt,
    )
    for row, event in zip(first, events, strict=True):
        yield {"at_place": row.place, "new": wire.write_event(event)}


_REWRITE = update(EVENTS).where(EVENTS.c.place == bindparam("at_place"))
_REWRITE = _REWRITE.values(event=bindparam("new"))


def _is_of(table, partner, merchant_id):
    return and_(table.c.partner == partner, table.c.merchant_id == merchant_id)
