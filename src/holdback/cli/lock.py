"""`holdback lock`: digests of the rules in force, so that nobody rewrites the past unnoticed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NoReturn

import click

from holdback.cli.output import (
    FINDINGS,
    MISUSE,
    format_option,
    plural,
    print_answer,
    print_errors,
    write_file,
)
from holdback.cli.sources import (
    Day,
    calculators_option,
    jurisdictions_option,
    path_argument,
    read_lock_file,
    select,
)
from holdback.errors import ErrorDetail
from holdback.jurisdictions.folder import load_valid_and_errors
from holdback.offers.registry import versions
from holdback.tools.workbench.lock import HEADER, LOCK, lines_not_locked, lines_to_add, lock_errors


@click.command("lock")
@path_argument
@click.option("--on", type=Day(), required=True, help="Today's date: changes up to it are locked.")
@format_option("text", "json")
@jurisdictions_option
@calculators_option
def lock_command(
    path: Path | None,
    *,
    on: date,
    form: str,
    folder: Path | None,
    calculators: Mapping[str, type],
) -> None:
    """
    Add the digests of past and current rules to `digests.lock` in PATH, a folder of jurisdictions.

    Lines are added, never changed: if the past differs from the lock, nothing is written. With the
    host's calculators the digests are those that its records have.
    """
    selection = select(path, folder)
    jurisdictions, errors = load_valid_and_errors(selection.root, selection.name)
    if errors:
        lock_nothing(errors, MISUSE)
    jurisdictions = jurisdictions.with_versions(versions(calculators))
    file = selection.root / LOCK
    bundled = path is None and folder is None
    if selection.code is not None or not isinstance(file, Path) or bundled:
        raise click.UsageError("give the folder of jurisdictions whose lock it is")
    lock, text, read_errors = read_lock_file(selection)
    wrong = [*read_errors, *lock_errors(lock, jurisdictions, selection.lock_name)]
    if wrong:
        lock_nothing(wrong, FINDINGS)
    new = lines_not_locked(lock, jurisdictions, on)
    lines = lines_to_add(lock, new, on)
    if lines:
        add_to_lock(file, text, lines)
    locked = f"{plural(len(new), 'change')} locked in {selection.lock_name}."
    print_answer(form, {"added": lines}, (*lines, locked))


def add_to_lock(file: Path, text: str, lines: Iterable[str]) -> None:
    """Add *lines* to the lock in *file*, which has this *text*; a new one gets its header."""
    # INVARIANT: the bytes that are there stay, so the lock's history in git only ever grows.
    before = file.read_bytes() if text else HEADER.encode()
    newline = b"" if before.endswith(b"\n") else b"\n"
    write_file(file, before + newline + "".join(f"{line}\n" for line in lines).encode())


def lock_nothing(errors: Sequence[ErrorDetail], exit_code: int) -> NoReturn:
    """Report *errors* and exit without writing."""
    print_errors(errors)
    click.echo("Nothing was locked.", err=True)
    sys.exit(exit_code)
