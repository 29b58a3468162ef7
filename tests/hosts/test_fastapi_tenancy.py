"""Another partner's id gets the same answer as an unknown one: same status, same bytes."""

from __future__ import annotations

import re

import pytest
from fastapi_calls import PARTNERS, Merchant, code, service_on
from fastapi_host.for_agents import COMMANDS, QUESTIONS

from holdback.testing import payloads

# An id that never existed.
UNKNOWN = "00000000-0000-5000-8000-000000000000"


@pytest.fixture(scope="module", params=["sqlite", "READ COMMITTED"])
def theirs(request, tmp_path_factory):
    """A merchant of acme with an open set of offers and an active deal."""
    with service_on(request.param, tmp_path_factory.mktemp("database"), request) as service:
        merchant = Merchant(service).renewable()
        merchant.ask(merchant.renewal())
        assert Merchant(service, "m-7").ask().status_code == 200
        yield merchant


def same(replies):
    """Return whether all replies are equal, headers included, and are 404; each has a random id."""
    ids = {reply.headers.pop("x-request-id") for reply in replies}
    distinct = {
        (reply.status_code, reply.content, tuple(sorted(reply.headers.items())))
        for reply in replies
    }
    (status,) = {reply.status_code for reply in replies}
    return len(distinct) == 1 and status == 404 and len(ids) == len(replies)


def test_offers_for_another_partners_provider_id(theirs):
    """
    A renewal with it is refused like one with an unknown provider_id, and creates nothing.
    """
    service = theirs.service
    before = service.events(partner="bolt")
    replies = []
    for merchant_id in ("m-1", "m-9"):
        for provider_id in (theirs.known["provider_id"], UNKNOWN):
            body = payloads.offers_request(merchant_id, provider_id)
            replies.append(service.call("POST", "/v2/offers", body, key="bolt-key"))

    assert same(replies)
    assert service.events(partner="bolt") == before


def test_offers_for_another_partners_provider_id_by_one_that_has_a_merchant(theirs):
    """
    Also from a partner that has a merchant with the same merchant_id.
    """
    own = Merchant(theirs.service, "m-1", key="bolt-key", partner="bolt")
    assert own.ask().status_code == 200
    assert own.accept().status_code == 200
    replies = [
        own.ask(payloads.offers_request("m-1", provider_id))
        for provider_id in (theirs.known["provider_id"], UNKNOWN)
    ]

    assert own.known["provider_id"] != theirs.known["provider_id"]
    assert same(replies)


@pytest.mark.parametrize("body", [None, {"bank_details": {"bank_name": "Mine"}}, b"{"])
def test_accepting_another_partners_offer(theirs, body):
    """
    It is refused like an unknown one, with any body, with and without a key.
    """
    calls = [
        theirs.service.call("POST", f"/v2/offers/{each}/accept", body, key="bolt-key", **more)
        for each in (*theirs.known["offer_ids"], theirs.known["provider_id"], UNKNOWN)
        for more in ({}, {"idempotency": "k-1"})
    ]

    assert same(calls)


def test_looking_another_partners_merchant_up(theirs):
    """
    Its provider_id, its merchant_id and its offer_id are all unknown.
    """
    known = theirs.known
    replies = [
        theirs.service.call("GET", "/v2/merchant", key="bolt-key", params={"provider_id": each})
        for each in (known["provider_id"], "m-1", known["offer_ids"][0], UNKNOWN)
    ]

    assert same(replies)


def test_an_offer_id_is_not_a_provider_id(theirs):
    """
    Neither can be used for the other, not even by the partner that owns both.
    """
    known = theirs.known
    replies = [
        theirs.service.call("GET", "/v2/merchant", params={"provider_id": each})
        for each in (known["offer_ids"][0], UNKNOWN)
    ]
    accepts = [
        theirs.service.call("POST", f"/v2/offers/{each}/accept")
        for each in (known["provider_id"], UNKNOWN)
    ]

    assert same(replies)
    assert same(accepts)


OTHER_QUESTIONS = [
    "filled_application",
    "bank_details",
    "required_checks",
    "settlement_quote",
    "unwind_quote",
    "statement",
]


@pytest.mark.parametrize("operation", [*COMMANDS, *QUESTIONS, *OTHER_QUESTIONS])
def test_agents_find_a_merchant_only_under_its_own_partner(theirs, operation):
    """
    acme's m-7 is unknown under bolt, as under a partner that does not exist.
    """
    known = theirs.known
    body = {"application_id": known["application_id"], "deal_id": known["deal_id"]}
    body |= {"on": "2026-11-03"}
    key = {"decide_referral": "underwriter-key", "bank_details": "clerk-key"}
    call, more = theirs.service.agent, {"body": body}
    if operation not in COMMANDS:
        call, more = theirs.service.agent_asks, {"params": body}
    more = more | {"key": key.get(operation, "agent-key")}
    replies = [
        call(operation, partner=partner, merchant_id="m-7", **more)
        for partner in ("bolt", "nobody")
    ]
    replies.append(call(operation, partner="bolt", merchant_id=UNKNOWN, **more))

    assert same(replies)


