"""`holdback conformance MODULE:FACTORY`: hosts that pass, that fail, and that cannot start."""

from __future__ import annotations

import re
import sys

import pytest
from click.testing import CliRunner

from holdback.cli.commands import holdback
from holdback.testing.conformance import CHECKS

HOSTS = """
from holdback.testing.conformance import MemoryHost

class Fine(MemoryHost):
    def close(self):
        print("closed")

class Fails(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        return (500, b"oh") if status == 404 else (status, body)

class Unreadable(MemoryHost):
    def history(self, partner, merchant_id):
        return [b"{" for _ in super().history(partner, merchant_id)]

class Full(MemoryHost):
    def open(self):
        raise OSError("the disk is full")

class Incomplete:
    cannot = {"previous_version": "the suite comes with one version"}

def no_database():
    raise ValueError("no database is there")
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs the command in a folder with the hosts above."""
    (tmp_path / "tried.py").write_text(HOSTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "tried", raising=False)

    def run(*arguments):
        ran = CliRunner().invoke(holdback, ["conformance", *arguments])
        assert ran.exception is None or isinstance(ran.exception, SystemExit), repr(ran.exception)
        assert "Traceback" not in ran.output
        return ran

    return run


def test_a_host_that_passes(run):
    """Each check prints a line, the host is closed, and the command exits with 0."""
    ran = run("tried:Fine", "--only", "expiry", "--only", "tenancy")
    assert ran.exit_code == 0
    lines = ran.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["expiry", "holds"], ["tenancy", "holds"]]
    assert lines[2:] == ["2 held, 0 broken, 0 not tried. Seed 0.", "closed"]


def test_a_host_that_fails(run):
    """
    A failure prints the invariant in words, a minimal history and the seed that reproduces it.
    """
    ran = run("tried:Fails", "--only", "expiry", "--seed", "7")
    assert ran.exit_code == 1
    assert "BROKEN" in ran.stdout
    assert "sound-replies: Every answer is a reply (200) or problem details" in ran.stdout
    assert re.search(r"\d+\. 2026-\S+ acme accept_offer .* -> 500 oh", ran.stdout)
    assert "run again: holdback conformance tried:Fails --seed 7 --only 'expiry'" in ran.stdout


def test_a_failure_shows_its_own_history_whatever_the_host_raised(run):
    """An unreadable event is a finding like any other, shown with its own shortest history."""
    ran = run("tried:Unreadable", "--only", "histories", "--histories", "3")
    assert ran.exit_code == 1
    history = [line for line in ran.stdout.splitlines() if re.match(r"\s+\d+\. 2026", line)]
    assert len(history) == 1
    assert "request_offers" in history[0]


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("tried:no_database", "ValueError: no database is there"),
        ("tried:Full", "OSError: the disk is full"),
        ("tried:Fin", "`tried` has no callable `Fin`; did you mean `Fine`?"),
        ("tried:Incomplete", "it has no method `open`"),
        ("tired:Fine", "there is no module `tired` here; run this in its folder, or install it"),
        ("tried", "expected MODULE:FACTORY, such as `my_host:make_host`, not `tried`"),
    ],
)
def test_a_host_that_cannot_be_run(run, host, why):
    """The message says what is wrong, and the exit code is that of misuse."""
    ran = run(host)
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[:2] == [f"{host} cannot be tried:", f"  {why}"]
    assert ran.stdout == ""


def test_an_unknown_check(run):
    """The message suggests the check with the nearest name."""
    ran = run("tried:Fine", "--only", "expriy")
    assert ran.exit_code == 2
    assert "no check is called `expriy`; did you mean `expiry`?" in ran.stderr


def test_the_list_of_checks(run):
    """`--list` runs nothing, so the host need not exist."""
    ran = run("nothing:here", "--list")
    assert ran.exit_code == 0
    assert [line[:24].strip() for line in ran.stdout.splitlines()] == [
        check.name for check in CHECKS
    ]
