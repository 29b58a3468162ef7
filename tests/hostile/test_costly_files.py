"""Reading is bounded by counts of work, so that no small file is costly to read."""

from __future__ import annotations

import costly_files
import pytest

from every_case import for_every
from holdback.jurisdictions import resolver
from holdback.jurisdictions.folder_checks import MAX_EXAMPLE_DAYS, MAX_PARTS
from holdback.jurisdictions.toml import MAX_BYTES
from small_folders import read_all


@pytest.fixture
def counted(monkeypatch):
    """The parts of the expressions that were checked since the last `clear`."""
    parts = []

    def check(tree, *arguments):
        parts.append(tree.size)
        return right(tree, *arguments)

    right = resolver.check
    monkeypatch.setattr(resolver, "check", check)
    return parts


@for_every("name", costly_files.READ)
def test_a_file_at_the_bounds_is_read(name, counted):
    """
    A file at a bound is read, and costs no more than the bound says.
    """
    counted.clear()
    read, errors = read_all(IE=costly_files.READ[name])

    assert errors == {}
    assert 100 <= sum(counted) <= MAX_PARTS
    assert len(read["IE"].examples) <= MAX_EXAMPLE_DAYS
    if name.startswith("examples"):
        assert len(read["IE"].examples) == MAX_EXAMPLE_DAYS


@for_every("name", costly_files.REFUSED)
def test_a_file_beyond_a_bound_is_refused(name, counted):
    """
    A file beyond a bound is refused with what to do, before any rule is checked or example read.
    """
    counted.clear()
    files, phrase = costly_files.REFUSED[name]
    read, errors = read_all(IE=files)

    assert all(len(text) < MAX_BYTES // 4 for text in files.values())
    assert read == {}
    (error,) = errors["IE"]
    assert phrase in error.message
    assert error.line is not None
    assert "merge dates of change" in error.hint or "write `on`, or `until`" in error.hint
    if not name.startswith("examples"):
        assert counted == []


def test_the_longest_rule_is_named():
    """
    The error names the rule that costs most, with its parts and dates.
    """
    files = costly_files.folder(
        costly_files.parameter(400),
        costly_files.rules(2, costly_files.SHORT),
        costly_files.rules(3, costly_files.one_of(200)).replace('id="r', 'id="long'),
    )
    _, errors = read_all(IE=files)

    assert errors["IE"][0].hint == (
        "at most 60000: merge dates of change, or shorten `long0`, which has 202 parts on 400 dates"
    )


def test_a_child_that_switches_much_off():
    """
    What a child switches off is looked up on every date of change, and counts.
    """
    read, errors = read_all(**costly_files.FAMILY)

    assert list(read) == ["NL"]
    (error,) = errors["NL-ZH"]
    assert error.message.startswith("3 rules, 1 parameters, 300 switch-offs, looked up on each of")
    assert error.file == "NL-ZH/jurisdiction.toml"
