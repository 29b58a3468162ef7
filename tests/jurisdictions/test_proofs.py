"""What is proved of the jurisdictions that ship."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

from holdback import load_jurisdictions
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import ERROR, INFORMATION
from holdback.tools.workbench.proving import all_findings

JURISDICTIONS = load_jurisdictions()
# The day of the newest rules.
NEWEST = max(jurisdiction.changes[-1] for jurisdiction in JURISDICTIONS)


@cache
def newest_findings():
    """What is found of each jurisdiction on the day of the newest rules."""
    prover = Prover(JURISDICTIONS)
    return [
        finding
        for jurisdiction in JURISDICTIONS
        for finding in all_findings(prover, jurisdiction, NEWEST)
    ]


def test_nothing_is_wrong_with_the_newest_rules():
    """
    "On what ships: no errors, no warnings ...; findings that lie wholly in past slices are
    information."
    """
    for finding in newest_findings():
        assert finding.severity == INFORMATION, finding.detail
        assert finding.until <= NEWEST


def test_what_was_wrong_is_an_error_of_its_days():
    """A finding is information from the day on which it ends, and not before."""
    past = newest_findings()
    assert past, "statuses were added, and rules that name those that end were mended later"

    for finding in past:
        on = finding.until - timedelta(days=1)
        jurisdiction = JURISDICTIONS[finding.jurisdiction]
        the_day_before = all_findings(Prover(JURISDICTIONS), jurisdiction, on)
        same = [other for other in the_day_before if other.detail == finding.detail]
        assert [other.severity for other in same] == [ERROR]
