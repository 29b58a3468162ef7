"""How steps and assessments look in a terminal: the lines, coloured where the terminal can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from click import style

from holdback.cli.scenario import Step
from holdback.errors import ErrorDetail, printable
from holdback.exact_json import Json, write_json
from holdback.ruleset import Reason
from holdback.workbench.example_run import Trial

_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}
_COLOURS: Final = {
    "eligible": "green",
    "referred": "yellow",
    "undetermined": "yellow",
    "ineligible": "red",
    "not_assessed": "red",
}
# Longer values are broken over several lines.
_WIDTH: Final = 110


def json_lines(value: Json, indent: int = 0, before: str = "", after: str = "") -> Iterator[str]:
    """*value* as JSON over several lines, short parts on one; its numbers exactly as on the wire."""
    margin = " " * indent
    flat = printable(write_json(value))
    is_object = isinstance(value, Mapping)
    nested = is_object or (isinstance(value, Sequence) and not isinstance(value, str))
    if not nested or not value or len(margin + before + flat) <= _WIDTH:
        yield f"{margin}{before}{_spaced(value) if nested else flat}{after}"
        return
    yield f"{margin}{before}{'{' if is_object else '['}"
    items = list(value.items()) if is_object else [(None, item) for item in value]
    for place, (key, item) in enumerate(items, start=1):
        name = "" if key is None else f"{printable(write_json(key))}: "
        yield from json_lines(item, indent + 2, name, "," if place < len(items) else "")
    yield f"{margin}{'}' if is_object else ']'}{after}"


def _spaced(value: Json) -> str:
    """A short object or list on one line, with the spaces that people expect."""
    if isinstance(value, Mapping):
        inside = ", ".join(
            f"{printable(write_json(key))}: {_spaced(item)}" for key, item in value.items()
        )
        return f"{{{inside}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_spaced(item) for item in value)}]"
    return printable(write_json(value))


def step_lines(step: Step) -> Iterator[str]:
    """One step: what was asked, the reply as the specification has it, the events and the reasons."""
    title = style(f"{step.number}  {step.operation}", bold=True)
    yield f"{title}  {style(printable(f'{step.at}  {step.who}'), dim=True)}"
    if step.note:
        yield f"   {printable(step.note)}"
    if step.problem is not None:
        refused = f"refused: {step.problem['status']} {step.problem['code']}"
        yield f"   {style(refused, fg='red')}"
        yield from json_lines(step.problem, 3)
    else:
        yield from json_lines(step.reply, 3)
    for event in step.events:
        yield from event_lines(event)
    yield ""


def event_lines(event: Mapping[str, Any]) -> Iterator[str]:
    """One event on a line, and under it why: the outcome and the reasons of its decisions."""
    detail = _detail(event)
    yield f"   {style('event', fg='cyan')} {event['type']}{f': {detail}' if detail else ''}"
    assessment = event.get("assessment")
    if assessment:
        yield from _why(f"assessment: {assessment['outcome'].replace('_', ' ')}", assessment)
    for decision in event.get("decisions") or ():
        title = f"{decision['product']}: {decision['decision']}"
        told = assessment and decision["reasons"] and not assessment["eligible"]
        yield from _why(title, {} if told else decision)


def _why(title: str, decision: Mapping[str, Any]) -> Iterator[str]:
    yield f"         {title}"
    for reason in decision.get("reasons") or ():
        yield f"           {reason['code']}  {printable(reason['text'])}"
    if decision.get("needs"):
        yield f"           missing: {', '.join(decision['needs'])}"


def _detail(event: Mapping[str, Any]) -> str:
    if event["type"] == "RenewalEligibilityChanged":
        return "now true" if event["renewal_eligibility"] else "now false"
    if event["type"] == "DealRenewed":
        return f"settled {event['settled']}"
    if event["type"] == "RemittancesRecorded":
        return f"{len(event['entries'])} new"
    return str(event.get("status") or "")


def assessment_lines(plain: Mapping[str, Any]) -> Iterator[str]:
    """An assessment: outcome, reasons with their figures, what is missing, the trace."""
    outcome = style(plain["outcome"].replace("_", " "), fg=_COLOURS[plain["outcome"]], bold=True)
    yield f"{plain['jurisdiction']} on {plain['on']}: {outcome}"
    for reason in plain["reasons"]:
        place = f"  ({reason['file']}:{reason['line']})" if reason["file"] else ""
        yield f"  {reason['code']}  {printable(reason['text'])}{style(place, dim=True)}"
    if plain["needs"]:
        yield f"Missing: {', '.join(plain['needs'])}"
    if plain["trace"]:
        yield "Trace"
        width = max(len(line["rule"]) for line in plain["trace"])
        for line in plain["trace"]:
            facts = ", ".join(
                f"{name} = {'unknown' if value is None else _shown(value)}"
                for name, value in line["facts"].items()
            )
            yield f"  {line['rule']:<{width}}  {_ANSWERS[line['answer']]:<7}  {facts}"
    yield style(f"Digest {plain['digest']}", dim=True)


def notice_of(reason: Reason) -> dict[str, Json]:
    """A principal reason as plain values: the sentence, what was measured, what it was held against."""
    return {
        "code": reason.code,
        "text": reason.text,
        "measured": reason.measured,
        "threshold": reason.threshold,
    }


def notice_lines(told: list[dict[str, Json]]) -> Iterator[str]:
    """The principal reasons, as a notice to the merchant has them."""
    if not told:
        yield "There is no reason to give."
    for number, reason in enumerate(told, start=1):
        yield f"{number}. {printable(reason['text'])}"
        for name in ("measured", "threshold"):
            figures = (f"{key} {value}" for key, value in reason[name].items())
            yield f"   {style(f'{name:<9}', dim=True)}  {printable(', '.join(figures))}"


def fault_lines(fault: ErrorDetail) -> Iterator[str]:
    """A fault: where and what, the line with the characters at fault marked, and what would help."""
    place = f"{style(printable(fault.place), bold=True)}: " if fault.place else ""
    yield f"{place}{printable(fault.message)}"
    for line, colour in zip(fault.marked(), (None, "red"), strict=False):
        yield f"    {style(line, fg=colour)}"
    if fault.hint:
        yield f"    {style(printable(fault.hint), fg='cyan')}"


def trial_lines(trial: Trial) -> Iterator[str]:
    """An example that failed: what it expects, what it got, the rule that decided, the facts."""
    title, *lines = trial.lines()
    yield style(printable(title), fg="red", bold=True)
    yield from (printable(line) for line in lines)
    yield ""


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else write_json(value)
