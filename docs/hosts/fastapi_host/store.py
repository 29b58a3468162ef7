"""
The store of merchants: one query before a decision, and one transaction after it.

INVARIANT: a merchant is written only if its version is still the one that was read. Its state, its
events, its names and the reply to the request's key are written in that one transaction, or not at
all. This is enough on SQLite and on PostgreSQL, at every isolation level, because a decision
depends on nothing but the row whose version is compared.
"""

import re
from functools import cache
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, literal_column, select, update
from sqlalchemy.exc import DBAPIError

from fastapi_host.database import connect, is_postgresql
from fastapi_host.migrate import check_revision
from fastapi_host.tables import EVENTS, MERCHANTS, NAMES, REPLIES
from holdback import wire
from holdback.lifecycle.events import OfferAccepted, OffersIssued, RenewalEligibilityChanged

# Text that no table can contain: PostgreSQL stores no NUL, an index limits the length of its keys,
# and `wire` allows neither in an identifier.
UNSTORABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]|.{201}", re.DOTALL)


class Conflict(Exception):
    """Another request wrote the merchant first."""


class Stored(NamedTuple):
    """A merchant and the reply to an idempotency key, each None where nothing is stored."""

    version: int | None
    state: bytes | None
    fingerprint: str | None
    reply: bytes | None


class Store:
    """
    The tables in the database at `url`; SQLite ignores `isolation_level`.

    Raises:
        NotMigrated: the tables are not those that this version needs.
    """

    def __init__(self, url, isolation_level=None):
        self.one_statement = is_postgresql(url)
        self.engine, self.reading = connect(url, isolation_level)
        self.driver = self.engine.dialect.dbapi
        # Every request runs one of the two, so they are compiled to SQL once.
        self.by_name, self.by_merchant_id = (
            str(query.compile(self.engine)) for query in (BY_NAME, BY_MERCHANT_ID)
        )
        try:
            check_revision(self.reading)
        except BaseException:
            self.close()
            raise

    def find(  # noqa: PLR0913 - the parameters of one query
        self, *, partner, caller=None, key=None, merchant_id=None, kind=None, name=None
    ):
        """Find the merchant with this name or this merchant_id, and the reply to the key."""
        if UNSTORABLE.search(name or merchant_id or ""):  # PostgreSQL would raise
            kind = name = merchant_id = None
        by = {"kind": kind, "name": name} if name else {"merchant_id": merchant_id}
        query = self.by_name if name else self.by_merchant_id
        return Stored(
            *self.first_row(query, {"partner": partner, "caller": caller, "key": key, **by})
        )

    def write(self, outcome, *, version, provider_id=None, notify=False, reply=None):
        """
        Write the outcome for a merchant that was read at `version`, 0 if it was not there.

        `provider_id` is the one that it had, and `reply` the row for the table of replies. With
        `notify` the partner gets a webhook for each change of renewal eligibility.
        """
        if not outcome.events:  # a question, or a repetition: nothing changes
            if reply is not None:
                with self.engine.begin() as db:
                    db.execute(REPLIES.insert(), reply)
            return
        merchant = _merchant_key(outcome) | {
            "version": version,
            "after": version + len(outcome.events),
        }
        merchant |= {"state": wire.write_merchant(outcome.merchant)}
        rows = list(_events(outcome, version, notify)), list(_names(outcome, provider_id)), reply
        if self.one_statement:
            written = self.first_row(*_written_at_once(merchant, *rows)) is not None
        else:
            with self.engine.begin() as db:
                written = _one_by_one(db, merchant, *rows)
        if not written:
            raise Conflict

    def first_row(self, statement, parameters):
        """
        Return the first row, if any, of one statement that is a transaction of its own.

        It goes directly to the driver: through SQLAlchemy it would take twice the time, and a
        request needs only two statements.
        """
        with self.reading.connect() as db:
            try:
                return db.connection.driver_connection.execute(statement, parameters).fetchone()
            except self.driver.Error as error:
                # If the database is gone, SQLAlchemy notices here, and drops its other connections.
                db.exec_driver_sql("select 1")
                kind, hidden = self.driver.Error, {"hide_parameters": True}
                raise DBAPIError.instance(statement, None, error, kind, **hidden) from None

    def history(self, partner, merchant_id):
        """Return the merchant's events as stored, in order."""
        query = select(EVENTS.c.event).order_by(EVENTS.c.place)
        query = query.where(EVENTS.c.partner == partner, EVENTS.c.merchant_id == merchant_id)
        with self.reading.connect() as db:
            return [bytes(stored) for stored in db.scalars(query)]

    def merchant_ids(self, partner, after="", most=500):
        """Return the next `most` merchants of the partner, in order, after one of them."""
        query = select(MERCHANTS.c.merchant_id).order_by(MERCHANTS.c.merchant_id).limit(most)
        query = query.where(MERCHANTS.c.partner == partner, MERCHANTS.c.merchant_id > after)
        with self.reading.connect() as db:
            return list(db.scalars(query))

    def backlog(self):
        """Return the number of webhooks that are still to be delivered."""
        with self.reading.connect() as db:
            return db.scalar(select(func.count()).where(EVENTS.c.due.is_not(None)))

    def close(self):
        self.engine.dispose()


