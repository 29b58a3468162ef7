"""The three lanes of the tests, what each leaves out, and nothing of it in the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lanes
from counts import CAMPAIGN, EVERYDAY, LANES, PLAIN, TABLE, count, lane
from every_case import for_every
from holdback import pytest_plugin
from lanes import COUNTS, LEFT_OUT_OF_PLAIN, reason_to_leave_out, shuffled

TESTS = Path(__file__).parent
READS = re.compile(r'(?<![.\w])count\(\s*"([^"]+)"')


LANES_OF = """
import pytest
from counts import count
from given import OF_A_HELPER, a_row

MOST = count("hostile expressions") // 2
OF_A_CLASS = type("TestOfAClass", (), {"test": lambda self: MOST})
TestOfAClass = OF_A_CLASS

@pytest.fixture
def some():
    return range(count("spoilt files"))

def test_without_a_count(): pass
def test_by_name(): assert MOST
def test_by_fixture(some): pass
def test_by_helper(): assert OF_A_HELPER
def test_by_helpers_function(): a_row()
def test_of_a_database(postgres): pass
"""


def items_of(folder):
    """The items of a made-up file of tests, by name, collected by a pytest of its own."""
    collected = {}

    class Keeping:
        def pytest_collection_modifyitems(self, items):
            collected.update({item.name: item for item in items})

    options = ["--collect-only", "-q", "-p", "no:cacheprovider"]
    pytest.main([*options, "--noconftest", f"--rootdir={folder}", str(folder)], [Keeping()])
    return collected


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made_up")
    (folder / "given.py").write_text(
        "from counts import count\nOF_A_HELPER = count('spoilt files')\n"
        "def a_row(): return count('files of random bytes')\n",
        encoding="utf-8",
    )
    (folder / "test_made_up.py").write_text(
        LANES_OF + "@pytest.fixture\ndef postgres(): pass\n", encoding="utf-8"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(lanes, "TESTS", folder)
        yield items_of(folder)


def test_a_test_is_asked_which_counts_it_reads(made_up):
    """
    A count is found where a test, its fixture, its class or what they use reads it.
    """
    read = {name: set(lanes.counts_of(item)) for name, item in made_up.items()}

    assert read == {
        "test_without_a_count": set(),
        "test_by_name": {"hostile expressions"},
        "test_by_fixture": {"spoilt files"},
        "test_by_helper": {"spoilt files"},
        "test_by_helpers_function": {"files of random bytes"},
        "test_of_a_database": set(),
        "test": {"hostile expressions"},
    }


def test_each_lane_runs_what_the_others_leave_out(made_up):
    """
    Plain leaves groups out, everyday runs these and what tries more, a campaign only the latter.
    """
    left_out = {
        lane: {name for name, item in made_up.items() if reason_to_leave_out(item, lane)}
        for lane in LANES
    }

    assert left_out[PLAIN] == {"test_of_a_database"}
    assert left_out[CAMPAIGN] == {"test_without_a_count", "test_of_a_database"}
    for name, item in made_up.items():
        more = any(TABLE[each][EVERYDAY] > TABLE[each][PLAIN] for each in lanes.counts_of(item))
        assert (name not in left_out[EVERYDAY]) == (more or name in left_out[PLAIN])


def test_no_group_is_empty(request):
    """
    Every part of a group that is a path is the beginning of one that exists.
    """
    names = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*")]
    for parts in LEFT_OUT_OF_PLAIN.values():
        for part in parts:
            file = part.partition("::")[0]
            assert "/" not in part or any(name.startswith(file) for name in names), part


def test_a_run_of_everything_reads_every_count(request):
    """
    What is not found by reading the tests would be left out of the campaign.

    The tests on Spark are collected in an environment of their own.
    """
    read = request.config.stash[COUNTS]
    if read is not None:
        unread = {name for name in TABLE if name not in read}
        assert unread == {name for name in unread if "on Spark" in name}


def test_every_count_is_in_the_table_and_read():
    """
    A row that no test reads promises something that does not happen.
    """
    here = Path(__file__)
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py") if path != here]
    read = {name for text in texts for name in READS.findall(text)}

    assert read - {"..."} == set(TABLE)


def test_a_campaign_tries_more():
    """
    No count is smaller in a longer lane, most are several times larger in a campaign, and none is
    nothing.
    """
    assert LANES == (PLAIN, EVERYDAY, CAMPAIGN)
    for name, counts in TABLE.items():
        assert 0 < counts[PLAIN] <= counts[EVERYDAY] <= counts[CAMPAIGN], name
    assert sum(3 * counts[EVERYDAY] <= counts[CAMPAIGN] for counts in TABLE.values()) > 20


def test_the_lane_is_the_one_asked_for(request):
    """
    The lanes are options of these tests, and not of the plugin that ships with the package.
    """
    assert lane() == next(
        (each for each in (CAMPAIGN, EVERYDAY) if request.config.getoption(each)), PLAIN
    )
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


def test_another_order_keeps_the_tests_of_a_module_together(made_up):
    """
    One seed gives one order of the same tests, and another seed another one.
    """
    items = list(made_up.values())
    orders = {seed: shuffled(items, str(seed)) for seed in range(5)}

    assert all(sorted(map(id, order)) == sorted(map(id, items)) for order in orders.values())
    assert orders[1] == shuffled(items, "1")
    assert len({tuple(order) for order in orders.values()}) > 1
