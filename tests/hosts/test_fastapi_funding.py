"""
A payout that waits, on the FastAPI host: agents see why, an underwriter decides, and the partner
sees nothing of it (decisions/offers#funding-rules).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from fastapi_calls import Merchant, code, service_on


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with service_on("sqlite", tmp_path_factory.mktemp("database")) as service:
        yield service


def waiting(service, name, check, fact):
    """A merchant whose accepted application waits, because a check failed an hour later."""
    merchant = Merchant(service, merchant_id=name)
    service.now = datetime(2026, 12, 1, 9, tzinfo=UTC)
    assert merchant.ask().status_code == 200
    assert merchant.accept().status_code == 200
    service.now += timedelta(hours=1)
    made_at = service.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    result = {"check": check, "made_at": made_at, "facts": {fact: False}}
    assert merchant.agent("record_evidence", {"records": [result]}).status_code == 200
    return merchant


def refused(merchant):
    body = {"application_id": merchant.known["application_id"]}
    return merchant.agent("fund_deal", body)


def needed(merchant):
    """What an agent reads of the funding."""
    about = {"application_id": merchant.known["application_id"]}
    reply = merchant.agent_asks("required_checks", params=about)
    assert reply.status_code == 200
    return reply.json()


def test_agents_see_why_a_payout_waits(place):
    """
    "The FastAPI host shows agents why a funding waits": the check that failed, and the reason.
    """
    merchant = waiting(place, "m-1", "identity", "identity_verified")
    seen = merchant.look_up().json()

    assert code(refused(merchant)) == (409, "referred")
    assert [(check["name"], check["why"]) for check in needed(merchant)["checks"]] == [
        ("identity", "failed")
    ]
    (why,) = needed(merchant)["held_back"]
    assert why.startswith("GB-F-01: The identity")
    assert merchant.look_up().json() == seen
    views = merchant.partner_does("applications").json()["applications"]
    assert [view["status"] for view in views] == ["submitted"]


def test_an_underwriter_decides_about_a_payout(place):
    """
    A payout that waits for a rule that refers is among the referrals; once approved it is made.
    """
    merchant = waiting(place, "m-2", "business", "business_verified")
    (referral,) = merchant.agent_asks("referrals").json()["referrals"]

    assert [rule["code"] for rule in referral["rules"]] == ["GB-F-02"]
    assert merchant.decide(referral).status_code == 200
    assert needed(merchant) == {"checks": [], "held_back": []}
    assert merchant.fund().status_code == 200


def listed(place, merchant):
    """The products of the merchant in the list of open referrals, which underwriters read."""
    rows = place.call("GET", "/v2/open_referrals", key="agent-key").json()["open"]
    return [row["product"] for row in rows if row["merchant_id"] == merchant.merchant_id]


def test_a_payout_that_waits_is_in_the_list_of_open_referrals(place):
    """
    "A payout that waits is in the list of `open_referrals` from the operation after which it waits
    until it is approved, cleared by a new result, or its application ends."
    """
    approved, cleared, ended = (
        waiting(place, f"m-{number}", "business", "business_verified") for number in (4, 5, 6)
    )
    for merchant in (approved, cleared, ended):
        (referral,) = merchant.agent_asks("referrals").json()["referrals"]
        assert listed(place, merchant) == [referral["product"]]
    (referral,) = approved.agent_asks("referrals").json()["referrals"]
    assert approved.decide(referral).status_code == 200
    place.now += timedelta(hours=1)
    made_at = place.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    result = {"check": "business", "made_at": made_at, "facts": {"business_verified": True}}
    assert cleared.agent("record_evidence", {"records": [result]}).status_code == 200
    body = {"application_id": ended.known["application_id"], "status": "declined"}
    assert ended.agent("close_application", body).status_code == 200

    assert [listed(place, merchant) for merchant in (approved, cleared, ended)] == [[], [], []]


def test_a_partner_is_not_notified_of_a_decision_about_a_payout(place):
    """
    "Look-up and events say nothing to partners": a webhook would tell that the payout had waited.
    """
    merchant = waiting(place, "m-3", "business", "business_verified")
    (referral,) = merchant.agent_asks("referrals").json()["referrals"]
    due = place.store.backlog()
    assert merchant.decide(referral).status_code == 200
    assert place.events("m-3")[-1] == "ReferralDecided"

    assert place.store.backlog() == due
