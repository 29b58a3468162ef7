"""`holdback schema`: JSON Schemas of the files of a jurisdiction, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from holdback.cli.output import format_option, json_lines, write_file
from holdback.exact.exact_json import write_json
from holdback.tools.workbench.schemas import COLUMNS, KINDS, schema

# Within a folder of jurisdictions.
SCHEMA_FOLDER: Final = "schema"


@click.command("schema")
@click.argument("kind", required=False, type=click.Choice([*KINDS, COLUMNS]))
@click.option(
    "--write",
    "--jurisdictions",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write them to the folder `schema` of this folder of jurisdictions; "
    "`--jurisdictions` is another name for `--write`.",
)
@format_option("text", "json")
def schema_command(kind: str | None, *, folder: Path | None, form: str) -> None:
    """
    Print the JSON Schema of a KIND of file, or of all of a jurisdiction, for editors.

    The first line of a file names its schema: `#:schema ../schema/renewal.json`.
    """
    kinds = KINDS if kind is None else (kind,)
    if folder is not None:
        (folder / SCHEMA_FOLDER).mkdir(parents=True, exist_ok=True)
        for name in kinds:
            file = folder / SCHEMA_FOLDER / f"{name}.json"
            write_file(file, schema_text(name).encode())
            click.echo(file.as_posix())
    elif form == "json":
        schemas = {name: schema(name) for name in kinds}
        click.echo(write_json(schemas if kind is None else schemas[kind]))
    else:
        for name in kinds:
            click.echo(schema_text(name), nl=False)


def schema_text(kind: str) -> str:
    """The schema of a *kind* of file as the text of a file."""
    return "\n".join(json_lines(schema(kind))) + "\n"
