"""`holdback diff`: what changed in the rules, between two days or between two folders."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Final

import click

from holdback.cli.output import FINDINGS, SUCCESS, fail, format_option
from holdback.cli.sources import Day, jurisdictions_option, load_all, load_one
from holdback.errors import ConfigurationError, InvalidDocument, printable
from holdback.exact_json import write_json
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.workbench.differences import ADDED, CHANGED, REMOVED, Difference, differences
from holdback.workbench.overview import overview

_COLOURS: Final = {ADDED: "green", CHANGED: "yellow", REMOVED: "red"}
_TWO_FOLDERS: Final = 2


@frozen(kw_only=True)
class _WholeDifference(Difference):
    """A difference between all the rules of a day, for which the text output has a `sentence`."""

    sentence: str


_SAME_AGAIN: Final = _WholeDifference(
    state=CHANGED,
    kind="jurisdiction",
    name="identical again from this day on",
    sentence="No difference from this day on",
)


@click.command("diff")
@click.argument("what", nargs=-1, required=True)
@click.option("--from", "start", type=Day(), help="The day before the change.")
@click.option("--to", "end", type=Day(), help="The day after it.")
@click.option("--on", type=Day(), help="With two folders: compare on this day only.")
@format_option("text", "json")
@jurisdictions_option
def diff_command(  # noqa: PLR0913  # one parameter for each option
    what: tuple[str, ...],
    *,
    start: date | None,
    end: date | None,
    on: date | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Say what changed, rule by rule, in words.

    `holdback diff GB --from 2026-06-30 --to 2026-07-01` compares two days of a jurisdiction;
    `holdback diff OLD NEW` compares two folders of jurisdictions, on every day on which anything
    changes or on one day. Exits with 1 if something changed.
    """
    if len(what) == 1:
        if start is None or end is None or on is not None:
            raise click.UsageError("give both --from and --to")
        by_title = _between_days(what[0], start, end, folder)
    else:
        if len(what) > _TWO_FOLDERS or start or end or folder:
            raise click.UsageError("two folders are compared without --from, --to, --jurisdictions")
        old, new = (_load_folder(name) for name in what)
        by_title = dict(_between_folders(old, new, on))
    changed = {title: changes for title, changes in by_title.items() if changes}
    if form == "json":
        click.echo(
            write_json(
                {
                    title: [change.plain() for change in changes]
                    for title, changes in changed.items()
                }
            )
        )
    else:
        click.echo("\n".join(_lines(changed)) if changed else "Nothing changed.")
    sys.exit(FINDINGS if changed else SUCCESS)


def _between_days(
    code: str, start: date, end: date, folder: Path | None
) -> dict[str, list[Difference]]:
    """The differences between two days of the jurisdiction *code*, by a title."""
    try:
        jurisdiction = load_one(folder, code)
        before, after = overview(jurisdiction, start), overview(jurisdiction, end)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The rules of {printable(code)}")
    return {f"{jurisdiction.code} from {start} to {end}": [*differences(before, after)]}


def _load_folder(name: str) -> Jurisdictions:
    path = Path(name)
    if not path.is_dir():
        raise click.UsageError(f"there is no folder {printable(name)}")
    return load_all(path)


def _between_folders(
    old: Jurisdictions, new: Jurisdictions, on: date | None
) -> Iterator[tuple[str, list[Difference]]]:
    """The differences between two folders, by jurisdiction and day on which they change."""
    for code in sorted({*old.codes, *new.codes}):
        if code not in old.codes or code not in new.codes:
            state, source = (REMOVED, old) if code in old.codes else (ADDED, new)
            yield code, [Difference(state=state, kind="jurisdiction", name=source[code].name)]
            continue
        previous: list[Difference] = []
        for day in [on] if on else sorted({*old[code].changes, *new[code].changes}):
            changes = _on_day(old[code], new[code], day)
            if changes != previous:
                yield f"{code} {'on' if on else 'from'} {day}", changes or [_SAME_AGAIN]
            previous = changes


def _on_day(old: Jurisdiction, new: Jurisdiction, day: date) -> list[Difference]:
    """The differences on *day*, on which one of the two may have no rules yet."""
    old_start, new_start = old.changes[0], new.changes[0]
    if day < old_start and day < new_start:
        return []
    if day < old_start:
        sentence = f"NEW already has rules; OLD begins on {old_start}"
        return [_rules_before(old_start, ADDED, sentence)]
    if day < new_start:
        sentence = f"OLD already has rules; NEW begins on {new_start}"
        return [_rules_before(new_start, REMOVED, sentence)]
    return [*differences(overview(old, day), overview(new, day))]


def _rules_before(start: date, state: str, sentence: str) -> Difference:
    name = f"rules before {start}"
    return _WholeDifference(state=state, kind="jurisdiction", name=name, sentence=sentence)


def _lines(changed: Mapping[str, list[Difference]]) -> Iterator[str]:
    for title, changes in changed.items():
        yield click.style(title, bold=True)
        for change in changes:
            if isinstance(change, _WholeDifference):
                yield click.style(f"  {change.sentence}", fg=_COLOURS[change.state])
                continue
            state = click.style(change.state, fg=_COLOURS[change.state])
            yield f"  {state} {change.kind} {printable(change.name)}"
            yield from (f"      {printable(detail)}" for detail in change.details)
