"""The click commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from holdback import wire
from holdback.cli.checking import check_command, lock_command, test_command
from holdback.cli.conformance import conformance_command
from holdback.cli.loading import FINDINGS, FINE, Day, fail, in_folder, in_form, load, load_one
from holdback.cli.portfolio import portfolio_command
from holdback.cli.printing import assessment_lines, notice_lines, notice_of, step_lines
from holdback.cli.scenario import SCENARIO_BYTES, read_scenario, run
from holdback.cli.telling import diff_command, replay_command, show_command
from holdback.cli.writing import new_command, schema_command
from holdback.engine import Engine
from holdback.errors import InvalidDocument
from holdback.exact_json import write_json
from holdback.jurisdictions.jurisdiction import Jurisdictions


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holdback")
@click.pass_context
def holdback(ctx: click.Context) -> None:
    """Merchant financing rules: offers, acceptance, deals and renewals."""
    if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        ctx.color = False


def _engine(folder: Path | None) -> Engine:
    try:
        return Engine(load(folder))
    except InvalidDocument as error:
        fail(error, "The jurisdictions")


def _carry_out(body: bytes, name: str, folder: Path | None, *, as_json: bool) -> int:
    """Carry out the scenario in *body*; how many of its steps were refused."""
    engine = _engine(folder)
    try:
        steps = read_scenario(body)
    except InvalidDocument as error:
        fail(error, name)
    refused = 0
    plain = []
    for step in run(steps, engine):
        refused += step.problem is not None
        if as_json:
            plain.append(step.plain())
        else:
            click.echo("\n".join(step_lines(step)))
    if as_json:
        click.echo(write_json(plain))
    else:
        told = f", {refused} refused" if refused else ""
        click.echo(f"{len(steps)} steps{told}.")
    return refused


@holdback.command("run")
@click.argument("scenario", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for machines.")
@in_folder
def run_command(scenario: Any, *, as_json: bool, folder: Path | None) -> None:
    """
    Carry out the requests in SCENARIO, a JSON list of steps, one after the other.

    Merchants are kept in memory. Each reply is printed as the specification has it, with the events and
    the reasons. Leaves with 1 when a step was refused.
    """
    body = scenario.read(SCENARIO_BYTES + 1)
    refused = _carry_out(body, scenario.name, folder, as_json=as_json)
    sys.exit(FINDINGS if refused else FINE)


@holdback.command("demo")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for machines.")
@click.option("--scenario", is_flag=True, help="Print the scenario itself, to start your own from.")
@in_folder
def demo_command(*, as_json: bool, scenario: bool, folder: Path | None) -> None:
    """
    Show the whole service at work: the nine partner steps, an expired offer, a declined renewal.

    The same output at every run. One of its steps is refused, as it is meant to be.
    """
    body = files("holdback.cli").joinpath("demo.json").read_bytes()
    if scenario:
        click.echo(body.decode(), nl=False)
        return
    _carry_out(body, "The demo", folder, as_json=as_json)


@holdback.command("explain")
@click.argument("jurisdiction")
@click.argument("facts", type=click.File("rb"))
@click.option("--on", type=Day(), required=True, help="The day of the assessment: 2026-07-01.")
@click.option("--notice", is_flag=True, help="The principal reasons alone, for a notice.")
@in_form("text", "json", "record")
@in_folder
def explain_command(
    jurisdiction: str, facts: Any, *, on: date, notice: bool, form: str, folder: Path | None
) -> None:
    """
    Assess the deal with the FACTS, a JSON object, by the renewal rules of JURISDICTION.

    Prints the outcome, the reasons with their figures, what is missing, and every rule's answer.
    """
    try:
        # The products' calculators are checked as well.
        found = Engine(Jurisdictions([load_one(folder, jurisdiction)])).jurisdictions
        rulebook = found.resolve(jurisdiction, on=on)
    except InvalidDocument as error:
        fail(error, f"The rules of {jurisdiction}")
    try:
        given = wire.read_evidence(wire.read_json(facts.read(SCENARIO_BYTES + 1)), path="$")
        assessment = rulebook.assess(given)
    except InvalidDocument as error:
        fail(error, facts.name)
    if notice:
        told = [notice_of(each) for each in assessment.principal_reasons]
        click.echo(write_json(told) if form == "json" else "\n".join(notice_lines(told)))
        return
    plain: Mapping[str, Any] = wire.to_dict(assessment)
    if form == "record":
        click.echo(write_json(assessment.record()))
    elif form == "json":
        click.echo(write_json(plain))
    else:
        click.echo("\n".join(assessment_lines(plain)))


_MORE = (
    *(check_command, test_command, lock_command, new_command, schema_command),
    *(show_command, diff_command, replay_command, portfolio_command),
    conformance_command,
)
for _command in _MORE:
    holdback.add_command(_command)
