"""
Every fault planted in a copy of a shipped file has exactly one headline, and its deal shows it.

The faults are in `proof_faults.py`. A deal that a finding shows is assessed again here, by the
reference interpreter and by `assess`, in the rules with the fault.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from functools import cache

import pytest
from fault_edits import Fault, family, planted, shipped
from proof_faults import FAULTS

from counts import count
from holdback.jurisdictions.keys import NEVER, OVERLAY
from holdback.rules import interpret
from holdback.tools.lint.lint import never_accepted
from holdback.tools.proofs.claims import Prover, is_possible
from holdback.tools.proofs.finding import ERROR, INFORMATION, WARNING
from holdback.tools.proofs.question import moved_to
from holdback.tools.workbench.proving import all_findings
from small_folders import loaded

CHUNKS = 5
PLANTED = [*FAULTS][:: len(FAULTS) // count("faults planted in files that ship")]
# The day on which everybody looks, where a fault is not of the past.
TODAY = date(2026, 11, 24)
# Faults of which a deal is an example. Of the others there is no deal, which is what is wrong.
SHOWN = {
    "ended-fails", "more-progress-helps", "more-performance-helps", "stated-never",
    "stated-always", "stated-overlay",
}  # fmt: skip


class Found:
    """What is found in a family of folders: the findings, and what `check` says of applications."""

    def __init__(self, folders, on):
        self.jurisdictions = loaded(**folders)
        prover = Prover(self.jurisdictions)
        self.findings = [
            finding
            for jurisdiction in self.jurisdictions
            for finding in all_findings(prover, jurisdiction, on)
            if finding.severity != INFORMATION
        ]
        self.never_accepted = [
            detail for one in self.jurisdictions for detail in never_accepted(one)
        ]


@cache
def without_a_fault(codes, on):
    """The headlines of copies in which nothing is planted."""
    found = Found({code: shipped(code) for code in codes}, on)
    assert not found.never_accepted
    return {headline(finding) for finding in found.findings}


def headline(finding):
    return finding.claim, finding.jurisdiction, finding.product, finding.detail.message


def new_findings(fault):
    """What is found because of *fault*, and the jurisdictions with it."""
    on = fault.on or TODAY
    found = Found(planted(fault), on)
    before = without_a_fault(family(fault.folder), on)
    new = [finding for finding in found.findings if headline(finding) not in before]
    return new, found


# -- a deal of a finding, assessed again


def rulebook_on(found, code, day):
    return found.jurisdictions.resolve(code, on=day)


def passes(found, finding, day, facts, *, code=None):
    """Whether a deal with *facts* is eligible, or an application accepted, on a *day*."""
    rulebook = rulebook_on(found, code or finding.jurisdiction, day)
    own = moved_to(rulebook.catalogue, finding.witness.catalogue, facts)
    if finding.product is None:
        return rulebook.assess_prepared(own).eligible
    terms = next(terms for terms in rulebook.products if terms.key == finding.product)
    return all(interpret(rule.checked, own) is True for rule in terms.rules.rules)


def shows_ended(found, finding):
    witness = finding.witness
    ended = witness.known["status"] not in {"Funded", "Repaid"}
    return ended and passes(found, finding, witness.on, witness.facts)


def shows_more_hurts(found, finding):
    witness = finding.witness
    name = finding.claim.split("-")[1]
    differs = [
        fact.name
        for fact, before, after in zip(
            witness.catalogue.facts, witness.facts, witness.after, strict=True
        )
        if before != after
    ]
    place = witness.catalogue.place(name)
    assert is_possible(witness.after, witness.catalogue.currency)
    return (
        differs == [name]
        and witness.after[place] > witness.facts[place]
        and passes(found, finding, witness.on, witness.facts)
        and not passes(found, finding, witness.on, witness.after)
    )


def shows_stated(found, finding):
    """The deal passes, and what is claimed of such deals is not so."""
    witness = finding.witness
    lines = {(place.file, place.line) for place in finding.places}
    policy = found.jurisdictions[finding.jurisdiction].policy
    claims = [one for layer in policy.layers for one in layer.claims]
    claim = next(one for one in claims if (one.file, one.line) in lines)
    if not passes(found, finding, witness.on, witness.facts):
        return False
    if claim.kind == OVERLAY:
        parent = finding.jurisdiction.partition("-")[0]
        return not passes(found, finding, witness.on, witness.facts, code=parent)
    rulebook = rulebook_on(found, finding.jurisdiction, witness.on)
    answer = interpret(claim.checked(rulebook.catalogue), witness.facts)
    return answer is True if claim.kind == NEVER else answer is not True


def shows_gap(found, finding):
    """The deal passes on a day of the gap, and neither before nor after it."""
    facts, before = finding.witness.facts, finding.since - timedelta(days=1)
    return passes(found, finding, finding.since, facts) and not any(
        passes(found, finding, day, facts) for day in (before, finding.until)
    )


def is_shown(found, finding):
    """Whether the deal of a *finding* can exist, lies in its days, and shows what is said."""
    witness = finding.witness
    assert is_possible(witness.facts, witness.catalogue.currency)
    assert (finding.since or date.min) <= witness.on < (finding.until or date.max)
    if finding.claim == "gap":
        return shows_gap(found, finding)
    if finding.claim.startswith("more-"):
        return shows_more_hurts(found, finding)
    if finding.claim == "ended-fails":
        return shows_ended(found, finding)
    # A claim that a file states, by itself or because of another fault.
    return shows_stated(found, finding)


def check_one_headline(fault: Fault):
    """Check that *fault* has one headline, the right one, with a deal where there can be one."""
    new, found = new_findings(fault)
    claims = [finding.claim for finding in new]
    claims += ["never-accepted"] * len(found.never_accepted)
    assert claims == [fault.claim], [finding.detail.message for finding in new]
    for finding in new:
        assert finding.severity in {ERROR, WARNING}
        assert (finding.jurisdiction, finding.product) == (fault.folder, fault.product)
        assert finding.detail.file.startswith(f"{fault.folder}/")
        assert finding.detail.line
        assert finding.detail.hint
        assert finding.witness or finding.claim not in SHOWN
        assert finding.witness is None or is_shown(found, finding)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_planted_fault_has_one_headline(chunk):
    """
    "100 planted faults in copies of shipped files ... all found, exactly one headline each, each
    witness replayed."
    """
    wrong = {}
    for name in PLANTED[chunk::CHUNKS]:
        try:
            check_one_headline(FAULTS[name])
        except AssertionError as error:
            wrong[name] = str(error)
    assert not wrong


def test_the_faults_are_spread():
    """There are a hundred, of every kind, in every jurisdiction, for renewals and for products."""
    folders = Counter(fault.folder for fault in FAULTS.values())
    claims = Counter(fault.claim for fault in FAULTS.values())

    assert len(FAULTS) >= 100
    assert len(folders) == 10
    assert min(folders.values()) >= 8
    assert {*SHOWN, "gap", "somebody-passes", "rule-passes", "rule-fails", "when-applies",
            "rule-decides", "clause-decides", "switched-off-rules", "reason-figure", "free-money",
            "rising-price", "far-date", "never-accepted"} <= claims.keys()  # fmt: skip
    assert sum(fault.product is not None for fault in FAULTS.values()) >= 30
    assert sum(fault.on is not None for fault in FAULTS.values()) >= 8  # in one slice of the past
