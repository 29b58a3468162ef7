"""Where merchants are kept: one query before a decision, and one transaction after it.

The one rule: a merchant is written only when its version is still the one that was read. Its state, its
events, its names and the reply to the request's key go into that one transaction, or none of them does.
This is all that is needed on SQLite and on PostgreSQL, at every isolation level, because a decision rests
on nothing but the row whose version is compared.
"""

import re
from functools import cache
from typing import NamedTuple

from sqlalchemy import (
    and_,
    bindparam,
    create_engine,
    event,
    func,
    literal_column,
    make_url,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError

from fastapi_host.tables import EVENTS, MERCHANTS, METADATA, NAMES, REPLIES
from holdback import wire
from holdback.lifecycle.events import OfferAccepted, OffersIssued, RenewalEligibilityChanged

# What is in no table: PostgreSQL keeps no NUL, no index takes text of any length, and `wire` lets neither
# into an identifier.
UNKNOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]|.{201}", re.DOTALL)
TABLES = 0x686F6C6462  # any number that no other lock of the database has
ISOLATION_LEVELS = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")


class Conflict(Exception):
    """Somebody else wrote the merchant first."""


class Found(NamedTuple):
    """What is stored of a merchant, and under the key of a request; None where nothing is known."""

    version: int | None
    state: bytes | None
    asked: str | None
    reply: bytes | None


class Store:
    """The tables in the database at `url`; `isolation_level` is PostgreSQL's, for SQLite has but one."""

    def __init__(self, url, isolation_level=None):
        url = make_url(url)
        self.at_once = url.get_backend_name() == "postgresql"
        if self.at_once:
            self.engine = self.reading = _postgresql(url, isolation_level)
        else:
            self.engine, self.reading = _sqlite(url)
        self.driver = self.engine.dialect.dbapi
        # Every request asks one of the two, so they are made into the driver's text once.
        self.by_name, self.by_merchant_id = (
            str(each.compile(self.engine)) for each in (BY_NAME, BY_MERCHANT_ID)
        )
        self._make_tables()

    def find(self, *, partner, caller=None, key=None, merchant_id=None, kind=None, name=None):
        """What is stored of the merchant of this name, or of this merchant_id, and under the key."""
        if UNKNOWABLE.search(name or merchant_id or ""):
            kind = name = merchant_id = None
        by = {"kind": kind, "name": name} if name else {"merchant_id": merchant_id}
        query = self.by_name if name else self.by_merchant_id
        return Found(
            *self.first_row(query, {"partner": partner, "caller": caller, "key": key, **by})
        )

    def write(self, outcome, *, version, known=None, tell=False, reply=None):
        """
        Write what happened to a merchant that was read at `version` (0: it was not there).

        `known` is the provider_id that it had, `reply` what the table of replies gets, and with `tell` the
        partner is to be told of what concerns it.
        """
        if not outcome.events:  # a question, or carried out before: nothing changes
            if reply is not None:
                with self.engine.begin() as db:
                    db.execute(REPLIES.insert(), reply)
            return
        merchant = _who(outcome) | {"version": version, "after": version + len(outcome.events)}
        merchant |= {"state": wire.write_merchant(outcome.merchant)}
        rows = list(_events(outcome, version, tell)), list(_names(outcome, known)), reply
        if self.at_once:
            written = self.first_row(*_at_once(merchant, *rows)) is not None
        else:
            with self.engine.begin() as db:
                written = _one_by_one(db, merchant, *rows)
        if not written:
            raise Conflict

    def first_row(self, statement, given):
        """
        The first row, if any, of one statement that is a transaction of its own.

        It goes straight to the driver, for SQLAlchemy's own way costs as much as either of the two
        statements that a request needs.
        """
        with self.reading.connect() as db:
            try:
                return db.connection.driver_connection.execute(statement, given).fetchone()
            except self.driver.Error as error:
                # When the database is gone, SQLAlchemy sees it here, and forgets its other connections too.
                db.exec_driver_sql("select 1")
                kind, hidden = self.driver.Error, {"hide_parameters": True}
                raise DBAPIError.instance(statement, None, error, kind, **hidden) from None

    def _make_tables(self):
        """Make the tables that are not there; processes that start at once wait for each other."""
        if not self.at_once:
            METADATA.create_all(self.engine)  # under SQLite's write lock
            return
        with self.engine.execution_options(isolation_level="READ COMMITTED").begin() as db:
            db.execute(select(func.pg_advisory_xact_lock(TABLES)))
            METADATA.create_all(db)

    def history(self, partner, merchant_id):
        """The merchant's events as they were stored, in order."""
        query = select(EVENTS.c.event).order_by(EVENTS.c.place)
        query = query.where(EVENTS.c.partner == partner, EVENTS.c.merchant_id == merchant_id)
        with self.reading.connect() as db:
            return [bytes(each) for each in db.scalars(query)]

    def merchant_ids(self, partner, after="", most=500):
        """Some of the partner's merchants: those that come next after one."""
        query = select(MERCHANTS.c.merchant_id).order_by(MERCHANTS.c.merchant_id).limit(most)
        query = query.where(MERCHANTS.c.partner == partner, MERCHANTS.c.merchant_id > after)
        with self.reading.connect() as db:
            return list(db.scalars(query))

    def backlog(self):
        """How many events their partners have not been told of yet."""
        with self.reading.connect() as db:
            return db.scalar(select(func.count()).where(EVENTS.c.due.is_not(None)))

    def close(self):
        self.engine.dispose()