def _find_query(*, by_name):
    """Return a query that always has one row: the merchant and the reply, null where unknown."""
    merchant_id = bindparam("merchant_id")
    joined = select(literal_column("1").label("row")).subquery()
    if by_name:
        named = (NAMES.c[part] == bindparam(part) for part in ("partner", "kind", "name"))
        joined, merchant_id = joined.outerjoin(NAMES, and_(*named)), NAMES.c.merchant_id
    same = and_(MERCHANTS.c.partner == bindparam("partner"), MERCHANTS.c.merchant_id == merchant_id)
    key = and_(REPLIES.c.caller == bindparam("caller"), REPLIES.c.key == bindparam("key"))
    columns = (MERCHANTS.c.version, MERCHANTS.c.state, REPLIES.c.asked, REPLIES.c.reply)
    return select(*columns).select_from(joined.outerjoin(MERCHANTS, same).outerjoin(REPLIES, key))


BY_NAME, BY_MERCHANT_ID = _find_query(by_name=True), _find_query(by_name=False)
MOVE = update(MERCHANTS).values(version=bindparam("after"), state=bindparam("new"))
MOVE = MOVE.where(
    *(
        MERCHANTS.c[part] == bindparam(f"the_{part}")
        for part in ("partner", "merchant_id", "version")
    )
)


def _one_by_one(db, merchant, events, names, reply):
    """Compare and set; return whether it wrote. A first write inserts, which works only once."""
    parameters = {f"the_{part}": merchant[part] for part in ("partner", "merchant_id", "version")}
    parameters |= {"after": merchant["after"], "new": merchant["state"]}
    if merchant["version"] == 0:
        db.execute(MERCHANTS.insert(), {**merchant, "version": merchant["after"]})
    elif db.execute(MOVE, parameters).rowcount != 1:
        return False
    db.execute(EVENTS.insert(), events)
    if names:
        db.execute(NAMES.insert(), names)
    if reply is not None:
        db.execute(REPLIES.insert(), reply)
    return True


# The same in one statement, which is one transaction and one round trip. An acceptance spends most
# of its time on round trips, not on the decision. The text is in the driver's own form, so that
# nothing translates it.
_FIRST = """insert into merchants (partner, merchant_id, version, state)
    values (%(partner)s, %(merchant_id)s, %(after)s, %(state)s) returning partner, merchant_id"""
_NEXT = """update merchants set version = %(after)s, state = %(state)s
    where partner = %(partner)s and merchant_id = %(merchant_id)s and version = %(version)s
    returning partner, merchant_id"""
_EVENTS = """insert into events (partner, merchant_id, place, event, due, tries)
    select moved.*, new.*, 0 from moved, (values {rows}) as new returning place"""
_EVENT = "(cast(%(place{n})s as int), cast(%(event{n})s as bytea), cast(%(due{n})s as bigint))"
_NAMES = """insert into names (partner, merchant_id, kind, name)
    select moved.*, new.* from moved, (values {rows}) as new"""
_NAME = "(cast(%(kind{n})s as text), cast(%(name{n})s as text))"
_REPLY = """insert into replies (caller, key, asked, reply)
    select cast(%(caller)s as text), cast(%(key)s as text), cast(%(asked)s as text),
    cast(%(reply)s as bytea) from moved"""


@cache
def _statement(first, events, names, replied):
    """Return a statement for these numbers of events and names; it returns rows if it wrote."""
    parts = [f"moved as ({_FIRST if first else _NEXT})"]
    parts += [f"n as ({_NAMES.format(rows=_rows(_NAME, names))})"] if names else []
    parts += [f"r as ({_REPLY})"] if replied else []
    return f"with {', '.join(parts)} {_EVENTS.format(rows=_rows(_EVENT, events))}"


def _rows(row, count):
    return ", ".join(row.format(n=n) for n in range(count))


def _written_at_once(merchant, events, names, reply):
    """Do as `_one_by_one` on PostgreSQL: return the statement and its parameters."""
    parameters = merchant | (reply or {})
    for rows, parts in ((events, ("place", "event", "due")), (names, ("kind", "name"))):
        for n, row in enumerate(rows):
            parameters |= {f"{part}{n}": row[part] for part in parts}
    first, replied = merchant["version"] == 0, reply is not None
    return _statement(first, len(events), len(names), replied), parameters


def _merchant_key(outcome):
    return {"partner": outcome.merchant.partner, "merchant_id": outcome.merchant.merchant_id}


def _events(outcome, version, notify):
    merchant_key = _merchant_key(outcome)
    for place, happened in enumerate(outcome.events, version + 1):
        due = 0 if notify and isinstance(happened, RenewalEligibilityChanged) else None
        row = {"place": place, "event": wire.write_event(happened), "due": due, "tries": 0}
        yield merchant_key | row


def _names(outcome, provider_id):
    """Yield the names by which the partner can find the merchant from now on."""
    merchant_key = _merchant_key(outcome)
    for happened in outcome.events:
        if isinstance(happened, OffersIssued):
            for product in happened.offer_set.products:
                for offer in product.offers:
                    yield merchant_key | {"kind": "offer_id", "name": offer.offer_id}
        elif isinstance(happened, OfferAccepted) and provider_id is None:
            yield merchant_key | {"kind": "provider_id", "name": happened.reply.provider_id}
