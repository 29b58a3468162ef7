"""The errors of the FastAPI host: problem details, without internal or personal data."""

from __future__ import annotations

import json

import fastapi_calls as fixtures
import pytest
from fastapi_calls import code
from fastapi_host.tables import MERCHANTS
from sqlalchemy.exc import OperationalError

from holdback import wire

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant


def test_a_caller_without_a_valid_key_is_refused(service):
    """
    401 with `WWW-Authenticate` for any invalid key; 403 for a key of another kind.
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


def test_an_unknown_path_or_method_gets_problem_details(service):
    """
    An unknown path or method gets problem details too.
    """
    for path in ("/", "/v2", "/v2/offers/", "/v1/offers", "/v2/agents/acme/m-1/nothing"):
        assert code(service.call("POST", path, {})) == (404, "not_found")
    for method in ("GET", "PUT", "DELETE", "PATCH"):
        reply = service.call(method, "/v2/offers")
        assert code(reply) == (405, "method_not_allowed")
        assert reply.headers["allow"] == "POST"


def test_a_body_has_a_limit(service):
    """
    413 for a byte more than `wire.REQUEST_LIMIT`, with a Content-Length or in chunks.
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
    415 for another content type or none; 422 with every error for an invalid body.
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
    paths = [error["path"] for error in reply.json()["errors"]]
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
    Odd identifiers in a path or a query get a 4xx, never a 500; PostgreSQL refuses NUL in text.
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
    FastAPI's own errors are problem details, without the text that was sent.
    """
    for query in ("", "?provider_id=", "?provider=secret"):
        reply = service.call("GET", f"/v2/merchant{query}")
        assert code(reply) == (422, "invalid_request")
        assert b"secret" not in reply.content
        assert [error["path"] for error in reply.json()["errors"]] == ["$.query.provider_id"]


def test_an_internal_error_has_no_detail(service, merchant, monkeypatch):
    """
    A 500 has no detail, and no reply has a stack trace or personal data.
    """

    def broken(*_, **__):
        raise RuntimeError("Ada Person")

    monkeypatch.setattr(service.store, "find", broken)
    reply = merchant.ask()

    assert code(reply) == (500, "internal_error")
    assert b"Ada" not in reply.content


def test_an_unreadable_state_is_an_internal_error(service, merchant):
    """
    The caller can do nothing about it: 500, not 422 with the paths of our own document.
    """
    merchant.ask()
    with service.store.engine.begin() as db:
        db.execute(MERCHANTS.update().values(state=b'{"format":2}'))

    assert code(merchant.accept()) == (500, "internal_error")


def test_failing_checks_are_not_blamed_on_the_partner(service, merchant, monkeypatch):
    """
    503 if a bureau does not answer, 500 if our evidence is invalid. Nothing has changed.
    """

    def unavailable(*_):
        raise ConnectionError("Ada Person")

    checks = service.host.checks
    for made, expected in (
        (unavailable, (503, "checks_failed")),
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

    def unavailable():
        raise OperationalError("select", {}, Exception("gone"))

    monkeypatch.setattr(service.store, "backlog", unavailable)
    assert code(service.call("GET", "/health", key=None)) == (503, "unavailable")
