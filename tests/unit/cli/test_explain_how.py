"""`holdback explain --how`, `--pace` and `--product`, as typed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from every_case import for_every
from holdback import load_jurisdictions
from holdback.cli.commands import holdback

DEAL = {
    **{
        name: value if isinstance(value, bool | int) else str(value)
        for name, value in load_jurisdictions()["GB"].typical["renewal"].items()
    },
    "performance": "76%",
}


@pytest.fixture
def explain(tmp_path):
    """Run `holdback explain GB` on facts, on a day, with more arguments."""

    def run(facts, *arguments, on="2026-07-01"):
        path = tmp_path / "facts.json"
        path.write_text(json.dumps(facts), encoding="utf-8")
        command = ["explain", "GB", str(path), "--on", on, *arguments]
        return CliRunner().invoke(holdback, command)

    return run


def test_how_says_what_would_help(explain):
    """
    `explain --how` says in words what would help, in the jurisdiction's number format.
    """
    ran = explain(DEAL | {"balance": "20000.00"}, "--how")

    assert ran.exit_code == 0
    said = ran.output.partition("What would help\n")[2].partition("Trace\n")[0]
    assert said.splitlines() == [
        "  It would be enough if all of this is true:",
        "  - the performance is at least 80% of what is expected (now 76%)",
        "  - the balance is at most £15,000.00 (now £20,000.00)",
        "  Or if all of this is true:",
        "  - the performance is at least 80% of what is expected (now 76%)",
        "  - the monthly average of takings is at least £26,666.67 (now £20,000.00)",
    ]


def test_how_for_machines(explain):
    """
    `--format json` has what would help and the windows as plain values.
    """
    ran = explain(DEAL, "--how", "--pace", "GBP 100", "--days", "5", "--format", "json")
    plain = json.loads(ran.output)

    (way,) = plain["what_would_help"]["ways"]
    assert [(move["fact"], move["to"]) for move in way["moves"]] == [("performance", "80%")]
    assert plain["what_would_help"]["complete"] is True
    assert plain["windows"]["until"] == "2026-07-06"
    assert explain(DEAL, "--format", "json").output.find("what_would_help") == -1


def test_how_says_what_to_fetch_and_what_cannot_be_met(explain):
    """
    Which missing fact to fetch next; where no value of what is missing helps, it says so.
    """
    good = DEAL | {"performance": "90%"}
    without = {name: value for name, value in good.items() if name != "deals_defaulted"}
    fetch = explain(without, "--how").output
    useless = explain({**without, "performance": "76%"}, "--how").output
    never = explain({**good, "deals_defaulted": 1}, "--how").output

    assert "  To fetch, the first first: deals_defaulted\n" in fetch
    assert "To fetch" not in useless
    assert "  What is still missing cannot be enough alone.\n" in useless
    assert "  There is no change that would be enough.\n  No change meets GB-R-05.\n" in never


def test_when_it_would_pass(explain):
    """
    `--pace` says on which days the deal would pass, and what that assumes.
    """
    said = explain(DEAL, "--pace", "0.5%").output.partition("When it would pass\n")[2]

    assert said.startswith("  From 12/07/2026 to 09/12/2026.\n  Assumed: 0.5% of the repayment")


def test_an_application_is_asked_about_a_product(explain):
    """
    `explain --product flex` asks the rules of a product, as for an application.
    """
    facts = {
        "identity_verified": True,
        "business_verified": True,
        "credit_score": 560,
        "average_monthly_takings": "20000.00",
        "months_trading": 36,
        "deals_defaulted": 0,
    }
    ran = explain(facts, "--product", "flex", "--how")
    accepted = explain(facts | {"credit_score": 700}, "--product", "flex", "--format", "json")
    notice = explain(facts, "--product", "flex", "--notice")

    said = "GB, flex on 2026-07-01: Declined\n  As an initial application\n  GB-P-03  "
    assert ran.output.startswith(said)
    assert "  It would be enough if the credit score is at least 620 (now 560).\n" in ran.output
    assert json.loads(accepted.output)["decision"] == "Accepted"
    assert notice.output.startswith("1. The credit score is 560; at least 580 is needed.\n")


ACCEPTABLE = {
    "identity_verified": True,
    "business_verified": True,
    "credit_score": 700,
    "average_monthly_takings": "20000.00",
    "months_trading": 36,
    "deals_defaulted": 0,
}
ROOM = "The current deal would need £24,000.00 to be settled; at most £24,000.00 can be offered."


def test_a_product_is_priced(explain):
    """
    Where the rules accept and no offer fits, `explain` says Declined and why, and so does a notice.
    """
    renewal = ACCEPTABLE | {"balance": "24000.00"}
    ran = explain(renewal, "--product", "flex")
    answer = json.loads(explain(renewal, "--product", "flex", "--format", "json").output)
    notice = explain(renewal, "--product", "flex", "--notice")

    assert ran.output.splitlines()[:3] == [
        "GB, flex on 2026-07-01: Declined",
        "  As a renewal that settles GBP 24000.00",
        f"  SETTLEMENT  {ROOM}",
    ]
    assert (answer["decision"], answer["settles"]) == ("Declined", "GBP 24000.00")
    assert notice.output.splitlines() == [
        f"1. {ROOM}",
        "   measured   settlement £24,000.00",
        "   threshold  settlement less than £24,000.00",
    ]


def test_an_initial_application_settles_nothing(explain):
    """
    Without a balance the product is priced as an initial application, and the answer says so.
    """
    ran = explain(ACCEPTABLE, "--product", "flex")
    answer = json.loads(explain(ACCEPTABLE, "--product", "flex", "--format", "json").output)

    assert ran.output.startswith("GB, flex on 2026-07-01: Accepted\n  As an initial application\n")
    assert (answer["decision"], answer["settles"], answer["reasons"]) == ("Accepted", None, [])


@for_every("arguments", [("--product", "flex"), ()])
def test_a_notice_where_a_fact_is_missing(explain, arguments):
    """
    Where nothing is known, a notice has the service's reason and no figures.
    """
    notice = explain({}, *arguments, "--notice")
    expected = "1. A person looks at the application, or more has to be known first.\n"

    assert notice.output == expected


@for_every(
    ("arguments", "message"),
    [
        (
            ("--product", "flx"),
            "there is no product of that key on 2026-07-01; did you mean `flex`",
        ),
        (("--pace", "slow"), "a pace is what is remitted on a day: `GBP 52.44`, or `0.4%`"),
        (("--days", "0"), "expected a number of days from 1 to 3660"),
        (("--how", "--format", "record"), "a record is the assessment of a renewal alone"),
        (("--product", "flex", "--format", "record"), "leave out --product"),
        (("--how", "--notice"), "--notice prints the reasons alone"),
    ],
)
def test_misuse(explain, arguments, message):
    """
    Errors say what is wrong and what to do; the exit code is 2.
    """
    ran = explain(DEAL, *arguments)

    assert ran.exit_code == 2
    assert message in ran.output
    assert "Traceback" not in ran.output


def test_funding_asks_the_rules_of_fundings(explain):
    """
    `explain --funding` says whether a payout waits, for whom, and what would let it out.
    """
    known = {"identity_verified": True, "business_verified": False, "deals_defaulted": 0}
    ran = explain(known, "--funding", "--how", on="2026-11-27")

    assert ran.exit_code == 0
    outcome, reason, *helps = ran.output.partition("Trace\n")[0].splitlines()
    assert outcome == "GB, funding on 2026-11-27: referred"
    assert "  GB-F-02  The business is not verified any more; a person looks at it." in reason
    assert helps == ["What would help", "  It would be enough if the business is verified."]
    unknown = explain({"deals_defaulted": 0}, "--funding", "--format", "json", on="2026-11-27")
    plain = json.loads(unknown.output)
    assert (plain["funding"], plain["needs"]) == (
        "waits",
        ["identity_verified", "business_verified"],
    )
    assert "decision" not in plain
    assert explain(known, "--funding", "--product", "flex").exit_code == 2
