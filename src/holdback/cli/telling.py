"""`holdback show`, `holdback diff` and `holdback replay`: what the rules are, what changed, what was decided."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from holdback import wire
from holdback.cli.loading import (
    FINDINGS,
    FINE,
    Day,
    fail,
    in_folder,
    in_form,
    load,
    load_one,
    load_readable,
)
from holdback.cli.scenario import SCENARIO_BYTES
from holdback.errors import InvalidDocument, printable
from holdback.exact_json import Json, write_json
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.workbench.differences import ADDED, CHANGED, Difference, differences
from holdback.workbench.overview import overview
from holdback.workbench.replay import NOT_AT_HAND, SAME, Replay, replay, replay_offers

_COLOURS: Final = {ADDED: "green", CHANGED: "yellow"}


@click.command("show")
@click.argument("jurisdiction")
@click.option("--on", type=Day(), required=True, help="The day whose rules are shown: 2026-07-01.")
@in_form("text", "json", "markdown")
@in_folder
def show_command(jurisdiction: str, *, on: date, form: str, folder: Path | None) -> None:
    """
    Show the rules, parameters and products of JURISDICTION as they are in force on a day.

    Each line says where it was written and by what source; each rule is also put in plain words.
    """
    try:
        shown = overview(load_one(folder, jurisdiction), on)
    except InvalidDocument as error:
        fail(error, f"The rules of {printable(jurisdiction)}")
    if form == "json":
        click.echo(write_json(shown))
    else:
        lines = _text(shown) if form == "text" else _markdown(shown)
        click.echo("\n".join(lines))


def _origin(thing: Mapping[str, Any]) -> str:
    """Where a line comes from: file and line, since when, and by what source."""
    parts = [f"{thing['file']}:{thing['line']}"]
    if thing.get("from"):
        parts.append(f"from {thing['from']}")
    if thing.get("until"):
        parts.append(f"until {thing['until']}")
    if thing.get("source"):
        parts.append(thing["source"])
    return printable(", ".join(parts))


def _span(shown: Mapping[str, Any]) -> str:
    return f"from {shown['since']}" + (f" until {shown['until']}" if shown["until"] else " on")


def _valued(title: str, things: list[dict[str, Any]]) -> Iterator[str]:
    if not things:
        return
    yield ""
    yield click.style(title, bold=True)
    name = max(len(each["name"]) for each in things)
    value = max(len(_value(each["value"])) for each in things)
    for each in things:
        shown = f"  {each['name']:<{name}}  {_value(each['value']):<{value}}"
        yield f"{shown}  {click.style(_origin(each), dim=True)}"


def _value(value: Json) -> str:
    return value if isinstance(value, str) else write_json(value)


def _text(shown: Mapping[str, Any]) -> Iterator[str]:
    title = f"{shown['jurisdiction']}  {shown['name']}, on {shown['on']}"
    yield f"{click.style(title, bold=True)}  (in force {_span(shown)})"
    parents = f", under {', '.join(shown['parents'])}" if shown["parents"] else ""
    yield f"Owner {shown['owner']}, review by {shown['review_by']}{parents}"
    yield click.style(f"Digest {shown['digest']}", dim=True)
    yield from _valued("Settings", shown["settings"])
    if shown["facts"]:
        yield ""
        yield click.style("Facts that the host supplies here", bold=True)
        for each in shown["facts"]:
            meaning = f"{each['value']}  {printable(each['description'])}"
            yield f"  {each['name']}  {meaning}  {click.style(_origin(each), dim=True)}"
    yield from _valued("Parameters", shown["parameters"])
    yield ""
    yield click.style("Renewal", bold=True)
    yield f"  Below {shown['floor']} paid down no deal is assessed, whatever the rules say."
    for rule in shown["rules"]:
        yield from _rule_text(rule)
    for each in shown["switched_off"]:
        where = click.style(_origin(each), dim=True)
        yield f"  without the {each['kind']} {each['name']}: {printable(each['reason'])}  {where}"
    for product in shown["products"]:
        yield ""
        title = click.style(f"Product {product['key']}: {printable(product['name'])}", bold=True)
        yield f"{title}  {click.style(_origin(product), dim=True)}"
        yield f"  {printable(product['description'])} Offered: {', '.join(product['amounts'])} of the maximum."
        for kind, settings in product["calculators"].items():
            yield f"  {kind}: {_settings(settings)}"
        for rule in product["rules"]:
            yield from _rule_text(rule)


def _settings(settings: Mapping[str, Any]) -> str:
    more = {name: value for name, value in settings.items() if name != "calculator"}
    figures = printable(", ".join(f"{name} {_value(value)}" for name, value in more.items()))
    return f"{settings['calculator']}{f' ({figures})' if figures else ''}"


def _rule_text(rule: Mapping[str, Any]) -> Iterator[str]:
    refers = "" if rule["otherwise"] == "decline" else "  (otherwise a person looks at it)"
    yield f"  {click.style(rule['code'], fg='cyan')}  {printable(rule['words'])}{refers}"
    if rule["when"]:
        yield f"      when     {printable(rule['when'])}"
    yield f"      require  {printable(rule['require'])}"
    yield f"      says     {printable(rule['reason'])}"
    yield click.style(f"      {rule['id']}, {_origin(rule)}", dim=True)


def _markdown(shown: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {shown['name']} ({shown['jurisdiction']}) on {shown['on']}"
    yield ""
    yield f"In force {_span(shown)}. Owner {shown['owner']}, review by {shown['review_by']}."
    if shown["parents"]:
        yield f"Overlays {', '.join(shown['parents'])}."
    yield ""
    yield f"Digest `{shown['digest']}`."
    for title, key in (("Settings", "settings"), ("Parameters", "parameters")):
        if shown[key]:
            yield from ("", f"## {title}", "", "| name | value | origin |", "|---|---|---|")
            for each in shown[key]:
                yield _row(f"`{each['name']}`", _value(each["value"]), _origin(each))
    if shown["facts"]:
        yield from ("", "## Facts that the host supplies here", "")
        yield from ("| name | can be | meaning | origin |", "|---|---|---|---|")
        for each in shown["facts"]:
            yield _row(f"`{each['name']}`", each["value"], each["description"], _origin(each))
    yield from ("", "## Renewal", "")
    yield f"Below {shown['floor']} paid down no deal is assessed, whatever the rules say."
    yield from _rules_markdown(shown["rules"])
    if shown["switched_off"]:
        yield from ("", "Switched off:", "")
        for each in shown["switched_off"]:
            yield f"- the {each['kind']} `{each['name']}`: {printable(each['reason'])} ({_origin(each)})"
    for product in shown["products"]:
        yield from ("", f"## {printable(product['name'])} (`{product['key']}`)", "")
        yield f"{printable(product['description'])} Offered: {', '.join(product['amounts'])} of the maximum."
        yield ""
        for kind, settings in product["calculators"].items():
            yield f"- {kind}: {_settings(settings)}"
        yield from _rules_markdown(product["rules"])


def _rules_markdown(rules: list[dict[str, Any]]) -> Iterator[str]:
    head = ("code", "in words", "otherwise", "sentence", "rule", "origin")
    yield from ("", _row(*head), f"|{'---|' * len(head)}")
    for rule in rules:
        written = f"`{rule['require']}`" + (f", when `{rule['when']}`" if rule["when"] else "")
        cells = (rule["code"], rule["words"], rule["otherwise"], rule["reason"])
        yield _row(*cells, written, _origin(rule))


def _row(*cells: str) -> str:
    return f"| {' | '.join(printable(cell).replace('|', chr(92) + '|') for cell in cells)} |"


@click.command("diff")
@click.argument("what", nargs=-1, required=True)
@click.option("--from", "start", type=Day(), help="The day before the change.")
@click.option("--to", "end", type=Day(), help="The day after it.")
@click.option("--on", type=Day(), help="With two folders: one day alone.")
@in_form("text", "json")
@in_folder
def diff_command(
    what: tuple[str, ...],
    *,
    start: date | None,
    end: date | None,
    on: date | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Say what changed, rule by rule, in words.

    `holdback diff GB --from 2026-06-30 --to 2026-07-01` compares two days of a jurisdiction; `holdback diff
    OLD NEW` compares two folders of jurisdictions, on every day on which anything changes or on one day.
    Leaves with 1 when something changed.
    """
    if len(what) == 1:
        if start is None or end is None or on is not None:
            raise click.UsageError("a jurisdiction is compared --from a day --to another")
        try:
            jurisdiction = load_one(folder, what[0])
            before, after = overview(jurisdiction, start), overview(jurisdiction, end)
        except InvalidDocument as error:
            fail(error, f"The rules of {printable(what[0])}")
        changed = {f"{jurisdiction.code} from {start} to {end}": [*differences(before, after)]}
    else:
        if len(what) > 2 or start or end or folder:  # an old and a new one
            raise click.UsageError("two folders are compared without --from, --to, --jurisdictions")
        old, new = (_folder(each) for each in what)
        changed = dict(_between(old, new, on))
    told = {title: found for title, found in changed.items() if found}
    if form == "json":
        plain = {title: [each.plain() for each in found] for title, found in told.items()}
        click.echo(write_json(plain))
    else:
        click.echo("\n".join(_diff_lines(told)) if told else "Nothing changed.")
    sys.exit(FINDINGS if told else FINE)


