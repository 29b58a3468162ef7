"""`holdback run`: a scenario carried out, with every reply, event and reason."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from holdback.cli.happened import deal_lines, event_lines
from holdback.cli.output import FINDINGS, SUCCESS, fail, json_lines
from holdback.cli.scenario import SCENARIO_BYTES, Step, read_scenario, run
from holdback.cli.sources import jurisdictions_option, load_all
from holdback.engine import Engine
from holdback.errors import ConfigurationError, InvalidDocument, printable
from holdback.exact.exact_json import write_json

_NOTE_WIDTH: Final = 97


@click.command("run")
@click.argument("scenario", type=click.File("rb"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for machines.")
@jurisdictions_option
def run_command(scenario: Any, *, as_json: bool, folder: Path | None) -> None:
    """
    Carry out the requests in SCENARIO, a JSON list of steps, one after the other.

    Merchants are kept in memory. Each reply is printed as a partner receives it, with the events
    and the reasons. Exits with 1 if a step was refused.
    """
    body = scenario.read(SCENARIO_BYTES + 1)
    refused = print_steps(steps_of(body, scenario.name, folder), as_json=as_json)
    sys.exit(FINDINGS if refused else SUCCESS)


def steps_of(body: bytes, name: str, folder: Path | None) -> Iterator[Step]:
    """Carry out the scenario in *body*, called *name* in messages; exit with 2 if it is invalid."""
    try:
        engine = Engine.for_trial(load_all(folder))
    except ConfigurationError as error:
        fail(error, "The jurisdictions")
    try:
        requests = read_scenario(body)
    except InvalidDocument as error:
        fail(error, name)
    return run(requests, engine)


def print_steps(steps: Iterator[Step], *, as_json: bool) -> int:
    """Print *steps* as they are carried out; return how many were refused."""
    done = []
    for step in steps:
        done.append(step)
        if not as_json:
            click.echo("\n".join(_step_lines(step)))
    click.echo(write_json([step.plain() for step in done]) if as_json else count_line(done))
    return sum(step.problem is not None for step in done)


def count_line(steps: list[Step]) -> str:
    """A line that says how many *steps* there were, and how many of them were refused."""
    refused = sum(step.problem is not None for step in steps)
    count = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    return f"{count}{f', {refused} refused' if refused else ''}."


def _step_lines(step: Step) -> Iterator[str]:
    """One step: the request, the reply as a partner receives it, the events and the reasons."""
    title = click.style(f"{step.number}  {step.operation}", bold=True)
    yield f"{title}  {click.style(printable(f'{step.at}  {step.who}'), dim=True)}"
    for line in textwrap.wrap(printable(step.note or ""), _NOTE_WIDTH):
        yield f"   {line}"
    if step.problem is not None:
        refused = f"refused: {step.problem['status']} {step.problem['code']}"
        yield f"   {click.style(refused, fg='red')}"
        yield from json_lines(step.problem, 3)
    else:
        yield from json_lines(step.reply, 3)
    for event in step.events:
        yield from event_lines(event)
    for item in step.changed:
        yield from deal_lines(item)
    yield ""
