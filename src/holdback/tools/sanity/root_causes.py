"""One headline for each root cause: what follows from another finding is not said again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import reduce
from typing import Final

from attrs import evolve

from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED, WARNING, Finding
from holdback.tools.sanity.far_dates import FAR_DATE, is_far
from holdback.tools.sanity.gaps import GAP
from holdback.tools.sanity.jumps import JUMP
from holdback.tools.sanity.switched_off import SWITCHED_OFF_RULES
from holdback.tools.sanity.unlikely import DEFAULT_NOT_ASKED

# The claims that files state themselves.
STATED: Final = "stated-"
_STATED_OVERLAY: Final = "stated-overlay"
# What nobody is or gets because of a rule, as long as that rule is wrong.
_PART: Final = "part-passes"
_UNREACHED: Final = frozenset({_PART, "check-lasts", "band-reached"})
_DECIDES: Final = "rule-decides"
# From the least serious to the most. What was not decided follows from nothing that was.
_SERIOUS: Final = (INFORMATION, WARNING, ERROR)


def root_causes(
    jurisdiction: Jurisdiction, seen: Sequence[Finding], proved: Sequence[Finding]
) -> list[Finding]:
    """
    Return the findings that follow from no other one, of those *seen* in files and those *proved*.

    A headline is as serious as what follows from it, and names the first of that in its hint.
    """
    causes: list[Finding] = [_with_facts(jurisdiction, finding) for finding in seen]
    # A claim that a file states is broken by what is wrong with the rules, if something is.
    for finding in sorted(proved, key=_stage):
        cause = next(
            (place for place, cause in enumerate(causes) if _follows(jurisdiction, finding, cause)),
            None,
        )
        if cause is None:
            causes.append(finding)
        else:
            causes[cause] = joined(causes[cause], finding)
    return _with_idle_rules([*causes[len(seen) :], *causes[: len(seen)]])


def _with_idle_rules(causes: Sequence[Finding]) -> list[Finding]:
    """Return *causes*, where rules that decide nothing follow from a part that never passes."""
    shown, taken = list[Finding](), list[Finding]()
    for cause in causes:
        idle = [
            finding
            for finding in causes
            if (finding.claim, finding.product) == (_DECIDES, cause.product)
            and cause.claim == _PART
            and finding not in taken
            and _within(finding, cause)
        ]
        taken += idle
        shown.append(reduce(joined, idle, cause))
    return [finding for finding in shown if finding not in taken]


def _stage(finding: Finding) -> int:
    if finding.claim in _UNREACHED:
        return 3
    return 2 if finding.claim == _STATED_OVERLAY else int(finding.claim.startswith(STATED))


def _with_facts(jurisdiction: Jurisdiction, finding: Finding) -> Finding:
    """Return a *finding* of a value that jumped with the facts that its rules read."""
    if finding.claim != JUMP:
        return finding
    written = (finding.detail.file, finding.detail.line)
    names = {
        name
        for name, parameter in jurisdiction.policy.own_parameters.items()
        for entry in parameter.timeline.entries
        if entry.node is not None
        and (entry.node.document.file, entry.node.entries()["value"].line) == written
    }
    reading = (rule.checked for rulebook in jurisdiction.slices for rule in rulebook.all_rules)
    facts = (fact for checked in reading if names & {*checked.parameters} for fact in checked.names)
    return evolve(finding, reads=frozenset(facts))


def _follows(jurisdiction: Jurisdiction, finding: Finding, cause: Finding) -> bool:
    """Return whether a proved *finding* follows from *cause*."""
    if NOT_DECIDED in (finding.severity, cause.severity):
        return False
    if cause.claim == FAR_DATE:
        return any(day and is_far(jurisdiction, day) for day in (finding.since, finding.until))
    is_stated = finding.claim.startswith(STATED)
    if cause.claim == DEFAULT_NOT_ASKED:  # seen on the newest days alone
        same = finding.product == cause.product
        return is_stated and same and bool(finding.reads & cause.reads)
    if not _within(finding, cause):
        return False
    if finding.claim in _UNREACHED and cause.claim not in _UNREACHED:
        return (finding.detail.file, finding.detail.line) == (cause.detail.file, cause.detail.line)
    if cause.claim == JUMP:
        lines = {(place.file, place.line) for place in finding.places}
        written = (cause.detail.file, cause.detail.line)
        return written in lines or (is_stated and bool(finding.reads & cause.reads))
    if finding.product != cause.product:
        return False
    if cause.claim == GAP or not is_stated:
        return cause.claim == GAP
    if cause.claim == SWITCHED_OFF_RULES:
        return True
    is_overlay = finding.claim == _STATED_OVERLAY and bool(cause.reads)
    return is_overlay or bool(finding.reads & cause.reads)


def _within(finding: Finding, cause: Finding) -> bool:
    """Return whether the days of *finding* are all among those of *cause*."""
    starts = (cause.since or date.min) <= (finding.since or date.min)
    return starts and (finding.until or date.max) <= (cause.until or date.max)


def joined(cause: Finding, finding: Finding) -> Finding:
    """Return *cause* with what follows from it."""
    hint = cause.detail.hint or ""
    so = f"; so {finding.detail.message}"
    if "; so " not in hint:
        hint += so
    lines = {(place.file, place.line) for place in cause.places}
    more = (place for place in finding.places if (place.file, place.line) not in lines)
    return evolve(
        cause,
        severity=max(cause.severity, finding.severity, key=_SERIOUS.index),
        detail=evolve(cause.detail, hint=hint),
        places=(*cause.places, *more),
        reads=cause.reads | finding.reads,
        follows=(*cause.follows, finding.claim, *finding.follows),
        witness=cause.witness or finding.witness,
        deal_not_found=not (cause.witness or finding.witness)
        and (cause.deal_not_found or finding.deal_not_found),
    )
