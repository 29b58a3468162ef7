"""
The first version, and the documents that it wrote: what `first/` holds (see its README.md).

Nothing here imports holdback, so that any version can be tested with it.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "first"
WHEEL, HOSTS = FOLDER / "holdback-0.1.0-py3-none-any.whl", FOLDER / "hosts.zip"
# The tables of the first version's FastAPI host, in an order in which they can be filled.
TABLES = {
    "merchants": ("partner", "merchant_id", "version", "state"),
    "names": ("partner", "kind", "name", "merchant_id"),
    "replies": ("caller", "key", "asked", "reply"),
    "events": ("number", "partner", "merchant_id", "place", "event", "due", "tries"),
}


def unpacked(folder):
    """Unpack the wheel and the hosts into *folder*; return what goes on the import path."""
    for archive, name in ((WHEEL, "wheel"), (HOSTS, "hosts")):
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder / name)
    return (str(folder / "hosts"), str(folder / "wheel"))


def rules(folder):
    """Unpack the rule files of the first version into *folder*, and return theirs."""
    with zipfile.ZipFile(WHEEL) as packed:
        names = [name for name in packed.namelist() if "jurisdictions/" in name]
        names = [name for name in names if name.endswith((".toml", ".lock", ".json"))]
        packed.extractall(folder, names)
    return next(folder.rglob("GB")).parent


@cache
def documents():
    """
    Return what the first version stored of each merchant, and what it answered about it.

    `state` and `events` are the texts that it stored, and `records` the decision records of the
    merchant's renewal. An answer has the `status` and the `reply` to an operation on the instant
    `at`, carried out on the state with the request id `golden-answer` and thrown away.
    """
    return tuple(_lines("documents"))


@cache
def exchanges():
    """Return every request to the host that filled the database, with its answer, in order."""
    return tuple(_lines("exchanges"))


def _lines(name):
    with lzma.open(FOLDER / f"{name}.jsonl.xz", "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def write_database(path):
    """Write the SQLite database that the first version filled to *path*."""
    path.write_bytes(lzma.decompress((FOLDER / "merchants.db.xz").read_bytes()))


def rows(folder):
    """Return the rows of that database by table, using a file in *folder*."""
    path = folder / "first.db"
    write_database(path)
    with closing(sqlite3.connect(path)) as database:
        return {
            table: database.execute(f"select {', '.join(columns)} from {table}").fetchall()
            for table, columns in TABLES.items()
        }


def make_tables(database):
    """Make the first version's tables in a PostgreSQL *database*, a connection of SQLAlchemy."""
    for statement in (FOLDER / "postgresql.sql").read_text(encoding="utf-8").split(";\n"):
        if statement.strip():
            database.exec_driver_sql(statement)


def insert_rows(database, rows):
    """Insert *rows*, by table, through a connection of SQLAlchemy to SQLite or PostgreSQL."""
    from sqlalchemy import text

    for table, columns in TABLES.items():
        values = ", ".join(f":{column}" for column in columns)
        insert = text(f"insert into {table} ({', '.join(columns)}) values ({values})")
        database.execute(insert, [dict(zip(columns, row, strict=True)) for row in rows[table]])
    if database.dialect.name == "postgresql":  # the next number is another one
        database.exec_driver_sql(
            "select setval(pg_get_serial_sequence('events', 'number'),"
            " (select max(number) from events))"
        )
