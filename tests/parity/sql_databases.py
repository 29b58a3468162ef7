"""
One table of deals in each database, and the answers to a query of it.

Every database is filled and asked through its own library. A value that a database has no type for
is written as people write it there: in SQLite, a day as a text and a flag as 0 or 1.
"""

from __future__ import annotations

import sqlite3
from datetime import date

import duckdb
import psycopg
import pyarrow as pa
from expected_values import EPOCH, PER_SECOND
from plain_column_cases import STORAGES
from sql_comparison import ROW, TABLE, numbered


class DuckDB:
    """DuckDB, in memory."""

    dialect = "duckdb"
    # A query does not take floats, nor nanoseconds, which have few years.
    lacking = frozenset({"float64", "instant_ns"})

    def __init__(self):
        self.connection = duckdb.connect()

    def load(self, table):
        """Keep the Arrow *table*, with its types, as the table of deals."""
        self.connection.register("loaded", numbered(table))
        self.connection.execute(f"create or replace table {TABLE} as from loaded")

    def rows(self, query):
        """The rows of *query*."""
        return self.connection.execute(query).fetchall()

    def close(self):
        self.connection.close()


class SQLite:
    """SQLite, in memory: its columns have no types, and its values are few."""

    dialect = "sqlite"
    # There are neither decimals nor instants, and no whole number of 64 bits without a sign.
    lacking = frozenset(
        {name for name in STORAGES if name.startswith(("decimal", "instant"))} | {"uint64"}
    )

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def load(self, table):
        """Keep the Arrow *table* as the table of deals, its values as they are written here."""
        names = [quoted(field.name) for field in table.schema]
        self.connection.execute(f"drop table if exists {TABLE}")
        self.connection.execute(f"create table {TABLE} ({', '.join([*names, ROW])})")
        columns = [
            _in_sqlite(table[name], table.schema.field(name).type) for name in table.column_names
        ]
        marks = ", ".join("?" * (len(names) + 1))
        rows = zip(*columns, range(table.num_rows), strict=True)
        self.connection.executemany(f"insert into {TABLE} values ({marks})", rows)

    def rows(self, query):
        """The rows of *query*, with `eligible` as a Boolean."""
        found = self.connection.execute(query)
        flags = [place for place, each in enumerate(found.description) if each[0] == "eligible"]
        return [
            tuple(bool(value) if place in flags else value for place, value in enumerate(row))
            for row in found
        ]

    def close(self):
        self.connection.close()


def _in_sqlite(column, type_):
    if type_ == pa.date32():
        return [day and day_text(day) for day in _days(column)]
    return column.to_pylist()


def _days(column):
    """The proleptic ordinals of a *column* of days, which may lie beyond the calendar."""
    return [None if n is None else n + EPOCH for n in column.cast(pa.int32()).to_pylist()]


def day_text(ordinal):
    """A day as a text; beyond the calendar, a text that looks like a day."""
    if ordinal < 1:
        return f"-{abs(ordinal) // 366 + 1:04}-12-31"
    if ordinal > date.max.toordinal():
        return "10000-01-01"
    return date.fromordinal(ordinal).isoformat()


class PostgreSQL:
    """A database of a server of the tests' own."""

    dialect = "postgres"
    # There are neither unsigned nor 8-bit numbers, instants are in microseconds, and a query does
    # not take floats.
    lacking = frozenset(
        {name for name in STORAGES if name.startswith(("uint", "instant"))} - {"instant_us"}
        | {"int8", "float64", "dictionary"}
    )

    def __init__(self, url):
        self.connection = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)

    def load(self, table):
        """Keep the Arrow *table*, with its types, as the table of deals."""
        table = numbered(table)
        loaded = [_in_postgres(quoted(field.name), field.type) for field in table.schema]
        values = [_to_copy(table[field.name], field.type) for field in table.schema]
        columns = ", ".join(
            f"{quoted(field.name)} {own}"
            for field, (own, _) in zip(table.schema, loaded, strict=True)
        )
        with self.connection.cursor() as cursor:
            cursor.execute(f"drop table if exists loaded, {TABLE}")
            cursor.execute(f"create unlogged table loaded ({columns})")
            with cursor.copy("copy loaded from stdin") as copy:
                for row in zip(*values, strict=True):
                    copy.write_row(row)
            kept = ", ".join(
                f"{text} as {quoted(field.name)}"
                for field, (_, text) in zip(table.schema, loaded, strict=True)
            )
            cursor.execute(f"create unlogged table {TABLE} as select {kept} from loaded")

    def rows(self, query):
        """The rows of *query*."""
        return self.connection.execute(query).fetchall()

    def close(self):
        self.connection.close()


def _in_postgres(column, type_):
    """The type in which a column is copied into PostgreSQL, and the SQL of its value there."""
    if type_ == pa.date32():
        return "integer", f"date '1970-01-01' + {column}"
    if pa.types.is_timestamp(type_):
        per_day = 86_400 * PER_SECOND["us"]
        return "bigint", (
            f"timestamp '1970-01-01' + {column} / {per_day} * interval '1 day'"
            f" + {column} % {per_day} * interval '1 microsecond'"
        )
    if pa.types.is_decimal(type_):
        return f"numeric({type_.precision}, {type_.scale})", column
    own = {
        pa.int16(): "smallint",
        pa.int32(): "integer",
        pa.int64(): "bigint",
        pa.float64(): "double precision",
        pa.bool_(): "boolean",
        pa.string(): "text",
    }
    return own[type_], column


def _to_copy(column, type_):
    if type_ == pa.date32():
        return column.cast(pa.int32()).to_pylist()
    if pa.types.is_timestamp(type_):
        return column.cast(pa.int64()).to_pylist()
    return column.to_pylist()


def quoted(name):
    """*name* in double quotes, as all of these take it."""
    return '"{}"'.format(name.replace('"', '""'))
