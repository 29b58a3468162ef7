"""The migrations of the FastAPI host: what is stored stays, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from fastapi_calls import at_once
from fastapi_host import migrate as migrations
from fastapi_host.database import connect, is_postgresql
from fastapi_host.migrate import NEEDED, NotMigrated, check_revision, migrate
from fastapi_host.store import Store
from fastapi_host.tables import METADATA
from sqlalchemy import inspect, text

HOST = Path(__file__).parents[2] / "docs/hosts/fastapi_host"
# The tables as the first version made them, and one row in each.
FIRST_TABLES = """
CREATE TABLE merchants (
    partner TEXT NOT NULL, merchant_id TEXT NOT NULL, version INTEGER NOT NULL,
    state BYTES NOT NULL, PRIMARY KEY (partner, merchant_id)
);
CREATE TABLE names (
    partner TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, merchant_id TEXT NOT NULL,
    PRIMARY KEY (partner, kind, name)
);
CREATE TABLE replies (
    caller TEXT NOT NULL, key TEXT NOT NULL, asked TEXT NOT NULL, reply BYTES NOT NULL,
    PRIMARY KEY (caller, key)
);
CREATE TABLE events (
    number BIGSERIAL NOT NULL, partner TEXT NOT NULL, merchant_id TEXT NOT NULL,
    place INTEGER NOT NULL, event BYTES NOT NULL, due BIGINT, tries INTEGER NOT NULL,
    PRIMARY KEY (number), UNIQUE (partner, merchant_id, place)
);
CREATE INDEX events_due ON events (partner, due) WHERE due IS NOT NULL
"""
FIRST_ROWS = """
INSERT INTO merchants (partner, merchant_id, version, state)
    VALUES ('acme', 'm-1', 1, 'state');
INSERT INTO names (partner, kind, name, merchant_id)
    VALUES ('acme', 'provider_id', 'p-1', 'm-1');
INSERT INTO replies (caller, key, asked, reply)
    VALUES ('partner:acme', 'k-1', 'asked', 'reply');
INSERT INTO events (partner, merchant_id, place, event, due, tries)
    VALUES ('acme', 'm-1', 1, 'event', 0, 0)
