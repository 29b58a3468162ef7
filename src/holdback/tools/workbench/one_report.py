"""One report of what was proved and of what was found without a proof: each cause once.

A rule that is the wrong way round lets the wrong deals pass, fails its examples, and has a
threshold that no example shows. The proof says why, so it is the headline
(decisions/proofs#one-report).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from attrs import evolve

from holdback.errors import ErrorDetail
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.source_rules import SourceRule
from holdback.tools.example_run import ExampleRun
from holdback.tools.lint.lint import run_or_error
from holdback.tools.proofs.finding import ERROR, SEVERITIES, WARNING, Finding, Place
from holdback.tools.sanity.jumps import JUMP
from holdback.tools.sanity.root_causes import STATED, joined
from holdback.tools.sanity.sanity import FREE_MONEY, IMPLAUSIBLE_PRICE, NO_OFFER, RISING_PRICE
from holdback.tools.sanity.unlikely import DEFAULT_NOT_ASKED, LONG_OFFER, MAXIMUM_NOT_OFFERED
from holdback.tools.workbench.proving import ProofReport

# What a wrong rule brings with it: it decides nothing, its examples fail, or none shows it.
_FOLLOWING: Final = frozenset({"no_effect", "not_tested", "failed_example"})

# What brings examples with it whose offers, limits or settings are others.
_OF_TERMS: Final = frozenset(
    {LONG_OFFER, MAXIMUM_NOT_OFFERED, FREE_MONEY, IMPLAUSIBLE_PRICE, NO_OFFER, RISING_PRICE}
)

_Line: TypeAlias = tuple[str | None, int | None]


def one_report(
    jurisdictions: Jurisdictions, details: Iterable[ErrorDetail], proofs: Iterable[ProofReport]
) -> tuple[list[ErrorDetail], list[ProofReport]]:
    """
    Return those of *details* that follow from nothing proved, and *proofs* with those that do.

    A headline names the first of what follows from it, has the lines of all, and is as serious.
    """
    rules, left = _RulesByLine.of(jurisdictions), list[ErrorDetail]()
    reports = list(proofs)
    for detail in details:
        for number, report in enumerate(reports):
            cause = rules.cause(detail, report.findings)
            if cause is not None:
                place = report.findings.index(cause)
                findings = [*report.findings]
                findings[place] = joined(cause, _as_finding(detail, cause))
                reports[number] = evolve(report, findings=tuple(findings))
                break
        else:
            left.append(detail)
    return left, reports


def _as_finding(detail: ErrorDetail, cause: Finding) -> Finding:
    place = Place(file=detail.file or "", line=detail.line, text=detail.message)
    return Finding(
        claim=detail.code,
        severity=ERROR,
        jurisdiction=cause.jurisdiction,
        detail=detail,
        places=(place,),
    )


@frozen
class _RulesByLine:
    """
    The rules that are on a line, or read the value that is there, and examples by their line.

    `differing` has the product of an example that fails, and in which codes and facts it does.
    """

    rules: dict[_Line, set[SourceRule]]
    values: dict[_Line, set[SourceRule]]
    examples: dict[_Line, set[SourceRule]]
    differing: dict[_Line, tuple[str | None, tuple[str, ...]]]
    facts: dict[SourceRule, frozenset[str]]

    @classmethod
    def of(cls, jurisdictions: Jurisdictions) -> _RulesByLine:
        """Return those of *jurisdictions*."""
        read = cls({}, {}, {}, {}, {})
        for jurisdiction in jurisdictions:
            read._add(jurisdiction)
        return read

    def _add(self, jurisdiction: Jurisdiction) -> None:
        by_code: dict[str, set[SourceRule]] = {}
        for rule in (rule for rulebook in jurisdiction.slices for rule in rulebook.all_rules):
            source: SourceRule = rule.origin
            by_code.setdefault(rule.code, set()).add(source)
            self.facts[source] = frozenset(rule.checked.names)
            for line in source.lines:
                self.rules.setdefault((source.file, line), set()).add(source)
            for name in rule.checked.parameters:
                for entry in jurisdiction.policy.parameters[name].timeline.entries:
                    if entry.node is not None:
                        value = entry.node.entries()["value"]
                        where = (value.document.file, value.line)
                        self.values.setdefault(where, set()).add(source)
        for run in (run_or_error(jurisdiction, example) for example in jurisdiction.examples):
            if isinstance(run, ExampleRun) and not run.passed:
                where = (run.example.file, run.example.line)
                wrong = {rule for code in run.differing for rule in by_code.get(code, ())}
                self.examples.setdefault(where, set()).update(wrong)
                self.differing[where] = (run.example.product, tuple(run.differing))

    def cause(self, detail: ErrorDetail, findings: Sequence[Finding]) -> Finding | None:
        """Return which of *findings*, the worst first, *detail* follows from."""
        if detail.code not in _FOLLOWING:
            return None
        line = (detail.file, detail.line)
        about = self.examples.get(line) or self.rules.get(line) or set()
        order = list(SEVERITIES)
        certain = [finding for finding in findings if finding.severity in (ERROR, WARNING)]
        for finding in sorted(certain, key=lambda finding: order.index(finding.severity)):
            if about & {*self._rules_of(finding)}:
                return finding
        facts = {name for rule in about for name in self.facts[rule]}
        for finding in certain:
            is_stated = finding.claim.startswith(STATED)
            if (is_stated and facts & finding.reads) or self._brings(finding, line):
                return finding
        return None

    def _brings(self, finding: Finding, line: _Line) -> bool:
        """Return whether the example on *line* fails for *finding*, which is of no rule's line."""
        product, names = self.differing.get(line, (None, None))
        if names is None or product != finding.product:
            return False
        if finding.claim == DEFAULT_NOT_ASKED:
            return not finding.reads.isdisjoint(names)
        return not names and finding.claim in _OF_TERMS

    def _rules_of(self, finding: Finding) -> Iterator[SourceRule]:
        """Yield the rules that *finding* comes from; those of a value only where it jumped."""
        for place in finding.places:
            yield from self.rules.get((place.file, place.line), ())
            if finding.claim == JUMP:
                yield from self.values.get((place.file, place.line), ())
