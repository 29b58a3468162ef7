"""
The store of merchants: one query before a decision, and one transaction after it.

INVARIANT: a merchant is written only if its version is still the one that was read. Its state, its
profile, its events, its names, what waits for agents and the reply to the request's key are written
in that one transaction, or not at all. This is enough on SQLite and on PostgreSQL, at every
isolation level, because a decision depends on nothing but what that version has.
"""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, literal_column, null, select
from sqlalchemy.exc import DBAPIError

from fastapi_host.database import connect, is_postgresql
from fastapi_host.migrate import check_revision
from fastapi_host.tables import EVENTS, MERCHANTS, NAMES, PROFILES, REPLIES, UNSTORABLE
from fastapi_host.writes import at_once, write_one_by_one, writes


class Conflict(Exception):
    """Another request wrote the merchant first."""


class Stored(NamedTuple):
    """
    A merchant and the reply to an idempotency key, each None where nothing is stored.

    `at` is the time of a database that has a clock of its own, None of SQLite.
    """

    version: int | None
    state: bytes | None
    profile: bytes | None
    fingerprint: str | None
    reply: bytes | None
    at: datetime | None


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
        # As text, PostgreSQL's documents would be twice as long: hexadecimal digits.
        self.options = {"binary": True} if self.one_statement else {}
        # Every request runs one of them, so they are compiled to SQL once.
        at = func.now() if self.one_statement else null()  # SQLite has the clock of this machine
        self.queries = {
            of: str(query.add_columns(at).compile(self.engine)) for of, query in QUERIES.items()
        }
        try:
            check_revision(self.reading)
        except BaseException:
            self.close()
            raise

    def find(  # noqa: PLR0913 - the parameters of one query
        self,
        *,
        partner,
        caller=None,
        key=None,
        merchant_id=None,
        kind=None,
        name=None,
        profile=False,
    ):
        """
        Find the merchant with this name or this merchant_id, and the reply to the key.

        The profile may be large, so it is read only with `profile`.
        """
        if UNSTORABLE.search(name or merchant_id or ""):  # PostgreSQL would raise
            kind = name = merchant_id = None
        by = {"kind": kind, "name": name} if name else {"merchant_id": merchant_id}
        query = self.queries[bool(name), profile]
        return Stored(
            *self.first_row(query, {"partner": partner, "caller": caller, "key": key, **by})
        )

    def write(  # noqa: PLR0913 - the parts of one transaction
        self, outcome, *, documents, version, before=None, referrals=(), notify=False, reply=None
    ):
        """
        Write the outcome for a merchant that was read at `version`, 0 if it was not there.

        `documents` are those to store, None without events. `before` is the merchant that was read,
        `referrals` are those open now, and `reply` is the row for the table of replies. With
        `notify` the partner gets a webhook for each event that `writes` publishes.
        """
        if not outcome.events:  # a question, or a repetition: nothing changes
            if reply is not None:
                with self.engine.begin() as db:
                    db.execute(REPLIES.insert(), reply)
            return
        options = {"version": version, "before": before, "notify": notify}
        wanted = writes(outcome, documents, referrals=referrals, reply=reply, **options)
        if self.one_statement:
            written = self.first_row(*at_once(wanted)) is not None
        else:
            with self.engine.begin() as db:
                written = write_one_by_one(db, wanted)
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
                driver = db.connection.driver_connection
                return driver.execute(statement, parameters, **self.options).fetchone()
            except self.driver.Error as error:
                # If the database is gone, SQLAlchemy notices here, and drops its other connections.
                db.exec_driver_sql("select 1")
                kind, hidden = self.driver.Error, {"hide_parameters": True}
                raise DBAPIError.instance(statement, None, error, kind, **hidden) from None

    def transaction(self):
        """Return a context manager: a transaction of several statements, on PostgreSQL too."""
        if self.one_statement:
            return self.engine.execution_options(isolation_level="READ COMMITTED").begin()
        return self.engine.begin()

    def history(self, partner, merchant_id):
        """Return the merchant's events as stored, in order."""
        query = select(EVENTS.c.event).order_by(EVENTS.c.place)
        query = query.where(EVENTS.c.partner == partner, EVENTS.c.merchant_id == merchant_id)
        with self.reading.connect() as db:
            return [bytes(stored) for stored in db.scalars(query)]

    def merchant_ids(self, partner, after, until=None, *, most=None):
        """Return merchants of the partner, in order, after one and up to another of them."""
        query = select(MERCHANTS.c.merchant_id).order_by(MERCHANTS.c.merchant_id).limit(most)
        query = query.where(MERCHANTS.c.partner == partner, MERCHANTS.c.merchant_id > after)
        if until is not None:
            query = query.where(MERCHANTS.c.merchant_id <= until)
        with self.reading.connect() as db:
            return list(db.scalars(query))

    def backlog(self):
        """Return the number of webhooks that are still to be delivered."""
        with self.reading.connect() as db:
            return db.scalar(select(func.count()).where(EVENTS.c.due.is_not(None)))

    def close(self):
        self.engine.dispose()


def _find_query(*, by_name, profile):
    """Return a query that always has one row: the merchant and the reply, null where unknown."""
    merchant_id = bindparam("merchant_id")
    joined = select(literal_column("1").label("row")).subquery()
    if by_name:
        named = (NAMES.c[part] == bindparam(part) for part in ("partner", "kind", "name"))
        joined, merchant_id = joined.outerjoin(NAMES, and_(*named)), NAMES.c.merchant_id
    joined = joined.outerjoin(MERCHANTS, _is_of(MERCHANTS, merchant_id))
    if profile:
        joined = joined.outerjoin(PROFILES, _is_of(PROFILES, merchant_id))
    key = and_(REPLIES.c.caller == bindparam("caller"), REPLIES.c.key == bindparam("key"))
    columns = (
        MERCHANTS.c.version,
        MERCHANTS.c.state,
        PROFILES.c.profile if profile else null(),
        REPLIES.c.asked,
        REPLIES.c.reply,
    )
    return select(*columns).select_from(joined.outerjoin(REPLIES, key))


def _is_of(table, merchant_id):
    return and_(table.c.partner == bindparam("partner"), table.c.merchant_id == merchant_id)


QUERIES = {
    (by_name, profile): _find_query(by_name=by_name, profile=profile)
    for by_name in (False, True)
    for profile in (False, True)
}
