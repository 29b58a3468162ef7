"""
A policy document as a page, for paper.

It writes what was proved of the rules, and who approved the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from holdback.jurisdictions.keys import LOOSEN
from holdback.jurisdictions.timeline import Period
from holdback.rules.render import in_words
from holdback.tools.displays.page import page_lines
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_document import READS, claim_sentence
from holdback.tools.policy.policy_html import STYLE, count, day_text, text
from holdback.tools.policy.policy_record import page_digest
from holdback.tools.policy.policy_sections import (
    changes,
    differs,
    figures,
    how_decided,
    in_short,
    owner_and_sources,
    products,
    renewals,
    service,
    terms,
    timelines,
    what_is_read,
    which_data,
    who_decides,
)
from holdback.tools.proofs.broken_claim import SAYS_SOMETHING
from holdback.tools.proofs.child_and_parent import KEEPS_UP
from holdback.tools.proofs.claim_meanings import CLAIMS
from holdback.tools.proofs.finding import INFORMATION, SEVERITIES, Finding
from holdback.tools.sanity.sanity import CLAIM_WITHOUT_DAYS
from holdback.tools.sanity.switched_off import SWITCHED_OFF_RULES
from holdback.tools.workbench.proving import ProofReport

# What a claim means for readers who do not write rules; a claim that is not here has its own words.
_FOR_READERS: Final = {
    "somebody-passes": "The rules do not exclude everybody: some deal can pass.",
    "rule-passes": "No rule is impossible to meet.",
    "rule-fails": "No rule is met by everybody.",
    "when-applies": "No rule is limited to deals that do not exist.",
    "clause-decides": "No part of a rule is superfluous.",
    "rule-decides": "No rule is superfluous: each of them decides about some deal.",
    "reason-bound": "A reason says “at least” where its rule includes the bound, and “more than” "
    "where it does not.",
    "ended-fails": "Only a deal that is open or repaid can be renewed.",
}
_STATED: Final = "stated-"
_OF_CLAIMS: Final = frozenset({CLAIM_WITHOUT_DAYS, SAYS_SOMETHING})
_NOBODY_PASSES: Final = frozenset({"somebody-passes", "rule-passes"})
_NOT_ASKED: Final = (
    "whether rules, prices and texts are lawful, fair or good business; whether what checks, "
    "partners and merchants report is true; what calculators of the service's own return; and what "
    "held on days that are over. That prices are computed as the terms say is tested with "
    "examples, not proved."
)
_NOT_PROVED: Final = (
    "<b>Not proved here.</b> This document was made without the solver that answers for every deal "
    "that could exist."
)


def proved(policy: PolicyPage) -> Iterator[str]:
    """Yield what was proved, what does not hold, and what was not asked."""
    if policy.proved is None:
        yield f'<div class="box"><p>{_NOT_PROVED}</p></div>'
    else:
        yield from _proved(policy, policy.proved)
    yield f"<p><b>Not asked, here or anywhere:</b> {_NOT_ASKED}</p>"


def _proved(policy: PolicyPage, report: ProofReport) -> Iterator[str]:
    findings = [finding for finding in report.findings if finding.severity != INFORMATION]
    asked = count(report.questions, "question")
    if not findings:
        holds = "<b>Proved for every deal that could exist</b>, without an exception"
        yield f'<div class="box"><p>{holds} ({asked}):</p></div>'
    else:
        yield '<div class="box bad"><p><b>Not everything holds.</b> These are open:</p><ul>'
        yield from (f"<li>{_finding(finding)}</li>" for finding in findings)
        yield "</ul></div>"
    failed = {name for finding in findings for name in (finding.claim, *finding.follows)}
    if failed & _NOBODY_PASSES:
        return  # what is asked of those who pass holds of nobody
    if findings:
        yield f"<p>Proved for every deal that could exist ({asked}):</p>"
    yield "<ul>"
    for claim, meaning in CLAIMS.items():
        if claim not in failed and not claim.startswith(_STATED) and _is_about(claim, policy):
            yield f"<li>{text(_FOR_READERS.get(claim, f'{meaning.sentence}.'))}</li>"
    yield from _stated(policy, failed, findings)
    yield "</ul>"


def _is_about(claim: str, policy: PolicyPage) -> bool:
    """Return whether *claim* says something of the jurisdiction."""
    if claim in {SWITCHED_OFF_RULES, KEEPS_UP}:
        return bool(policy.names)
    return claim not in _OF_CLAIMS or bool(policy.jurisdiction.claims)


def _stated(
    policy: PolicyPage, failed: Collection[str], findings: Iterable[Finding]
) -> Iterator[str]:
    """Yield what the files claim of the day and is proved, each claim in words."""
    parent = next(iter(policy.names.values()), "")
    day = Period(policy.on, policy.on + timedelta(days=1))
    vacuous = {
        (place.file, place.line)
        for finding in findings
        if finding.claim == SAYS_SOMETHING
        for place in finding.places
    }
    for claim in policy.jurisdiction.policy.claims_in(day):
        says_nothing = (claim.file, claim.line) in vacuous or claim.text == LOOSEN
        if f"{_STATED}{claim.kind}" not in failed and not says_nothing:
            sentence = claim_sentence(claim, policy.rulebook, parent)
            yield f"<li>{text(sentence)}</li>"


def _finding(finding: Finding) -> str:
    """Return a finding in words, with the deal that shows it; its places are left out."""
    days = "".join(
        f" {word} {day_text(day)}"
        for word, day in (("from", finding.since), ("until", finding.until))
        if day is not None
    )
    message = _quoted(finding.detail.message)
    shown = finding.witness
    example = "" if shown is None else f" For example {shown.words}."
    return f"<b>{text(SEVERITIES[finding.severity])}{days}</b>: {text(f'{message}.{example}')}"


def _quoted(message: str) -> str:
    """Return *message* with quotation marks for the marks around names and expressions."""
    parts = message.split("`")
    return "".join(f"“{part}”" if place % 2 else part for place, part in enumerate(parts))


_SECTIONS: Final[Sequence[tuple[str, Callable[[PolicyPage], Iterator[str]]]]] = (
    ("In short", in_short),
    ("How a decision is made", how_decided),
    ("Who decides, and how a merchant complains", who_decides),
    (READS, what_is_read),
    ("Who may renew", renewals),
    ("Products", products),
    ("How it differs", differs),
    ("Figures", figures),
    ("What holds when", timelines),
    ("What changes", changes),
    ("Which data decide", which_data),
    ("What the words mean", terms),
    ("Service terms and checks", service),
    ("What was proved", proved),
    ("Owner and sources", owner_and_sources),
)


def policy_page(policy: PolicyPage) -> Iterator[str]:
    """Yield the lines of the page."""
    title = f"Policy of {policy.rulebook.name} on {day_text(policy.on)}"
    return page_lines(title, _parts(policy, title), STYLE)


def _parts(policy: PolicyPage, title: str) -> Iterator[str]:
    written = [(heading, list(write(policy))) for heading, write in _SECTIONS]
    sections = [(heading, lines) for heading, lines in written if lines]
    says = page_digest(policy)
    sections.append(("Who approved this text", list(_approval(policy, says))))
    yield from _header(policy, says)
    yield '<nav aria-label="Contents"><ol>'
    for number, (heading, _) in enumerate(sections, start=1):
        yield f'<li><a href="#s{number}">{text(heading)}</a></li>'
    yield "</ol></nav>"
    for number, (heading, lines) in enumerate(sections, start=1):
        yield f'<section><h2 id="s{number}">{number}. {text(heading)}</h2>'
        yield from lines
        yield "</section>"
    yield f"<footer>{text(title)}.</footer>"


def _approval(policy: PolicyPage, says: str) -> Iterator[str]:
    """Yield who approved what the page *says*, when, and which version that is."""
    since = day_text(policy.rulebook.since)
    yield (
        f"<p><b>Approved:</b> {text(_approved(policy, says))}. This version of the policy of "
        f"{text(policy.rulebook.name)} is in force since {since}. An approval is of the text with "
        "the second fingerprint, and ends when the text changes.</p>"
        f'<p class="digest">Fingerprint of the rules: {policy.rulebook.digest}<br/>'
        f"Fingerprint of this text: {says}</p>"
    )


def _header(policy: PolicyPage, says: str) -> Iterator[str]:
    rulebook = policy.rulebook
    yield "<header>"
    yield '<p class="kind">Policy for merchant financing</p>'
    yield f"<h1>{text(rulebook.name)}</h1>"
    yield f'<p class="lead">Who may renew, and what is offered, on {day_text(policy.on)}.</p>'
    yield '<dl class="facts">'
    for term, value in _about(policy, says):
        yield f"<div><dt>{text(term)}</dt><dd>{text(value)}</dd></div>"
    yield "</dl></header>"


def _about(policy: PolicyPage, says: str) -> Iterator[tuple[str, str]]:
    rulebook, following = policy.rulebook, policy.next_change
    yield "Owner", rulebook.owner
    overdue = " (overdue on this day)" if rulebook.review_by < policy.on else ""
    yield "To be reviewed by", f"{day_text(rulebook.review_by)}{overdue}"
    yield "Unchanged since", day_text(rulebook.since)
    yield "Next change", "none is planned" if following is None else day_text(following)
    yield "Jurisdiction and currency", f"{policy.jurisdiction.code}, {rulebook.currency.code}"
    yield "Approved", _approved(policy, says)
    if policy.names:
        yield "Based on the policy of", in_words(policy.names.values())


def _approved(policy: PolicyPage, says: str) -> str:
    """Return who approved what the page *says*, by its digest; nobody, or another text before."""
    valid = [line for line in policy.approvals if line.digest == says]
    if valid:
        return in_words([f"by {line.by} on {day_text(line.on)}" for line in valid])
    if policy.approvals:
        last = policy.approvals[-1]
        return f"changed since {last.by} approved it on {day_text(last.on)}"
    return "nobody has approved this text"
