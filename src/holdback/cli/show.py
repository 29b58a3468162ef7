"""`holdback show`: the rules of a jurisdiction on a day, each with its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import click
from attrs import evolve

from holdback.cli.output import format_option, print_answer, reading, value_text
from holdback.cli.prove import proved_if_possible
from holdback.cli.sources import (
    Day,
    jurisdictions_option,
    load_one,
    load_valid,
    read_lock_file,
    select,
)
from holdback.errors import InvalidDocument, printable
from holdback.exact.exact_json import Json
from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.rulebooks.product_terms import QUEUE
from holdback.tools.policy.approvals import of_period, page_of
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_page import policy_page
from holdback.tools.workbench.differences import differences
from holdback.tools.workbench.overview import overview

# A line of an overview: a rule, a parameter, a fact, a setting or a product, as plain values.
_Line = Mapping[str, Any]

# The tables of values, by title, each with its key in an overview.
_EACH_OFFER: Final = "What must be true of each offer; one of which it is not is left out."
_FUNDING: Final = "While one of these is not true, an accepted offer is not paid out."
_VALUES: Final = (("Settings", "settings"), ("Checks", "checks"), ("Parameters", "parameters"))


@click.command("show")
@click.argument("jurisdiction")
@click.option("--on", type=Day(), required=True, help="The day whose rules are shown: 2026-07-01.")
@click.option("--to", type=Day(), help="Also what changes up to this day.")
@format_option("text", "json", "markdown", "html")
@jurisdictions_option
def show_command(
    jurisdiction: str, *, on: date, to: date | None, form: str, folder: Path | None
) -> None:
    """
    Show the rules, parameters and products of JURISDICTION that are in force on a day.

    Each line names its file and its source; each rule is also written in plain words. As HTML it is
    a policy document to read on paper.
    """
    if to is not None and to <= on:
        raise click.UsageError("--to is a day after --on")
    with reading(f"The rules of {jurisdiction}"):
        read = load_one(folder, jurisdiction)
        shown = overview(read, on)
    if form == "html":
        click.echo("\n".join(policy_page(_policy(folder, read, on, to))))
        return
    if to is not None:
        shown["changes"] = list(_changes(read, on, to))
    print_answer(form, shown, _markdown_lines(shown) if form == "markdown" else _text_lines(shown))


def _policy(folder: Path | None, read: Jurisdiction, on: date, to: date | None) -> PolicyPage:
    """What a page is about: the jurisdiction, those above it, what was proved, who approved."""
    valid = load_valid(folder)
    page = page_of(valid, read.code, on)
    lock, _, errors = read_lock_file(select(None, folder))
    with reading("The lock, which has who approved the text,"):
        if errors:
            raise InvalidDocument(errors)
    return evolve(
        page,
        to=to,
        proved=proved_if_possible(folder, valid, read.code, on),
        approvals=of_period(page, lock),
    )


def _changes(read: Jurisdiction, on: date, to: date) -> Iterator[dict[str, Json]]:
    """What changes after *on*, up to *to*, day by day."""
    before = overview(read, on)
    for day in (day for day in read.changes if on < day <= to):
        after = overview(read, day)
        changes = [change.plain() for change in differences(before, after)]
        if changes:
            yield {"on": day.isoformat(), "changes": changes}
        before = after


def _origin(line: _Line) -> str:
    """Where *line* was written, its period and its source."""
    parts = [f"{line['file']}:{line['line']}"]
    if line.get("from"):
        parts.append(f"from {line['from']}")
    if line.get("until"):
        parts.append(f"until {line['until']}")
    if line.get("source"):
        parts.append(line["source"])
    return printable(", ".join(parts))


def _period(shown: _Line) -> str:
    """The days on which the rules shown are in force."""
    return f"from {shown['since']}" + (f" until {shown['until']}" if shown["until"] else " on")


def _floor_sentence(shown: _Line) -> str:
    return f"Below {shown['floor']} paid down no deal is assessed."


def _offered(product: _Line) -> str:
    amounts = ", ".join(product["amounts"])
    queued = " A renewal waits until the deal before it is repaid."
    more = queued if product["renewal"] == QUEUE else ""
    return f"{printable(product['description'])} Offered: {amounts} of the maximum.{more}"


def _priced(product: _Line) -> Iterator[str]:
    """The calculators of a product, and its fees."""
    for kind, settings in product["calculators"].items():
        yield f"{kind}: {_calculator(settings)}"
    for fee in product["fees"]:
        yield f"fee {fee['name']}: {fee['value']} ({_origin(fee)})"


def _calculator(settings: _Line) -> str:
    """The name of a calculator, with its settings."""
    figures = ", ".join(
        f"{name} {value_text(value)}" for name, value in settings.items() if name != "calculator"
    )
    return f"{settings['calculator']}{f' ({printable(figures)})' if figures else ''}"


def _text_lines(shown: _Line) -> Iterator[str]:
    title = f"{shown['jurisdiction']}  {shown['name']}, on {shown['on']}"
    yield f"{click.style(title, bold=True)}  (in force {_period(shown)})"
    parents = f", under {', '.join(shown['parents'])}" if shown["parents"] else ""
    yield f"Owner {shown['owner']}, review by {shown['review_by']}{parents}"
    yield click.style(f"Digest {shown['digest']}", dim=True)
    yield from _value_table("Settings", shown["settings"])
    if shown["facts"]:
        yield ""
        yield click.style("Facts that the host supplies here", bold=True)
        for fact in shown["facts"]:
            meaning = f"{fact['value']}  {printable(fact['description'])}"
            yield f"  {fact['name']}  {meaning}  {click.style(_origin(fact), dim=True)}"
    yield from _value_table("Checks", shown["checks"])
    yield from _value_table("Parameters", shown["parameters"])
    yield ""
    yield click.style("Renewal", bold=True)
    yield f"  {_floor_sentence(shown)}"
    yield from _rules_text(shown, shown["rules"], None)
    for dropped in shown["switched_off"]:
        origin = click.style(_origin(dropped), dim=True)
        of = f" of {dropped['product']}" if "product" in dropped else ""
        name = f"{dropped['kind']} {dropped['name']}{of}"
        yield f"  without the {name}: {printable(dropped['reason'])}  {origin}"
    for product in shown["products"]:
        yield ""
        title = click.style(f"Product {product['key']}: {printable(product['name'])}", bold=True)
        yield f"{title}  {click.style(_origin(product), dim=True)}"
        yield f"  {_offered(product)}"
        yield from (f"  {line}" for line in _priced(product))
        yield from _rules_text(shown, product["rules"], product["key"])
        if product["offer_rules"]:
            yield f"  {_EACH_OFFER}"
            for rule in product["offer_rules"]:
                yield from _rule_text(rule)
    if shown["funding"]:
        yield from ("", click.style("Funding", bold=True), f"  {_FUNDING}")
        for rule in shown["funding"]:
            yield from _rule_text(rule)
    for day in shown.get("changes", ()):
        yield ""
        yield click.style(f"Changes on {day['on']}", bold=True)
        for change in day["changes"]:
            yield f"  {change['state']} {change['kind']} {printable(change['name'])}"
            yield from (f"      {printable(detail)}" for detail in change["details"])


def _value_table(title: str, lines: list[dict[str, Any]]) -> Iterator[str]:
    """Names, values and origins in three columns under *title*, if there are any *lines*."""
    if not lines:
        return
    yield ""
    yield click.style(title, bold=True)
    name_width = max(len(line["name"]) for line in lines)
    value_width = max(len(value_text(line["value"])) for line in lines)
    for line in lines:
        columns = f"{line['name']:<{name_width}}  {value_text(line['value']):<{value_width}}"
        yield f"  {columns}  {click.style(_origin(line), dim=True)}"


def _rules_text(shown: _Line, rules: list[_Line], product: str | None) -> Iterator[str]:
    """The *rules* of a product, or of renewals, and their tables."""
    for rule in rules:
        yield from _rule_text(rule)
    for table in _tables_of(shown, product):
        yield from _table_text(table)


def _rule_text(rule: _Line) -> Iterator[str]:
    refers = "" if rule["otherwise"] == "decline" else "  (otherwise a person looks at it)"
    yield f"  {click.style(rule['code'], fg='cyan')}  {printable(rule['words'])}{refers}"
    if rule["when"]:
        yield f"      when     {printable(rule['when'])}"
    yield f"      require  {printable(rule['require'])}"
    yield f"      says     {printable(rule['reason'])}"
    yield click.style(f"      {rule['id']}, {_origin(rule)}", dim=True)


def _tables_of(shown: _Line, product: str | None) -> Iterator[_Line]:
    """The tables of the *product* with this key, or of renewals."""
    for table in shown["tables"]:
        keys = table["products"]
        if (keys is None) == (product is None) and (not keys or product in keys):
            yield table


def _cells(table: _Line) -> list[list[str]]:
    """The head of *table* and its rows, each with its code in front."""
    rows = zip(table["codes"], table["rows"], strict=True)
    return [["code", *table["columns"]], *([code, *cells] for code, cells in rows)]


def _table_text(table: _Line) -> Iterator[str]:
    """A table in columns, as wide as their longest cell."""
    yield f"  Table {table['id']}  {click.style(_origin(table), dim=True)}"
    cells = [[printable(cell) or "-" for cell in row] for row in _cells(table)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield f"      {'  '.join(padded).rstrip()}"


def _markdown_lines(shown: _Line) -> Iterator[str]:
    yield f"# {shown['name']} ({shown['jurisdiction']}) on {shown['on']}"
    yield ""
    yield f"In force {_period(shown)}. Owner {shown['owner']}, review by {shown['review_by']}."
    if shown["parents"]:
        yield f"Overlays {', '.join(shown['parents'])}."
    yield ""
    yield f"Digest `{shown['digest']}`."
    for title, key in _VALUES:
        if shown[key]:
            yield from ("", f"## {title}", "", "| name | value | origin |", "|---|---|---|")
            for line in shown[key]:
                yield _row(f"`{line['name']}`", value_text(line["value"]), _origin(line))
    if shown["facts"]:
        yield from ("", "## Facts that the host supplies here", "")
        yield from ("| name | can be | meaning | origin |", "|---|---|---|---|")
        for fact in shown["facts"]:
            yield _row(f"`{fact['name']}`", fact["value"], fact["description"], _origin(fact))
    yield from ("", "## Renewal", "", _floor_sentence(shown))
    yield from _rules_markdown(shown["rules"])
    yield from _tables_markdown(shown, None)
    if shown["switched_off"]:
        yield from ("", "Switched off:", "")
        for dropped in shown["switched_off"]:
            of = f" of `{dropped['product']}`" if "product" in dropped else ""
            name = f"{dropped['kind']} `{dropped['name']}`{of}"
            yield f"- the {name}: {printable(dropped['reason'])} ({_origin(dropped)})"
    for product in shown["products"]:
        yield from ("", f"## {printable(product['name'])} (`{product['key']}`)", "")
        yield from (_offered(product), "")
        yield from (f"- {line}" for line in _priced(product))
        yield from _rules_markdown(product["rules"])
        yield from _tables_markdown(shown, product["key"])
        if product["offer_rules"]:
            yield from ("", _EACH_OFFER)
            yield from _rules_markdown(product["offer_rules"])
    if shown["funding"]:
        yield from ("", "## Funding", "", _FUNDING)
        yield from _rules_markdown(shown["funding"])
    yield from _changes_markdown(shown)


def _changes_markdown(shown: _Line) -> Iterator[str]:
    for day in shown.get("changes", ()):
        yield from ("", f"## Changes on {day['on']}", "")
        for change in day["changes"]:
            details = "; ".join(change["details"])
            name = f"{change['state']} {change['kind']} {change['name']}"
            yield printable(f"- {name}{f': {details}' if details else ''}")


def _rules_markdown(rules: list[dict[str, Any]]) -> Iterator[str]:
    head = ("code", "in words", "otherwise", "sentence", "rule", "origin")
    yield from ("", _row(*head), f"|{'---|' * len(head)}")
    for rule in rules:
        source = f"`{rule['require']}`" + (f", when `{rule['when']}`" if rule["when"] else "")
        cells = (rule["code"], rule["words"], rule["otherwise"], rule["reason"])
        yield _row(*cells, source, _origin(rule))


def _tables_markdown(shown: _Line, product: str | None) -> Iterator[str]:
    for table in _tables_of(shown, product):
        head, *rows = _cells(table)
        yield from ("", f"Table `{table['id']}` ({_origin(table)}):", "")
        yield from (_row(*head), f"|{'---|' * len(head)}")
        yield from (_row(*row) for row in rows)


def _row(*cells: str) -> str:
    """A row of a Markdown table; a bar within a cell is escaped."""
    return f"| {' | '.join(printable(cell).replace('|', chr(92) + '|') for cell in cells)} |"
