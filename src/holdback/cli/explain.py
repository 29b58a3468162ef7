"""`holdback explain`: one deal, assessed by the rules of a jurisdiction, and what would help it."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import click

from holdback import wire
from holdback.cli.explained import Explained, notice_lines, reason_to_dict, text_lines
from holdback.cli.output import fail, format_option
from holdback.cli.scenario import SCENARIO_BYTES
from holdback.cli.sources import Day, jurisdictions_option, load_one
from holdback.engine import Engine
from holdback.errors import ConfigurationError, InvalidDocument
from holdback.exact.exact_json import write_json
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.tools.forecast.windows import DAYS


@click.command("explain")
@click.argument("jurisdiction")
@click.argument("facts", type=click.File("rb"))
@click.option("--on", type=Day(), required=True, help="The day of the assessment: 2026-07-01.")
@click.option("--product", metavar="KEY", help="Ask the rules of this product instead: flex.")
@click.option("--notice", is_flag=True, help="Print only the principal reasons, for a notice.")
@click.option("--how", is_flag=True, help="Add what would help: all minimal sets of changes.")
@click.option(
    "--pace",
    metavar="AMOUNT|SHARE",
    help="Add on which days it would pass if this is remitted a day: 'GBP 50', or 0.4%.",
)
@click.option("--days", type=int, help=f"The days to look ahead for that, {DAYS} by default.")
@format_option("text", "json", "record")
@jurisdictions_option
def explain_command(  # noqa: PLR0913  # one parameter for each option
    jurisdiction: str,
    facts: Any,
    *,
    on: date,
    product: str | None,
    notice: bool,
    how: bool,
    pace: str | None,
    days: int | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Assess the deal with the FACTS, a JSON object, by the renewal rules of JURISDICTION.

    Prints the outcome, the reasons with their figures, what is missing, and every rule's answer.
    """
    forecast = pace is not None or days is not None
    _refuse_mixed(form, product, notice=notice, more=how or forecast)
    read = _jurisdiction(folder, jurisdiction)
    try:
        explained = Explained.by(read.rulebook(on), product)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The rules of {jurisdiction}")
    try:
        given = wire.read_evidence(wire.read_json(facts.read(SCENARIO_BYTES + 1)), path="$")
        explained.assess(given)
    except InvalidDocument as error:
        fail(error, facts.name)
    if form == "record":
        click.echo(write_json(explained.rulebook.assess(given).record()))
        return
    if notice:
        of = len(explained.reasons)
        reasons = [
            {**reason_to_dict(reason), "number": number, "of": of}
            for number, reason in enumerate(explained.principal_reasons, start=1)
        ]
        click.echo(write_json(reasons) if form == "json" else "\n".join(notice_lines(reasons)))
        return
    if how:
        explained.add_what_would_help()
    if forecast:
        try:
            explained.add_windows(read, pace, DAYS if days is None else days)
        except InvalidDocument as error:
            fail(error, "What was asked")
    answer = explained.answer
    click.echo(write_json(answer) if form == "json" else "\n".join(text_lines(answer)))


def _refuse_mixed(form: str, product: str | None, *, notice: bool, more: bool) -> None:
    """Refuse options that say two kinds of output at once."""
    if form == "record" and (product is not None or more):
        message = "a record is the assessment of a renewal alone"
        raise click.UsageError(f"{message}: leave out --product, --how, --pace and --days")
    if notice and more:
        raise click.UsageError("--notice prints the reasons alone: leave out --how, --pace, --days")


def _jurisdiction(folder: Path | None, code: str) -> Jurisdiction:
    """Return the jurisdiction *code*; exit with 2 when it, or one of its prices, is invalid."""
    try:
        # An engine checks the settings of the products' calculators as well.
        engine = Engine.for_trial(Jurisdictions([load_one(folder, code)]))
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The rules of {code}")
    return engine.jurisdictions[code]
