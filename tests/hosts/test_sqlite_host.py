"""The SQLite host: whom it blames for an invalid document."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime

import pytest
from sqlite_host import SqliteHost

from holdback import ConfigurationError, Engine, StateError, wire
from holdback.testing import payloads

AT = datetime(2026, 7, 6, 9, tzinfo=UTC)


@pytest.fixture
def host(tmp_path):
    host = SqliteHost(tmp_path / "holdback.db", Engine.for_trial())
    host.open()
    return host


def ask(host, **changed):
    """Ask for the first offers of a merchant."""
    request = {
        "partner": "acme",
        "jurisdiction": "GB",
        "body": payloads.as_json(payloads.offers_request("m-1")),
        "evidence": payloads.evidence(AT.date()),
    }
    return host.handle("request_offers", request | changed, key=None, at=AT)


def record_takings(host, on):
    body = json.dumps({"takings": [{"on": on, "amount": "10.00"}]}).encode()
    request = {"partner": "acme", "jurisdiction": "GB", "body": body, "merchant_id": "m-1"}
    return host.handle("record_takings", request, key=None, at=AT)


def test_an_invalid_body_is_answered_with_its_errors(host):
    """
    422 when the body cannot be read, and when the engine refuses what is in it.
    """
    assert ask(host)[0] == 200
    for body in (b"{", b"[]", b"{}"):
        assert ask(host, body=body)[0] == 422
    for operation in ("accept_offer", "look_up"):
        request = {"partner": "acme", "jurisdiction": "GB", "body": b"{"}
        assert host.handle(operation, request, key=None, at=AT)[0] == 422
    assert record_takings(host, "2026-07-05")[0] == 200
    status, problem = record_takings(host, "2026-07-07")
    assert status == 422
    assert wire.read_json(problem)["errors"][0]["path"] == "$.takings[0].on"


def test_an_unreadable_state_is_not_blamed_on_the_caller(host):
    """
    The caller can do nothing about a stored state: it raises, and is not answered with 422.
    """
    ask(host)
    with closing(host.connect()) as db:
        db.execute("update merchants set state = ?", (b'{"format":2}',))
    with pytest.raises(StateError):
        ask(host)


@pytest.mark.parametrize("evidence", [{"credit_score": "high"}, {"unknown_fact": 1}, [1]])
def test_invalid_evidence_is_not_blamed_on_the_caller(host, evidence):
    """
    The evidence comes from the checks of the service.
    """
    with pytest.raises(ConfigurationError, match="evidence"):
        ask(host, evidence=evidence)
