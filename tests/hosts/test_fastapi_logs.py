"""The log of the FastAPI host: enough to see what happened, without personal data."""

from __future__ import annotations

import io
import json
import logging

import pytest
from fastapi_calls import BANK, PROFILE, Merchant, service_on
from fastapi_host import logs
from fastapi_host.outbox import deliver_due
from fastapi_host.review import review
from fastapi_host.store import Conflict

# Keys, the partner's identifier, and texts from bodies: not personal, and still not for the log.
CONFIDENTIAL = [
    "acme-key",
    "agent-key",
    "merchant-of-acme",
    "a second oven",
    "key-of-the-request",
    "1234.56",
]


@pytest.fixture
def output():
    """A stream that receives the output of every logger, at every level."""
    stream = io.StringIO()
    logs.log_to(stream)
    handler = logs.LOGGER.handlers[-1]
    everything = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(everything)
    root.setLevel(logging.DEBUG)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # the client of these tests
    yield stream
    logging.getLogger("httpx").setLevel(logging.NOTSET)
    logs.LOGGER.removeHandler(handler)
    logs.LOGGER.propagate = True
    root.removeHandler(everything)
    root.setLevel(level)


@pytest.fixture(params=["sqlite", "READ COMMITTED"])
def merchant(request, tmp_path):
    with service_on(request.param, tmp_path, request) as service:
        yield Merchant(service, "merchant-of-acme")


def lines(stream):
    written = stream.getvalue().splitlines()
    return [json.loads(line) for line in written if line.startswith('{"at"')]


def values(document):
    """Return every text and number of a JSON document."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return [value for item in document for value in values(item)]
    return [str(document)] if isinstance(document, str | int) and len(str(document)) > 4 else []


def test_the_log_has_no_personal_data(merchant, output, monkeypatch):
    """
    The log has no bodies, merchant ids, bank details or query strings, also when a request fails.
    """
    merchant.ask(idempotency="key-of-the-request")
    merchant.ask(merchant.initial(currency="USD"), idempotency="key-of-the-request")
    merchant.accept()
    merchant.look_up()
    merchant.fund()
    day = {"on": "2026-07-06", "amount": "1234.56"}
    merchant.agent("record_takings", {"takings": [day]})
    merchant.service.now = merchant.service.now.replace(month=11)
    merchant.remit("7000.00")
    merchant.ask(merchant.renewal())
    merchant.ask({"applicants": ["Ada Person"], "Nine Lives Ltd": BANK})
    merchant.service.call("GET", "/Ada%20Person?name=Nine%20Lives%20Ltd")
    deliver_due(
        merchant.service.store, merchant.service.app.state.partners.named("acme"), lambda *_: 500
    )
    review(merchant.service.host, merchant.service.app.state.partners)

    def fail(*_, **__):
        raise RuntimeError("Ada Person of Nine Lives Ltd")

    with monkeypatch.context() as patch:
        patch.setattr(merchant.service.store, "write", fail)
        assert merchant.ask(merchant.renewal()).status_code == 500
    with merchant.service.store.engine.begin() as db:
        db.exec_driver_sql("drop table replies")
    assert merchant.ask(idempotency="key-of-the-request").status_code >= 500

    ids = [merchant.known["provider_id"], merchant.known["deal_id"], *merchant.known["offer_ids"]]
    secrets = [*values(PROFILE), *values(BANK), *CONFIDENTIAL, *ids]
    assert len(secrets) > 15
    log = output.getvalue()
    assert [secret for secret in secrets if secret in log] == []


def test_a_request_is_one_line(merchant, output):
    """
    A request is logged in one line: when, its id, partner, key and client, method, route template,
    status, problem code, attempts, the digests of its body and of the rules, and milliseconds.
    """
    merchant.ask()
    merchant.accept("00000000-0000-5000-8000-000000000000")
    merchant.service.call("GET", "/nothing", key=None)

    first, second, third = (line for line in lines(output) if line["event"] == "request")
    assert list(first) == [
        "at",
        "event",
        "request_id",
        "caller",
        "key_name",
        "client",
        "method",
        "route",
        "status",
        "code",
        "attempts",
        "body_digest",
        "rulebook_digest",
        "milliseconds",
    ]
    assert (first["caller"], first["method"], first["route"]) == (
        "partner:acme",
        "POST",
        "/v2/offers",
    )
    assert (first["status"], first["code"], first["attempts"]) == (200, None, 1)
    assert second["route"] == "/v2/offers/{offer_id}/accept"
    assert (second["status"], second["code"]) == (404, "offer_not_found")
    assert (third["caller"], third["route"], third["status"]) == (None, None, 404)
    stored = merchant.service.store.find(partner="acme", merchant_id=merchant.merchant_id)
    assert first["request_id"] in stored.state.decode()


def test_every_retry_and_every_webhook_is_a_line(merchant, output, monkeypatch):
    """
    Every retry after a conflict is one line of the log, and so is every webhook.
    """
    write, left = merchant.service.store.write, [True, True]

    def conflict(*given, **more):
        if left:
            left.pop()
            raise Conflict
        write(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(merchant.service.store, "write", conflict)
        assert merchant.ask().status_code == 200
    failed = [line for line in lines(output) if line["event"] == "attempt_failed"]
    assert [(line["attempt"], line["why"]) for line in failed] == [(1, "Conflict"), (2, "Conflict")]
    (request,) = (line for line in lines(output) if line["event"] == "request")
    assert (request["attempts"], request["request_id"]) == (3, failed[0]["request_id"])

    merchant.service.now = merchant.service.now.replace(month=7)
    Merchant(merchant.service, "m-2").renewable()
    acme = merchant.service.app.state.partners.named("acme")
    assert deliver_due(merchant.service.store, acme, lambda *_: 204) == 1
    (webhook,) = (line for line in lines(output) if line["event"] == "webhook")
    assert (webhook["partner"], webhook["attempt"], webhook["status"]) == ("acme", 1, 204)


def test_an_error_is_logged_by_its_kind_and_place(merchant, output, monkeypatch):
    """
    Enough to find it, without its message, which may contain what a caller sent.
    """

    def fail(*_, **__):
        raise RuntimeError("Ada Person")

    monkeypatch.setattr(merchant.service.store, "find", fail)
    merchant.ask()

    (error,) = (line for line in lines(output) if line["event"] == "error")
    assert error["error"] == "RuntimeError"
    assert any(line.startswith("attempts.py:") for line in error["where"])
    assert error["where"][-1].endswith(" fail")
