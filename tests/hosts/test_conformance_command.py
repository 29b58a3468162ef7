"""`holdback conformance MODULE:FACTORY` as a person types it: hosts that hold, that do not, and that cannot even start."""

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

class Lacking:
    cannot = {}

def no_database():
    raise ValueError("no database is there")
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in a folder with the hosts above."""
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


def test_a_host_that_holds(run):
    """Each check has a line, the host is closed at the end, and the command leaves with 0."""
    ran = run("tried:Fine", "--only", "expiry", "--only", "tenancy")
    assert ran.exit_code == 0
    lines = ran.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["expiry", "holds"], ["tenancy", "holds"]]
    assert lines[2:] == ["2 held, 0 broken, 0 not tried. Seed 0.", "closed"]


def test_a_host_that_does_not(run):
    """
    "A failure prints a seed, a minimal history and the invariant in words."
    """
    ran = run("tried:Fails", "--only", "expiry", "--seed", "7")
    assert ran.exit_code == 1
    assert "BROKEN" in ran.stdout
    assert "sound-replies: Every answer is a reply of the specification" in ran.stdout
    assert re.search(r"\d+\. 2026-\S+ acme accept_offer .* -> 500 oh", ran.stdout)
    assert "again: --seed 7 --only 'expiry'" in ran.stdout


def test_the_history_is_that_of_the_failure_whatever_the_host_raised(run):
    """What cannot be read is a finding like any other, with the exchanges of its own, shortest, history."""
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
        ("tried:Fin", "nothing in `tried` is called `Fin` and can be called; did you mean `Fine`?"),
        ("tried:Lacking", "it has no method `open`"),
        ("tired:Fine", "there is no module `tired` here; run this in its folder, or install it"),
        ("tried", "expected MODULE:FACTORY, such as `my_host:make_host`, not `tried`"),
    ],
)
def test_a_host_that_cannot_be_tried(run, host, why):
    """A person's mistake gets a sentence, and the exit code of misuse."""
    ran = run(host)
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[:2] == [f"{host} cannot be tried:", f"  {why}"]
    assert ran.stdout == ""


def test_a_check_that_is_not_there(run):
    """The one that was meant is named."""
    ran = run("tried:Fine", "--only", "expriy")
    assert ran.exit_code == 2
    assert "no check is called `expriy`; did you mean `expiry`?" in ran.stderr


def test_the_list_of_checks(run):
    """`--list` tries nothing, so it needs no host that is there."""
    ran = run("nothing:here", "--list")
    assert ran.exit_code == 0
    assert [line[:24].strip() for line in ran.stdout.splitlines()] == [each.name for each in CHECKS]
