"""The FastAPI host over HTTP on each database: partners, agents and idempotency keys."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

import fastapi_calls as fixtures
import pytest
from fastapi_calls import BANK, Merchant, code, offers_of

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant


def test_a_merchant_gets_a_deal_and_renews_it(service, merchant):
    """
    Initial offers, acceptance, funding, and then the nine steps of the renewal flow (service 1).
    """
    assert merchant.ask().status_code == 200
    accepted = merchant.accept()
    assert accepted.json()["offer"]["offer_status"] == "Accepted"
    assert set(accepted.json()["links"]) >= {"contract_link", "merchant_link"}
    assert merchant.look_up().json() == {"deals": []}
    funded = merchant.fund().json()
    assert funded.keys() == {"deal_id", "entry_ids", "sequence", "balance", "currency"}
    service.now += timedelta(days=120)
    merchant.remit("7000.00")

    (deal,) = merchant.look_up().json()["deals"]
    assert deal["active"] is True
    assert deal["performance"]["renewal_eligibility"] is True
    assert merchant.ask(merchant.renewal()).status_code == 200
    provider_id = merchant.known["provider_id"]
    assert merchant.accept(bank_details=None).json()["provider_id"] == provider_id
    assert merchant.fund().status_code == 200
    deals = merchant.look_up().json()["deals"]
    assert [(deal["type"], deal["status"], deal["active"]) for deal in deals] == [
        ("Initial", "Renewed", False),
        ("Renewal", "Funded", True),
    ]


def test_replies_are_the_bytes_of_the_wire(service, merchant):
    """
    A reply has the status 200, the content type of JSON and the exact bytes of `wire` (service 4).
    """
    reply = merchant.ask()

    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/json"
    assert offers_of(service) == reply.content
    assert b'"funded_amount":9600.00' in reply.content


def test_the_checks_are_made_once_for_what_is_required(service, merchant):
    """
    The checks are called once for each request, and a renewal with results on file needs none.
    """
    merchant.renewable()
    merchant.ask(merchant.renewal())

    names = [[check.name for check in required.checks] for _, required in service.asked_checks]
    assert names == [["identity", "business", "consumer_credit", "takings"], []]


def test_agents_fulfil_an_application_and_close_its_deal(service, merchant):
    """
    Every operation of the agents, by partner and merchant.
    """
    merchant.ask()
    merchant.accept(bank_details=None)
    named = {"application_id": merchant.known["application_id"]}
    supplied = merchant.agent("supply_details", named | {"details": {"bank_details": BANK}})
    assert supplied.json()["status"] == "submitted"
    merchant.fund()
    day = {"on": "2026-07-06", "amount": "650.00"}
    takings = merchant.agent("record_takings", {"takings": [day]})
    assert takings.json() == {"days": 1, "complete_through": None, "sequence": 7}
    remitted = merchant.remit("100.00").json()
    assert (remitted["entry_ids"], remitted["balance"]) == (["e-1"], 11804)
    assert merchant.agent("review_renewal").json()["outcome"] == "not_assessed"
    ended = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", ended).json()["deal_id"] == merchant.known["deal_id"]
    assert merchant.look_up().json()["deals"][0]["status"] == "Defaulted"

    other = Merchant(service, "m-2")
    other.ask()
    other.accept()
    named = {"application_id": other.known["application_id"], "status": "declined"}
    assert other.agent("close_application", named).json()["status"] == "declined"


@pytest.mark.parametrize("merchant_id", ["a/b", "a b", "ä?x", "%41", "a" * 200])
def test_a_merchant_id_may_contain_any_text(service, merchant_id):
    """
    The partner's own identifier is text; in a path it is escaped.
    """
    merchant = Merchant(service, merchant_id)
    merchant.ask()
    merchant.accept()
    path = f"/v2/agents/acme/{quote(merchant_id, safe='')}/fund_deal"
    reply = service.call(
        "POST", path, {"application_id": merchant.known["application_id"]}, key="agent-key"
    )

    assert reply.status_code == 200, reply.content


def test_only_an_initial_request_creates_a_merchant(service, merchant):
    """
    A request for an unknown merchant gets 404 `merchant_not_found`, and creates nothing.
    """
    merchant.known["provider_id"] = "p-1"

    assert code(merchant.ask(merchant.renewal())) == (404, "merchant_not_found")
    assert code(merchant.agent("review_renewal")) == (404, "merchant_not_found")
    assert code(service.agent("review_renewal", partner="nobody")) == (404, "merchant_not_found")
    assert service.store.find(partner="acme", merchant_id="m-1").state is None


def test_the_same_key_always_gives_the_same_bytes(service, merchant):
    """
    The key is looked up first: a repeated request gets the same bytes after the expiry, without new
    checks, for each operation.
    """
    offers = merchant.ask(idempotency="k-1")
    accepted = merchant.accept(idempotency="k-2")
    service.now += timedelta(days=400)
    checks = len(service.asked_checks)

    assert merchant.ask(idempotency="k-1").content == offers.content
    assert merchant.accept(idempotency="k-2").content == accepted.content
    assert checks == len(service.asked_checks)
    assert service.events() == [
        "EvidenceRecorded",
        "OffersIssued",
        "OfferAccepted",
        "ApplicationSubmitted",
    ]


def test_the_same_key_with_another_request_is_refused(service, merchant):
    """
    Another body, another path, another operation: 409, even if the other body is invalid.
    """
    merchant.ask(idempotency="k")

    assert code(merchant.ask(merchant.initial(currency="USD"), idempotency="k"))[0] == 409
    assert code(merchant.ask(b"{", idempotency="k")) == (409, "request_conflict")
    assert code(merchant.accept(idempotency="k")) == (409, "request_conflict")


def test_a_refusal_is_not_stored_under_the_key(service, merchant):
    """
    Only replies with status 200 are stored, so a refused request may be sent again with its key.
    """
    merchant.ask()
    merchant.accept()
    named = {"deal_id": "d-1", "status": "cancelled"}
    assert code(merchant.agent("close_deal", named, idempotency="k")) == (404, "deal_not_found")
    merchant.fund()
    named["deal_id"] = merchant.known["deal_id"]

    assert merchant.agent("close_deal", named, idempotency="k").status_code == 200


def test_each_caller_has_its_own_keys(service, merchant):
    """
    Two partners and an agent may choose the same key.
    """
    other = Merchant(service, key="bolt-key", partner="bolt")

    assert merchant.ask(idempotency="k").status_code == 200
    assert other.ask(idempotency="k").status_code == 200
    merchant.accept()
    named = {"application_id": merchant.known["application_id"]}
    assert merchant.agent("fund_deal", named, idempotency="k").status_code == 200


@pytest.mark.parametrize("key", ["", " ", "a b", "a" * 256, "ä", "\x7f"])
def test_a_key_is_visible_ascii(service, merchant, key):
    """
    A key is 1 to 255 visible ASCII characters; any other gets 422.
    """
    headers = {"Idempotency-Key": key.encode("latin-1")}

    assert code(merchant.ask(headers=headers)) == (422, "invalid_request")
    assert merchant.ask(headers={"Idempotency-Key": "a" * 255}).status_code == 200


def test_a_retry_without_a_key_gets_the_same_acceptance(service, merchant):
    """
    A repeated acceptance gets the same reply, even after the expiry; other bank details are a
    conflict.
    """
    merchant.ask()
    first = merchant.accept()
    service.now += timedelta(days=400)

    assert merchant.accept().content == first.content
    assert code(merchant.accept(bank_details=BANK | {"bank_name": "Other"}))[0] == 409
