"""`holdback table`: a table of tiers for a spreadsheet, and back into its file."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final

import click

from holdback.cli.output import needing, reading, write_file
from holdback.cli.sources import Day, jurisdictions_option, load_one, load_valid, path_of
from holdback.errors import InvalidDocument, did_you_mean, excerpt, printable
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.jurisdictions.reader import ALL_FILES, read_jurisdiction
from holdback.jurisdictions.source_tables import SourceTable
from holdback.tools.workbench.table_files import (
    Cells,
    csv_text,
    read_csv,
    table_cells,
    toml_lines,
    with_cells,
)

_EXCEL: Final = ".xlsx"
_DMN: Final = ".dmn"


@click.command("table")
@click.argument("jurisdiction")
@click.argument("name")
@click.option("--on", type=Day(), help="The day whose table is meant; left out: the last version.")
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file, CSV or .xlsx, whose cells replace those of the table.",
)
@click.option(
    "--to",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write it to, as .xlsx or as CSV; left out: print CSV.",
)
@click.option("--write", is_flag=True, help="With --from: write them into the jurisdiction's file.")
@jurisdictions_option
def table_command(  # noqa: PLR0913  # click hands over a parameter for each option
    jurisdiction: str,
    *,
    name: str,
    on: date | None,
    source: Path | None,
    target: Path | None,
    write: bool,
    folder: Path | None,
) -> None:
    """
    Print the table NAME of JURISDICTION as CSV, for a spreadsheet, or write it with --to.

    With --from a file comes back as the table's `columns` and `rows`, to paste, or with --write
    into the file that has the table. A table with an error is not written.
    """
    if source is not None and target is not None:
        raise click.UsageError("give --from or --to, not both")
    if write and (source is None or folder is None):
        raise click.UsageError("--write needs --from and --jurisdictions: what to write, and where")
    if _DMN in {path.suffix for path in (source, target) if path is not None}:
        raise click.UsageError(f"a file of DMN has whole rules: use holdback dmn {jurisdiction}")
    with reading(f"The table {name} of {jurisdiction}"):
        read = load_one(folder, jurisdiction)
        table = _table(read, name, on)
    if source is None:
        _print(table, target)
        return
    with reading(f"The table in {source}"):
        cells = _cells(source)
        body = with_cells(table, cells).encode()
        _check(folder, read, table, body)
    file = path_of(folder, table.file)
    if write and file is not None:
        write_file(file, body)
        click.echo(f"{file.as_posix()}: {len(cells) - 1} rows of the table `{table.id}`")
    else:
        for key, lines in toml_lines(cells).items():
            click.echo(f"{key} = {lines}")


def _print(table: SourceTable, target: Path | None) -> None:
    """Print *table* as CSV, or write it to the file *target*."""
    cells = table_cells(table)
    if target is None:
        click.echo(csv_text(cells), nl=False)
    elif target.suffix == _EXCEL:
        with needing("portfolio", "An Excel file"):
            from holdback.portfolio.files.table_workbook import write_workbook  # noqa: PLC0415  # needs an extra
        write_workbook(cells, target, table.id)
    else:
        write_file(target, csv_text(cells).encode())


def _cells(source: Path) -> Cells:
    """
    The cells in the file *source*; a spreadsheet may have begun a file of CSV with a mark.

    Raises:
        InvalidDocument: it cannot be read.
    """
    if source.suffix == _EXCEL:
        with needing("portfolio", "An Excel file"):
            from holdback.portfolio.files.table_workbook import read_workbook  # noqa: PLC0415  # needs an extra
        return read_workbook(source)
    try:
        return read_csv(source.read_bytes().decode("utf-8-sig"))
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
    paths = {file: path_of(folder, f"{prefix}/{file}") for file in ALL_FILES}
    files = {file: path.read_bytes() for file, path in paths.items() if path and path.is_file()}
    files[printable(table.file.rpartition("/")[2])] = body
    parents = {jurisdiction.code: jurisdiction for jurisdiction in load_valid(folder)}
    read_jurisdiction(read.code, files, file_prefix=f"{prefix}/", parents=parents)
