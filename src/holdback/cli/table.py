"""`holdback table`: a table of tiers as CSV, and from CSV back into its file."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from holdback.cli.output import reading, write_file
from holdback.cli.sources import Day, jurisdictions_option, load_one, load_valid, path_of
from holdback.errors import InvalidDocument, did_you_mean, excerpt, printable
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.jurisdictions.source_tables import SourceTable
from holdback.tools.workbench.table_files import (
    csv_text,
    read_csv,
    table_cells,
    toml_lines,
    with_cells,
)


@click.command("table")
@click.argument("jurisdiction")
@click.argument("name")
@click.option("--on", type=Day(), help="The day whose table is meant; left out: the last version.")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of CSV whose cells replace those of the table.",
)
@click.option("--write", is_flag=True, help="With --from: write them into the jurisdiction's file.")
@jurisdictions_option
def table_command(  # noqa: PLR0913  # the options of the command
    jurisdiction: str,
    *,
    name: str,
    on: date | None,
    source: Path | None,
    write: bool,
    folder: Path | None,
) -> None:
    """
    Print the table NAME of JURISDICTION as CSV, for a spreadsheet.

    With --from a file of CSV comes back as the table's `columns` and `rows`, to paste, or with
    --write into the file that has the table. A table with an error is not written.
    """
    if write and (source is None or folder is None):
        raise click.UsageError("--write needs --from and --jurisdictions: what to write, and where")
    with reading(f"The table {name} of {jurisdiction}"):
        read = load_one(folder, jurisdiction)
        table = _table(read, name, on)
    if source is None:
        click.echo(csv_text(table_cells(table)), nl=False)
        return
    with reading(f"The table in {source}"):
        cells = read_csv(_text(source))
        body = with_cells(table, cells).encode()
        _check(folder, read, table, body)
    target = path_of(folder, table.file)
    if write and target is not None:
        write_file(target, body)
        click.echo(f"{target.as_posix()}: {len(cells) - 1} rows of the table `{table.id}`")
    else:
        for key, lines in toml_lines(cells).items():
            click.echo(f"{key} = {lines}")


def _text(source: Path) -> str:
    """The text of the file *source*, which a spreadsheet may have begun with a mark."""
    try:
        return source.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        hint = "save it as CSV in UTF-8"
        raise InvalidDocument.of("unreadable", "the file is not UTF-8", hint=hint) from None


def _table(read: Jurisdiction, name: str, on: date | None) -> SourceTable:
    """
    The table *name* that is in force *on* a day, or the last version of it.

    Raises:
        InvalidDocument: there is none.
    """
    layers = read.policy.layers
    tables = (
        read.policy.tables_on(on) if on else [table for layer in layers for table in layer.tables]
    )
    named = [table for table in tables if table.id == name]
    if not named:
        names = {table.id for table in tables}
        there_are = ", ".join(f"`{name}`" for name in sorted(names)) or "none"
        hint = did_you_mean(name, names) or f"there are {there_are}"
        message = f"there is no table `{excerpt(name)}`" + (f" on {on}" if on else "")
        raise InvalidDocument.of("unknown_name", message, hint=hint)
    # A child's own comes before an inherited one that begins later.
    own = [table for table in named if table.jurisdiction == read.code] or named
    return max(own, key=lambda table: table.period.start)


def _check(folder: Path | None, read: Jurisdiction, table: SourceTable, body: bytes) -> None:
    """
    Read the files again with *body* in the place of the table's own.

    Raises:
        InvalidDocument: with the errors, or because the table is not of this folder.
    """
    if table.jurisdiction != read.code:
        hint = f"name the jurisdiction `{table.jurisdiction}`"
        raise InvalidDocument.of("not_allowed", "the table is inherited", hint=hint)
    prefix = table.file.rpartition("/")[0]
    paths = {file: path_of(folder, f"{prefix}/{file}") for file in FILES}
    files = {file: path.read_bytes() for file, path in paths.items() if path and path.is_file()}
    files[printable(table.file.rpartition("/")[2])] = body
    parents = {jurisdiction.code: jurisdiction for jurisdiction in load_valid(folder)}
    read_jurisdiction(read.code, files, file_prefix=f"{prefix}/", parents=parents)
