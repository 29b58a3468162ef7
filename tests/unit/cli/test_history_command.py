"""The command history: versions as text and as JSON, and who changed their lines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from invocation import invoke

from small_folders import child, country, write

OFF = 'switch_off = [{ rule = "few-missed", reason = "Not here." }]\n'
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def shelf(tmp_path):
    """A folder of a country and its child, under no version control."""
    return write(tmp_path / "repository" / "shelf", NL=country(), NL_ZH=child(more=OFF))


def git(folder, *arguments):
    settings = ("-c", "user.name=Ann Example", "-c", "user.email=ann@example.org")
    dates = {"GIT_AUTHOR_DATE": "2026-06-12T23:30:00-05:00", "GIT_CEILING_DIRECTORIES": ""}
    subprocess.run(
        ["git", "-C", str(folder), *settings, *arguments],
        env={**os.environ, **dates},
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(shelf):
    """The same folder, committed once."""
    root = shelf.parent
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "Set a pace")
    return root


def history(shelf, *arguments):
    return invoke("history", *arguments, "--jurisdictions", shelf)


def changed_by(shelf, name="on-pace"):
    """Who changed the lines of each version of *name*, in words."""
    (found,) = json.loads(history(shelf, "NL", name, "--format", "json").output)
    return [version["changed_by"] for version in found["versions"]]


def test_the_versions_as_text(shelf):
    """
    Every version with its dates, words, sources and lines, what comes next, and the children.
    """
    ran = history(shelf, "NL", "on-pace", "--on", "2025-06-01")

    assert ran.exit_code == 0
    assert ran.output.splitlines()[:13] == [
        "NL  rule on-pace",
        "",
        "  from 2025-01-01 until 2026-01-01  in force on 2025-06-01",
        "    NL-R-01  Performance is at least the minimum performance of 75%.",
        "      otherwise: decline",
        "      says: The pace is {performance}; at least {minimum_performance} is needed.",
        "      source: policy",
        "      the rule: shelf/NL/renewal.toml:10-16",
        "      minimum_performance: shelf/NL/renewal.toml:6",
        "",
        "  from 2026-01-01 on  comes next",
        "    NL-R-01  Performance is at least the minimum performance of 80%.",
        "      otherwise: decline",
    ]
    assert ran.output.splitlines()[-5:-2] == [
        "",
        "Children",
        "  NL-ZH  from 2025-01-01 on: inherited",
    ]


def test_the_versions_for_machines(shelf):
    """
    As JSON: with `--on`, each version says whether it is past, now, next or later.
    """
    ran = history(shelf, "NL-ZH", "few-missed", "--on", "2026-02-01", "--format", "json")
    (found,) = json.loads(ran.output)

    assert (found["kind"], found["name"], found["children"]) == ("rule", "few-missed", {})
    assert [(each["state"], each["when"], each["words"]) for each in found["versions"]] == [
        ("switched off", "now", "Not here.")
    ]


def test_a_typing_error(shelf):
    """
    Exit code 2 for misuse, with "did you mean".
    """
    ran = history(shelf, "NL", "on-pce")

    assert ran.exit_code == 2
    assert "NL has nothing by the name `on-pce`; did you mean `on-pace`?" in ran.output
    assert history(shelf, "NX", "on-pace").exit_code == 2


@needs_git
def test_who_changed_the_lines(repository):
    """
    Where the folder is under git: who changed the lines, on which day where they were, and why.
    """
    ran = history(repository / "shelf", "NL", "on-pace")

    assert ran.output.count("changed by Ann Example on 2026-06-12: Set a pace (") == 2
    for (change,) in changed_by(repository / "shelf"):
        assert (change["who"], change["on"], change["subject"], change["or_before"]) == (
            "Ann Example",
            "2026-06-12",
            "Set a pace",
            False,
        )


@needs_git
def test_lines_that_are_not_committed_yet(repository):
    """
    A line that is not committed yet is named so, and only its version.
    """
    file = repository / "shelf" / "NL" / "renewal.toml"
    text = file.read_text(encoding="utf-8").replace('"80%", source', '"80.0%", source')
    file.write_text(text, encoding="utf-8")
    before, after = changed_by(repository / "shelf")

    assert [change["who"] for change in before] == ["Ann Example"]
    assert [change["commit"] is None for change in after] == [True, False]
    lines = history(repository / "shelf", "NL", "on-pace").output.splitlines()
    assert "      not committed yet" in lines


@needs_git
def test_a_renamed_file_keeps_its_history(repository):
    """
    Lines keep their commit when their folder is renamed.
    """
    git(repository, "mv", "shelf", "moved")
    git(repository, "commit", "--quiet", "--message", "Move")

    assert [change["subject"] for (change,) in changed_by(repository / "moved")] == [
        "Set a pace",
        "Set a pace",
    ]


@needs_git
def test_a_shallow_copy_says_that_lines_may_be_older(repository, tmp_path):
    """
    In a shallow copy, what was changed in its oldest commit was changed then or before.
    """
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "Later")
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", str(copy))
    ran = history(copy / "shelf", "NL", "on-pace")

    assert "on 2026-06-12 or before: Later (" in ran.output


@needs_git
@pytest.mark.parametrize(
    ("attributes", "setting"),
    [
        ("*.toml diff=x", "diff.x.textconv"),
        ("*.toml filter=x", "filter.x.clean"),
        ("*.toml filter=x", "filter.x.process"),
        ("", "core.fsmonitor"),
        ("", "core.pager"),
        ("", "pager.blame"),
        ("", "diff.external"),
    ],
)
def test_no_program_of_the_repository_runs(repository, attributes, setting):
    """
    Reading the history of a folder from elsewhere runs nothing that its settings name, and
    shows who changed the lines.
    """
    marker = repository / "ran"
    (repository / ".gitattributes").write_text(f"{attributes}\n", encoding="utf-8")
    git(repository, "config", setting, f"sh -c 'touch {marker}; cat'")
    git(repository, "config", "filter.x.required", "true")
    file = repository / "shelf" / "NL" / "renewal.toml"
    file.write_text(f"{file.read_text(encoding='utf-8')}# later\n", encoding="utf-8")

    assert [change["who"] for (change,) in changed_by(repository / "shelf")] == ["Ann Example"] * 2
    assert not marker.exists()


@needs_git
def test_a_commit_at_an_instant_that_no_calendar_has(repository):
    """
    A commit that claims to be of a far future is shown without a day.
    """
    commit = ["git", "-C", str(repository), "cat-file", "commit", "HEAD"]
    text = subprocess.run(commit, check=True, capture_output=True).stdout
    author = text.partition(b"author Ann Example <ann@example.org> ")[2].split(b" ")[0]
    file = repository.parent / "commit"
    file.write_bytes(text.replace(author, b"9999999999999999", 1))
    command = ["git", "-C", str(repository), "hash-object", "-t", "commit", "-w", str(file)]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    git(repository, "reset", "--hard", "--quiet", made)

    assert [change["on"] for (change,) in changed_by(repository / "shelf")] == [None, None]
    said = history(repository / "shelf", "NL", "on-pace").output
    assert "changed by Ann Example on a date outside the calendar: Set a pace (" in said


@needs_git
def test_a_file_that_git_does_not_have(repository):
    """
    A file that was never committed.
    """
    write(repository / "shelf", BE=country("BE"))
    ran = history(repository / "shelf", "BE", "on-pace")

    assert ran.exit_code == 0
    assert ran.output.endswith(
        "Who changed the lines is not shown: the file is not committed yet.\n"
    )


def test_a_folder_without_git(shelf, monkeypatch):
    """
    Without a repository, or without git itself, everything else is shown all the same.
    """
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(shelf.parent))
    without_repository = history(shelf, "NL", "on-pace")
    monkeypatch.setenv("PATH", "")
    without_git = history(shelf, "NL", "on-pace")

    assert without_git.output.endswith("is not shown: git is not installed.\n")
    for ran in (without_repository, without_git):
        assert ran.exit_code == 0
        assert "minimum performance of 80%" in ran.output
    if shutil.which("git", path=os.defpath) is not None:
        assert without_repository.output.endswith("is not shown: the folder is not under git.\n")