@pytest.mark.parametrize("operation", ["filled_application", "bank_details"])
def test_agents_find_an_application_only_with_its_own_merchant(theirs, operation):
    """
    An application of another merchant is unknown.
    """
    replies = [
        theirs.service.agent_asks(
            operation, merchant_id="m-7", params={"application_id": one}, key="clerk-key"
        )
        for one in (theirs.known["application_id"], UNKNOWN)
    ]

    assert same(replies)


QUESTIONS_OF_PARTNERS = ["applications", "settlement_quote", "statement"]
COMMANDS_OF_PARTNERS = [
    "decline_offers",
    "disclose",
    "record_consents",
    "withdraw_application",
    "requote",
]
OF_PARTNERS = [*QUESTIONS_OF_PARTNERS, *COMMANDS_OF_PARTNERS]


@pytest.mark.parametrize("operation", OF_PARTNERS)
@pytest.mark.parametrize("body", [{}, b"{", {"consents": {}}])
def test_a_partner_finds_only_its_own_merchants(theirs, operation, body):
    """
    Another partner's merchant_id, provider_id and application_id are all unknown, with any body.
    """
    known = theirs.known
    method = "GET" if operation in QUESTIONS_OF_PARTNERS else "POST"
    asked = {"deal_id": known["deal_id"], "on": "2026-11-03"}
    if isinstance(body, dict):
        body = body | {"application_id": known["application_id"]}
    replies = [
        theirs.service.call(
            method,
            f"/v2/merchants/{one}/{operation}",
            None if method == "GET" else body,
            key="bolt-key",
            params=asked if operation == "settlement_quote" else None,
        )
        for one in ("m-7", known["provider_id"], known["application_id"], UNKNOWN)
    ]

    assert same(replies)


@pytest.mark.parametrize("operation", ["decline_offers", "withdraw_application"])
def test_a_partner_finds_an_application_only_with_its_own_merchant(theirs, operation):
    """
    An application of another merchant is unknown, the partner's own or not.
    """
    replies = [
        theirs.service.call(
            "POST", f"/v2/merchants/m-7/{operation}", {"application_id": application_id}
        )
        for application_id in (theirs.known["application_id"], UNKNOWN)
    ]

    assert same(replies)


@pytest.mark.parametrize("deal", ["deal_id", "application_id", "provider_id", None])
def test_a_deal_is_found_only_with_its_own_merchant(theirs, deal):
    """
    A deal of another merchant, and ids that are none of deals, are unknown, to the partner and to
    agents; also as either end of a transfer.
    """
    own = theirs.known.get(deal, UNKNOWN)
    money = {"id": "x-1", "on": "2026-11-03", "amount": "1.00"}
    transfer = {"from_deal_id": own, "to_deal_id": own, **money}
    asked = {"deal_id": own, "on": "2026-11-03"}
    service = theirs.service
    partner = "/v2/merchants/m-7/settlement_quote"
    replies = [
        service.call("GET", partner, params=asked),
        service.agent_asks("settlement_quote", merchant_id="m-7", params=asked),
        service.agent("refund", {"deal_id": own, **money}, merchant_id="m-7"),
        service.agent("transfer", transfer, merchant_id="m-7"),
        service.agent("pause", asked, merchant_id="m-7"),
    ]

    assert same(replies)
    assert code(replies[0]) == (404, "deal_not_found")


def test_an_offer_is_quoted_anew_only_for_its_own_merchant(theirs):
    """
    The offer of another merchant is unknown, the partner's own or not.
    """
    service = theirs.service
    replies = [
        call("requote", {"offer_id": one, "amount": "5000"})
        for one in (*theirs.known["offer_ids"], UNKNOWN)
        for call in (
            Merchant(service, "m-7").partner_does,
            Merchant(service, "m-7").agent,
        )
    ]

    assert same(replies)
    assert code(replies[0]) == (404, "offer_not_found")


def test_another_partners_key_reveals_nothing(theirs):
    """
    A partner that guesses another partner's idempotency key gets an answer of its own.
    """
    service = theirs.service
    body = Merchant(service, "m-3").initial()
    first = service.call("POST", "/v2/offers", body, idempotency="guess")
    second = service.call("POST", "/v2/offers", body, key="bolt-key", idempotency="guess")

    assert (first.status_code, second.status_code) == (200, 200)
    ids = [set(re.findall(r'"offer_id":"([^"]+)"', each.text)) for each in (first, second)]
    assert ids[0]
    assert ids[1]
    assert not ids[0] & ids[1]


def test_every_endpoint_was_tried(theirs):
    """
    Every endpoint is tried with another partner's ids; a new endpoint has to be added above.
    """
    paths = theirs.service.call("GET", "/openapi.json", key=None).json()["paths"]
    tried = {"/v2/offers", "/v2/offers/{offer_id}/accept", "/v2/merchant", "/health"}
    tried |= {f"/v2/merchants/{{merchant_id}}/{operation}" for operation in OF_PARTNERS}
    # These take no id.
    tried |= {"/v2/open_applications", "/v2/open_referrals", "/v2/open_deals"}
    agents = {path for path in paths if path.startswith("/v2/agents/{partner}/{merchant_id}/")}

    assert set(paths) == tried | agents
    assert len(agents) == len(COMMANDS) + len(QUESTIONS) + len(OTHER_QUESTIONS)
    assert len(PARTNERS.partners) == 2