"""
TABLES = ("merchants", "names", "replies", "events")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/holdback.db"
    return request.getfixturevalue("postgres").new_database()


IN_SQLITE = {"BYTES": "BLOB", "BIGSERIAL": "INTEGER", "'state'": "x'01'"}
IN_SQLITE |= {"'reply'": "x'02'", "'event'": "x'03'"}


def execute(url, script):
    engine, _ = connect(url)
    for word, other in ({"BYTES": "BYTEA"} if is_postgresql(url) else IN_SQLITE).items():
        script = script.replace(word, other)
    with engine.begin() as db:
        for statement in filter(str.strip, script.split(";")):
            db.execute(text(statement))
    engine.dispose()


def stored(url):
    """Return the rows of the tables of the first version, by their columns of then."""
    engine, _ = connect(url)
    columns = {
        "merchants": "partner, merchant_id, version, state",
        "names": "partner, kind, name, merchant_id",
        "replies": "caller, key, asked, reply",
        "events": "number, partner, merchant_id, place, event, due, tries",
    }
    with engine.connect() as db:
        rows = {
            table: [tuple(row) for row in db.execute(text(f"SELECT {columns[table]} FROM {table}"))]
            for table in TABLES
        }
    engine.dispose()
    return rows


def shape(url):
    """Return every table with its columns, keys and indexes."""
    engine, _ = connect(url)
    inspector = inspect(engine)
    found = {
        name: (
            sorted((c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)),
            inspector.get_pk_constraint(name)["constrained_columns"],
            [c["column_names"] for c in inspector.get_unique_constraints(name)],
            [(i["name"], i["column_names"]) for i in inspector.get_indexes(name)],
        )
        for name in inspector.get_table_names()
        if name != "alembic_version"
    }
    engine.dispose()
    return found


def test_the_migrations_make_the_tables_of_the_code(url):
    """
    What `tables.py` describes, to the last column.
    """
    assert migrate(url) == (None, NEEDED)
    engine, _ = connect(url)
    with engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), METADATA) == []
    engine.dispose()


def test_the_newest_revision_is_the_needed_one():
    """
    The scripts follow one another without a fork, and the code knows the last one.
    """
    config = Config()
    config.set_main_option("script_location", str(migrations.FOLDER))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [NEEDED]
    revisions = [script.revision for script in scripts.walk_revisions()]
    assert revisions == [f"{number:04}" for number in range(len(revisions), 0, -1)]


def test_a_database_of_the_first_version_is_carried_over(url, request):
    """
    Its rows stay, and its tables become those of a new database.
    """
    execute(url, FIRST_TABLES + ";" + FIRST_ROWS)
    before = stored(url)
    assert all(len(rows) == 1 for rows in before.values())

    assert migrate(url) == (None, NEEDED)
    assert stored(url) == before
    folder = request.getfixturevalue("tmp_path")
    new = f"sqlite:///{folder}/new.db"
    if is_postgresql(url):
        new = request.getfixturevalue("postgres").new_database()
    migrate(new)
    assert shape(url) == shape(new)
    assert migrate(url) == (NEEDED, NEEDED)
    assert stored(url) == before


def test_the_first_version_goes_on_writing_after_the_migration(url):
    """
    Migrations only add: its statements, which know no new column, still work.
    """
    execute(url, FIRST_TABLES)
    migrate(url)
    execute(url, FIRST_ROWS + "; UPDATE merchants SET version = 2, state = 'state'")
    assert all(len(rows) == 1 for rows in stored(url).values())


def test_a_process_of_the_version_before_goes_on_listing_what_waits(url):
    """
    A row of the queue without a deal, as it writes one, has an empty deal and amount.
    """
    migrate(url)
    columns = "partner, merchant_id, kind, application_id, product, status, since"
    row = "'acme', 'm-1', 'application', 'a-1', '', 'submitted', 7"
    execute(url, f"INSERT INTO open_work ({columns}) VALUES ({row})")
    engine, _ = connect(url)
    with engine.connect() as db:
        rows = db.execute(text("SELECT deal_id, amount FROM open_work")).all()
    engine.dispose()

    assert [tuple(row) for row in rows] == [("", "")]


def test_processes_that_migrate_at_once_wait_for_each_other(url):
    """
    One of them migrates; the others find nothing left to do.
    """
    results = at_once([lambda: migrate(url)] * 4)
    assert sorted(results, key=str) == sorted([(None, NEEDED), *[(NEEDED, NEEDED)] * 3], key=str)


def test_a_process_that_starts_waits_for_one_that_makes_the_file(tmp_path):
    """
    SQLite refuses at once to change how a file is written while somebody writes its first page.
    """
    path = tmp_path / "holdback.db"
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    writer.execute("begin immediate")
    committing = threading.Timer(0.3, writer.execute, ["commit"])
    committing.start()
    engine, _ = connect(f"sqlite:///{path}")
    with engine.connect() as db:
        assert db.scalar(text("pragma journal_mode")) == "wal"
    engine.dispose()
    committing.join()
    writer.close()


@pytest.mark.parametrize("tables", ["", FIRST_TABLES])
def test_a_host_refuses_a_database_that_is_not_migrated(url, tables):
    """
    The message says what to run; nothing is changed by a start.
    """
    execute(url, tables)
    before = shape(url)
    with pytest.raises(NotMigrated, match=f"has no revision yet.* needs {NEEDED}.*`migrate`"):
        Store(url)
    assert shape(url) == before


def test_a_host_refuses_an_earlier_revision_and_takes_a_later_one(url):
    """
    A later revision has more, and nothing less, so a host that is rolled back goes on.
    """
    migrate(url)
    execute(url, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(NotMigrated, match="is at revision 0000"):
        Store(url)
    execute(url, "UPDATE alembic_version SET version_num = '9999'")
    engine, _ = connect(url)
    check_revision(engine)
    engine.dispose()
    assert migrate(url) == ("9999", "9999")


def test_a_migration_that_fails_changes_nothing(url, monkeypatch):
    """
    It is one transaction, with the tables that it made.
    """

    def fail(db):
        migrations_upgrade(db)
        raise RuntimeError

    migrations_upgrade = migrations._upgrade
    monkeypatch.setattr(migrations, "_upgrade", fail)
    with pytest.raises(RuntimeError):
        migrate(url)
    assert shape(url) == {}


def test_a_migration_does_not_wait_for_a_table_for_ever(url, monkeypatch):
    """
    While it waits, everybody else waits behind it; so it gives up, and can be tried again.
    """
    execute(url, FIRST_TABLES)
    monkeypatch.setattr(migrations, "WAIT", 1)
    engine, _ = connect(url)
    if is_postgresql(url):
        engine = engine.execution_options(isolation_level="READ COMMITTED")
    with engine.connect() as db, db.begin():
        db.execute(text("UPDATE replies SET asked = ''"))
        started = time.monotonic()
        with pytest.raises(NotMigrated, match="nothing has changed, so try again"):
            migrate(url)
        assert time.monotonic() - started < 60
    engine.dispose()
    assert migrate(url) == (None, NEEDED)


def test_the_command_migrates_and_a_start_says_that_it_must(tmp_path):
    """
    `migrate` needs nothing but the database.
    """
    url = f"sqlite:///{tmp_path}/holdback.db"
    env = {name: value for name, value in os.environ.items() if not name.startswith("HOLDBACK")}

    def run(*arguments):
        command = [sys.executable, str(HOST), *arguments]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, timeout=60
        )

    refused = run("review", "--sample", "--database", url)
    assert refused.returncode == 1
    assert refused.stderr.startswith("the database has no revision yet")
    missing = run("migrate")
    assert (missing.returncode, missing.stderr) == (
        1,
        "expected --database or HOLDBACK_DATABASE_URL\n",
    )
    done = run("migrate", "--database", url)
    assert (done.returncode, done.stderr) == (0, "")
    assert f'"event": "migrated", "before": null, "after": "{NEEDED}"' in done.stdout
    assert run("review", "--sample", "--database", url).returncode == 0


def test_a_start_waits_for_no_one(url):
    """
    A check of the revision takes no lock, so a process can start while another one migrates.
    """
    migrate(url)
    engine, _ = connect(url)
    if is_postgresql(url):
        engine = engine.execution_options(isolation_level="READ COMMITTED")
    with engine.connect() as db, db.begin():
        if is_postgresql(url):
            db.execute(text(f"SELECT pg_advisory_xact_lock({migrations.TABLES_LOCK})"))
        started = threading.Thread(target=lambda: Store(url).close())
        started.start()
        started.join(60)
        assert not started.is_alive()
    engine.dispose()
