"""`holdback run` and `holdback explain`, as typed, with a typo or two."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from every_case import for_every
from holdback.cli.commands import holdback

STEP = {
    "at": "2026-07-06T09:00:00Z",
    "request_id": "r-1",
    "partner": "acme",
    "merchant_id": "m-1",
    "jurisdiction": "GB",
    "operation": "request_offers",
    "input": {
        "application": {
            "merchant_id": "m-1",
            "provider_id": None,
            "intended_use_of_funds": "stock",
            "currency": "GBP",
        },
        "consents": {},
        "applicants": [{}],
        "company": {},
    },
    "evidence": {
        "identity_verified": True,
        "business_verified": True,
        "credit_score": 700,
        "credit_checked_on": "2026-07-06",
        "average_monthly_takings": "20000.00",
        "months_trading": 36,
    },
}


def invoke(*arguments, **options):
    return CliRunner().invoke(holdback, [str(each) for each in arguments], **options)


@pytest.fixture
def written(tmp_path):
    """Writes a JSON document into a file of its own and gives its path."""

    def write(document, name="document.json"):
        path = tmp_path / name
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_run_prints_each_reply_as_the_wire_has_it(written):
    """
    Each reply is printed as a partner receives it, with the events and the reasons.
    """
    ran = invoke("run", written([STEP]), "--json")
    (step,) = json.loads(ran.output)

    assert ran.exit_code == 0
    assert list(step) == ["step", "operation", "reply", "events"]
    assert set(step["reply"]) == {"products", "expiresAt"}
    assert '"minimum":1000.00' in ran.output
    types = [event["type"] for event in step["events"]]
    assert types == ["EvidenceRecorded", "OffersIssued"]


def test_a_refused_step_leaves_with_1_and_the_others_go_on(written):
    """
    Exit code 1 if a step was refused.
    """
    refused = {**STEP, "request_id": "r-2", "operation": "accept_offer", "input": {"offer_id": "x"}}
    again = {**STEP, "request_id": "r-3"}
    ran = invoke("run", written([refused, again]), "--json")
    first, second = json.loads(ran.output)

    assert ran.exit_code == 1
    assert first["problem"]["code"] == "offer_not_found"
    assert "reply" in second


def test_a_pointer_into_the_replies(written):
    """
    Anywhere, a value may be `{"from": POINTER}`, a JSON Pointer into the replies so far.
    """
    accept = {
        **STEP,
        "request_id": "r-2",
        "operation": "accept_offer",
        "input": {"offer_id": {"from": "/0/products/0/offers/0/offer_id"}},
    }
    wrong = {**accept, "input": {"offer_id": {"from": "/0/products/9/offers/0/offer_id"}}}
    ran = invoke("run", written([STEP, wrong, accept]), "--json")
    _, missed, accepted = json.loads(ran.output)

    assert "points at nothing" in missed["problem"]["errors"][0]["message"]
    assert accepted["reply"]["offer"]["offer_status"] == "Accepted"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("[", "document.json cannot be read"),
        ("{}", "expected a list of steps"),
        ([{**STEP, "operatoin": "x"}], "did you mean `operation`?"),
        ([{**STEP, "operation": "request_ofers"}], "did you mean `request_offers`?"),
        ([{"at": 1}], "$[0].operation: the field is missing"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_a_scenario_that_cannot_be_read_leaves_with_2(written, document, said):
    """
    Exit code 2 for misuse or a document that cannot be read.
    """
    ran = invoke("run", written(document))

    assert ran.exit_code == 2
    assert said in ran.output
    assert "Traceback" not in ran.output


@for_every(
    "arguments",
    [
        ("rn",),
        ("run",),
        ("run", "no-such-file.json"),
        ("explain", "GB"),
        ("explain", "GB", "no-such-file.json", "--on", "2026-07-01"),
        ("demo", "--jsn"),
    ],
)
def test_misuse_leaves_with_2(arguments):
    """
    A typo exits with 2, a finding with 1.
    """
    assert invoke(*arguments).exit_code == 2


GOOD_FACTS = {
    "progress": "64%",
    "performance": "97%",
    "balance": "4000.00",
    "status": "Funded",
    "deal_type": "Initial",
    "days_since_funding": 140,
    "days_since_last_remittance": 2,
    "missed_remittances_30d": 0,
    "remaining_term_days": 90,
    "deals_completed": 0,
    "deals_defaulted": 0,
    "average_monthly_takings": "20000.00",
    "takings_trend": "100%",
    "months_trading": 40,
}


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({}, "eligible"),
        ({"progress": "49.9999%"}, "not assessed"),
        ({"performance": "10%"}, "ineligible"),
        ({"performance": None}, "undetermined"),
    ],
)
def test_explain_says_the_outcome(written, changed, outcome):
    """
    An assessment has the outcome, the reasons, what is missing, and the trace.
    """
    path = written({**GOOD_FACTS, **changed})
    ran = invoke("explain", "GB", path, "--on", "2026-07-01")

    assert ran.exit_code == 0
    assert ran.output.startswith(f"GB on 2026-07-01: {outcome}\n")
    if outcome == "undetermined":
        assert "Missing: performance" in ran.output
    if outcome == "ineligible":
        assert "renewal.toml:" in ran.output


def test_explain_for_machines(written):
    """
    `--format json` prints the assessment for machines.
    """
    path = written(GOOD_FACTS)
    ran = invoke("explain", "GB", path, "--on", "2026-07-01", "--format", "json")
    plain = json.loads(ran.output)

    keys = ["outcome", "eligible", "jurisdiction", "on", "digest", "reasons", "needs", "trace"]
    assert list(plain) == keys
    assert plain["eligible"] is True


@for_every(
    ("changed", "count"),
    [
        ({}, 0),
        ({"performance": "10%"}, 1),
        ({"performance": "10%", "missed_remittances_30d": 30, "deals_defaulted": 1}, 3),
        ({"performance": "10%", "missed_remittances_30d": 30, "deals_defaulted": 1,
          "days_since_funding": 1}, 4),
        ({"performance": "10%", "missed_remittances_30d": 30, "deals_defaulted": 1,
          "days_since_funding": 1, "balance": "900000.00"}, 5),
        ({"performance": "10%", "missed_remittances_30d": 30, "deals_defaulted": 1,
          "days_since_funding": 1, "balance": "900000.00", "status": "Cancelled"}, 6),
    ],
)  # fmt: skip
def test_a_notice_says_that_there_are_more_reasons(tmp_path, changed, count):
    """
    `--notice` prints at most four reasons, and says of how many.
    """
    path = tmp_path / "facts.json"
    path.write_text(json.dumps({**GOOD_FACTS, **changed}))
    notice = ("explain", "GB", path, "--on", "2026-07-01", "--notice")
    lines = invoke(*notice).output.splitlines()
    reasons = json.loads(invoke(*notice, "--format", "json").output)
    more = count - min(count, 4)

    assert [(each["number"], each["of"]) for each in reasons] == [
        (number, count) for number in range(1, min(count, 4) + 1)
    ]
    assert [line[:3] for line in lines if line[0].isdigit() and line[1] == "."] == [
        f"{number}. " for number in range(1, min(count, 4) + 1)
    ]
    if more:
        words = f"{more} more reason{'s are' if more > 1 else ' is'} left out"
        assert lines[-1] == f"{words}; without --notice all are printed."
    else:
        assert "left out" not in "".join(lines)


@pytest.mark.parametrize(
    ("arguments", "facts", "said"),
    [
        (("GBR", "--on", "2026-07-01"), {}, "did you mean `GB`?"),
        (("GB", "--on", "1999-01-01"), {}, "2024-01-01"),
        (("GB", "--on", "01/07/2026"), {}, "expected a date such as 2026-07-01"),
        (("GB", "--on", "2026-02-30"), {}, "expected a date such as 2026-07-01"),
        (("GB", "--on", "2026-07-01"), {"progres": "64%"}, "did you mean `progress`?"),
        (("GB", "--on", "2026-07-01"), {"progress": "164%"}, "$.progress"),
        (("GB", "--on", "2026-07-01"), {"status": 7, "balance": True}, "$.balance"),
        (("GB", "--on", "2026-07-01"), {"status": "funded"}, "did you mean `Funded`?"),
        (("GB", "--on", "2026-07-01"), {"identity_verified": "ja"}, "write `true`"),
        (("GB", "--on", "2026-07-01"), '{"progress": 0.64}', 'write `"0.64%"` or `"64%"`'),
        (("GB", "--on", "2026-07-01"), {"balance": "1 234,50"}, 'write `"GBP 1234.50"`'),
        (("GB", "--on", "2026-07-01"), {"balance": "4.200"}, 'or `"GBP 4200.00"`'),
        (("GB", "--on", "2026-07-01", "--fact", "status=REPAID"), {}, "did you mean `Repaid`?"),
        (("GB", "--on", "2026-07-01", "--fact", "balance=4.200"), {}, 'or `"GBP 4200.00"`'),
        (("GB", "--on", "2026-07-01", "--fact", "progress"), {}, "expected NAME=VALUE"),
        (("GB", "--on", "2026-07-01"), "{", "cannot be read"),
        (("GB", "--on", "2026-07-01"), '{"progress": 1e999999999}', "cannot be read"),
        (("GB", "--on", "2026-07-01"), '{"progress": NaN}', "cannot be read"),
    ],
)
def test_explain_misuse(written, arguments, facts, said):
    """
    Every mistake of an author gives one clear error.
    """
    code, *rest = arguments
    ran = invoke("explain", code, written(facts), *rest)

    assert ran.exit_code == 2
    assert said in ran.output
    assert "Traceback" not in ran.output


def test_facts_on_the_command_line(written):
    """
    `--fact NAME=VALUE` goes before the file's, and what was read in another form is shown.
    """
    options = [f"--fact={name}={value}" for name, value in GOOD_FACTS.items()]
    options += ["--fact=progress=66,5 %", "--fact=days_since_funding=2 uker"]
    alone = invoke("explain", "GB", "--on", "2026-07-01", *options)
    after = invoke("explain", "GB", written(GOOD_FACTS), "--on", "2026-07-01", *options)

    assert alone.exit_code == after.exit_code == 0
    assert alone.stdout == after.stdout
    assert alone.stderr.splitlines() == [
        "progress is read as 66.5%",
        "days_since_funding is read as 14 days",
    ]
    assert "progress = 66.5%" in alone.stdout
    assert invoke("explain", "GB", "--on", "2026-07-01").exit_code == 2


def test_a_share_that_is_nearly_nothing_is_questioned(written):
    """
    0.75% with its sign is read, and the reader is asked about 75%.
    """
    path = written(GOOD_FACTS | {"progress": "0.75%", "takings_trend": "0%"})
    ran = invoke("explain", "GB", path, "--on", "2026-07-01", "--fact", "performance=0,8 %")

    assert ran.exit_code == 0
    assert ran.stderr.splitlines() == [
        "progress is read as 0.75%; write 75% if that is meant",
        "performance is read as 0.8%",
        "performance is read as 0.8%; write 80% if that is meant",
    ]


def test_evidence_in_a_scenario_is_what_its_author_means(written):
    """
    The evidence of a step is refused with the right figure named.
    """
    evidence = {"identity_verified": "yes", "average_monthly_takings": "20.000"}
    record = {"check": "identity", "made_at": STEP["at"], "facts": {"identity_verified": "ja"}}
    recording = {"operation": "record_evidence", "input": {"records": [record]}, "evidence": {}}
    ran = invoke("run", written([STEP | {"evidence": evidence}, STEP | recording]), "--json")
    refused = [step["problem"]["errors"] for step in json.loads(ran.output)]

    assert [
        [(error["path"], error["message"].split("; ")[-1]) for error in step] for step in refused
    ] == [
        [
            ("$.evidence.identity_verified", "write `true`"),
            ("$.evidence.average_monthly_takings", 'write `"GBP 20.00"` or `"GBP 20000.00"`'),
        ],
        [("$.input.records[0].facts.identity_verified", "write `true`")],
    ]


def test_another_folder_of_jurisdictions(tmp_path, written):
    """
    `--jurisdictions PATH` reads another folder.
    """
    empty = tmp_path / "mine"
    empty.mkdir()
    ran = invoke("explain", "GB", written({}), "--on", "2026-07-01", "--jurisdictions", empty)

    assert ran.exit_code == 2
    assert "there is no jurisdiction in this folder" in ran.output
