"""Connections to the database: SQLite in a file, or PostgreSQL."""

import sqlite3
import time

from sqlalchemy import create_engine, event, make_url

ISOLATION_LEVELS = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
# `hide_parameters`: otherwise the message of an error would contain the merchant's data.
WAIT = 5  # seconds for another connection to SQLite's file
POOL = {"hide_parameters": True, "pool_size": 20, "max_overflow": 0, "pool_timeout": 5}


def connect(url, isolation_level=None):
    """Return an engine for writing and one for reading; SQLite ignores `isolation_level`."""
    url = make_url(url)
    if is_postgresql(url):
        engine = _postgresql(url, isolation_level)
        return engine, engine
    return _sqlite(url)


def is_postgresql(url):
    """Return whether the database at `url` is PostgreSQL; the other one is SQLite."""
    return make_url(url).get_backend_name() == "postgresql"


def _postgresql(url, isolation_level):
    """Return an engine in which every statement is a transaction: nothing here needs two."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT", skip_autocommit_rollback=True, **POOL)
    if isolation_level not in (None, *ISOLATION_LEVELS):
        raise ValueError(f"expected an isolation level: {', '.join(ISOLATION_LEVELS)}")

    @event.listens_for(engine, "connect")
    def _connected(connection, _):
        if isolation_level is not None:
            level = f"transaction isolation level {isolation_level}"
            connection.execute(f"set session characteristics as {level}")

    return engine


def _sqlite(url):
    """
    Return an engine whose transactions begin with the write lock, and one for reading without it.

    The driver's own handling of transactions is switched off: it would take the lock only at the
    first write, when another connection may hold it.
    """
    if url.database in (None, "", ":memory:"):
        raise ValueError("SQLite needs a file, such as sqlite:///holdback.db")
    # `paramstyle`: named parameters, as with PostgreSQL's driver.
    engine = create_engine(url, connect_args={"timeout": WAIT}, paramstyle="named", **POOL)

    @event.listens_for(engine, "connect")
    def _connected(connection, _):
        connection.isolation_level = None
        _write_ahead(connection)
        connection.execute("pragma synchronous = full")  # a commit survives a power cut

    @event.listens_for(engine, "begin")
    def _begun(db):
        reading = db.get_execution_options().get("reading", False)
        db.exec_driver_sql("begin" if reading else "begin immediate")

    return engine, engine.execution_options(reading=True)


def _write_ahead(connection):
    """
    Log ahead of writing, so that readers and a writer do not wait for each other.

    The file remembers it. SQLite ignores its timeout here: it refuses at once while another
    connection is about to write to a new file.
    """
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.01)
