"""`holdback sql`: the renewal rules as one SQL query, for a table of deals in a database."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdback.cli.output import reading
from holdback.cli.portfolio import DayOrColumn
from holdback.cli.sources import jurisdictions_option, load_all, load_one
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.rulebooks.rulebook import Rulebook
from holdback.rules.sql import DIALECTS, TRANSLATED

if TYPE_CHECKING:
    from holdback.portfolio.assessing.row_rulebooks import Rules


@click.command("sql")
@click.argument("codes", metavar="[JURISDICTION]...", nargs=-1)
@click.option(
    "--on",
    type=DayOrColumn(),
    required=True,
    help="The day for all deals: 2026-07-01. Or the column with each deal's day.",
)
@click.option(
    "--dialect",
    type=click.Choice((*DIALECTS, *TRANSLATED)),
    required=True,
    help="The database. The last three need the extra `sql`, and are not tested there.",
)
@click.option(
    "--table", default="deals", show_default=True, help="The table: deals, or lending.deals."
)
@click.option(
    "--jurisdiction",
    "column",
    metavar="COLUMN",
    help="The column with each deal's jurisdiction. One JURISDICTION on a day needs none.",
)
@click.option("--prepared", is_flag=True, help="The columns hold scaled integers.")
@click.option(
    "--invalid", metavar="COLUMN", help="With --prepared: the mask of what could not be prepared."
)
@click.option("--readable", is_flag=True, help="Outcomes, codes and facts as texts, not numbers.")
@jurisdictions_option
def sql_command(  # noqa: PLR0913  # one parameter for each option
    codes: tuple[str, ...],
    *,
    on: date | str,
    dialect: str,
    table: str,
    column: str | None,
    prepared: bool,
    invalid: str | None,
    readable: bool,
    folder: Path | None,
) -> None:
    """
    Print the renewal rules of JURISDICTION as one SQL query over a table of deals.

    The query gives all columns of the table and each deal's outcome. Of one jurisdiction on one
    day, the rules assess all rows. Of several, or of all if none is named, a row has those of the
    jurisdiction in its column `jurisdiction`.
    """
    if invalid is not None and not prepared:
        raise click.UsageError("--invalid is for columns that are --prepared")
    try:
        from holdback.portfolio import sql  # noqa: PLC0415  # it needs an extra

        with reading("The rules"):
            rules = _rules(codes, on, column, folder)
            query = sql(
                rules,
                dialect,
                table=table,
                jurisdiction=column,
                on=None if isinstance(rules, Rulebook) else on,
                prepared=prepared,
                invalid=invalid,
                readable=readable,
            )
    except ModuleNotFoundError as missing:
        raise click.ClickException(str(missing)) from None
    click.echo(query, nl=False)


def _rules(
    codes: tuple[str, ...], on: date | str, column: str | None, folder: Path | None
) -> Rules:
    """The rulebook of the only code on a day, or jurisdictions from which each row has one."""
    if len(codes) == 1 and column is None and isinstance(on, date):
        return load_one(folder, codes[0]).rulebook(on)
    if not codes:
        return load_all(folder)
    return Jurisdictions([load_one(folder, code) for code in dict.fromkeys(codes)])
