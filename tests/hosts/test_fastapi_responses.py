"""What the FastAPI host does for every request: ids, headers, HEAD, and what a body may be."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from hashlib import sha256
from hmac import digest

import fastapi_calls as fixtures
import pytest
from fastapi_calls import ENGINE, Merchant, at_once, code, service_on

from holdback.lifecycle.events import OffersIssued

service, place, merchant = fixtures.service, fixtures.place, fixtures.merchant
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def log(monkeypatch):
    """The lines of the log, as pairs of an event and its fields."""
    lines = []
    monkeypatch.setattr("fastapi_host.outermost.log", lambda event, **fields: lines.append(fields))
    return lines


@pytest.fixture(params=["sqlite"])
def small(request, tmp_path):
    with service_on(request.param, tmp_path) as service:
        yield service


def test_every_answer_has_a_request_id_and_is_not_stored(small, log, monkeypatch):
    """
    Replies, refusals, 404, 405, 401, 500, the pages of FastAPI and /health, too.
    """
    replies = [
        Merchant(small).ask(),
        Merchant(small).accept("00000000-0000-5000-8000-000000000000"),
        *(small.call("GET", path, key=None) for path in ("/nothing", "/health", "/docs")),
        small.call("GET", "/openapi.json", key=None),
        small.call("DELETE", "/v2/offers"),
        small.call("GET", "/v2/merchant?provider_id=p", key="nobody"),
        small.call("GET", "/v2/merchant"),
    ]
    monkeypatch.setattr(small.store, "find", lambda **_: 1 / 0)
    replies.append(Merchant(small).ask())

    statuses = [200, 404, 404, 200, 200, 200, 405, 401, 422, 500]
    assert [reply.status_code for reply in replies] == statuses
    ids = [reply.headers["x-request-id"] for reply in replies]
    assert all(UUID.fullmatch(each) for each in ids)
    assert ids == [line["request_id"] for line in log if "milliseconds" in line]
    assert len(set(ids)) == len(ids)
    assert {reply.headers["cache-control"] for reply in replies} == {"no-store"}


def test_a_request_id_is_drawn_here(service, merchant):
    """
    A caller cannot choose it: the ids of offers derive from it.
    """
    reply = merchant.ask(headers={"X-Request-ID": "mine"})
    assert UUID.fullmatch(reply.headers["x-request-id"])
    stored = service.store.find(partner="acme", merchant_id="m-1").state
    assert reply.headers["x-request-id"].encode() in stored


def test_head_is_get_without_the_body(service, merchant, log):
    """
    The same status and headers as GET, for answers and errors; other paths have no HEAD.
    """
    merchant.renewable()
    path = f"/v2/merchant?provider_id={merchant.known['provider_id']}"
    for asked in (path, "/v2/merchant?provider_id=p", "/health", "/openapi.json", "/docs", "/no"):
        get, head = (service.call(method, asked) for method in ("GET", "HEAD"))
        for reply in (get, head):
            reply.headers.pop("x-request-id")
        assert (head.status_code, head.headers) == (get.status_code, get.headers)
        assert (head.content, get.content == b"") == (b"", False)
    assert log[-1]["method"] == "HEAD"

    refused = service.call("HEAD", "/v2/offers")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert service.call("POST", "/v2/merchant").headers["allow"] == "GET, HEAD"


def test_a_body_is_not_compressed(small):
    """
    415 for a coding other than `identity`, which the header `Accept-Encoding` names.
    """
    merchant = Merchant(small)
    body = json.dumps(merchant.initial()).encode()
    for coding in ("gzip", "br", "identity, gzip", "unknown"):
        sent = gzip.compress(body) if "gzip" in coding else body
        reply = merchant.ask(sent, headers={"Content-Encoding": coding})
        assert code(reply) == (415, "encoded")
        assert reply.headers["accept-encoding"] == "identity"
    twice = [("Content-Encoding", "identity"), ("Content-Encoding", "gzip")]
    assert code(merchant.ask(body, headers=twice)) == (415, "encoded")
    assert merchant.ask(body, headers={"Content-Encoding": "Identity"}).status_code == 200


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("application/json; charset=utf-16", (415, "not_utf_8")),
        ("application/json; charset=", (415, "not_utf_8")),
        ("application/json; charset=utf-8; charset=latin-1", (415, "not_utf_8")),
        ("application/json, application/json", (415, "not_json")),
        ("application/json, text/plain", (415, "not_json")),
        ("application/json;CHARSET=UTF-8", None),
        ('application/json; charset="utf-8"', None),
        ("application/json; profile=v2", None),
    ],
)
def test_a_body_is_in_utf_8(small, content_type, expected):
    """
    415 for another charset, and for two types in one header.
    """
    reply = Merchant(small).ask(headers={"Content-Type": content_type})
    assert (reply.status_code == 200) if expected is None else (code(reply) == expected)


def test_a_body_has_one_content_type(small):
    """
    Of two headers, a proxy may have read the other one.
    """
    body = json.dumps(Merchant(small).initial()).encode()
    headers = [("Content-Type", "application/json"), ("Authorization", "Bearer acme-key")]
    twice = [headers[0], ("Content-Type", "text/plain")]
    reply = small.call("POST", "/v2/offers", key=None, content=body, headers=[*headers, *twice])
    assert code(reply) == (415, "not_json")
    assert reply.json()["detail"] == "send one header `Content-Type: application/json`"
    assert reply.headers["accept-post"] == "application/json"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["k-1", "k-2"], "expected one key for one request; 2 were sent"),
        (["k-1", "k-1"], "expected one key for one request; 2 were sent"),
        (["", "k-1"], "expected one key for one request; 2 were sent"),
        ([""], "the key is empty; send 1 to 255 visible ASCII characters, or no such header"),
        (["k-1, k-2"], "expected 1 to 255 visible ASCII characters"),
    ],
)
def test_a_request_has_one_idempotency_key(small, keys, message):
    """
    422 with a message that says what to send, for two keys and for an empty one.
    """
    reply = Merchant(small).ask(headers=[("Idempotency-Key", key) for key in keys])

    assert code(reply) == (422, "invalid_request")
    (error,) = reply.json()["errors"]
    assert (error["path"], error["message"]) == ("$.header.Idempotency-Key", message)
    assert small.events() == []


def test_the_log_has_the_digest_of_the_body_and_of_the_rules(service, merchant, log):
    """
    The body's is keyed with the SHA-256 of the caller's key, so the caller can make it too; that of
    the rules is in every line of a decision.
    """
    merchant.funded()
    merchant.remit("100.00")
    merchant.agent("review_renewal")
    merchant.look_up()
    lines = {line["route"].rpartition("/")[2]: line for line in log}
    body = json.dumps(merchant.initial()).encode()
    merchant.ask(body)

    key = sha256(b"acme-key").digest()
    assert log[-1]["body_digest"] == digest(key, body, "sha256").hex()
    assert lines["review_renewal"]["body_digest"] is None
    (issued,) = (
        event
        for event in map(json.loads, service.store.history("acme", "m-1"))
        if event["type"] == OffersIssued.__name__
    )
    digests = {name: line["rulebook_digest"] for name, line in lines.items()}
    rules = issued["offer_set"]["digest"]
    assert rules == ENGINE.jurisdictions.resolve("GB", on=service.now.date()).digest
    assert digests == {
        "offers": rules,
        "accept": None,  # an acceptance runs no rules
        "fund_deal": None,
        "record_remittance": None,
        "review_renewal": rules,
        "merchant": rules,
    }


def test_a_change_of_eligibility_is_logged_with_its_rules(service, merchant, log):
    """
    A remittance that lets a merchant renew decides.
    """
    merchant.renewable()
    line = next(line for line in log if line["route"].endswith("record_remittance"))
    today = service.now.date()
    assert line["rulebook_digest"] == ENGINE.jurisdictions.resolve("GB", on=today).digest


def test_a_merchant_without_a_deal_is_looked_up_without_a_decision(service, merchant, log):
    """
    No deal can be renewed, so no rules decide.
    """
    merchant.ask()
    merchant.accept()
    merchant.look_up()
    assert log[-1]["rulebook_digest"] is None


@pytest.mark.parametrize("fails", ["http.response.start", "http.response.body"])
def test_a_client_that_leaves_before_its_answer_is_no_error(small, log, fails):
    """
    A server may report it by an error of `send`; what was decided stays, and the log says so.
    """
    body = json.dumps(Merchant(small).initial()).encode()
    scope = {"type": "http", "http_version": "1.1", "method": "POST", "scheme": "http"}
    headers = [(b"authorization", b"Bearer acme-key"), (b"content-type", b"application/json")]
    scope |= {"path": "/v2/offers", "raw_path": b"/v2/offers", "query_string": b""}
    scope |= {"headers": headers, "server": ("test", 80), "client": None, "root_path": ""}

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        if message["type"] == fails:
            raise OSError

    asyncio.run(small.app(scope, receive, send))

    (line,) = log
    assert (line["code"], line["client"]) == ("client_disconnected", None)
    assert small.events() == ["EvidenceRecorded", "OffersIssued"]


def test_concurrent_requests_keep_their_own_ids(small, log):
    """
    The note of a request belongs to it alone.
    """
    replies = at_once([lambda n=n: Merchant(small, f"m-{n}").ask() for n in range(8)])
    ids = {reply.headers["x-request-id"] for reply in replies}
    assert ids == {line["request_id"] for line in log}
    assert len(ids) == 8
