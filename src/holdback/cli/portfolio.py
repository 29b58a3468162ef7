"""`holdback portfolio`: the renewal rules over a file of deals of any length."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from holdback.cli.output import fail, format_option
from holdback.cli.sources import Day, jurisdictions_option, load_all
from holdback.errors import ConfigurationError, InvalidDocument
from holdback.exact_json import write_json
from holdback.jurisdictions.folder import CODE
from holdback.jurisdictions.jurisdiction import Jurisdictions

if TYPE_CHECKING:
    from holdback.cli.portfolio_batches import BatchAssessment
    from holdback.cli.portfolio_files import Deals

_ENDINGS: Final = (".parquet", ".csv")
# The column that is added if one jurisdiction is given for all deals.
_JURISDICTION_COLUMN: Final = "jurisdiction"
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class DayOrColumn(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click alone
    """A date such as 2026-07-01, or the name of a column."""

    name = "date or column"

    def convert(self, value: Any, param: Any, ctx: Any) -> date | str:
        """Return the date, or the name."""
        is_date = isinstance(value, date) or _DATE.fullmatch(value)
        return Day().convert(value, param, ctx) if is_date else str(value)


@click.command("portfolio")
@click.argument("deals")
@click.option(
    "--jurisdiction",
    default="jurisdiction",
    show_default=True,
    help="The column with each deal's jurisdiction, or the code for all deals: GB.",
)
@click.option(
    "--on",
    type=DayOrColumn(),
    default="on",
    show_default=True,
    help="The column with each deal's day, or the day for all deals: 2026-07-01.",
)
@click.option(
    "--compare",
    "other_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Another folder of jurisdictions: show the deals whose outcome would differ.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .parquet or .csv file for the deals with outcomes; with --compare, those that change.",
)
@format_option("text", "json")
@jurisdictions_option
def portfolio_command(  # noqa: PLR0913  # one parameter for each option
    deals: str,
    *,
    jurisdiction: str,
    on: date | str,
    other_folder: Path | None,
    output: Path | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Assess the DEALS: a .csv or .parquet file, or a DuckDB query such as "from 'deals/*.parquet'".

    Columns are named as the facts that they hold. Prints how many deals have each outcome, why,
    what is missing, and how much is left to remit. The file is read in batches, so it can be larger
    than the memory.
    """
    if output and output.suffix not in _ENDINGS:
        raise click.BadParameter(
            "expected a file that ends in .parquet or .csv", param_hint="--output"
        )
    before, after = load_all(folder), load_all(other_folder) if other_folder else None
    try:
        from holdback.cli.portfolio_batches import BatchAssessment  # noqa: PLC0415  # needs an extra
        from holdback.cli.portfolio_files import Output, open_deals  # noqa: PLC0415  # so does this
    except ModuleNotFoundError as missing:
        message = f"The command needs {missing.name}: pip install 'holdback[portfolio]'"
        raise click.ClickException(message) from None
    code = jurisdiction if CODE.fullmatch(jurisdiction) else None
    try:
        if code:
            before, jurisdiction = Jurisdictions([before[code]]), _JURISDICTION_COLUMN
            after = Jurisdictions([after[code]]) if after else None
        source = open_deals(deals, {_JURISDICTION_COLUMN: code} if code else {})
        before = _occurring(before, source, jurisdiction)
        after = _occurring(after, source, jurisdiction) if after else None
        with Output(output) if output else nullcontext() as writer:
            assessment = BatchAssessment(source, before, after, jurisdiction, on, writer)
            _run(assessment)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, "The deals")
    result: Any = assessment.result
    click.echo(write_json(result.plain()) if form == "json" else str(result))


def _occurring(rules: Jurisdictions, deals: Deals, column: str) -> Jurisdictions:
    """
    Those of *rules* that occur in *column*, or all of them if none does.

    A frame needs a column for each fact of its jurisdictions, and no file has those of all that
    ship.
    """
    codes = [code for code in deals.values(column) if code in rules.codes]
    return Jurisdictions(rules[code] for code in codes) if codes else rules


def _run(assessment: BatchAssessment) -> None:
    """Assess all batches, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        for _ in assessment.run():
            pass
        return
    bar: Any
    with click.progressbar(
        length=assessment.deals.count, label="Assessing", show_pos=True, file=sys.stderr
    ) as bar:
        for count in assessment.run():
            bar.update(count)
