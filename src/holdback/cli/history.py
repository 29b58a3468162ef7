"""
`holdback history`: every version of a rule, a parameter, a product or a dated setting.

Where the file is under git, it says who changed the lines of a version, and when. That never fails:
without git, without a repository or with a file that git does not have, the answer is that it is
not known, and why.
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

import click
from attrs import define, field

from holdback.cli.output import format_option, reading
from holdback.cli.sources import Day, jurisdictions_option, load_one, load_valid, path_of
from holdback.errors import printable
from holdback.exact.exact_json import Json, write_json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.rulebook import FUNDING
from holdback.tools.plain_values import plain_values
from holdback.tools.workbench.history import (
    IN_FORCE,
    INHERITED,
    Stretch,
    Version,
    VersionHistory,
    histories,
)

_NOT_SHOWN: Final = "Who changed the lines is not shown: "


@click.command("history")
@click.argument("jurisdiction")
@click.argument("name")
@click.option("--on", type=Day(), help="Mark what is in force on this day, and what comes next.")
@format_option("text", "json")
@jurisdictions_option
def history_command(
    jurisdiction: str, name: str, *, on: date | None, form: str, folder: Path | None
) -> None:
    """
    Show every version of NAME in JURISDICTION: its dates, values and sources.

    NAME is a rule's id or code, a parameter, a product or a dated setting. It also shows what the
    children of the jurisdiction do to it and, where the folder is under git, who changed the lines.
    """
    with reading(f"The history of {name}"):
        read = load_one(folder, jurisdiction)
        answered = histories(load_valid(folder), read, name)
    authors = _Authors(folder)
    if form == "json":
        click.echo(write_json([_plain(history, authors, on) for history in answered]))
        return
    for place, history in enumerate(answered):
        click.echo("\n".join(([""] if place else []) + [*_lines(read, history, authors, on)]))
    if authors.unknown:
        click.echo(f"\n{_NOT_SHOWN}{authors.unknown}.")


@define
class _Authors:
    """Who changed the lines of the files in *folder*; `unknown` says why it is not known."""

    folder: Path | None
    unknown: str | None = None
    # Each file is asked about once.
    _files: dict[Path, list[LineChange] | str] = field(factory=dict)

    def of(self, version: Version) -> list[LineChange] | None:
        """Return the changes of the lines of *version*, newest first; None where not known."""
        changes: dict[LineChange, None] = {}
        for lines in version.lines:
            path = path_of(self.folder, lines.file)
            if path is not None and path not in self._files:
                self._files[path] = _of_file(path)
            last_changes = "the files are not in a folder" if path is None else self._files[path]
            if isinstance(last_changes, str):
                self.unknown = last_changes
                return None
            changes |= dict.fromkeys(last_changes[lines.first - 1 : lines.last])
        return sorted(changes, key=lambda change: change.order, reverse=True)


def _plain(history: VersionHistory, authors: _Authors, on: date | None) -> dict[str, Json]:
    versions: list[Json] = []
    for version in history.versions:
        changes = authors.of(version)
        changed_by = None if changes is None else [change.plain() for change in changes]
        marked = {} if on is None else {"when": _when(version, history.versions, on)}
        versions.append({**version.plain(), **marked, "changed_by": changed_by})
    return {**history.plain(), "versions": versions}


def _when(version: Version, versions: Sequence[Version], on: date) -> str:
    """Whether *version* is past, in force on a day, the next one, or a later one."""
    if version.until is not None and version.until <= on:
        return "past"
    if version.since <= on:
        return "now"
    following = min(later.since for later in versions if later.since > on)
    return "next" if version.since == following else "later"


def _lines(
    jurisdiction: Jurisdiction, history: VersionHistory, authors: _Authors, on: date | None
) -> Iterator[str]:
    subject = history.subject
    of_product = f" of the product {subject.product}" if subject.product else ""
    if subject.product == FUNDING:
        of_product = " of fundings"
    title = f"{jurisdiction.code}  {subject.kind} {subject.name}{of_product}"
    label = f"  ({printable(history.label)})" if history.label else ""
    yield f"{click.style(title, bold=True)}{label}"
    for version in history.versions:
        yield ""
        yield from _version(jurisdiction, version, history, on)
        for change in authors.of(version) or ():
            yield click.style(f"      {printable(change.words)}", dim=True)
    if history.children:
        yield ""
        yield click.style("Children", bold=True)
        for code, stretches in history.children:
            yield from _child(code, stretches)


def _version(
    jurisdiction: Jurisdiction, version: Version, history: VersionHistory, on: date | None
) -> Iterator[str]:
    mark = ""
    if on is not None:
        when = _when(version, history.versions, on)
        mark = {"now": f"  in force on {on}", "next": "  comes next"}.get(when, "")
    inherited = "" if version.jurisdiction == jurisdiction.code else f", by {version.jurisdiction}"
    yield f"  {click.style(_period(version) + inherited, bold=True)}{click.style(mark, fg='cyan')}"
    code = f"{version.code}  " if version.code else ""
    words = version.words if version.state == IN_FORCE else f"{version.state}: {version.words}"
    yield f"    {code}{printable(words)}"
    for detail in version.details:
        yield f"      {printable(detail)}"
    if version.sources:
        yield f"      source: {printable('; '.join(version.sources))}"
    for lines in version.lines:
        span = f"{lines.first}" if lines.first == lines.last else f"{lines.first}-{lines.last}"
        yield click.style(f"      {lines.what}: {printable(lines.file)}:{span}", dim=True)


def _period(version: Version | Stretch) -> str:
    return f"from {version.since}" + (f" until {version.until}" if version.until else " on")


def _child(code: str, stretches: tuple[Stretch, ...]) -> Iterator[str]:
    """What a child does, in a line for each period."""
    if not stretches:
        yield f"  {code}  never in force there"
    for stretch in stretches:
        words = f": {stretch.version.words}" if stretch.relation != INHERITED else ""
        of_its_own = f" by {stretch.version.code}" if stretch.relation == "replaced" else ""
        of_its_own = of_its_own if stretch.version.code else ""
        yield f"  {code}  {_period(stretch)}: {stretch.relation}{of_its_own}{printable(words)}"


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
        shown = plain_values(self, "commit", "who", "on", "subject")
        return {name: value or None for name, value in shown.items()} | {"or_before": self.earliest}


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