def _question(*, by_name):
    """One row always: the merchant, where it is known, and what was answered under the key, if anything."""
    merchant_id = bindparam("merchant_id")
    joined = select(literal_column("1").label("one")).subquery()
    if by_name:
        named = (NAMES.c[part] == bindparam(part) for part in ("partner", "kind", "name"))
        joined, merchant_id = joined.outerjoin(NAMES, and_(*named)), NAMES.c.merchant_id
    same = and_(MERCHANTS.c.partner == bindparam("partner"), MERCHANTS.c.merchant_id == merchant_id)
    key = and_(REPLIES.c.caller == bindparam("caller"), REPLIES.c.key == bindparam("key"))
    wanted = (MERCHANTS.c.version, MERCHANTS.c.state, REPLIES.c.asked, REPLIES.c.reply)
    return select(*wanted).select_from(joined.outerjoin(MERCHANTS, same).outerjoin(REPLIES, key))


BY_NAME, BY_MERCHANT_ID = _question(by_name=True), _question(by_name=False)
MOVE = update(MERCHANTS).values(version=bindparam("after"), state=bindparam("new"))
MOVE = MOVE.where(
    *(
        MERCHANTS.c[part] == bindparam(f"the_{part}")
        for part in ("partner", "merchant_id", "version")
    )
)


def _one_by_one(db, merchant, events, names, reply):
    """Compare and set: whether it was written. A first write is an insert: its key refuses a second one."""
    given = {f"the_{part}": merchant[part] for part in ("partner", "merchant_id", "version")}
    given |= {"after": merchant["after"], "new": merchant["state"]}
    if merchant["version"] == 0:
        db.execute(MERCHANTS.insert(), {**merchant, "version": merchant["after"]})
    elif db.execute(MOVE, given).rowcount != 1:
        return False
    db.execute(EVENTS.insert(), events)
    if names:
        db.execute(NAMES.insert(), names)
    if reply is not None:
        db.execute(REPLIES.insert(), reply)
    return True


# The same in one statement, which is one transaction and one round trip: that, and not the deciding, is
# what an acceptance waits for. It is written as the driver takes it, so that nothing has to be translated.
_FIRST = """insert into merchants (partner, merchant_id, version, state)
    values (%(partner)s, %(merchant_id)s, %(after)s, %(state)s) returning partner, merchant_id"""
_NEXT = """update merchants set version = %(after)s, state = %(state)s
    where partner = %(partner)s and merchant_id = %(merchant_id)s and version = %(version)s
    returning partner, merchant_id"""
_EVENTS = """insert into events (partner, merchant_id, place, event, due, tries)
    select moved.*, each.*, 0 from moved, (values {rows}) as each returning place"""
