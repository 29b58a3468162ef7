"""`holdback run`: a scenario carried out, with every reply, event, reason and changed deal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click

from holdback.cli.output import FINDINGS, SUCCESS, json_lines, plural, reading, value_text
from holdback.cli.scenario import SCENARIO_BYTES, Step, read_scenario, run
from holdback.cli.sources import jurisdictions_option, load_all
from holdback.engine import Engine
from holdback.errors import printable
from holdback.exact.exact_json import write_json
from holdback.exact.exact_numbers import plain_digits
from holdback.merchant.deal import LookupDeal

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
    with reading("The jurisdictions"):
        engine = Engine.for_trial(load_all(folder))
    with reading(name):
        requests = read_scenario(body)
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


def event_lines(event: Mapping[str, Any]) -> Iterator[str]:
    """One event on a line, followed by results of checks, decisions and their reasons."""
    detail = printable("; ".join(_event_details(event)))
    yield f"   {click.style('event', fg='cyan')} {event['type']}{f': {detail}' if detail else ''}"
    yield from _entry_lines(event)
    for record in event.get("records") or ():
        yield printable(f"         {record['check']} of {record['made_at']}: {_facts(record)}")
    assessment = event.get("assessment")
    said = _why(assessment or {})
    if assessment:
        outcome = assessment["outcome"].replace("_", " ")
        yield from _decision_lines(f"assessment: {outcome}", assessment)
    for decision in event.get("decisions") or ():
        title = f"{decision['product']}: {decision['decision']}"
        # Those of an assessment that declines are those of every product; print them once.
        yield from _decision_lines(title, {} if _why(decision) == said else decision)


def _why(decision: Mapping[str, Any]) -> list[Any]:
    """The reasons of a decision, what it lacks, and what was done besides its rules."""
    named = ("needs", "referral", "lifted", "withheld")
    texts = [(reason["code"], reason["text"]) for reason in decision.get("reasons") or ()]
    return [texts, *(decision.get(name) or () for name in named)]


def _entry_lines(event: Mapping[str, Any]) -> Iterator[str]:
    """The entries that *event* records, a line each; of remittances their number is enough."""
    postings = event.get("postings") or [{"entry": entry} for entry in event.get("entries") or ()]
    for entry in event.get("suspense") or ():
        parts = [f"{entry.get('kind', 'suspense')} {entry['amount']} on {entry['on']}"]
        parts += [f"of {entry['receipt']}"] if entry.get("receipt") else []
        yield printable(f"         {', '.join(parts)}")
    several = len({posting.get("deal_id") for posting in postings}) > 1
    for posting in postings:
        entry = posting["entry"]
        kind = entry.get("kind") or ("reversal" if entry.get("reverses") else "remittance")
        if kind == "remittance":
            continue
        parts = [f"{kind} {entry['amount']} on {entry['on']}"]
        if entry.get("reverses"):
            parts.append(f"of {entry['reverses']}")
        if several:
            parts.append(f"deal {posting['deal_id']}")
        yield printable(f"         {', '.join(parts)}")


def _facts(record: Mapping[str, Any]) -> str:
    """The facts that a check gave; each is stored with the kind that it had."""
    facts = (f"{name} {value_text(value)}" for name, (value, _) in record["facts"].items())
    return ", ".join(facts) or "nothing"


def _decision_lines(title: str, decision: Mapping[str, Any]) -> Iterator[str]:
    yield f"         {title}"
    for reason in decision.get("reasons") or ():
        yield f"           {reason['code']}  {printable(reason['text'])}"
    if decision.get("needs"):
        yield f"           missing: {', '.join(decision['needs'])}"
    # The last three are for agents: a partner sees the decision alone.
    if decision.get("referral"):
        yield f"           a person decided: {decision['referral']}"
    if decision.get("lifted"):
        yield f"           lifted: {', '.join(decision['lifted'])}"
    if decision.get("withheld"):
        yield f"           withheld: {', '.join(decision['withheld'])}"


def _event_details(event: Mapping[str, Any]) -> Iterator[str]:
    """What is special about *event*, part by part."""
    match event["type"]:
        case "RenewalEligibilityChanged":
            yield "now true" if event["renewal_eligibility"] else "now false"
            if event.get("decided_by"):
                yield f"decided by the {event['decided_by']}"
        case "DealRenewed":
            yield f"settled {event['settled']}"
        case "RemittancesRecorded":
            yield f"{len(event['entries'])} new"
        case "TermsChanged":
            change = event["change"]
            share = plain_digits(Decimal(change["split_percentage"]))
            yield f"from {change['on']} {share}% of takings"
            yield f"a term of {plural(change['term_days'], 'day')}"
        case "OfferRequoted":
            yield f"{event['product']}, {plural(len(event['offers']), 'offer')}"
        case "ReferralDecided":
            decision = event["decision"]
            yield f"{decision['decision']} {decision['product']} until {decision['until']}"
            yield f"by {decision['by']}"
        case "HoldPlaced" | "HoldLifted":
            hold = event.get("hold", event)
            yield f"{hold['code']}"
            yield f"by {hold['by']}"
        case "OffersWithdrawn":
            yield str(event["code"])
            yield f"by {event['by']}"
        case "SignatureRecorded":
            yield str(event["signature"]["document"])
        case "ConsentsRecorded":
            yield f"given: {', '.join(event['given']) or 'none'}"
        case _:
            yield from _state_details(event)


def _state_details(event: Mapping[str, Any]) -> Iterator[str]:
    """The status and the day that *event* names, what an application lacks, when it lapses."""
    if event["type"] == "ProfileRectified":
        yield f"corrected: {', '.join(event['sections'])}"
    if event["type"] == "OfferDisclosed":
        yield str(event["disclosure"]["law"])
        yield "due" if event["disclosure"]["due"] else "not due"
    if event.get("status"):
        yield str(event["status"])
    if event.get("on"):
        yield f"on {event['on']}"
    if event.get("cancelled_on"):
        yield f"cancelled on {event['cancelled_on']}"
    if event.get("omitted"):
        yield f"missing: {', '.join(event['omitted'])}"
    if event.get("signature_before"):
        yield f"to be signed {event['signature_before'].replace('_', ' ')}"
    if event.get("lapses_at"):
        yield f"lapses at {event['lapses_at']}"


def deal_lines(item: LookupDeal) -> Iterator[str]:
    """A deal after a step: its status, its figures, and those that a lookup does not show."""
    deal, performance = item.deal, item.performance
    amounts = {
        "balance": deal.balance,
        "overpaid": deal.overpaid,
        "shortfall": deal.shortfall,
        "waived": deal.waived,
        "written off": deal.written_off,
        "fees owed": deal.fees_owed,
    }
    parts = [
        f"{name} {money}" for name, money in amounts.items() if money.minor or name == "balance"
    ]
    parts.append(f"progress {plain_digits(performance.progress)}%")
    parts.append(f"performance {plain_digits(performance.performance)}%")
    status = f"{deal.status}{', on pause' if deal.paused else ''}"
    yield f"   {click.style('deal', fg='cyan')} {printable(deal.id)}: {status}"
    yield f"         {', '.join(parts)}"
