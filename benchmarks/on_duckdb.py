"""A million deals in DuckDB: SQL by hand and holdback, on tables in memory, to an Arrow table.

`batch.py` describes what is measured and the ratios to reach.
"""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import frames_by_hand
import pyarrow as pa
import ten_jurisdictions
from ratios import Contender, at_most
from right_answers import ANSWER, check_masks
from setting import THREADS, Group, Row, Setting

DUCKDB = "DuckDB SQL by hand"
ON_DUCKDB, ON_DUCKDB_KNOWN = "holdback on DuckDB", "holdback on DuckDB, no unknowns"
PLANNED = "holdback on DuckDB, assessed beforehand"
ONE, TEN = "holdback on DuckDB, one jurisdiction", "holdback on DuckDB, ten jurisdictions"


def to_arrow(relation: duckdb.DuckDBPyRelation) -> pa.Table:
    """The answer in a relation of DuckDB as an Arrow table."""
    return relation.project(", ".join(ANSWER)).to_arrow_table()


def contenders(setting: Setting) -> Iterable[Contender]:
    """SQL by hand and ours, on tables of DuckDB in memory."""
    million = setting.million
    connection = duckdb.connect(config={"threads": THREADS})
    frames = {
        "plain": million.plain(exact=False, unknown=False),
        "known": million.prepared(unknown=False),
        "hidden": million.prepared(unknown=True),
    }
    for name, frame in frames.items():
        connection.register("frame", frame)
        connection.execute(f"create table {name} as select * from frame")

    def by_hand() -> pa.Table:
        return connection.sql(frames_by_hand.sql("plain")).to_arrow_table()

    answer = by_hand()
    check_masks(answer["failing"], answer["eligible"], million)
    yield Contender(DUCKDB, by_hand, million.count)
    sinks = {"arrow": to_arrow, "sink": to_arrow}
    hidden, known = connection.table("hidden"), connection.table("known")
    yield setting.ours(ON_DUCKDB, hidden, unknown=True, **sinks)
    yield setting.ours(ON_DUCKDB_KNOWN, known, unknown=False, **sinks)
    yield setting.ours_again(PLANNED, hidden, unknown=True, **sinks)


def contenders_of_jurisdictions(setting: Setting) -> Iterable[Contender]:
    """The deals of one and of ten jurisdictions, on tables of DuckDB in memory."""
    connection = duckdb.connect(config={"threads": THREADS})

    def held(table: pa.Table) -> duckdb.DuckDBPyRelation:
        connection.register("frame", table)
        name = f"deals_{len(connection.execute('show tables').fetchall())}"
        connection.execute(f"create table {name} as select * from frame")
        return connection.table(name)

    return ten_jurisdictions.contenders((ONE, TEN), setting.million.count, held, to_arrow, to_arrow)


GROUPS = (
    Group(
        "DuckDB, to an Arrow table",
        contenders,
        (
            Row(ON_DUCKDB, DUCKDB, at_most(2)),
            Row(ON_DUCKDB_KNOWN, DUCKDB),
            Row(PLANNED, DUCKDB),
        ),
    ),
    Group(
        "Ten jurisdictions on DuckDB, to an Arrow table",
        contenders_of_jurisdictions,
        (Row(TEN, ONE, at_most(2)),),
    ),
)
