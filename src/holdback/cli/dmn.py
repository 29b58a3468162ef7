"""`holdback dmn`: the rulebook of a day as DMN, and decision tables of DMN as tables of tiers."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import click

from holdback.cli.output import FINDINGS, SUCCESS, print_errors, reading, write_file
from holdback.cli.sources import Day, jurisdictions_option, load_one
from holdback.errors import printable
from holdback.tools.dmn.decision_tables import read_decision_tables
from holdback.tools.dmn.document import dmn_document
from holdback.tools.dmn.xml_reader import MOST_BYTES


@click.command("dmn")
@click.argument("jurisdiction")
@click.option("--on", type=Day(), help="The day whose rules are written: 2026-07-01.")
@click.option(
    "--to",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; left out: print the document.",
)
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of DMN, whose decision tables are printed as tables of tiers.",
)
@jurisdictions_option
def dmn_command(
    jurisdiction: str,
    *,
    on: date | None,
    target: Path | None,
    source: Path | None,
    folder: Path | None,
) -> None:
    """
    Print the rules of JURISDICTION on a day as DMN 1.3, for editors and engines of DMN.

    With --from the decision tables of a file come back as `[[tables]]`, to paste. What no table of
    tiers can say is reported, each with its place, and a table with an error is not printed.
    """
    if source is not None and target is not None:
        raise click.UsageError("give --from or --to, not both")
    if source is None and on is None:
        raise click.UsageError("give --on DATE, the day whose rules are written")
    with reading(f"The rules of {jurisdiction}"):
        read = load_one(folder, jurisdiction)
        rulebook = read.slices[-1] if on is None else read.rulebook(on)
        tables = read.policy.tables_on(rulebook.on)
        document = dmn_document(rulebook, tables) if source is None else ""
    if source is not None:
        with reading(f"The tables in {source}"), source.open("rb") as stream:
            body = stream.read(MOST_BYTES + 1)
            read_tables = read_decision_tables(body, source.as_posix(), rulebook)
        click.echo("\n".join(read_tables.texts), nl=False)
        print_errors(read_tables.errors)
        if read_tables.left_out:
            click.echo("Not read, write what they decide as rules or parameters:", err=True)
        for left_out in read_tables.left_out:
            click.echo(f"  {printable(left_out)}", err=True)
        if not read_tables.texts:
            click.echo("No decision table was read.", err=True)
        sys.exit(SUCCESS if read_tables.texts and not read_tables.errors else FINDINGS)
    elif target is None:
        click.echo(document, nl=False)
    else:
        write_file(target, document.encode())
