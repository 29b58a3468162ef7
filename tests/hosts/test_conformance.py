"""The shipped hosts pass the suite: in memory, on SQLite, on PostgreSQL at every level."""

from __future__ import annotations

import conforming
import pytest

from counts import count
from holdback.testing.conformance import Effort, MemoryHost, conformance_suite
from holdback.testing.conformance.checks import CHECKS, rerun_options, run_check
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


@pytest.fixture(
    scope="module", params=["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"], ids=str.lower
)
def on_postgres(request, postgres):
    host = conforming.fastapi(postgres.new_database(), request.param)
    host.open()
    yield Session(host, 0, EFFORT)
    host.close()


@pytest.mark.parametrize("check", CHECKS, ids=[check.name for check in CHECKS])
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
