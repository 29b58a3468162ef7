"""Declared facts that are about one deal, and unknown for the next (decisions/evidence)."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from test_returned_payout import accepted

from every_case import for_every
from good_evidence import GOOD_EVIDENCE
from holdback import Engine, InvalidDocument, load_jurisdictions
from holdback.testing import given

SHIPPED = Path(__file__).parents[3] / "jurisdictions"
VISITED = """
[facts.site_visited]
type = "flag"
description = "Whether somebody visited the merchant's site after the deal was funded."
of = "deal"
"""
RULE = """
[[rules]]
id = "site-visited"
code = "GB-R-90"
from = 2024-01-01
require = "site_visited"
reason = "The site was not visited."
source = "policy"
"""
VISIT = {"site_visited": True}


def folder(path, facts=VISITED, rule=RULE):
    """The jurisdictions that ship, with facts and a rule for renewals added to GB."""
    shutil.copytree(SHIPPED, path, dirs_exist_ok=True)
    for name, more in (("jurisdiction", facts), ("renewal", rule)):
        file = path / "GB" / f"{name}.toml"
        file.write_text(file.read_text().replace("[[examples]]", f"{more}\n[[examples]]", 1))
    return path


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return Engine.for_trial(load_jurisdictions(folder(tmp_path_factory.mktemp("visited"))))


@pytest.fixture
def funded(engine):
    """A merchant with a deal of which 60% is paid."""
    story = given(engine, jurisdiction="GB", at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE)
    story = accepted(story.after("request_offers")).on("2026-12-03T15:00:00Z")
    return story.after("fund_deal").paid_down(60).later(hours=2)


def visit(story):
    """The body of a result of the visit that was made an hour ago."""
    made_at = (story.at - timedelta(hours=1)).isoformat()
    record = {"check": "site_visited", "made_at": made_at, "facts": VISIT}
    return {"records": [record]}


def assessed(story):
    """The outcome of a renewal, and what it needs."""
    record = story.after("assess_renewal").reply
    return record["outcome"], record["needs"]


def renewed(story):
    """The story with the deal renewed and the new one paid down to 60%."""
    story = story.after("request_offers", evidence={"credit_score": 702})
    story = accepted(story).later(hours=1).after("fund_deal")
    return story.paid_down(60).later(hours=2)


def asked(story):
    """Why the visit has to be made, by what `required_checks` replies; None where it need not."""
    checks = story.when("required_checks").nothing().story.reply["checks"]
    return next((check["why"] for check in checks if check["name"] == "site_visited"), None)


def test_a_result_counts_for_its_deal_and_for_no_other(funded):
    """
    "It counts for that deal alone: of the next one the check is `missing`."
    """
    assert asked(funded) == "missing"
    assert assessed(funded) == ("undetermined", ["site_visited"])
    story = funded.after("record_evidence", visit(funded))
    (record,) = (record for record in story.merchant.checks if record.check == "site_visited")
    assert record.about["deal"] == story.merchant.active_deal.id
    assert assessed(story) == ("eligible", [])

    assert asked(story) is None
    later = renewed(story)
    assert asked(later) == "missing"
    assert assessed(later) == ("undetermined", ["site_visited"])
    held = later.after("evidence").reply["checks"]
    assert [one["why"] for one in held if one["check"] == "site_visited"] == ["about_others"]
    assert assessed(later.after("record_evidence", visit(later))) == ("eligible", [])


def test_before_there_is_a_deal_nobody_is_asked_for_it_and_nothing_of_it_is_recorded(engine):
    """
    "Without a deal there is nothing that it could be about": no check is asked for, and a result is
    refused.
    """
    new = given(engine, jurisdiction="GB", at="2026-12-01T15:00:00Z", evidence=GOOD_EVIDENCE)
    story = new.after("request_offers")

    assert asked(new) is None
    story.when("record_evidence", visit(story)).invalid("$.records")
    both = GOOD_EVIDENCE | VISIT
    new.when("request_offers", evidence=both).invalid("$.evidence")


def test_evidence_of_a_request_is_about_the_deal_that_it_renews(funded):
    """
    What a request for a renewal, or a funding, brings is about the base deal.
    """
    story = accepted(funded.after("request_offers", evidence={"credit_score": 702} | VISIT))
    (record,) = (record for record in story.merchant.checks if record.check == "site_visited")

    assert record.about["deal"] == story.merchant.deals[0].id
    assert record.facts["site_visited"].value is True


def test_an_erasure_takes_the_result_away(funded):
    """
    A result about a deal is about people, too: an erasure removes it.
    """
    story = funded.after("record_evidence", visit(funded)).later(hours=1)
    left = story.after(
        "close_deal", {"deal_id": story.merchant.active_deal.id, "status": "cancelled"}
    )

    assert any(record.check == "site_visited" for record in left.merchant.checks)
    much_later = left.later(days=1_900, sure=True)
    assert not much_later.after("erase_profile").merchant.checks


@for_every(
    ("facts", "message"),
    [
        (VISITED.replace('"deal"', '"merchant"'), "facts.site_visited.of: unknown subject"),
        (
            VISITED + VISITED.replace("site_visited", "licensed").replace('of = "deal"', "")
            + '[checks.visits]\nfacts = ["licensed", "site_visited"]\n',
            "checks.visits.facts: some of these facts are about a deal",
        ),
    ],
)  # fmt: skip
def test_what_a_file_may_not_say(facts, message, tmp_path_factory):
    with pytest.raises(InvalidDocument, match=message):
        load_jurisdictions(folder(tmp_path_factory.mktemp("refused"), facts, ""))


def test_a_digest_covers_what_a_fact_is_about(engine, tmp_path):
    """
    It decides what is known, so it is in the digest where a rule reads the fact.
    """
    about_people = load_jurisdictions(folder(tmp_path, VISITED.replace('of = "deal"', "")))
    here, there = (
        each["GB"].rulebook(date(2026, 12, 1)) for each in (engine.jurisdictions, about_people)
    )

    assert here.renewal.digest != there.renewal.digest
