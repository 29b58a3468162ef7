"""`holdback demo`: the whole service at work on a scenario that ships, told in a few lines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from holdback.cli.output import value_text
from holdback.cli.run import count_line, print_steps, steps_of
from holdback.cli.scenario import Step
from holdback.cli.sources import jurisdictions_option
from holdback.errors import printable
from holdback.testing import payloads

# The story fits a terminal of the usual width.
_WIDTH: Final = 80
_OPERATION_WIDTH: Final = len("record_remittance")
_DAY_LENGTH: Final = len("2026-07-01")


@click.command("demo")
@click.option("--full", is_flag=True, help="Print every reply, event and reason, as `run` does.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, for machines.")
@click.option("--scenario", is_flag=True, help="Print the scenario itself, to start your own from.")
@jurisdictions_option
def demo_command(*, full: bool, as_json: bool, scenario: bool, folder: Path | None) -> None:
    """
    Show the whole service at work: the nine partner steps, an expired offer, a declined renewal.

    Prints a line or two for each step. The output is the same at every run. One step is refused, as
    intended.
    """
    body = json.dumps(_scenario(), indent=2)
    if scenario:
        click.echo(body)
        return
    steps = steps_of(body.encode(), "The demo", folder)
    if full or as_json:
        print_steps(steps, as_json=as_json)
    else:
        _print_story(steps)


def _scenario() -> list[dict[str, Any]]:
    """Return the steps that ship, with good results of checks for each new merchant."""
    text = files("holdback.cli").joinpath("demo.json").read_text(encoding="utf-8")
    steps: list[dict[str, Any]] = json.loads(text)
    for step in steps:
        if step["operation"] == "request_offers" and "applicants" in step["input"]:
            step["evidence"] = payloads.evidence(date.fromisoformat(step["at"][:_DAY_LENGTH]))
    return steps


def _print_story(steps: Iterator[Step]) -> None:
    """Print *steps* under the partner and merchant of each, as they are carried out."""
    done: list[Step] = []
    for who, group in groupby(steps, key=lambda step: step.who):
        click.secho(printable(who), bold=True)
        for step in group:
            click.echo("\n".join(_story_lines(step, done)))
            done.append(step)
        click.echo()
    click.echo(f"{count_line(done)} To see every reply: holdback demo --full")


def _story_lines(step: Step, before: list[Step]) -> Iterator[str]:
    """The lines for *step*: the day, the operation, and what came of it."""
    day, operation = step.at[:_DAY_LENGTH], f"{step.operation:<{_OPERATION_WIDTH}}"
    margin = len(f"{day}  {operation}  ")
    first, *rest = textwrap.wrap(printable(_told(step, before)), _WIDTH - margin)
    colour = _colour(step)
    yield f"{click.style(day, dim=True)}  {operation}  {click.style(first, fg=colour)}"
    for line in rest:
        yield f"{' ' * margin}{click.style(line, fg=colour)}"


def _told(step: Step, before: list[Step]) -> str:
    """What came of *step* in a sentence: the outcome, the money and the reason."""
    if step.problem is not None:
        problem = step.problem
        return f"Refused: {problem['status']} {problem['code']}, {problem['detail']}."
    for earlier in before:
        if not step.events and earlier.events and earlier.reply == step.reply:
            return "Asked again: the same reply, and no new events."
    sentence = _SENTENCES.get(step.operation)
    # Of a deal, the story tells what the partner sees of it afterwards.
    return "Done." if sentence is None else sentence(step.deal or step.reply, _events(step))


def _colour(step: Step) -> str | None:
    if step.problem is not None:
        return "red"
    products = step.reply.get("products", ()) if isinstance(step.reply, Mapping) else ()
    return "red" if any(product["decision"] == "Declined" for product in products) else None


def _events(step: Step) -> Mapping[str, Any]:
    """The events of *step*, by type; an operation announces a type once."""
    return {event["type"]: event for event in step.events}


def _checks(reply: Any, _events: Mapping[str, Any]) -> str:
    names = [
        check["name"] + (f" (from {check['not_before']} on)" if check["not_before"] else "")
        for check in reply["checks"]
    ]
    return f"Checks needed: {', '.join(names)}."


def _offers(reply: Any, events: Mapping[str, Any]) -> str:
    """Each product with the amounts offered, or why a renewal is declined."""
    assessment = events["OffersIssued"].get("assessment")
    if assessment and not assessment["eligible"]:
        reasons = [f"{reason['code']}: {reason['text']}" for reason in assessment["reasons"]]
        return " ".join(["Declined.", *reasons])
    products = [f"{product['name']}: {_amounts(product)}" for product in reply["products"]]
    return f"{'; '.join(products)}."


def _amounts(product: Mapping[str, Any]) -> str:
    """The smallest and the largest amount offered, or the decision if none is."""
    offers = sorted(product["offers"], key=lambda offer: offer["funded_amount"])
    if not offers:
        return str(product["decision"]).lower()
    lowest, highest = (value_text(offers[place]["funded_amount"]) for place in (0, -1))
    more = "" if lowest == highest else f" to {highest}"
    return f"{offers[0]['currency']} {lowest}{more}"


def _acceptance(reply: Any, _events: Mapping[str, Any]) -> str:
    return f"Accepted: {reply['offer']['description']}."


def _details(reply: Any, _events: Mapping[str, Any]) -> str:
    omitted = f"; missing: {', '.join(reply['omitted'])}" if reply["omitted"] else ""
    return f"Details supplied; application {reply['status']}{omitted}."


def _funding(deal: Any, events: Mapping[str, Any]) -> str:
    pricing, currency = deal["pricing"], deal["currency"]
    funded, owed = (value_text(pricing[name]) for name in ("funded_amount", "repayment_amount"))
    renewed = events.get("DealRenewed")
    settled = f"; {renewed['settled']} settles the old deal" if renewed else ""
    return f"{deal['type']} deal funded: {currency} {funded}, {currency} {owed} to remit{settled}."


def _remittances(deal: Any, events: Mapping[str, Any]) -> str:
    count = len(events["RemittancesRecorded"]["entries"])
    change = events.get("RenewalEligibilityChanged")
    news = " Eligible for renewal." if change and change["renewal_eligibility"] else ""
    entries = "entry" if count == 1 else "entries"
    return f"{count} {entries} recorded: {_progress(deal)}.{news}"


def _deals(reply: Any, _events: Mapping[str, Any]) -> str:
    """Each deal, and for an active one how far it is and whether it can be renewed."""
    sentences = []
    for deal in reply["deals"]:
        sentence = f"{deal['type']}: {deal['status']}"
        if deal["active"]:
            eligible = deal["performance"]["renewal_eligibility"]
            renewal = "eligible" if eligible else "not eligible"
            sentence += f", {_progress(deal)}, {renewal} for renewal"
        sentences.append(f"{sentence}.")
    return " ".join(sentences)


def _progress(deal: Mapping[str, Any]) -> str:
    """How much of a deal is paid down, and what is left."""
    paid_down, balance = deal["performance"]["progress"], value_text(deal["balance"])
    return f"{value_text(paid_down)}% paid down, {deal['currency']} {balance} left"


_SENTENCES: Final[Mapping[str, Callable[[Any, Mapping[str, Any]], str]]] = {
    "required_checks": _checks,
    "request_offers": _offers,
    "accept_offer": _acceptance,
    "supply_details": _details,
    "fund_deal": _funding,
    "record_remittance": _remittances,
    "look_up": _deals,
}
