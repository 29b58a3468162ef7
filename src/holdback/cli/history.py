"""`holdback history`: every version of a rule, a parameter, a product or a dated setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import click

from holdback.cli.line_authors import LineAuthors, LineChange
from holdback.cli.output import fail, format_option
from holdback.cli.sources import Day, jurisdictions_option, load_one, load_valid, path_of
from holdback.errors import ConfigurationError, InvalidDocument, printable
from holdback.exact.exact_json import Json, write_json
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.tools.workbench.history import (
    INHERITED,
    SWITCHED_OFF,
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
    try:
        read = load_one(folder, jurisdiction)
        answered = histories(load_valid(folder), read, name)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The history of {printable(name)}")
    authors = _Authors(folder)
    if form == "json":
        click.echo(write_json([_plain(history, authors, on) for history in answered]))
        return
    for place, history in enumerate(answered):
        click.echo("\n".join(([""] if place else []) + [*_lines(read, history, authors, on)]))
    if authors.unknown:
        click.echo(f"\n{_NOT_SHOWN}{authors.unknown}.")


class _Authors:
    """Who changed the lines of the files in *folder*; `unknown` says why it is not known."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lines = LineAuthors()
        self.unknown: str | None = None

    def of(self, version: Version) -> list[LineChange] | None:
        """Return the changes of the lines of *version*, newest first; None where not known."""
        changes: dict[LineChange, None] = {}
        for lines in version.lines:
            path = path_of(self._folder, lines.file)
            last_changes: Sequence[LineChange] | str = "the files are not in a folder"
            if path is not None:
                last_changes = self._lines.changes(path, lines.first, lines.last)
            if isinstance(last_changes, str):
                self.unknown = last_changes
                return None
            changes |= dict.fromkeys(last_changes)
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
    words = f"{version.state}: {version.words}" if version.state == SWITCHED_OFF else version.words
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
