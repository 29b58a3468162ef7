"""The shipped hosts pass the suite: in memory, on SQLite, on PostgreSQL at every level."""

from __future__ import annotations

import conforming
import pytest

from counts import count
from holdback.testing.conformance import Effort, MemoryHost, conformance_suite
from holdback.testing.conformance.check_table import CHECKS, rerun_options, run_check
from holdback.testing.conformance.session import Session

EFFORT = Effort(
    sets=count("sets of offers raced for on each database"),
    workers=8,
    kills=count("processes killed on each database"),
    histories=count("histories on each database"),
    operations=count("operations in a history on each database"),
)

TestMemory = conformance_suite(MemoryHost, effort=EFFORT)
TestSqlite = conformance_suite(conforming.sqlite, effort=EFFORT)
TestFastApiOnSqlite = conformance_suite(conforming.fastapi, effort=EFFORT)


LEVELS = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
# What one caller after another does depends on no isolation level, and is asked at the last.
ONE_AFTER_ANOTHER = {"erasure", "growth", "prices", "changed rules", "two versions"}
ASKED = [
    pytest.param(level, check, id=f"{level.lower()}-{check.name}")
    for level in LEVELS
    for check in CHECKS
    if level == LEVELS[-1] or check.name not in ONE_AFTER_ANOTHER
]


@pytest.fixture(scope="module")
def on_postgres(request, postgres):
    host = conforming.fastapi(postgres.new_database(), request.param)
    host.open()
    yield Session(host, 0, EFFORT)
    host.close()


@pytest.mark.parametrize(("on_postgres", "check"), ASKED, indirect=["on_postgres"])
def test_on_postgresql(on_postgres, check):
    """
    The suite passes on PostgreSQL at each of its isolation levels.
    """
    result = run_check(check, on_postgres)
    assert result.skipped is None
    if result.broken is not None:
        options = rerun_options(result, on_postgres)
        pytest.fail(
            f"{result.broken}\n  run again: holdback conformance HOST {options}", pytrace=False
        )
