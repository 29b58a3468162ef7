"""`holdback portfolio`: the renewal rules over a file of deals of any length."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import ExitStack, nullcontext
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
from attrs import evolve
from click.core import ParameterSource

from holdback.cli.output import (
    FINDINGS,
    MISUSE,
    error_lines,
    fail,
    format_option,
    needing,
    on_terminal,
)
from holdback.cli.sources import Day, jurisdictions_option, load_all
from holdback.errors import ConfigurationError, InvalidDocument, printable

if TYPE_CHECKING:
    from holdback.portfolio import ColumnMapping
    from holdback.portfolio.files.batch_reader import BatchReader
    from holdback.portfolio.files.batches import BatchAssessment

_ENDINGS: Final = (".parquet", ".csv")
_REPORT_ENDINGS: Final = (".html", ".xlsx")
# The options that a suggestion depends on, and those of an assessment, by their parameters.
_FOR_SUGGEST: Final = ("jurisdiction", "on", "folder")
_FOR_COLUMNS: Final = (*_FOR_SUGGEST, "other_folder", "output", "report_file", "form")
# A day in any form: only 2026-07-01 is read.
_DATE: Final = re.compile(r"[0-9]+([./-][0-9]+)+")


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
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="An .html or .xlsx file for a report: outcomes, what each rule decides, deals near it.",
)
@click.option(
    "--columns",
    "mapping_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file that says which column holds which fact, and how values are written.",
)
@click.option(
    "--suggest",
    "suggested",
    is_flag=True,
    help="Print such a TOML file for the DEALS, to look at and use with --columns.",
)
@click.option(
    "--accept",
    "accepted",
    type=click.Choice(["duplicate"]),
    multiple=True,
    help="Assess the deals although some occur more than once.",
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
    report_file: Path | None,
    mapping_file: Path | None,
    suggested: bool,
    accepted: tuple[str, ...],
    form: str,
    folder: Path | None,
) -> None:
    """
    Assess the DEALS: a .csv, .xlsx or .parquet file, or a query: "from 'deals/*.parquet'".

    Columns are named as the facts that they hold, or as --columns says. Prints how many deals have
    each outcome, why, what is missing, what cannot be read, and how much is left to remit. The file
    is read in batches, so it can be larger than the memory. Columns that look like something else
    than their facts, such as fractions where percentages are expected, stop the command, and so do
    deals that occur more than once.
    """
    _check_file(output, "--output", _ENDINGS)
    _check_file(report_file, "--report", _REPORT_ENDINGS)
    before, after = load_all(folder), load_all(other_folder) if other_folder else None
    with needing("portfolio"):
        from holdback.portfolio.files.batch_reader import open_reader  # noqa: PLC0415  # needs an extra
        from holdback.portfolio.files.batches import BatchAssessment  # noqa: PLC0415  # so does this
        from holdback.portfolio.files.deal_files import Output  # noqa: PLC0415  # and this
        from holdback.portfolio.files.report_file import Report, missing_writer  # noqa: PLC0415  # and this
    lacking = missing_writer(report_file) if report_file else None
    if lacking:
        raise click.ClickException(f"--report needs {lacking}: pip install 'holdback[notebook]'")
    mapping, reader = _mapping(mapping_file), None
    with ExitStack() as opened:
        try:
            reader = opened.enter_context(
                open_reader(deals, before, after, jurisdiction=jurisdiction, on=on, mapping=mapping)
            )
            if suggested:
                click.echo(reader.suggested().to_toml(), nl=False)
                return
            report = Report(report_file, reader) if report_file else None
            with Output(output) if output else nullcontext() as writer:
                assessment = BatchAssessment(reader, writer, report, frozenset(accepted))
                _run(assessment)
        except (InvalidDocument, ConfigurationError) as error:
            _fail(error, reader)
    if report:
        report.write(f"Renewals in {printable(Path(deals).name)}")
    click.echo(assessment.text(form))


def _check_file(file: Path | None, option: str, endings: tuple[str, ...]) -> None:
    """Check, before the work, that a *file* has one of the *endings*, and a folder."""
    if file and file.suffix not in endings:
        expected = f"expected a file that ends in {' or '.join(endings)}"
        raise click.BadParameter(expected, param_hint=option)
    if file and not file.parent.is_dir():
        missing = f"there is no folder {printable(str(file.parent))}"
        raise click.BadParameter(missing, param_hint=option)


def _mapping(file: Path | None) -> ColumnMapping:
    """The mapping in *file*; without one, the mapping of columns that are named as facts."""
    from holdback.portfolio import ColumnMapping  # noqa: PLC0415  # needs an extra

    if file is None:
        return ColumnMapping()
    try:
        return ColumnMapping.from_toml(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        fail(InvalidDocument.of("unreadable", "it is not in UTF-8"), file.name)
    except InvalidDocument as error:
        named = InvalidDocument([evolve(detail, file=file.name) for detail in error.errors])
        fail(named, file.name)


def _fail(error: InvalidDocument | ConfigurationError, reader: BatchReader | None) -> NoReturn:
    """Print the errors, and a mapping that may help; exit with 1 if columns are suspected."""
    from holdback.portfolio.files.file_findings import ProbablyMisread  # noqa: PLC0415  # needs an extra

    is_suspicion = isinstance(error, ProbablyMisread)
    what = "The deals are probably not what they seem, and none is assessed:"
    click.secho(what if is_suspicion else "The deals cannot be read:", err=True, bold=True)
    for detail in error.errors:
        click.echo("\n".join(f"  {line}" for line in error_lines(detail)), err=True)
    proposal = reader.proposal() if reader else None
    if proposal:
        click.echo("A mapping that may fit; look at it before you use it:", err=True)
        click.echo("".join(f"  {line}\n" for line in proposal.splitlines()), err=True, nl=False)
        file = "NEW_MAP.toml" if click.get_current_context().params["mapping_file"] else "MAP.toml"
        click.echo(f"To use it: {_command_with(_FOR_SUGGEST)} --suggest > {file}", err=True)
        click.echo(f"           {_command_with(_FOR_COLUMNS)} --columns {file}", err=True)
    sys.exit(FINDINGS if is_suspicion else MISUSE)


def _command_with(names: tuple[str, ...]) -> str:
    """This command as it was given, with those of its options that have one of the *names*."""
    context = click.get_current_context()
    words = ["holdback", context.command.name or "", context.params["deals"]]
    for option in context.command.params:
        name = option.name or ""
        if name in names and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += [option.opts[0], str(context.params[name])]
    return printable(shlex.join(words))


def _run(assessment: BatchAssessment) -> None:
    """Assess all batches, with a progress bar on a terminal."""
    if not on_terminal():
        for _ in assessment.run():
            pass
        return
    bar: Any
    with click.progressbar(
        length=assessment.reader.deals.count, label="Assessing", show_pos=True, file=sys.stderr
    ) as bar:
        for count in assessment.run():
            bar.update(count)
