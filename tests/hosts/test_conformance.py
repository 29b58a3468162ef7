"""The shipped hosts pass the suite: in memory, on SQLite, on PostgreSQL at every level."""

from __future__ import annotations

import inspect

import attrs
import conforming
import pytest

from counts import count
from holdback.testing.conformance import Effort, MemoryHost, conformance_suite
from holdback.testing.conformance.check_table import CHECKS, rerun_options, run_check
from holdback.testing.conformance.session import Session
from lanes import CHECKS_WITH_A_COUNT

EFFORT = Effort(
    sets=count("sets of offers raced for on each database"),
    workers=8,
    kills=count("processes killed on each database"),
    times=count("times that a partner does its worst on each database"),
    histories=count("histories on each database"),
    operations=count("operations in a history on each database"),
)

# A host in memory writes no documents, which a partner at its worst makes long.
IN_MEMORY = attrs.evolve(
    EFFORT, times=count("times that a partner of a host in memory does its worst")
)

TestMemory = conformance_suite(MemoryHost, effort=IN_MEMORY)
TestSqlite = conformance_suite(conforming.sqlite, effort=EFFORT)
TestFastApiOnSqlite = conformance_suite(conforming.fastapi, effort=EFFORT)


LEVELS = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")
# What happens at once, or ends in the middle, depends on the isolation level and is asked at each.
# What one caller after another does depends on none, and is asked at the last.
AT_ONCE = {"crashes", "telling", "strangers", "restart", "kills", "histories"}
ASKED = [
    pytest.param(level, check, id=f"{level.lower()}-{check.name}")
    for level in LEVELS
    for check in CHECKS
    if level == LEVELS[-1] or check.name in AT_ONCE or check.name.startswith("races")
]


def test_what_happens_at_once_is_asked_at_every_level():
    """
    Every name of a check that is asked three times is the name of one.
    """
    assert {check.name for check in CHECKS} >= AT_ONCE


def names_in(code):
    """The names that *code* and the functions in it use."""
    inner = [names_in(each) for each in code.co_consts if inspect.iscode(each)]
    return {*code.co_names}.union(*inner)


def reads_the_effort(check):
    """Whether a check, or what it calls in its own module, looks at the effort."""
    waiting, seen = [check.run], set()
    while waiting:
        function = waiting.pop()
        seen.add(function)
        names = names_in(function.__code__)
        if "effort" in names:
            return True
        used = (function.__globals__.get(name) for name in names)
        waiting += [each for each in used if inspect.isfunction(each) and each not in seen]
    return False


def test_the_campaign_has_every_check_that_reads_a_count():
    """
    They are found by words in their names, and no other check has one of these.
    """
    words = CHECKS_WITH_A_COUNT["hosts/test_conformance.py"]

    named = {check.name for check in CHECKS if any(word in check.name for word in words)}
    assert named == {check.name for check in CHECKS if reads_the_effort(check)}


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
