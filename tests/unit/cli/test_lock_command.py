"""`holdback lock`, and what `holdback check` reports about the lock."""

from __future__ import annotations

import json
import re

import pytest
from invocation import findings, invoke, spoil

from holdback import load_jurisdictions

DIGEST = r"sha256:[0-9a-f]{64}"


def test_lock_and_check(folder):
    """
    `holdback check` fails if the digest of past rules changes; `holdback lock` adds what is new.
    """
    first = invoke("lock", folder, "--on", "2025-06-01")
    again = invoke("lock", folder, "--on", "2025-06-01")
    later = invoke("lock", folder, "--on", "2026-07-06", "--format", "json")
    text = (folder / "digests.lock").read_text()

    assert re.fullmatch(
        rf"NL 2025-01-01 {DIGEST}\nNL-ZH 2025-01-01 {DIGEST}\n"
        r"through 2025-06-01\n2 changes locked in .*\n",
        first.output,
    )
    assert again.output.startswith("0 changes locked in ")
    assert [each.split()[0] for each in json.loads(later.output)["added"]] == [
        "NL",
        "NL-ZH",
        "through",
    ]
    assert [line.split()[:2] for line in text.splitlines() if not line.startswith("#")] == [
        ["NL", "2025-01-01"],
        ["NL-ZH", "2025-01-01"],
        ["through", "2025-06-01"],
        ["NL", "2026-01-01"],
        ["NL-ZH", "2026-01-01"],
        ["through", "2026-07-06"],
    ]
    assert invoke("check", folder, "--on", "2026-07-06").exit_code == 0


def test_a_changed_past_is_found_and_never_locked(folder):
    """
    The past cannot change unnoticed.
    """
    invoke("lock", folder, "--on", "2026-07-06")
    before = (folder / "digests.lock").read_bytes()
    spoil(folder, old='value = "75%"', new='value = "74%"')

    check = findings(invoke("check", folder, "--format", "json"))
    one = findings(invoke("check", folder / "NL-ZH", "--format", "json"))
    lock = invoke("lock", folder, "--on", "2026-08-01")

    told = [each[2] for each in check if each[0].endswith("digests.lock")]
    assert told == [
        f"the rules of {code} on 2025-01-01 are not those that were locked"
        for code in ("NL", "NL-ZH")
    ]
    assert [each[2] for each in one] == told[1:]
    assert lock.exit_code == 1
    assert "are not those that were locked" in lock.stderr
    assert (folder / "digests.lock").read_bytes() == before


@pytest.mark.parametrize(
    "begun",
    [b"", b"# caf\xe9\n", b"# no newline", b"# windows\r\n"],
)
def test_what_is_in_a_lock_stays(folder, begun):
    """
    Lines are added, never changed.
    """
    file = folder / "digests.lock"
    file.write_bytes(begun)
    ran = invoke("lock", folder, "--on", "2026-07-06")

    assert ran.exit_code == 0
    assert file.read_bytes().startswith(begun)
    assert file.read_bytes().count(b"NL 2026-01-01 sha256:") == 1
    assert invoke("check", folder, "--on", "2026-07-06").exit_code == 0


def test_an_invalid_lock(folder):
    """
    A line that is not one of a lock is a finding, and nothing is added.
    """
    (folder / "digests.lock").write_text("NL 2025-01-01 abc\n")
    check, lock = invoke("check", folder), invoke("lock", folder, "--on", "2026-07-06")

    assert (check.exit_code, lock.exit_code) == (1, 1)
    assert "digests.lock:1: cannot read this line of the lock: `NL 2025-01-01 abc`" in check.output
    assert (folder / "digests.lock").read_text() == "NL 2025-01-01 abc\n"


def test_no_lock_while_a_file_is_invalid(folder):
    """
    Exit code 2 for misuse or a document that cannot be read.
    """
    ran = invoke("lock", spoil(folder), "--on", "2026-07-06")

    assert ran.exit_code == 2
    assert not (folder / "digests.lock").exists()


HOST = """
from typing import ClassVar
from holdback.offers.shipped_calculators import FixedTerm

class Seasonal(FixedTerm):
    version: ClassVar[int] = 3

CALCULATORS = {"term/seasonal": Seasonal}
WITHOUT_VERSION = {"term/seasonal": int}
"""


def test_the_digests_of_a_hosts_records(folder, tmp_path, monkeypatch):
    """
    With the host's calculators, `holdback lock` writes the digests that the host's records have;
    the lock is verified without them.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices_of_the_lock.py").write_text(HOST)
    files = (folder / "NL" / "products.toml").read_text().partition("[typical]")[0]
    (folder / "NL" / "products.toml").write_text(
        files.replace('"fixed", months', '"seasonal", months')
    )
    given = ("--calculators", "prices_of_the_lock:CALCULATORS")
    ran = invoke("lock", folder, "--on", "2026-07-06", *given)
    jurisdictions = load_jurisdictions(folder)
    complete = jurisdictions.with_versions({"term/seasonal": 3})

    lines = [line for line in ran.output.splitlines() if line.startswith("NL")]
    assert lines == [
        f"{each.code} {each.since} {each.digest} term/seasonal=3" for each in complete.rulebooks()
    ]
    assert {each.digest for each in complete.rulebooks()}.isdisjoint(
        each.digest for each in jurisdictions.rulebooks()
    )
    for options in ((), given):
        again = invoke("lock", folder, "--on", "2026-07-06", *options)
        assert (again.exit_code, again.output.split()[0]) == (0, "0")
    told = findings(invoke("check", folder, "--on", "2026-07-06", "--format", "json"))
    assert not [each for each in told if each[0].endswith("digests.lock")]


def test_calculators_without_a_version(folder, tmp_path, monkeypatch):
    """
    Exit code 2 for misuse; nothing is locked.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices_without_version.py").write_text(HOST)
    ran = invoke(
        "lock",
        folder,
        "--on",
        "2026-07-06",
        "--calculators",
        "prices_without_version:WITHOUT_VERSION",
    )

    assert ran.exit_code == 2
    assert "does not declare its version" in " ".join(ran.output.split())
    assert not (folder / "digests.lock").exists()


def test_a_lock_of_a_newer_version(folder):
    """
    A lock of a newer format is one finding, and nothing is added.
    """
    text = "format 7\nanything\n"
    (folder / "digests.lock").write_text(text)
    check = findings(invoke("check", folder, "--on", "2026-07-06", "--format", "json"))
    lock = invoke("lock", folder, "--on", "2026-07-06")

    assert [each[1:] for each in check if each[0].endswith("digests.lock")] == [
        (1, "this lock was written by a newer version of holdback: format 7")
    ]
    assert lock.exit_code == 1
    assert (folder / "digests.lock").read_text() == text
