"""A plugin of pytest that writes which functions of the package each test enters, and its seconds.

`HOLDBACK_REACH` names the folder; each process of a run writes a file of its own. What is entered
while a test is set up counts for all tests of the file, because its fixtures may be shared. It
needs Python 3.12, whose monitoring makes a function cost nothing after its first call: a run takes
little longer with it, where one under `sys.settrace` took three times as long.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from time import process_time

import pytest

FOLDER = Path(os.environ["HOLDBACK_REACH"])
monitoring = sys.monitoring
TOOL = monitoring.COVERAGE_ID
entered, reached = set(), {}


def enter(code, _):
    """Note a function that begins, and ask for no more of it."""
    entered.add(code)
    return monitoring.DISABLE


monitoring.use_tool_id(TOOL, "reach")
monitoring.register_callback(TOOL, monitoring.events.PY_START, enter)


def taken():
    """Return what was entered since the last call, as file and function."""
    codes = set(entered)
    entered.clear()
    monitoring.restart_events()
    return sorted(
        {
            f"{code.co_filename.rpartition('/src/')[2]}:{code.co_qualname.partition('.<locals>')[0]}"
            for code in codes
            if "/src/holdback/" in code.co_filename and code.co_name != "<module>"
        }
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    reached[item.nodeid] = row = {"set up": [], "seconds": 0.0, "called": []}
    start = process_time()
    taken()
    monitoring.set_events(TOOL, monitoring.events.PY_START)
    try:
        return (yield)
    finally:
        monitoring.set_events(TOOL, monitoring.events.NO_EVENTS)
        row["called"] = taken()
        row["seconds"] = process_time() - start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    reached[item.nodeid]["set up"] = taken()
    return (yield)


def pytest_unconfigure():
    if reached:
        file = FOLDER / f"{os.getpid()}.json"
        file.write_text(json.dumps(reached), encoding="utf-8")
