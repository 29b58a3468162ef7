"""The two lanes of the tests: the same tests, more of each, and nothing of it in the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from counts import CAMPAIGN, EVERYDAY, LANES, TABLE, count, lane
from every_case import for_every
from holdback import pytest_plugin

TESTS = Path(__file__).parent
READS = re.compile(r'(?<![.\w])count\(\s*"([^"]+)"')


def test_both_lanes_collect_the_same_tests(request):
    """
    Counts change how many cases a test tries, and never which tests there are.
    """
    config = request.config
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    chosen = ["-k", config.option.keyword, "-m", config.option.markexpr]
    of_the_other_lane = [] if lane() == CAMPAIGN else ["--campaign"]
    collected = subprocess.run(
        [*command, *chosen, *of_the_other_lane, *config.args],
        cwd=config.invocation_params.dir,
        capture_output=True,
        text=True,
        check=True,
    )

    here = [item.nodeid for item in request.session.items]
    assert [line for line in collected.stdout.splitlines() if "::" in line] == here


def test_every_count_is_in_the_table_and_read():
    """
    A row that no test reads promises something that does not happen.
    """
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")]
    read = {name for text in texts for name in READS.findall(text)}

    assert read - {"..."} == set(TABLE)


def test_a_campaign_tries_more():
    """
    No count is smaller in a campaign, most are several times larger, and none is nothing.
    """
    assert LANES == (EVERYDAY, CAMPAIGN)
    for name, counts in TABLE.items():
        assert 0 < counts[EVERYDAY] <= counts[CAMPAIGN], name
    assert sum(3 * counts[EVERYDAY] <= counts[CAMPAIGN] for counts in TABLE.values()) > 20


def test_the_lane_is_the_one_asked_for(request):
    """
    `--campaign` is an option of these tests, and not of the plugin that ships with the package.
    """
    assert lane() == (CAMPAIGN if request.config.getoption("campaign") else EVERYDAY)
    assert count("hostile expressions") == TABLE["hostile expressions"][lane()]
    assert not hasattr(pytest_plugin, "pytest_addoption")


def test_one_test_of_many_cases_reports_every_failure():
    """
    All cases run, those that fail are named, and the fixtures are the ones of the test.
    """
    ran = []

    @for_every("number, word", [(1, "a"), pytest.param(2, "b", id="the second"), (3, "c")])
    def test(fixture, number, word):
        ran.append((fixture, number, word))
        assert number != 2, "is two"
        if number == 3:
            pytest.skip("a case cannot be skipped")

    with pytest.raises(pytest.fail.Exception) as failure:
        test(fixture="f")

    assert ran == [("f", 1, "a"), ("f", 2, "b"), ("f", 3, "c")]
    assert failure.value.msg.startswith("2 of 3 cases fail:\n\n-- the second\n")
    assert "is two" in failure.value.msg
    assert "-- 3, 'c'" in failure.value.msg
    assert "every_case.py" not in failure.value.msg
