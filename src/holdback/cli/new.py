"""`holdback new`: the files of a new jurisdiction, with blanks to fill in."""

from __future__ import annotations

import os
import shutil
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Final

import click

from holdback.cli.output import format_option, print_answer, write_file
from holdback.cli.schema import SCHEMA_FOLDER, schema_text
from holdback.cli.sources import Day
from holdback.errors import printable
from holdback.jurisdictions.folder import CODE
from holdback.tools.workbench.new_jurisdiction import new_files
from holdback.tools.workbench.schemas import KINDS

# The examples of the template are some years after the start, and a year has four digits.
_LAST_YEAR: Final = 9_000


@click.command("new")
@click.argument("code")
@click.option("--parent", help="The jurisdiction that this one overlays, such as US.")
@click.option(
    "--from",
    "start",
    type=Day(),
    default="2026-01-01",
    show_default=True,
    help="The day from which its rules are in force.",
)
@click.option(
    "--jurisdictions",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default="jurisdictions",
    show_default=True,
    help="The folder of jurisdictions to add it to; created if there is none.",
)
@format_option("text", "json")
def new_command(code: str, *, parent: str | None, start: date, folder: Path, form: str) -> None:
    """
    Write the folder of a new jurisdiction CODE, such as IE or US-CA, to fill in.

    Every blank is an empty text with a comment that says what belongs there. Once all are filled,
    the folder passes `holdback check`. Nothing is overwritten.
    """
    _check_arguments(code, parent, start, folder)
    target = folder / code
    files = new_files(code, parent, start, _read_template)
    temporary = folder / f".{code}.{os.getpid()}"
    try:
        for name, text in files.items():
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            (temporary / name).write_bytes(text.encode())
        temporary.rename(target)  # the whole folder, or nothing
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    written = [*(target / name for name in files), *_write_missing_schemas(folder / SCHEMA_FOLDER)]
    paths = [file.as_posix() for file in written]
    then = f"Fill in what is empty, then: holdback check {target.as_posix()}"
    print_answer(form, {"written": paths}, (*paths, then))


def _read_template(name: str) -> str:
    """Return the text of a template file of the workbench."""
    return (resources.files("holdback.tools.workbench") / "templates" / name).read_text("utf-8")


def _check_arguments(code: str, parent: str | None, start: date, folder: Path) -> None:
    """
    Check that the jurisdiction can be written.

    Raises:
        UsageError: if a code is invalid or the folder exists, or if there is no such parent.
    """
    for given in (code, parent):
        if given is not None and CODE.fullmatch(given) is None:
            shown = repr(printable(given)[:40])
            message = (
                f"{shown} is not a jurisdiction code; expected one such as IE or US-CA, by ISO 3166"
            )
            raise click.BadParameter(message)
    if start.year > _LAST_YEAR:
        raise click.BadParameter(f"{start} is too far ahead")
    if (folder / code).exists():
        raise click.UsageError(f"there is a folder {folder / code} already")
    # A folder is enough for a parent: it may be invalid while both are being written.
    neighbours = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if parent is not None and parent not in neighbours:
        raise click.UsageError(
            f"there is no jurisdiction {parent} in {folder}; a parent is in the same folder"
        )


def _write_missing_schemas(folder: Path) -> list[Path]:
    """Write the schemas that *folder* does not have, and return their files."""
    missing = [kind for kind in KINDS if not (folder / f"{kind}.json").exists()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
    for kind in missing:
        write_file(folder / f"{kind}.json", schema_text(kind).encode())
    return [folder / f"{kind}.json" for kind in missing]
