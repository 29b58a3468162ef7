"""The section of a policy document about what was proved of the rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Final

from holdback.cli.policy import PolicyPage
from holdback.cli.policy_html import count, day_text, text
from holdback.jurisdictions.timeline import Period
from holdback.tools.policy.claim_sentences import claim_sentence
from holdback.tools.proofs.claim_meanings import CLAIMS
from holdback.tools.proofs.finding import INFORMATION
from holdback.tools.proofs.sanity import CLAIM_WITHOUT_DAYS
from holdback.tools.proofs.switched_off import SWITCHED_OFF_RULES
from holdback.tools.workbench.proving import SEVERITIES, ShownFinding

# What a claim means for readers who do not write rules; a claim that is not here has its own words.
_FOR_READERS: Final = {
    "somebody-passes": "The rules do not exclude everybody: some deal can pass.",
    "rule-passes": "No rule is impossible to meet.",
    "rule-fails": "No rule is met by everybody.",
    "when-applies": "No rule is limited to deals that do not exist.",
    "clause-decides": "No part of a rule is superfluous.",
    "rule-decides": "No rule is superfluous: each of them decides about some deal.",
    "ended-fails": "Only a deal that is open or repaid can be renewed.",
}
_STATED: Final = "stated-"
_NOBODY_PASSES: Final = frozenset({"somebody-passes", "rule-passes"})
_NOT_PROVED: Final = (
    "<b>Not proved here.</b> This document was made without the solver that answers for every deal "
    "that could exist."
)


def proved(policy: PolicyPage) -> Iterator[str]:
    """Yield what was proved, and what does not hold; or that nothing was proved."""
    if policy.proved is None:
        yield f'<div class="box"><p>{_NOT_PROVED}</p></div>'
        return
    findings = [finding for finding in policy.proved.findings if finding.severity != INFORMATION]
    asked = count(policy.proved.questions, "question")
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
    yield from _stated(policy, failed)
    yield "</ul>"


def _is_about(claim: str, policy: PolicyPage) -> bool:
    """Return whether *claim* says something of the jurisdiction."""
    if claim == SWITCHED_OFF_RULES:
        return bool(policy.names)
    return claim != CLAIM_WITHOUT_DAYS or bool(policy.jurisdiction.claims)


def _stated(policy: PolicyPage, failed: Collection[str]) -> Iterator[str]:
    """Yield what the files claim of the day and is proved, each claim in words."""
    parent = next(iter(policy.names.values()), "")
    day = Period(policy.on, policy.on + timedelta(days=1))
    for claim in policy.jurisdiction.policy.claims_in(day):
        if f"{_STATED}{claim.kind}" not in failed:
            sentence = claim_sentence(claim, policy.rulebook, parent)
            yield f"<li>{text(sentence)}</li>"


def _finding(finding: ShownFinding) -> str:
    """Return a finding in words, with the deal that shows it; its places are left out."""
    days = "".join(
        f" {word} {day_text(day)}"
        for word, day in (("from", finding.since), ("until", finding.until))
        if day is not None
    )
    message = _quoted(finding.detail.message)
    example = "" if finding.deal is None else f" For example {finding.deal.words}."
    return f"<b>{text(SEVERITIES[finding.severity])}{days}</b>: {text(f'{message}.{example}')}"


def _quoted(message: str) -> str:
    """Return *message* with quotation marks for the marks around names and expressions."""
    parts = message.split("`")
    return "".join(f"“{part}”" if place % 2 else part for place, part in enumerate(parts))
