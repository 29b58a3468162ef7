"""`holdback new` and `holdback schema`: files to start from, and what an editor needs to help."""

from __future__ import annotations

import os
import shutil
from datetime import date
from pathlib import Path
from typing import Final

import click

from holdback.cli.loading import Day, in_form, replace
from holdback.cli.printing import json_lines
from holdback.errors import printable
from holdback.exact_json import write_json
from holdback.jurisdictions.folder import CODE
from holdback.workbench.schemas import KINDS, schema
from holdback.workbench.template import new_files

_SCHEMAS: Final = "schema"
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
    help="The folder of jurisdictions to put it into; it is made when there is none.",
)
@in_form("text", "json")
def new_command(code: str, *, parent: str | None, start: date, folder: Path, form: str) -> None:
    """
    Write the folder of a new jurisdiction CODE, such as IE or US-CA, to fill in.

    Every blank is an empty text with a comment that says what belongs there. When all are filled the folder
    passes `holdback check`. Nothing is overwritten.
    """
    for each in (code, parent):
        if each is not None and CODE.fullmatch(each) is None:
            hint = "a code is like IE or US-CA, by ISO 3166"
            raise click.BadParameter(f"{printable(each)[:40]!r} is no code; {hint}")
    if start.year > _LAST_YEAR:
        raise click.BadParameter(f"{start} is too far ahead")
    target = folder / code
    if target.exists():
        raise click.UsageError(f"there is a folder {target} already")
    if parent is not None and parent not in _known(folder):
        raise click.UsageError(
            f"there is no jurisdiction {parent} in {folder}: a parent lies in the same folder"
        )
    partial = folder / f".{code}.{os.getpid()}"
    try:
        for name, text in new_files(code, parent, start).items():
            _put(partial / name, text)
        partial.rename(target)  # whole, or not at all
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    written = [(target / name).as_posix() for name in new_files(code, parent, start)]
    written += _schemas(folder / _SCHEMAS)
    if form == "json":
        click.echo(write_json({"written": written}))
        return
    for each in written:
        click.echo(each)
    click.echo(f"Fill in what is empty, then: holdback check {target.as_posix()}")


def _known(folder: Path) -> tuple[str, ...]:
    """The codes of the jurisdictions in *folder*, also when some of them are at fault."""
    if not folder.is_dir():
        return ()
    return tuple(each.name for each in folder.iterdir() if CODE.fullmatch(each.name))


def _put(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(file, text.encode())
    return file.as_posix()


def _schemas(folder: Path) -> list[str]:
    """The schemas, those that are not there yet."""
    missing = [kind for kind in KINDS if not (folder / f"{kind}.json").exists()]
    return [_put(folder / f"{kind}.json", schema_text(kind)) for kind in missing]


def schema_text(kind: str) -> str:
    """The schema of a *kind* of file, as it is kept in a file."""
    return "\n".join(json_lines(schema(kind))) + "\n"


@click.command("schema")
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.option(
    "--write",
    "--jurisdictions",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write them into the folder `schema` of this folder of jurisdictions.",
)
@in_form("text", "json")
def schema_command(kind: str | None, *, folder: Path | None, form: str) -> None:
    """
    Print the JSON Schema of a KIND of file, or of all three, for editors.

    The first line of a file names it: `#:schema ../schema/renewal.json`.
    """
    kinds = KINDS if kind is None else (kind,)
    if folder is not None:
        for each in kinds:
            click.echo(_put(folder / _SCHEMAS / f"{each}.json", schema_text(each)))
    elif form == "json":
        plain = {each: schema(each) for each in kinds}
        click.echo(write_json(plain if kind is None else plain[kind]))
    else:
        for each in kinds:
            click.echo(schema_text(each), nl=False)
