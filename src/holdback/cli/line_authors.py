"""Who changed the lines of a file, and when: as git knows it, where the file is under git.

Nothing here fails: without git, without a repository or with a file that git does not have, the
answer is that it is not known, and why.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Final

from attrs import define, field

from holdback.exact.exact_json import Json
from holdback.frozen_classes import frozen

_SECONDS: Final = 30
_ENTRY: Final = re.compile(r"([0-9a-f]{40,64}) [0-9]+ [0-9]+")
_ZONE: Final = re.compile(r"([+-])([0-9]{2})([0-9]{2})")
_ABBREVIATED: Final = 10
# A hook of git sets these, and they would point git at another repository.
_OF_A_HOOK: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


@frozen(kw_only=True)
class LineChange:
    """
    The last change of some lines: a commit, or None where it is not committed yet.

    `on` is None as well where git has an instant that no calendar has.

    `earliest` marks the oldest commit that a shallow copy of the repository has: the lines are at
    least as old.
    """

    commit: str | None
    who: str
    on: date | None
    subject: str
    earliest: bool = False

    @property
    def words(self) -> str:
        """The change in words."""
        if self.commit is None:
            return "not committed yet"
        before = " or before" if self.earliest else ""
        on = "a date outside the calendar" if self.on is None else str(self.on)
        return f"changed by {self.who} on {on}{before}: {self.subject} ({self.commit})"

    @property
    def order(self) -> date:
        """Its place in time: what is not committed is newest, a commit without a date oldest."""
        return date.max if self.commit is None else self.on or date.min

    def plain(self) -> dict[str, Json]:
        """Return the change as plain values."""
        return {
            "commit": self.commit,
            "who": self.who or None,
            "on": None if self.on is None else self.on.isoformat(),
            "subject": self.subject or None,
            "or_before": self.earliest,
        }


@define
class LineAuthors:
    """Answers who changed which lines; each file is asked about once."""

    _files: dict[Path, list[LineChange] | str] = field(factory=dict)

    def changes(self, file: Path, first: int, last: int) -> tuple[LineChange, ...] | str:
        """Return the last changes of these lines of *file*, newest first, or why there are none."""
        if file not in self._files:
            self._files[file] = _of_file(file)
        changes = self._files[file]
        if isinstance(changes, str):
            return changes
        distinct = dict.fromkeys(changes[first - 1 : last])
        return tuple(sorted(distinct, key=lambda change: change.order, reverse=True))


def _of_file(file: Path) -> list[LineChange] | str:
    """Return the last change of each line of *file*, or why it is not known."""
    # A text conversion is a program that the repository names.
    blame = ["blame", "--no-textconv", "--line-porcelain", "--", file.name]
    answered = _git(file.parent, blame, _without_filters(file.parent))
    if isinstance(answered, str):
        return answered
    entries = list(_entries(answered.decode("utf-8", "replace").split("\n")))
    shallow = False
    if any("boundary" in entry for entry in entries):
        # The first commit of a repository is a boundary as well.
        answered = _git(file.parent, ["rev-parse", "--is-shallow-repository"])
        shallow = answered == b"true\n"
    return [_change(entry, shallow=shallow) for entry in entries]


def _without_filters(folder: Path) -> dict[str, str]:
    """
    Return surroundings in which git runs no filter that the settings in *folder* name.

    A filter is a program too, and git would run it on a file that is not committed.
    """
    listed = _git(folder, ["config", "--null", "--name-only", "--get-regexp", r"^filter\."])
    if isinstance(listed, str):
        return {}
    names = {os.fsdecode(key.rpartition(b".")[0]) for key in listed.split(b"\0") if key}
    settings = [
        (f"{name}.{key}", value)
        for name in sorted(names)
        for key, value in (("clean", ""), ("process", ""), ("required", "false"))
    ]
    # They follow the settings that were given in the same way from outside.
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    start = int(count) if count.isdecimal() else 0
    surroundings = {"GIT_CONFIG_COUNT": str(start + len(settings))}
    for place, (key, value) in enumerate(settings, start):
        surroundings |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return surroundings


def _git(
    folder: Path, arguments: Sequence[str], more: Mapping[str, str] = MappingProxyType({})
) -> bytes | str:
    """Return what git prints in *folder*, with *more* surroundings, or why it prints nothing."""
    surroundings = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    # A prompt would wait for ever, and messages are recognised in English.
    surroundings |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    # What a repository's own settings would run, git does not run here, and it fetches nothing:
    # an incomplete copy names the program that would fetch the rest.
    surroundings |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", **more}
    command = ["git", "--no-pager", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    try:
        ran = subprocess.run(  # noqa: S603  # a fixed program; the name of a file comes after `--`
            command,
            env=surroundings,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return "git is not installed"
    except (OSError, subprocess.TimeoutExpired):
        return "git did not answer"
    if ran.returncode == 0:
        return ran.stdout
    said = ran.stderr.decode("utf-8", "replace")
    if "not a git repository" in said:
        return "the folder is not under git"
    if "no such path" in said or "no such ref" in said or "HEAD" in said:
        return "the file is not committed yet"
    return "git cannot read the repository"


def _entries(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the header of each line that git names, by its keys; a tab marks the line itself."""
    entry: dict[str, str] = {}
    for line in lines:
        match = None if entry else _ENTRY.match(line)
        if match is not None:
            entry = {"commit": match[1]}
        elif line.startswith("\t"):
            yield entry
            entry = {}
        elif entry:
            key, _, value = line.partition(" ")
            entry[key] = value


def _change(entry: dict[str, str], *, shallow: bool) -> LineChange:
    if not entry["commit"].strip("0"):
        return LineChange(commit=None, who="", on=None, subject="")
    return LineChange(
        commit=entry["commit"][:_ABBREVIATED],
        who=entry.get("author", ""),
        on=_day(entry.get("author-time", "0"), entry.get("author-tz", "+0000")),
        subject=entry.get("summary", ""),
        earliest=shallow and "boundary" in entry,
    )


def _day(seconds: str, zone: str) -> date | None:
    """Return the day of an instant where its author was; None if no calendar has it."""
    match = _ZONE.fullmatch(zone)
    away = timedelta()
    if match is not None:
        away = timedelta(hours=int(match[2]), minutes=int(match[3]))
        away = -away if match[1] == "-" else away
    try:
        return (datetime.fromtimestamp(0, UTC) + timedelta(seconds=int(seconds)) + away).date()
    except OverflowError:  # a commit says what it likes
        return None
