"""`holdback audit`: a table of audits, and what is refused; its cases are those of disclosures."""

from __future__ import annotations

import json

import pytest
from invocation import invoke

HEAD = "audit,disclosed_apr,retrospective_apr"


@pytest.fixture
def audit(tmp_path):
    """Audit deals, given as lines of a file."""

    def run(*lines, form="text"):
        file = tmp_path / "deals.csv"
        file.write_text("\n".join(lines), encoding="utf-8")
        return invoke("audit", file, "--format", form)

    return run


def test_audits_are_in_the_order_of_their_months(audit):
    """
    Rows come in any order, and deals of one month are one audit.
    """
    ran = audit(HEAD, "2027-12,40%,46%", "2027-08,50%,51%", "2028-01,40,44", "2027-12,40%,48%")
    assert ran.exit_code == 0
    assert [line.split()[:4] for line in ran.stdout.splitlines()[1:4]] == [
        ["2027-08", "1", "0", "2.0000%"],
        ["2027-12", "2", "0", "17.5000%"],
        ["2028-01", "1", "0", "10.0000%"],
    ]
    assert "Not barred from own projections (10 CCR 931(a)(5)" in ran.stdout
    assert "California asks for an audit every four months" in ran.stdout


def test_an_audit_that_bars(audit):
    """
    "Over 15: barred 24 months unless history would have been worse": a later audit changes nothing.
    """
    late = [
        f"2028-{month:02},40%,{came}%" for month, came in ((1, 46), (5, 46.1), (9, 46), (10, 1))
    ]
    ran = audit(HEAD, *late)
    assert ran.exit_code == 1
    assert "Barred from own projections for 24 months, by the audit of 2028-09," in ran.stdout
    assert audit(HEAD, *late, form="json").exit_code == 1


def test_deals_that_take_no_part(audit):
    """
    "Without litigated, stopped or modified ones": they need no rates, and a flag may be false.
    """
    lines = [
        f"{HEAD},left_out,deal",
        "2027-04,40%,42%,no,a",
        "2027-04,,,Litigated,b",
        "2027-04,,,yes,c",
        "2027-08,,,stopped,d",
    ]
    first, second = json.loads(audit(*lines, form="json").stdout)
    assert (first["deals"], first["left_out"], first["spreads"]) == (1, 2, ["5.000000"])
    assert (second["deals"], second["left_out"], second["spread"]) == (0, 1, None)
    assert second["mean_difference"] is None


def test_a_difference_by_amounts_needs_them(audit):
    """
    Without amounts there is a mean difference by deals alone.
    """
    (answer,) = json.loads(audit(HEAD, "2027-04,40%,42%", form="json").stdout)
    assert (answer["mean_difference"], answer["mean_difference_by_amount"]) == ("2.000000", None)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "2027-04,,42%,5,",
            ":2 disclosed_apr: expected a rate such as `35.5%`; `left_out` says why",
        ),
        ("2027-04,40%,-2%,5,", ":2 retrospective_apr: expected a rate from zero up"),
        ("2027-04,0%,42%,5,", ":2 disclosed_apr: a disclosed rate of zero has no spread"),
        ("2027-04,0.4,42%,5,", ":2 disclosed_apr: expected a percentage"),
        ("2027-04,40%,42%,0,", ":2 amount: expected an amount above zero, as other deals have one"),
        ("2027-04,40%,42%,5,litigatd", ":2 left_out: this is not a reason to leave a deal out"),
        ("2027,40%,42%,5,", ":2 audit: expected a month such as"),
    ],
)
def test_deals_that_cannot_be_read(audit, line, message):
    """
    A cell that cannot be read is named by its line and column.
    """
    ran = audit(f"{HEAD},amount,left_out", line, "2027-04,40%,42%,5,")
    assert ran.exit_code == 2
    assert message in ran.stderr, ran.stderr
