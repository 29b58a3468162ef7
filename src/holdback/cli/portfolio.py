"""`holdback portfolio`: the renewal rules over a file of deals, however long it is."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from holdback.cli.output import fail, format_option
from holdback.cli.sources import Day, jurisdictions_option, load_all
from holdback.errors import InvalidDocument
from holdback.exact_json import write_json
from holdback.jurisdictions.folder import CODE
from holdback.jurisdictions.jurisdiction import Jurisdictions

_ENDINGS: Final = (".parquet", ".csv")
# Where all deals are of one jurisdiction, the column that says so is ours.
_COLUMN: Final = "jurisdiction"
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class DayOrColumn(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click alone
    """A date such as 2026-07-01, or the name of a column."""

    name = "date or column"

    def convert(self, value: Any, param: Any, ctx: Any) -> date | str:
        """The date, or the name."""
        is_day = isinstance(value, date) or _DAY.fullmatch(value)
        return Day().convert(value, param, ctx) if is_day else str(value)


@click.command("portfolio")
@click.argument("deals")
@click.option(
    "--jurisdiction",
    default="jurisdiction",
    show_default=True,
    help="The column that names each deal's jurisdiction, or the code of all of them: GB.",
)
@click.option(
    "--on",
    type=DayOrColumn(),
    default="on",
    show_default=True,
    help="The column with each deal's day, or the day of all of them: 2026-07-01.",
)
@click.option(
    "--compare",
    "other",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Another folder of jurisdictions: show who would be answered otherwise.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .parquet or .csv file for the deals with their answers; with --compare, for those that change.",
)
@format_option("text", "json")
@jurisdictions_option
def portfolio_command(
    deals: str,
    *,
    jurisdiction: str,
    on: date | str,
    other: Path | None,
    output: Path | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Assess the DEALS: a .csv or .parquet file, or a DuckDB query such as "from 'deals/*.parquet'".

    Each column is named as the fact that it holds. Prints how many deals have which outcome, why, what is missing,
    and how much is left to remit. The file is read in batches, so that it may be larger than the memory.
    """
    if output and output.suffix not in _ENDINGS:
        raise click.BadParameter(
            "expected a file that ends in .parquet or .csv", param_hint="--output"
        )
    rules, others = load_all(folder), load_all(other) if other else None
    try:
        from holdback.cli.portfolio_files import Output, open_deals  # noqa: PLC0415  # they need an extra
        from holdback.cli.portfolio_batches import Stream  # noqa: PLC0415  # so does this
    except ModuleNotFoundError as missing:
        message = f"The command needs {missing.name}: pip install 'holdback[portfolio]'"
        raise click.ClickException(message) from None
    code = jurisdiction if CODE.fullmatch(jurisdiction) else None
    try:
        if code:
            rules, jurisdiction = Jurisdictions([rules[code]]), _COLUMN
            others = Jurisdictions([others[code]]) if others else None
        opened = open_deals(deals, {_COLUMN: code} if code else {})
        rules, others = _of(rules, opened, jurisdiction), _of(others, opened, jurisdiction)
        with Output(output) if output else nullcontext() as written:
            stream = Stream(opened, rules, others, jurisdiction, on, written)
            _run(stream)
    except InvalidDocument as error:
        fail(error, "The deals")
    found: Any = stream.result
    click.echo(write_json(found.plain()) if form == "json" else str(found))


def _of(rules: Any, deals: Any, column: str) -> Any:
    """Of *rules*, those of the jurisdictions that the *deals* name: nobody has the facts of all of them."""
    named = [rules[code] for code in deals.values(column) if code in rules.codes] if rules else []
    return Jurisdictions(named) if named else rules


def _run(stream: Any) -> None:
    """Run *stream* with a bar for whoever waits, if somebody is there."""
    if not sys.stderr.isatty():
        for _ in stream.run():
            pass
        return
    with click.progressbar(
        length=stream.deals.count, label="Assessing", show_pos=True, file=sys.stderr
    ) as bar:
        for done in stream.run():
            bar.update(done)
