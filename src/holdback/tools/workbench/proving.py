"""What `holdback prove` says of a jurisdiction: findings in words, with a deal to paste for each.

The findings are those of `holdback.tools.proofs`. Here they become texts, which can be printed,
kept and read again without the rules that they are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Self

from attrs import asdict, field

from holdback.errors import ConfigurationError, ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json
from holdback.exact.frozen_values import frozen_record
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Example, Jurisdiction
from holdback.tools.example_run import Answer, run_example
from holdback.tools.proofs.finding import (
    ERROR,
    INFORMATION,
    NOT_DECIDED,
    WARNING,
    Finding,
    Place,
    Severity,
)
from holdback.tools.proofs.witness import Witness
from holdback.tools.sanity.gaps import GAP
from holdback.tools.sanity.root_causes import root_causes
from holdback.tools.sanity.sanity import sanity

if TYPE_CHECKING:  # it imports the solver, which is an extra
    from holdback.tools.proofs.claims import Prover

# The severities in the order in which a person reads about them, with the word for each.
SEVERITIES: Final[Mapping[Severity, str]] = {
    ERROR: "error",
    NOT_DECIDED: "not decided",
    WARNING: "warning",
    INFORMATION: "information",
}
# What keeps a build from passing: an error, and what may be one.
FAILURES: Final = (ERROR, NOT_DECIDED)

_PASTED: Final = "# What the rules answer now; if that is wrong, write what they should answer.\n"


@frozen(kw_only=True)
class ShownDeal:
    """
    A deal that shows a finding: in words, by its facts, and as an example of a rule file.

    `example` is None where the deal cannot be priced here, because a calculator is a host's own.
    """

    on: date
    product: str | None
    words: str
    facts: Mapping[str, Json] = field(converter=frozen_record)
    example: str | None


@frozen(kw_only=True)
class ShownFinding:
    """A finding, ready to show; its attributes are those of `Finding`, with the deal as texts."""

    claim: str
    severity: Severity = field()
    jurisdiction: str
    product: str | None
    since: date | None
    until: date | None
    detail: ErrorDetail
    places: tuple[Place, ...]
    deal: ShownDeal | None
    follows: tuple[str, ...] = ()

    @severity.validator
    def _is_a_severity(self, _attribute: object, severity: str) -> None:
        if severity not in SEVERITIES:
            raise ValueError("expected a severity")

    @classmethod
    def of(cls, finding: Finding, jurisdiction: Jurisdiction) -> Self:
        """Return *finding*, which is about the rules of *jurisdiction*, ready to show."""
        return cls(
            claim=finding.claim,
            severity=finding.severity,
            jurisdiction=finding.jurisdiction,
            product=finding.product,
            since=finding.since,
            until=finding.until,
            detail=finding.detail,
            places=finding.places,
            deal=None if finding.witness is None else _deal(finding, finding.witness, jurisdiction),
            follows=finding.follows,
        )

    @classmethod
    def of_kept(cls, kept: Mapping[str, Any]) -> Self:
        """
        Return what `kept` returned.

        Raises:
            TypeError, ValueError, KeyError: it is something else.
        """
        deal = kept["deal"]
        return cls(
            **{
                **kept,
                "since": _day(kept["since"]),
                "until": _day(kept["until"]),
                "detail": ErrorDetail(**kept["detail"]),
                "places": tuple(Place(**place) for place in kept["places"]),
                "follows": tuple(kept["follows"]),
                "deal": deal and ShownDeal(**{**deal, "on": date.fromisoformat(deal["on"])}),
            }
        )

    def kept(self) -> dict[str, Json]:
        """Return it as plain values, complete."""
        return asdict(self, value_serializer=_plain)

    def plain(self) -> dict[str, Json]:
        """Return it as plain values for another program."""
        return {
            "claim": self.claim,
            "severity": self.severity,
            "jurisdiction": self.jurisdiction,
            "product": self.product,
            "from": _plain(None, None, self.since),
            "until": _plain(None, None, self.until),
            "message": self.detail.message,
            "hint": self.detail.hint,
            "file": self.detail.file,
            "line": self.detail.line,
            "column": self.detail.column,
            "places": [asdict(place) for place in self.places],
            "witness": None if self.deal is None else asdict(self.deal, value_serializer=_plain),
        }

    @property
    def days(self) -> str:
        """The days of which it holds, in words; empty when it holds of all."""
        parts = (("from", self.since), ("until", self.until))
        return " ".join(f"{word} {day}" for word, day in parts if day is not None)

    def lines(self) -> Iterator[str]:
        """Yield it for people: what is wrong and where, the line marked, what to do, and a deal."""
        place = f"{self.detail.place}: " if self.detail.place else ""
        yield f"{place}{SEVERITIES[self.severity]}: {self.detail.message}"
        hint = (self.detail.hint,) if self.detail.hint else ()
        for line in (*self.detail.marked(), *hint, *self.evidence()):
            yield f"    {line}".rstrip()

    def evidence(self) -> Iterator[str]:
        """Yield what follows the message: of which rules and days, the lines, and the deal."""
        about = "the rules of renewals" if self.product is None else f"the product `{self.product}`"
        yield f"{self.jurisdiction}, {about} {self.days}".rstrip()
        for place in self.places[1:]:  # the first is that of the headline
            position = place.file if place.line is None else f"{place.file}:{place.line}"
            yield f"see {position}: {place.text}"
        if self.deal is not None:
            yield f"for example on {self.deal.on}: {self.deal.words}"
            if self.deal.example is not None:
                yield ""
                yield from self.deal.example.splitlines()


@frozen(kw_only=True)
class ProofReport:
    """What was proved of one jurisdiction: the number of questions asked, and the findings."""

    jurisdiction: str
    questions: int
    findings: tuple[ShownFinding, ...]

    @property
    def decided(self) -> bool:
        """Whether every question got an answer in its time."""
        return all(finding.severity != NOT_DECIDED for finding in self.findings)

    @classmethod
    def of_kept(cls, kept: Mapping[str, Any]) -> Self:
        """
        Return what `kept` returned.

        Raises:
            TypeError, ValueError, KeyError: it is something else.
        """
        findings = tuple(ShownFinding.of_kept(finding) for finding in kept["findings"])
        return cls(**{**kept, "findings": findings})

    def kept(self) -> dict[str, Json]:
        """Return it as plain values, complete."""
        return {**asdict(self), "findings": [finding.kept() for finding in self.findings]}


def prove(
    prover: Prover, jurisdiction: Jurisdiction, on: date | None = None, *, alone: bool = False
) -> ProofReport:
    """
    Return what *prover* proves of *jurisdiction*; what ended before the day *on* is past.

    Where it is proved *alone*, what is wrong with the rules that it inherits is a finding too.
    """
    before = prover.asked
    findings = all_findings(prover, jurisdiction, on, inherited=alone)
    return ProofReport(
        jurisdiction=jurisdiction.code,
        questions=prover.asked - before,
        findings=tuple(ShownFinding.of(finding, jurisdiction) for finding in findings),
    )


def all_findings(
    prover: Prover, jurisdiction: Jurisdiction, on: date | None = None, *, inherited: bool = False
) -> list[Finding]:
    """Return what is wrong with *jurisdiction*, with a solver and without: a headline for each."""
    seen = list(_sane(prover, jurisdiction, on))
    proved = prover.findings(jurisdiction, on, inherited=inherited)
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


def _deal(finding: Finding, witness: Witness, jurisdiction: Jurisdiction) -> ShownDeal:
    return ShownDeal(
        on=witness.on,
        product=witness.product,
        words=witness.words,
        facts=witness.known,
        example=_example(finding.detail.message, witness, jurisdiction),
    )


def _example(name: str, witness: Witness, jurisdiction: Jurisdiction) -> str | None:
    """Return the example of *witness* that expects what the rules answer, asked again here."""
    # Only the product decides whether an answer is an outcome or a decision.
    key = "outcome" if witness.product is None else "decision"
    example = Example(
        name=name,
        on=witness.on,
        product=witness.product,
        given=witness.known,
        expect={key: "to be answered"},
        file="",
        line=None,
    )
    try:
        run = run_example(example, jurisdiction.rulebook(witness.on))
    except (InvalidDocument, ConfigurationError):
        return None
    return _PASTED + witness.example(name, _expected(key, run.got))


def _expected(key: str, answer: Answer) -> dict[str, Json]:
    """Return what an example expects that expects *answer*."""
    expected: dict[str, Json] = {key: answer.outcome}
    if answer.codes:
        expected["codes"] = list(answer.codes)
    if answer.needs:
        expected["needs"] = list(answer.needs)
    return expected


def _plain(_instance: object, _attribute: object, value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
