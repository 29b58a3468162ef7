"""`holdback explain`: one deal, assessed by the renewal rules of a jurisdiction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from holdback import wire
from holdback.cli.output import fail, format_option, value_text
from holdback.cli.scenario import SCENARIO_BYTES
from holdback.cli.sources import Day, jurisdictions_option, load_one
from holdback.engine import Engine
from holdback.errors import ConfigurationError, InvalidDocument, printable
from holdback.exact_json import Json, write_json
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.reasons import Reason

_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}
_COLOURS: Final = {
    "eligible": "green",
    "referred": "yellow",
    "undetermined": "yellow",
    "ineligible": "red",
    "not_assessed": "red",
}


@click.command("explain")
@click.argument("jurisdiction")
@click.argument("facts", type=click.File("rb"))
@click.option("--on", type=Day(), required=True, help="The day of the assessment: 2026-07-01.")
@click.option("--notice", is_flag=True, help="Print only the principal reasons, for a notice.")
@format_option("text", "json", "record")
@jurisdictions_option
def explain_command(  # noqa: PLR0913  # one parameter for each option
    jurisdiction: str, facts: Any, *, on: date, notice: bool, form: str, folder: Path | None
) -> None:
    """
    Assess the deal with the FACTS, a JSON object, by the renewal rules of JURISDICTION.

    Prints the outcome, the reasons with their figures, what is missing, and every rule's answer.
    """
    try:
        # An engine checks the settings of the products' calculators as well.
        engine = Engine.for_trial(Jurisdictions([load_one(folder, jurisdiction)]))
        rulebook = engine.jurisdictions.resolve(jurisdiction, on=on)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The rules of {jurisdiction}")
    try:
        evidence = wire.read_evidence(wire.read_json(facts.read(SCENARIO_BYTES + 1)), path="$")
        assessment = rulebook.assess(evidence)
    except InvalidDocument as error:
        fail(error, facts.name)
    if notice:
        reasons = [_reason_to_dict(reason) for reason in assessment.principal_reasons]
        click.echo(write_json(reasons) if form == "json" else "\n".join(_notice_lines(reasons)))
    elif form == "record":
        click.echo(write_json(assessment.record()))
    elif form == "json":
        click.echo(write_json(wire.to_dict(assessment)))
    else:
        click.echo("\n".join(_assessment_lines(wire.to_dict(assessment))))


def _assessment_lines(assessment: Any) -> Iterator[str]:
    """The outcome, the reasons with their figures, what is missing, and the trace."""
    colour = _COLOURS[assessment["outcome"]]
    outcome = click.style(assessment["outcome"].replace("_", " "), fg=colour, bold=True)
    yield f"{assessment['jurisdiction']} on {assessment['on']}: {outcome}"
    for reason in assessment["reasons"]:
        place = f"  ({reason['file']}:{reason['line']})" if reason["file"] else ""
        yield f"  {reason['code']}  {printable(reason['text'])}{click.style(place, dim=True)}"
    if assessment["needs"]:
        yield f"Missing: {', '.join(assessment['needs'])}"
    if assessment["trace"]:
        yield "Trace"
        width = max(len(line["rule"]) for line in assessment["trace"])
        for line in assessment["trace"]:
            answer = _ANSWERS[line["answer"]]
            yield f"  {line['rule']:<{width}}  {answer:<7}  {_facts_text(line['facts'])}"
    yield click.style(f"Digest {assessment['digest']}", dim=True)


def _facts_text(facts: Mapping[str, Json]) -> str:
    return ", ".join(
        f"{name} = {'unknown' if value is None else value_text(value)}"
        for name, value in facts.items()
    )


def _reason_to_dict(reason: Reason) -> dict[str, Json]:
    """A principal reason: its code and sentence, what was measured, and the threshold."""
    return {
        "code": reason.code,
        "text": reason.text,
        "measured": reason.measured,
        "threshold": reason.threshold,
    }


def _notice_lines(reasons: list[dict[str, Any]]) -> Iterator[str]:
    """The principal reasons as a notice to the merchant gives them."""
    if not reasons:
        yield "There is no reason to give."
    for number, reason in enumerate(reasons, start=1):
        yield f"{number}. {printable(reason['text'])}"
        for name in ("measured", "threshold"):
            figures = ", ".join(f"{key} {value}" for key, value in reason[name].items())
            yield f"   {click.style(f'{name:<9}', dim=True)}  {printable(figures)}"
