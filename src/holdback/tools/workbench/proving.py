"""What `holdback prove` says of a jurisdiction: its findings, with a deal to paste for each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Final

from attrs import evolve

from holdback.errors import ConfigurationError, InvalidDocument
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.tools.example_run import Answer, run_example
from holdback.tools.proofs.finding import Finding
from holdback.tools.proofs.witness import Witness
from holdback.tools.sanity.gaps import GAP
from holdback.tools.sanity.root_causes import root_causes
from holdback.tools.sanity.sanity import sanity

if TYPE_CHECKING:  # it imports the solver, which is an extra
    from holdback.tools.proofs.claims import Prover

_PASTED: Final = "# What the rules answer now; if that is wrong, write what they should answer.\n"


@frozen(kw_only=True)
class ProofReport:
    """What was proved of one jurisdiction: the number of questions asked, and the findings."""

    jurisdiction: str
    questions: int
    findings: tuple[Finding, ...]


def prove(
    prover: Prover,
    jurisdiction: Jurisdiction,
    on: date | None = None,
    *,
    with_inherited: bool = False,
) -> ProofReport:
    """
    Return what *prover* proves of *jurisdiction*; what ended before the day *on* is past.

    What is wrong with rules that it inherits is a finding of its parent; *with_inherited* it is one
    of its own too, for a person who proves this jurisdiction alone and does not see its parent.
    """
    before = prover.asked
    findings = all_findings(prover, jurisdiction, on, inherited=with_inherited)
    return ProofReport(
        jurisdiction=jurisdiction.code,
        questions=prover.asked - before,
        findings=tuple(_with_example(finding, jurisdiction) for finding in findings),
    )


def all_findings(
    prover: Prover, jurisdiction: Jurisdiction, on: date | None = None, *, inherited: bool = False
) -> list[Finding]:
    """Return what is wrong with *jurisdiction*, with a solver and without: a headline for each."""
    proved = prover.findings(jurisdiction, on, inherited=inherited)
    seen = list(_sane(prover, jurisdiction, on))
    return root_causes(jurisdiction, seen, proved)


def _sane(prover: Prover, jurisdiction: Jurisdiction, on: date | None) -> Iterator[Finding]:
    """Yield what is seen in the files of *jurisdiction* without a solver, a gap with a deal."""
    layers = [
        prover.jurisdictions[layer.code]
        for layer in jurisdiction.policy.layers
        if layer.code in prover.jurisdictions.codes
    ]
    for finding in sanity(layers, on):
        if finding.jurisdiction == jurisdiction.code:
            is_gap = finding.claim == GAP
            yield prover.with_gap_shown(jurisdiction, finding) if is_gap else finding


def _with_example(finding: Finding, jurisdiction: Jurisdiction) -> Finding:
    """Return *finding* with its deal as an example to paste."""
    witness = finding.witness
    if witness is None or witness.is_offer:  # an example gives no figures
        return finding
    pasted = _example(finding.detail.message, witness, jurisdiction)
    return evolve(finding, witness=evolve(witness, pasted=pasted))


def _example(name: str, witness: Witness, jurisdiction: Jurisdiction) -> str | None:
    """Return the example of *witness* that expects what the rules answer, asked again here."""
    example = Example(
        name=name,
        on=witness.on,
        product=witness.product,
        given=witness.known,
        expect=Answer("to be answered").expected(witness.product),
        file="",
        line=None,
    )
    try:
        run = run_example(example, jurisdiction.rulebook(witness.on))
    except (InvalidDocument, ConfigurationError):
        return None
    return _PASTED + witness.example(name, run.got.expected(witness.product))
