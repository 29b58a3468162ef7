"""`holdback check`: every finding about the files of jurisdictions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import click

from holdback.cli.output import (
    FINDINGS,
    SUCCESS,
    error_lines,
    error_to_dict,
    format_option,
    plural,
)
from holdback.cli.sources import (
    BUNDLED,
    Day,
    Selection,
    jurisdictions_option,
    path_argument,
    read_lock_file,
    select,
)
from holdback.errors import ErrorDetail, printable
from holdback.exact_json import write_json
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.workbench.lint import findings
from holdback.workbench.lock import lock_errors


@click.command("check")
@path_argument
@click.option(
    "--on", type=Day(), help="Today's date; also report overdue reviews and unlocked changes."
)
@format_option("text", "json", "github")
@jurisdictions_option
def check_command(path: Path | None, *, on: date | None, form: str, folder: Path | None) -> None:
    """
    Read every file of the jurisdictions in PATH and report every finding.

    PATH is a folder of jurisdictions, or the folder of one; without it, those that ship are
    checked. Exits with 1 if there are findings.
    """
    selection = select(path, folder)
    valid, errors = load_valid_and_errors(selection.root, selection.name)
    all_findings = [
        finding for finding in (*errors, *findings(valid, on)) if selection.concerns(finding)
    ]
    all_findings += _lock_findings(selection, valid, errors, on)
    count = sum(selection.includes(jurisdiction) for jurisdiction in valid)
    if not count and not all_findings:
        raise click.UsageError(f"there is no jurisdiction {printable(str(selection.code))} here")
    if form == "json":
        click.echo(
            write_json(
                {
                    "jurisdictions": count,
                    "findings": [error_to_dict(finding) for finding in all_findings],
                }
            )
        )
    elif form == "github":
        for finding in all_findings:
            click.echo(_annotation(finding))
    else:
        bundled = selection.name == BUNDLED and path is None and folder is None
        checked = plural(count, "jurisdiction") + (" that ship" if bundled else "")
        click.echo("\n".join(_report(all_findings, checked)))
    sys.exit(FINDINGS if all_findings else SUCCESS)


def _lock_findings(
    selection: Selection, valid: Jurisdictions, errors: Sequence[ErrorDetail], on: date | None
) -> Iterator[ErrorDetail]:
    """Errors of the lock file, and changes that differ from it or are not in it."""
    lock, _, read_errors = read_lock_file(selection)
    yield from read_errors
    if selection.code is not None:
        lock = lock.of(selection.code)
    selected = Jurisdictions(
        jurisdiction for jurisdiction in valid if selection.includes(jurisdiction)
    )
    # An invalid jurisdiction has no digests, and that is reported already.
    invalid = {part for error in errors for part in (error.file or "").split("/")}
    yield from lock_errors(lock, selected, selection.lock_name, on, invalid)


def _report(all_findings: list[ErrorDetail], checked: str) -> Iterator[str]:
    """The findings for people, and a line that counts them."""
    for finding in all_findings:
        yield from error_lines(finding)
        yield ""
    if all_findings:
        files = len({finding.file for finding in all_findings})
        counts = f"{plural(len(all_findings), 'finding')} in {plural(files, 'file')}"
        yield click.style(f"{counts}; {checked} could be read.", fg="red")
    else:
        yield click.style(f"{checked}: no findings.", fg="green")


def _annotation(finding: ErrorDetail) -> str:
    """*finding* as a GitHub workflow command, which GitHub shows next to the line."""

    def escaped(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    position = {"file": finding.file, "line": finding.line, "col": finding.column}
    properties = ",".join(
        f"{name}={escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in position.items()
        if value is not None
    )
    hint = f"; {finding.hint}" if finding.hint else ""
    return f"::error {properties}::{escaped(printable(finding.message + hint))}"
