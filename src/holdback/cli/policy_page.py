"""A policy document as a page: one HTML file without scripts, which loads nothing, for paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final

from holdback.cli.policy import PolicyPage
from holdback.cli.policy_html import day_text, joined, text
from holdback.cli.policy_proved import proved
from holdback.cli.policy_sections import (
    changes,
    figures,
    how_decided,
    in_short,
    owner_and_sources,
    products,
    renewals,
    service,
    terms,
    timelines,
)
from holdback.cli.policy_style import STYLE

# Nothing is loaded, and nothing runs.
_LOADS: Final = "default-src 'none'; style-src 'unsafe-inline'"

_SECTIONS: Final[Sequence[tuple[str, Callable[[PolicyPage], Iterator[str]]]]] = (
    ("In short", in_short),
    ("How a decision is made", how_decided),
    ("Who may renew", renewals),
    ("Products", products),
    ("Figures", figures),
    ("What holds when", timelines),
    ("What changes", changes),
    ("What the words mean", terms),
    ("Service terms and checks", service),
    ("What was proved", proved),
    ("Owner and sources", owner_and_sources),
)


def page_lines(policy: PolicyPage) -> Iterator[str]:
    """Yield the lines of the page."""
    title = f"Policy of {policy.rulebook.name} on {day_text(policy.on)}"
    written = [(heading, list(write(policy))) for heading, write in _SECTIONS]
    sections = [(heading, lines) for heading, lines in written if lines]
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_LOADS)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>\n{STYLE}\n</style>"
    yield "</head>"
    yield "<body>"
    yield from _header(policy)
    yield '<nav aria-label="Contents"><ol>'
    for number, (heading, _) in enumerate(sections, start=1):
        yield f'<li><a href="#s{number}">{text(heading)}</a></li>'
    yield "</ol></nav>"
    for number, (heading, lines) in enumerate(sections, start=1):
        yield f'<section><h2 id="s{number}">{number}. {text(heading)}</h2>'
        yield from lines
        yield "</section>"
    yield f"<footer>{text(title)}. Fingerprint of the rules: {policy.rulebook.digest}</footer>"
    yield "</body>"
    yield "</html>"


def _header(policy: PolicyPage) -> Iterator[str]:
    rulebook = policy.rulebook
    yield "<header>"
    yield '<p class="kind">Policy for merchant financing</p>'
    yield f"<h1>{text(rulebook.name)}</h1>"
    yield f'<p class="lead">Who may renew, and what is offered, on {day_text(policy.on)}.</p>'
    yield '<dl class="facts">'
    for term, value in _about(policy):
        yield f"<div><dt>{text(term)}</dt><dd>{text(value)}</dd></div>"
    yield "</dl></header>"


def _about(policy: PolicyPage) -> Iterator[tuple[str, str]]:
    rulebook, following = policy.rulebook, policy.next_change
    yield "Owner", rulebook.owner
    overdue = " (overdue on this day)" if rulebook.review_by < policy.on else ""
    yield "To be reviewed by", f"{day_text(rulebook.review_by)}{overdue}"
    yield "Unchanged since", day_text(rulebook.since)
    yield "Next change", "none is planned" if following is None else day_text(following)
    yield "Jurisdiction and currency", f"{policy.jurisdiction.code}, {rulebook.currency.code}"
    if policy.names:
        yield "Takes over the policy of", joined(policy.names.values())