def _folder(name: str) -> Jurisdictions:
    path = Path(name)
    if not path.is_dir():
        raise click.UsageError(f"there is no folder {printable(name)}")
    return load(path)


def _between(
    old: Jurisdictions, new: Jurisdictions, on: date | None
) -> Iterator[tuple[str, list[Difference]]]:
    """What is different between two folders, by jurisdiction and day."""
    for code in sorted({*old.codes, *new.codes}):
        if code not in old.codes or code not in new.codes:
            state, there = ("removed", old) if code in old.codes else (ADDED, new)
            yield code, [Difference(state=state, kind="jurisdiction", name=there[code].name)]
            continue
        before: list[Difference] = []
        for day in [on] if on else sorted({*old[code].changes, *new[code].changes}):
            found = _on_day(old[code], new[code], day)
            if found != before:  # else it goes on as it was
                yield f"{code} {'on' if on else 'from'} {day}", found or [_AGAIN]
            before = found


_AGAIN: Final = Difference(state=CHANGED, kind="jurisdiction", name="as it was, from here on")


def _on_day(old: Jurisdiction, new: Jurisdiction, day: date) -> list[Difference]:
    for state, one, other in ((ADDED, old, new), ("removed", new, old)):
        if day < one.changes[0]:
            if day < other.changes[0]:
                return []
            name = f"rules before {one.changes[0]}"
            return [Difference(state=state, kind="jurisdiction", name=name)]
    return [*differences(overview(old, day), overview(new, day))]