_EVENT = "(cast(%(place{n})s as int), cast(%(event{n})s as bytea), cast(%(due{n})s as bigint))"
_NAMES = """insert into names (partner, merchant_id, kind, name)
    select moved.*, each.* from moved, (values {rows}) as each"""
_NAME = "(cast(%(kind{n})s as text), cast(%(name{n})s as text))"
_REPLY = """insert into replies (caller, key, asked, reply)
    select cast(%(caller)s as text), cast(%(key)s as text), cast(%(asked)s as text), cast(%(reply)s as bytea) from moved"""


@cache
def _statement(first, events, names, replied):
    """One statement for so many events and names; it has rows when it was written."""
    parts = [f"moved as ({_FIRST if first else _NEXT})"]
    parts += [f"n as ({_NAMES.format(rows=_rows(_NAME, names))})"] if names else []
    parts += [f"r as ({_REPLY})"] if replied else []
    return f"with {', '.join(parts)} {_EVENTS.format(rows=_rows(_EVENT, events))}"


def _rows(row, count):
    return ", ".join(row.format(n=n) for n in range(count))


def _at_once(merchant, events, names, reply):
    """As `_one_by_one`, on PostgreSQL: the statement, and what it is given."""
    given = merchant | (reply or {})
    for rows, parts in ((events, ("place", "event", "due")), (names, ("kind", "name"))):
        for n, row in enumerate(rows):
            given |= {f"{part}{n}": row[part] for part in parts}
    first, replied = merchant["version"] == 0, reply is not None
    return _statement(first, len(events), len(names), replied), given


def _who(outcome):
    return {"partner": outcome.merchant.partner, "merchant_id": outcome.merchant.merchant_id}


def _events(outcome, version, tell):
    who = _who(outcome)
    for place, each in enumerate(outcome.events, version + 1):
        due = 0 if tell and isinstance(each, RenewalEligibilityChanged) else None
        row = {"place": place, "event": wire.write_event(each), "due": due, "tries": 0}
        yield who | row


def _names(outcome, known):
    """The names that the partner may call the merchant by from now on."""
    who = _who(outcome)
    for happened in outcome.events:
        if isinstance(happened, OffersIssued):
            for product in happened.offer_set.products:
                for offer in product.offers:
                    yield who | {"kind": "offer_id", "name": offer.offer_id}
        elif isinstance(happened, OfferAccepted) and known is None:
            yield who | {"kind": "provider_id", "name": happened.reply.provider_id}


# `hide_parameters`: an error's message would hold what was to be written.
POOL = {"hide_parameters": True, "pool_size": 20, "max_overflow": 0, "pool_timeout": 5}


def _postgresql(url, isolation_level):
    """An engine whose every statement is a transaction: nothing here needs two."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True, **POOL)
    if isolation_level not in (None, *ISOLATION_LEVELS):
        raise ValueError(f"an isolation level is one of {', '.join(ISOLATION_LEVELS)}")

    @event.listens_for(engine, "connect")
    def _connected(connection, _):
        if isolation_level is not None:
            level = f"transaction isolation level {isolation_level}"
            connection.execute(f"set session characteristics as {level}")

    return engine


def _sqlite(url):
    """
    An engine whose transactions begin with the write lock, and the same one for reading without it.

    The driver's own idea of when a transaction begins is switched off: with it one could read first, and be
    refused the lock later.
    """
    if url.database in (None, "", ":memory:"):
        raise ValueError("SQLite keeps the merchants in a file: sqlite:///holdback.db")
    # `paramstyle`: parameters by their names, as PostgreSQL's driver takes them.
    engine = create_engine(url, connect_args={"timeout": 5}, paramstyle="named", **POOL)

    @event.listens_for(engine, "connect")
    def _connected(connection, _):
        connection.isolation_level = None
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")  # what was committed survives a power cut

    @event.listens_for(engine, "begin")
    def _begun(db):
        reading = db.get_execution_options().get("reading", False)
        db.exec_driver_sql("begin" if reading else "begin immediate")

    return engine, engine.execution_options(reading=True)
