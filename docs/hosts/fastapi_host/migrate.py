"""
The tables of the database, brought to the revision that this version needs.

INVARIANT: a migration only adds: tables, and columns that have a default. So processes of the
version before go on using the database while it is migrated and afterwards, and so can a host that
is rolled back. Therefore a newer revision than the one that is needed is accepted, and there is no
way down (decisions/hosts).
"""

import sqlite3
from pathlib import Path

from sqlalchemy import func, inspect, select, text
from sqlalchemy.exc import OperationalError

from fastapi_host.database import connect, is_postgresql

NEEDED = "0004"  # revisions are numbered in four digits, so the later one is the greater text
FOLDER = Path(__file__).with_name("migrations")
TABLES_LOCK = 0x686F6C6462  # any number that no other advisory lock uses
WAIT = 10  # seconds for a table that somebody uses, before all others queue behind the migration


class NotMigrated(Exception):
    """The tables are not those that this version needs."""


def check_revision(engine):
    """
    Refuse a database whose tables are missing or of an earlier revision.

    Raises:
        NotMigrated: saying what to do.
    """
    with engine.connect() as db:
        revision = _revision(db)
    if revision is None or revision < NEEDED:
        is_at = "has no revision yet" if revision is None else f"is at revision {revision}"
        raise NotMigrated(
            f"the database {is_at}, and this version needs {NEEDED}; "
            "run the command `migrate`, which keeps what is stored"
        )


def migrate(url):
    """
    Bring the tables to the newest revision, and return the revisions before and after.

    Processes that start together wait for each other; all but the first find nothing left to do.

    Raises:
        NotMigrated: a table was in use for too long; nothing has changed.
    """
    engine, _ = connect(url)
    try:
        if is_postgresql(url):  # in one transaction, which it does not use otherwise
            engine = engine.execution_options(isolation_level="READ COMMITTED")
        with engine.connect() as db:
            if not is_postgresql(url):
                db.connection.driver_connection.execute(f"pragma busy_timeout = {WAIT * 1000}")
            with db.begin():
                return _migrated(db)
    except OperationalError as error:
        if not _is_locked(error.orig):
            raise
        message = "a table is in use for too long; nothing has changed, so try again"
        raise NotMigrated(message) from None
    finally:
        engine.dispose()


def _migrated(db):
    if is_postgresql(db.engine.url):
        db.execute(select(func.pg_advisory_xact_lock(TABLES_LOCK)))
        db.execute(text(f"set local lock_timeout = '{WAIT}s'"))
    before = _revision(db)  # under this lock, or SQLite's write lock
    if before is None or before < NEEDED:
        _upgrade(db)
    return before, _revision(db)


def _is_locked(error):
    is_sqlite = isinstance(error, sqlite3.Error)
    return "locked" in str(error) if is_sqlite else error.sqlstate == "55P03"


def _revision(db):
    """Return the revision of the tables, None for an empty database and for the first version's."""
    if not inspect(db).has_table("alembic_version"):
        return None
    return db.scalar(text("select version_num from alembic_version"))


def _upgrade(db):
    # A host that has nothing to migrate starts faster without it.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = db
    command.upgrade(config, "head")
