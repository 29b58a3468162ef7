"""The prover over several days and several jurisdictions: nothing that is wrong gets lost."""

from __future__ import annotations

from datetime import date

import pytest

from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import ERROR, INFORMATION, NOT_DECIDED
from holdback.tools.proofs.solver import MOST_UNDECIDED, Possibility, Solver
from small_folders import child, country, loaded, parameter, rule

PACE = rule("on-pace", "NL-R-01", "performance >= 70%")
ENDS, LAX = 'status in ["Funded", "Repaid"]', 'status in ["Funded", "Repaid", "Defaulted"]'
TYPICAL = '[typical]\nprogress = "64%"\nperformance = "97%"\nstatus = "Funded"\n'
MENDED = "2026-06-01"
TODAY = date(2026, 11, 1)


def status(code, require=ENDS, **days):
    """A version of the rule about the status."""
    return rule("not-ended", code, require, **days)


def renewals(*parts):
    """A country with these renewal rules."""
    return country() | {"renewal.toml": "\n".join(("format = 1\n", *parts, TYPICAL))}


def found(code="NL", *, on=TODAY, inherited=False, **folders):
    """The claims that do not hold of *code*, with how serious that is."""
    jurisdictions = loaded(**folders)
    findings = Prover(jurisdictions).findings(jurisdictions[code], on, inherited=inherited)
    return [(finding.claim, finding.severity) for finding in findings]


def claimed(*values):
    """A country that claims that nobody below a parameter's value passes."""
    claim = '[[claims]]\nnever = "performance < claimed_floor"\n\n'
    floor = parameter("claimed_floor", "percent", *values)
    return renewals(floor, PACE, status("NL-R-03"), claim)


def test_a_claim_is_asked_again_where_its_parameter_changes():
    """
    A claim may read a parameter that no rule reads: then the rules mean the same on both days.
    """
    before = ("2025-01-01", '"60%"')

    assert found(NL=claimed(before)) == []
    assert found(NL=claimed(before, (MENDED, '"75%"'))) == [("stated-never", ERROR)]


def test_a_claim_is_asked_again_of_a_child_that_replaces_its_parameter():
    """
    An inherited claim is about the child's own values.
    """
    own = parameter("claimed_floor", "percent", ("2025-01-01", '"80%"'))
    folders = {"NL": claimed(("2025-01-01", '"60%"')), "NL-ZH": child(renewal=own)}

    assert found(**folders) == []
    assert found("NL-ZH", **folders) == [("stated-never", ERROR)]


def test_what_the_parent_has_mended_is_an_error_of_a_child_that_brings_it_back():
    """
    Only what is wrong with the parent on the same day is a finding of the parent.
    """
    parent = renewals(PACE, status("NL-R-03", LAX, until=MENDED), status("NL-R-03", since=MENDED))
    again = status("NL-ZH-R-03", LAX, since=MENDED)
    folders = {"NL": parent, "NL-ZH": child(renewal=again)}

    assert found(**folders) == [("ended-fails", INFORMATION)]
    assert ("ended-fails", ERROR) in found("NL-ZH", **folders)


def test_what_is_inherited_is_said_once_and_again_of_a_child_alone():
    """
    A person who proves one child learns what is wrong with the rules that it inherits.
    """
    folders = {"NL": renewals(PACE, status("NL-R-03", LAX)), "NL-ZH": child()}

    assert found(**folders) == [("ended-fails", ERROR)]
    assert found("NL-ZH", **folders) == []
    assert found("NL-ZH", inherited=True, **folders) == [("ended-fails", ERROR)]


def test_a_parent_without_rules_lets_nobody_pass():
    """
    A child that is to tighten the rules of its parent cannot accept whom no parent's rule accepts.
    """
    ends = country()["products.toml"].replace(
        "from = 2025-01-01\n", f"from = 2025-01-01\nuntil = {MENDED}\n", 1
    )
    own = country("NL-ZH")["products.toml"].removeprefix("format = 1\n")
    claim = '[[claims]]\nproduct = "flex"\noverlay = "tighten"\n\n'
    folders = {
        "NL": country() | {"products.toml": ends},
        "NL-ZH": child(products=own + claim),
    }

    assert ("stated-overlay", ERROR) in found("NL-ZH", **folders)


def hard(*, changing):
    """A country with a rule that takes long to decide, and another whose parameter may change."""
    facts = "".join(
        f'[facts.c{place}]\ntype = "count"\ndescription = "A count."\nminimum = 0\nmaximum = 1\n'
        for place in range(27)
    )
    weights = [7_919 * place * place % 9_000_011 + 1_000_000 for place in range(1, 28)]
    terms = " + ".join(f"c{place} * {weight}" for place, weight in enumerate(weights))
    values = [("2025-01-01", "3"), (MENDED, "4")][: 1 + changing]
    rules = (
        parameter("most_missed", "count", *values),
        rule("hard", "NL-R-01", f"performance >= 70% and ({terms} != {sum(weights) // 2})"),
        rule("missed", "NL-R-02", "missed_remittances_30d <= most_missed"),
        status("NL-R-03"),
    )
    return renewals(*rules) | {"jurisdiction.toml": country(more=facts)["jurisdiction.toml"]}


@pytest.mark.parametrize("changing", [False, True])
def test_what_is_not_decided_is_not_decided_on_every_day(changing):
    """
    It is never fine and never past.
    """
    jurisdictions = loaded(NL=hard(changing=changing))
    prover = Prover(jurisdictions, limit=0.05)
    findings = prover.findings(jurisdictions["NL"], TODAY)

    undecided = [finding for finding in findings if finding.severity == NOT_DECIDED]
    assert "clause-decides" in {finding.claim for finding in undecided}
    assert all(finding.until is None for finding in undecided)


def test_the_solver_gives_up_after_a_few_questions_that_it_did_not_decide():
    """
    Each has taken its whole time, and there may be hundreds like them.
    """
    solver = Solver()
    assert solver.ask([]) is Possibility.POSSIBLE
    solver.undecided = MOST_UNDECIDED
    assert solver.ask([]) is Possibility.NOT_DECIDED
