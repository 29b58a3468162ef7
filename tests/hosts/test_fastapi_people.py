"""Agents and underwriters of the FastAPI host: referrals, holds, evidence and what waits."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import fastapi_calls as fixtures
import pytest
from fastapi_calls import BANK, PARTNERS, START, Merchant, code
from fastapi_host import open_work
from fastapi_host.outbox import PAYLOADS, deliver_due
from fastapi_host.writes import PUBLISHED

from holdback import Refusal
from holdback.testing import payloads

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant
ACME = PARTNERS.named("acme")
# What only agents may see of a hold and of a decision, and what a check found.
# As whole words: an identifier made by chance may have the same digits in it.
CONFIDENTIAL = re.compile(r"\b(suspected-fraud|a tip by telephone|u-7|we know the owner|617)\b")


class Received:
    """A partner that keeps every webhook."""

    def __init__(self):
        self.bodies = []

    def __call__(self, _url, _headers, body):
        self.bodies.append(json.loads(body))
        return 200

    def deliver(self, service):
        deliver_due(service.store, ACME, self, now=lambda: 1_800_000_000)
        return self.bodies


def queue(service, of="open_referrals", **params):
    reply = service.call("GET", f"/v2/{of}", key="agent-key", params=params)
    assert reply.status_code == 200, reply.content
    return reply.json()


def waiting(service, of):
    work = queue(service, of)["open"]
    return [(one["merchant_id"], one.get("status") or one["product"]) for one in work]


def held(merchant):
    body = {"code": "suspected-fraud", "by": "u-7", "note": "a tip by telephone"}
    assert merchant.agent("place_hold", body).status_code == 200
    return merchant


def decisions(reply):
    return [product["decision"] for product in reply.json()["products"]]


# ------------------------------------------------------------------------------ referrals


def test_a_referral_is_approved_and_the_partner_asks_again(service, merchant):
    """
    "Sets already issued do not change: the partner asks again, and an event says that it may."
    """
    referral = merchant.referred()
    (rule,) = referral["rules"]
    assert rule["text"]
    assert referral["facts"]["credit_score"] == 617
    assert waiting(service, "open_referrals") == [("m-1", referral["product"])]
    assert merchant.decide(referral, note="we know the owner").status_code == 200

    assert waiting(service, "open_referrals") == []
    assert Received().deliver(service) == [
        {
            "type": "referral_decided",
            "merchant_id": "m-1",
            "application_id": referral["application_id"],
            "at": "2026-07-06T09:00:00Z",
        }
    ]
    again = merchant.ask()
    assert "Accepted" in decisions(again)
    assert merchant.accept().status_code == 200


def test_a_declined_referral_sends_the_same_webhook(service, merchant):
    """
    The partner is notified that it may ask again, and not of the decision, its note or by whom.
    """
    referral = merchant.referred()
    merchant.decide(referral, "decline", note="we know the owner")
    (webhook,) = Received().deliver(service)

    assert list(webhook) == ["type", "merchant_id", "application_id", "at"]
    assert merchant.ask().json()["products"][0]["decision"] == "Declined"


def test_a_referral_is_decided_once(service, merchant):
    """
    A second decision finds no open referral; the first one is not changed.
    """
    referral = merchant.referred()
    merchant.decide(referral)

    assert code(merchant.decide(referral, "decline")) == (404, "referral_not_found")
    (decision,) = merchant.agent_asks("referrals").json()["decisions"]
    assert decision["decision"] == "approve"


def test_every_published_event_has_a_form():
    """
    What is due for a webhook is what the outbox can write.
    """
    assert set(PUBLISHED) == set(PAYLOADS)


# ---------------------------------------------------------------------------------- holds


def test_an_agent_holds_a_merchant_and_lifts_the_hold(service, merchant):
    """
    "On hold: requests are `Referred`, no acceptance, no funding"; agents see the note.
    """
    merchant.ask()
    held(merchant)
    assert code(merchant.accept()) == (409, "referred")
    assert "Accepted" not in decisions(merchant.ask())
    (hold,) = merchant.agent_asks("holds").json()["holds"]
    assert (hold["code"], hold["note"]) == ("suspected-fraud", "a tip by telephone")
    lifted = merchant.agent("lift_hold", {"code": "suspected-fraud", "by": "u-8"})
    assert lifted.status_code == 200

    assert merchant.agent_asks("holds").json() == {"holds": []}
    assert merchant.ask().status_code == 200
    assert merchant.accept().status_code == 200


UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def without_ids(reply, merchant):
    """Return a status and a body in which no id tells merchants apart."""
    return reply.status_code, UUID.sub("ID", reply.text).replace(merchant.merchant_id, "M")


def asked_for_everything(merchant):
    """Make every request of a partner about a merchant without offers; return the answers."""
    replies = [merchant.ask(), merchant.partner_does("applications")]
    latest = replies[1].json()["applications"][-1]["application_id"]
    named = {"application_id": latest}
    replies += [
        merchant.accept("00000000-0000-5000-8000-000000000000"),
        merchant.partner_does("record_consents", {"consents": {"terms": True}}),
        merchant.partner_does("decline_offers", named),
        merchant.partner_does("withdraw_application", named),
        merchant.partner_does("applications"),
    ]
    return [without_ids(reply, merchant) for reply in replies]


def test_nothing_tells_a_hold_from_another_referral(service):
    """
    "Nothing on a partner's wire tells a hold from another referral": a merchant on hold, and one of
    whom a check is missing, get the same answers but for their ids.
    """
    on_hold, unknown = Merchant(service, "m-hold"), Merchant(service, "m-miss")
    on_hold.ask()
    service.evidence = {"business_verified": None}
    unknown.ask()
    held(on_hold)
    answers = [asked_for_everything(merchant) for merchant in (on_hold, unknown)]
    first, second = ([*answer[:1], *answer[2:6]] for answer in answers)

    assert first == second
    assert '"decision":"Referred"' in first[0][1]
    (listed,) = {text for _, text in (answers[0][1], answers[0][6])}
    latest = json.loads(listed)["applications"][-1]
    assert latest == json.loads(answers[1][1][1])["applications"][-1]
    assert latest["status"] == "referred"


def test_a_webhook_of_a_hold_is_like_any_other(service):
    """
    "Webhooks carry the deal and a boolean alone": eligibility that ends by a hold, and by a
    default, and look-ups of both.
    """
    webhooks, lookups = [], []
    for merchant_id, ends in (("m-1", held), ("m-2", None)):
        service.now = START
        merchant = Merchant(service, merchant_id).renewable()
        received = Received()
        received.deliver(service)
        received.bodies.clear()
        if ends is None:  # the deal falls behind
            service.now += timedelta(days=40)
            assert merchant.agent("review_renewal").status_code == 200
        else:
            ends(merchant)
        (webhook,) = received.deliver(service)
        webhooks.append({**webhook, "at": "", "provider_id": "", "deal_id": ""})
        (deal,) = merchant.look_up().json()["deals"]
        lookups.append((list(deal), deal["performance"]["renewal_eligibility"]))

    assert webhooks[0] == webhooks[1]
    assert lookups[0] == lookups[1]
    assert webhooks[0]["renewal_eligibility"] is False


def test_no_partner_sees_what_agents_wrote(service, merchant):
    """
    No answer to a partner and no webhook has a hold's code, a note, a person, or what a check gave.
    """
    service.evidence = {"credit_score": 617}
    referral = merchant.referred()
    merchant.decide(referral, note="we know the owner")
    replies = [merchant.ask()]
    offer_id = merchant.known["offer_ids"][0]
    held(merchant)
    replies += [merchant.accept(offer_id), merchant.ask(), merchant.partner_does("applications")]
    merchant.agent("lift_hold", {"code": "suspected-fraud", "by": "u-7"})
    replies += [merchant.accept(offer_id)]
    merchant.fund()
    held(merchant)
    replies += [merchant.look_up(), merchant.ask(merchant.renewal())]
    texts = [reply.text for reply in replies]
    texts += [json.dumps(body) for body in Received().deliver(service)]

    assert [reply.status_code for reply in replies][:5] == [200, 409, 200, 200, 200]
    assert not [text for text in texts if CONFIDENTIAL.search(text)]


# ------------------------------------------------------------------------------- evidence


def test_evidence_of_a_refused_request_is_kept(service, merchant, monkeypatch):
    """
    "A refused request changes nothing", so its evidence is recorded by itself, and counts.
    """
    ask, host = service.host.engine.carry_out, service.host
    service.evidence = {"credit_checked_on": "2026-07-01"}

    class Refusing:
        """The engine, in which every request for offers is refused."""

        def __getattr__(self, name):
            return getattr(fixtures.ENGINE, name)

        def carry_out(self, of, command, *given, **more):
            if type(command).__name__ == "RequestOffers":
                raise Refusal("not_possible_now", "not now")
            return ask(of, command, *given, **more)

    monkeypatch.setattr(type(host), "engine", Refusing(), raising=False)
    assert code(merchant.ask()) == (409, "not_possible_now")
    monkeypatch.undo()
    assert service.events() == ["EvidenceRecorded"]
    checks = {one["check"]: one for one in merchant.agent_asks("evidence").json()["checks"]}
    assert checks["consumer_credit"]["made_at"] == "2026-06-30T23:00:00Z"  # in London
    service.now += timedelta(hours=1)
    assert merchant.ask().status_code == 200

    required = [[check.name for check in of.checks] for _, of in service.asked_checks]
    assert required == [["identity", "business", "consumer_credit", "takings"], []]


def test_a_credit_check_of_an_earlier_day_was_made_on_that_day(service, merchant):
    """
    A result with the day of its check is one of the start of that day.
    """
    service.evidence = {"credit_checked_on": "2026-07-01"}
    assert merchant.ask().status_code == 200
    checks = {one["check"]: one for one in merchant.agent_asks("evidence").json()["checks"]}

    assert checks["consumer_credit"]["made_at"] == "2026-06-30T23:00:00Z"  # in London
    assert checks["consumer_credit"]["age_days"] == 5
    assert checks["identity"]["made_at"] == "2026-07-06T09:00:00Z"


@pytest.mark.parametrize("evidence", [{"shoe_size": 44}, {"credit_score": "tall"}, 7])
def test_evidence_that_is_not_valid_is_the_hosts_mistake(service, merchant, monkeypatch, evidence):
    """
    500, and nothing is recorded: the caller can do nothing about it.
    """
    monkeypatch.setattr(type(service.host), "checks", lambda *_: evidence, raising=False)

    assert code(merchant.ask()) == (500, "internal_error")
    assert service.events() == []


def test_agents_record_evidence(service, merchant):
    """
    A result that is newer than what is held counts from then on.
    """
    merchant.referred()
    record = {"check": "consumer_credit", "made_at": "2026-07-06T08:59:00Z"}
    body = {"records": [record | {"facts": {"credit_score": 700}}]}
    assert merchant.agent("record_evidence", body).status_code == 200
    checks = {one["check"]: one for one in merchant.agent_asks("evidence").json()["checks"]}
    assert checks["consumer_credit"]["facts"]["credit_score"] == 617

    record["made_at"] = "2026-07-06T09:00:00.5Z"
    service.now += timedelta(seconds=1)
    body = {"records": [record | {"facts": {"credit_score": 700}}]}
    assert merchant.agent("record_evidence", body).status_code == 200
    assert "Accepted" in decisions(merchant.ask())


# ------------------------------------------------------------------------------- what waits


def test_applications_wait_until_they_are_funded(service, merchant):
    """
    The queue has every application in fulfilment, with its status, and changes with the state.
    """
    merchant.ask()
    assert waiting(service, "open_applications") == []
    merchant.accept(bank_details=None)
    assert waiting(service, "open_applications") == [("m-1", "awaiting_details")]
    named = {"application_id": merchant.known["application_id"]}
    merchant.agent("supply_details", named | {"details": {"bank_details": BANK}})
    assert queue(service, "open_applications")["open"] == [
        {
            "partner": "acme",
            "merchant_id": "m-1",
            **named,
            "status": "submitted",
            "since": "2026-07-06T09:00:00Z",
        }
    ]
    merchant.fund()

    assert waiting(service, "open_applications") == []


def test_the_queue_has_pages(service, monkeypatch):
    """
    The oldest first, every merchant once, also those of one second.
    """
    monkeypatch.setattr(open_work.read_page, "__defaults__", (None, 2))
    for number in range(5):
        Merchant(service, f"m-{4 - number}").referred()
        service.now += timedelta(seconds=number % 2)
    Merchant(service, "m-9", key="bolt-key", partner="bolt").referred()
    pages, after = [], None
    while after is not None or not pages:
        page = queue(service, **({} if after is None else {"after": after}))
        pages.append([work["merchant_id"] for work in page["open"]])
        after = page["after"]

    assert pages == [["m-3", "m-4"], ["m-1", "m-2"], ["m-0", "m-9"]]


@pytest.mark.parametrize(
    "after", ["x", "AAAA", "W10=", "WzEsMiwzLDQsNV0=", "WzEsImEiLCJhIiwiYSIsIgAiXQ=="]
)
def test_a_place_that_no_page_gave_is_refused(service, after):
    """
    422, and nothing of it reaches the database.
    """
    reply = service.call("GET", "/v2/open_referrals", key="agent-key", params={"after": after})

    assert code(reply) == (422, "invalid_request")


# ---------------------------------------------------------------------------- applications


def test_an_agent_sees_the_filled_application_and_bank_details_with_a_permission(service, merchant):
    """
    What was omitted, the profile that was sent, and the bank details apart from it.
    """
    merchant.ask()
    merchant.accept()
    params = {"application_id": merchant.known["application_id"]}
    filled = merchant.agent_asks("filled_application", params=params).json()
    assert filled["company"] == fixtures.PROFILE["company"]
    assert filled["applicants"] == fixtures.PROFILE["applicants"]
    assert (filled["status"], filled["omitted"]) == ("submitted", [])
    assert "12345678" not in json.dumps(filled)
    assert code(merchant.agent_asks("bank_details", params=params)) == (403, "forbidden")
    details = merchant.agent_asks("bank_details", params=params, key="clerk-key").json()

    assert details == {**params, "bank_details": BANK}


def test_numbers_of_the_profile_stay_exact(service, merchant):
    """
    The profile is the text that the partner sent.
    """
    merchant.ask(payloads.offers_request("m-1"))
    merchant.accept()
    params = {"application_id": merchant.known["application_id"]}
    text = merchant.agent_asks("filled_application", params=params).text

    assert '"share":0.10' in text
    assert '"turnover":12345678901234567890.10' in text


def asked_after_the_end(merchant):
    """Accept and decline the offers of a merchant that has none; return what its partner reads."""
    (application,) = merchant.partner_does("applications").json()["applications"]
    named = {"application_id": application["application_id"]}
    replies = [merchant.accept(), merchant.partner_does("decline_offers", named)]
    return [application["status"], *(without_ids(reply, merchant) for reply in replies)]


def test_the_lender_withdraws_offers_and_the_partner_sees_an_expiry(service, merchant):
    """
    Accepted or declined, withdrawn offers give the answers of expired ones, and no webhook.
    """
    expired = Merchant(service, "m-expired")
    for asking in (merchant, expired):
        asking.ask()
    (application,) = merchant.partner_does("applications").json()["applications"]
    body = {"application_id": application["application_id"], "code": "fraud", "by": "a-3"}
    assert merchant.agent("withdraw_offers", body).status_code == 200
    withdrawn = asked_after_the_end(merchant)
    service.now += timedelta(days=60)

    assert withdrawn == asked_after_the_end(expired)
    assert withdrawn[0] == "expired"
    assert withdrawn[1][0] == 404
    assert merchant.partner_does("withdraw_offers", body).status_code == 404


def test_a_partner_declines_offers_and_withdraws(service, merchant):
    """
    Declined offers are closed; an application in fulfilment is withdrawn, and a second time too.
    """
    merchant.ask()
    (application,) = merchant.partner_does("applications").json()["applications"]
    named = {"application_id": application["application_id"]}
    assert application["status"] == "offered"
    assert merchant.partner_does("decline_offers", named).status_code == 200
    (application,) = merchant.partner_does("applications").json()["applications"]
    assert application["status"] == "closed"

    merchant.ask()
    merchant.accept(bank_details=None)
    named = {"application_id": merchant.known["application_id"]}
    assert merchant.partner_does("applications").json()["applications"][-1]["omitted"]
    for _ in range(2):
        withdrawn = merchant.partner_does("withdraw_application", named).json()
        assert withdrawn["status"] == "withdrawn"
    assert waiting(service, "open_applications") == []


def test_a_lapsed_application_is_announced(service, merchant):
    """
    The next operation after `acceptance_days` finds that it lapsed, and the partner is notified.
    """
    merchant.ask()
    merchant.accept(bank_details=None)
    service.now += timedelta(days=400)
    merchant.ask()

    (webhook,) = Received().deliver(service)
    assert webhook == {
        "type": "application_lapsed",
        "merchant_id": "m-1",
        "application_id": merchant.known["application_id"],
        "at": "2027-08-10T09:00:00Z",
    }
    assert waiting(service, "open_applications") == []


def test_bank_details_are_corrected(service, merchant):
    """
    "Agents correct them before funding and change them after."
    """
    merchant.ask()
    merchant.accept(bank_details=None)
    assert merchant.agent("change_bank_details", {"bank_details": BANK}).status_code == 200
    assert waiting(service, "open_applications") == [("m-1", "submitted")]
    merchant.fund()
    other = BANK | {"account_number": "87654321"}
    assert merchant.agent("change_bank_details", {"bank_details": other}).status_code == 200


def test_a_profile_is_corrected_by_agents_alone(service, merchant):
    """
    An agent corrects the company; the application that agents see has it, and the old one is gone.
    """
    merchant.ask()
    body = {"company": {"name": "Nine Lives Ltd", "address": "2 New Street"}}
    early = merchant.agent("rectify_profile", body)
    assert (early.status_code, early.json()["code"]) == (409, "not_possible_now")
    merchant.accept()
    assert merchant.partner_does("rectify_profile", body).status_code == 404
    assert merchant.agent("rectify_profile", body).status_code == 200
    again = merchant.agent("rectify_profile", body)
    assert again.json() == merchant.agent("rectify_profile", body).json()
    params = {"application_id": merchant.known["application_id"]}
    assert (
        merchant.agent_asks("filled_application", params=params).json()["company"]
        == body["company"]
    )
    checks = merchant.agent_asks("evidence").json()["checks"]
    why = {check["check"]: check["why"] for check in checks}
    assert (why["business"], why["identity"]) == ("corrected", None)
    assert merchant.agent("rectify_profile", {}).status_code == 422


def test_a_signature_is_recorded_and_a_default_undone(service, merchant):
    """
    The two other operations that are new to agents.
    """
    merchant.ask()
    merchant.accept()
    signed = {"application_id": merchant.known["application_id"], "document": "c-1", "digest": "d"}
    assert merchant.agent("record_signature", signed).json()["status"] == "submitted"
    merchant.fund()
    named = {"deal_id": merchant.known["deal_id"]}
    merchant.agent("close_deal", named | {"status": "defaulted"})
    assert merchant.agent("reinstate_deal", named).status_code == 200
    assert merchant.look_up().json()["deals"][0]["status"] == "Funded"
