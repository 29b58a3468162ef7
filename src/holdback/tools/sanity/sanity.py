"""What is wrong with rule files and seen without a solver: what no policy means.

Nothing here asks whether a deal can exist; `claims` does. Each finding is one headline, with all
lines that it comes from (decisions/claims#findings-without-a-solver).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Final, TypeAlias

from attrs import evolve

from holdback.jurisdictions.jurisdiction import Jurisdiction
from holdback.tools.proofs.finding import INFORMATION, Finding
from holdback.tools.sanity.far_dates import far_dates, is_far
from holdback.tools.sanity.gaps import gaps
from holdback.tools.sanity.headline import Headline, Line, slices
from holdback.tools.sanity.jumps import jumps
from holdback.tools.sanity.prices import prices
from holdback.tools.sanity.reason_figures import contradicted_reasons
from holdback.tools.sanity.switched_off import mostly_switched_off

CLAIM_WITHOUT_DAYS: Final = "claim-without-days"

Check: TypeAlias = Callable[[Jurisdiction], Iterator[Finding]]


def sanity(jurisdictions: Iterable[Jurisdiction], on: date | None = None) -> Iterator[Finding]:
    """
    Yield the findings in the files of *jurisdictions* that are seen without a solver.

    What is wrong in a parent's file is a finding of the parent, and of a child only where the child
    makes it wrong. *on* is the current day: what lies wholly before it is information.

    >>> from holdback import load_jurisdictions
    >>> list(sanity(load_jurisdictions()))
    []
    """
    reported = set[object]()
    # Parents first: a child repeats what is wrong in an inherited reason.
    for jurisdiction in sorted(
        jurisdictions, key=lambda read: (len(read.policy.layers), read.code)
    ):
        for finding in sorted(_findings(jurisdiction), key=_place):
            key = (finding.claim, finding.detail.file, finding.detail.line, finding.detail.column)
            if key not in reported:
                yield _dated(finding, on)
            reported.add(key)


def _findings(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    yield from far_dates(jurisdiction)
    for gap in gaps(jurisdiction):
        # A version that begins in 2206 is one finding, not two.
        if not any(day is not None and is_far(jurisdiction, day) for day in (gap.since, gap.until)):
            yield gap
    checks: tuple[Check, ...] = (
        contradicted_reasons,
        prices,
        jumps,
        mostly_switched_off,
        _claims_without_days,
    )
    for check in checks:
        yield from check(jurisdiction)


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.detail.file or "", finding.detail.line or 0, finding.detail.column or 0


def _dated(finding: Finding, on: date | None) -> Finding:
    """Return *finding* as information where it lies wholly before the day *on*."""
    if on is None or finding.until is None or finding.until > on:
        return finding
    return evolve(finding, severity=INFORMATION)


def _claims_without_days(jurisdiction: Jurisdiction) -> Iterator[Finding]:
    """Yield own claims that hold on no day with rules, or on none with their product."""
    held = {
        claim
        for rulebook, period in slices(jurisdiction)
        for claim in jurisdiction.policy.claims_in(period)
        if claim.product is None or claim.product in {terms.key for terms in rulebook.products}
    }
    for claim in jurisdiction.policy.own.claims:
        if claim not in held:
            headline = Headline(
                claim=CLAIM_WITHOUT_DAYS,
                code="no_effect",
                message=f"the claim `{claim.name}` is about no day on which there are rules for it",
                hint="correct its `from` and `until`, or leave it out",
            )
            line = Line(claim.table.node.position(key=True), claim.text)
            yield headline.finding(jurisdiction, [line], product=claim.product)
