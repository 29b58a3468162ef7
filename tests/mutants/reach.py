"""A plugin of pytest that writes which functions of the package each test enters, and its seconds.

`HOLDBACK_REACH` names the folder; each process of a run writes a file of its own. What is entered
while a test is set up counts for all tests of the file, because its fixtures may be shared.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from time import process_time

import pytest

FOLDER = Path(os.environ["HOLDBACK_REACH"])
entered, reached = set(), {}


def enter(frame, *_):
    """Note the function of a frame that begins."""
    entered.add(frame.f_code)


def taken():
    """Return what was entered since the last call, as file and function."""
    codes = set(entered)
    entered.clear()
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
    entered.clear()
    threading.settrace(enter)
    sys.settrace(enter)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        threading.settrace(None)
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
