"""Everything that the FastAPI host refuses: with problem details, and without a word too many."""

from __future__ import annotations

import json

import fastapi_calls as fixtures
import pytest
from fastapi_calls import code
from fastapi_host.tables import MERCHANTS
from sqlalchemy.exc import OperationalError

from holdback import wire

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant


def test_who_has_no_key_is_told_how_to_send_one(service):
    """
    401 with `WWW-Authenticate`, whatever was wrong with the key; 403 for a key of another kind.
    """
    endpoints = [
        ("POST", "/v2/offers", "agent-key"),
        ("POST", "/v2/offers/o-1/accept", "agent-key"),
        ("GET", "/v2/merchant?provider_id=p-1", "agent-key"),
        ("POST", "/v2/agents/acme/m-1/fund_deal", "acme-key"),
    ]
    for method, path, wrong in endpoints:
        for given in ("", "Bearer", "Bearer ", "Bearer nobody", "Basic acme-key", "Bearer ä"):
            reply = service.call(
                method, path, key=None, headers={"Authorization": given.encode("latin-1")}
            )
            assert code(reply) == (401, "unauthorized")
            assert reply.headers["www-authenticate"] == "Bearer"
        assert code(service.call(method, path, key=wrong)) == (403, "forbidden")


def test_what_is_not_served_is_a_problem_too(service):
    """
    "problem details everywhere (also 404 route, 405 ...)"
    """
    for path in ("/", "/v2", "/v2/offers/", "/v1/offers", "/v2/agents/acme/m-1/nothing"):
        assert code(service.call("POST", path, {})) == (404, "not_found")
    for method in ("GET", "PUT", "DELETE", "PATCH"):
        reply = service.call(method, "/v2/offers")
        assert code(reply) == (405, "method_not_allowed")
        assert reply.headers["allow"] == "POST"


def test_a_body_has_a_limit(service):
    """
    413 for a byte more than `wire.REQUEST_LIMIT`, whether its length was said or it came in pieces.
    """

    async def pieces():
        for _ in range(wire.REQUEST_LIMIT // 1024 + 1):
            yield b" " * 1024

    body = b" " * wire.REQUEST_LIMIT
    assert code(service.call("POST", "/v2/offers", body)) == (422, "invalid_request")
    assert code(service.call("POST", "/v2/offers", body + b" ")) == (413, "too_large")
    json_type = {"Content-Type": "application/json"}
    streamed = service.call("POST", "/v2/offers", content=pieces(), headers=json_type)
    assert code(streamed) == (413, "too_large")


def test_a_body_is_json(service, merchant):
    """
    415 when it says that it is something else, or does not say; 422 with every fault when it is not right.
    """
    body = json.dumps(merchant.initial()).encode()
    for given in ("text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"):
        reply = service.call("POST", "/v2/offers", body, headers={"Content-Type": given})
        assert code(reply) == (415, "not_json")
    typed = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert service.call("POST", "/v2/offers", body, headers=typed).status_code == 200

    for wrong in (b"", b"{", b"[]", b"\xff", b'{"application": NaN}', b"[" * 5000):
        assert code(service.call("POST", "/v2/offers", wrong)) == (422, "invalid_request")
    reply = service.call("POST", "/v2/offers", {"application": {"curency": "GBP"}})
    paths = [each["path"] for each in reply.json()["errors"]]
    assert paths[:3] == [
        "$.application.curency",
        "$.application.merchant_id",
        "$.application.currency",
    ]


@pytest.mark.parametrize(
    "odd", ["%00", "a%00b", "%ff", "%ed%a0%80", "x" * 5000, "%0a", "%20", "'--"]
)
def test_odd_identifiers_are_unknown(service, odd):
    """
    "Query/path oddities must be 4xx, not 500 (PostgreSQL refuses NUL in text!)"
    """
    accepted = service.call("POST", f"/v2/offers/{odd}/accept")
    assert code(accepted) == (404, "offer_not_found")
    looked_up = service.call("GET", f"/v2/merchant?provider_id={odd}")
    assert code(looked_up) == (404, "merchant_not_found")
    for path in (f"acme/{odd}", f"{odd}/m-1"):
        reply = service.call("POST", f"/v2/agents/{path}/review_renewal", key="agent-key")
        assert code(reply)[0] == 404


def test_a_question_needs_its_provider_id(service):
    """
    FastAPI's own findings are problem details, without what was sent.
    """
    for query in ("", "?provider_id=", "?provider=secret"):
        reply = service.call("GET", f"/v2/merchant{query}")
        assert code(reply) == (422, "invalid_request")
        assert b"secret" not in reply.content
        assert [each["path"] for each in reply.json()["errors"]] == ["query.provider_id"]


def test_an_error_of_ours_has_no_detail(service, merchant, monkeypatch):
    """
    "500 without any detail. Never a stack trace or personal data in a reply."
    """

    def broken(*_, **__):
        raise RuntimeError("Ada Person")

    monkeypatch.setattr(service.store, "find", broken)
    reply = merchant.ask()

    assert code(reply) == (500, "internal_error")
    assert b"Ada" not in reply.content


def test_a_stored_state_that_cannot_be_read_is_our_fault(service, merchant):
    """
    Nobody who asks can do anything about it: 500, and not 422 with our paths.
    """
    merchant.ask()
    with service.store.engine.begin() as db:
        db.execute(MERCHANTS.update().values(state=b'{"format":2}'))

    assert code(merchant.accept()) == (500, "internal_error")


def test_checks_that_fail_are_not_the_partners_fault(service, merchant, monkeypatch):
    """
    A bureau that is away is 503; evidence that the engine does not take is 500. Nothing has changed.
    """

    def away(*_):
        raise ConnectionError("Ada Person")

    checks = service.host.checks
    for made, expected in (
        (away, (503, "checks_failed")),
        (lambda *_: {"x": 1}, (500, "internal_error")),
    ):
        object.__setattr__(service.host, "checks", made)
        try:
            assert code(merchant.ask()) == expected
        finally:
            object.__setattr__(service.host, "checks", checks)
    assert service.events() == []


def test_health_says_whether_the_database_answers(service, monkeypatch):
    """
    `GET /health` needs no key.
    """
    reply = service.call("GET", "/health", key=None)
    assert reply.json() == {"status": "ok", "webhooks_to_deliver": 0}

    def away():
        raise OperationalError("select", {}, Exception("gone"))

    monkeypatch.setattr(service.store, "backlog", away)
    assert code(service.call("GET", "/health", key=None)) == (503, "unavailable")