def _diff_lines(told: Mapping[str, list[Difference]]) -> Iterator[str]:
    for title, found in told.items():
        yield click.style(title, bold=True)
        for each in found:
            colour = _COLOURS.get(each.state, "red")
            yield f"  {click.style(each.state, fg=colour)} {each.kind} {printable(each.name)}"
            yield from (f"      {printable(detail)}" for detail in each.details)


@click.command("replay")
@click.argument("record", type=click.File("rb"))
@in_form("text", "json")
@in_folder
def replay_command(record: Any, *, form: str, folder: Path | None) -> None:
    """
    Derive the decision in RECORD again, from its digest, day and facts.

    RECORD is a decision record as JSON, or an event with decisions: of an assessment, or of the products
    that were offered. Leaves with 1 when the answer is another,
    or when the rulebook with that digest is not at hand.
    """
    jurisdictions = load_readable(folder)
    try:
        document = wire.read_json(record.read(SCENARIO_BYTES + 1))
        result = _replayed(document, jurisdictions)
    except InvalidDocument as error:
        fail(error, record.name)
    if form == "json":
        click.echo(write_json(result.plain()))
    else:
        click.echo("\n".join(_replay_lines(result)))
    sys.exit(FINE if result.state == SAME else FINDINGS)


def _replayed(document: Json, jurisdictions: Jurisdictions) -> Replay:
    """What *document* decides, derived again: a decision record, or an event that has decisions."""
    if isinstance(document, Mapping) and "offer_set" in document:
        event = {**_exact(document), "assessment": _exact(document.get("assessment"))}
        return replay_offers(event, jurisdictions)
    nested = document.get("assessment") if isinstance(document, Mapping) else None
    return replay(_exact(nested if isinstance(nested, Mapping) else document), jurisdictions)


def _exact(record: Json) -> Json:
    """*record* with exact numbers for its facts."""
    if not isinstance(record, Mapping) or not isinstance(record.get("facts"), Mapping):
        return record
    return {**record, "facts": wire.read_evidence(record["facts"], path="$.facts")}


def _replay_lines(result: Replay) -> Iterator[str]:
    if result.state == NOT_AT_HAND:
        yield click.style("The rulebook with this digest is not at hand.", fg="red", bold=True)
        yield f"  recorded  {printable(result.digest)}"
        yield f"  at hand   {result.at_hand or 'no rules of that jurisdiction on that day'}"
        yield "  give the folder as it was then: --jurisdictions PATH"
        return
    assert result.rulebook is not None, "it was found"
    colour = "green" if result.state == SAME else "red"
    where = f"{result.rulebook.code} on {result.rulebook.on}"
    yield click.style(f"{where}: {result.state}", fg=colour, bold=True)
    yield from (f"  {printable(each)}" for each in result.differences)
    if result.wording:
        yield "To know, and of no weight:"
        yield from (f"  {printable(each)}" for each in result.wording)
    yield click.style(f"Digest {printable(result.digest)}", dim=True)
