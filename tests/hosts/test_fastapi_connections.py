"""The FastAPI host on a real server: slow bodies, clients that go away, and odd heads."""

from __future__ import annotations

import json
import logging
import time
from contextlib import suppress

import pytest
from fastapi_calls import Merchant, service_on
from fastapi_host import incoming
from served import connected, head, read_to_end, served

from holdback import wire

POST = "POST /v2/offers HTTP/1.1"
JSON = {"Content_Type": "application/json"}


@pytest.fixture
def lines(monkeypatch):
    """What the host and the server log: fields of the host's lines, and texts of the server's."""
    written = []
    monkeypatch.setattr(
        "fastapi_host.outermost.log", lambda event, **fields: written.append((event, fields))
    )

    class Server(logging.Handler):
        def emit(self, record):
            written.append(("server", record.getMessage()))

    handler = Server(logging.WARNING)
    logging.getLogger("uvicorn.error").addHandler(handler)
    yield written
    logging.getLogger("uvicorn.error").removeHandler(handler)


@pytest.fixture
def service(tmp_path, lines):
    with service_on("sqlite", tmp_path) as service:
        yield service


@pytest.fixture
def port(service):
    with served(service.app) as port:
        yield port


def test_a_body_that_arrives_slowly_is_refused(port, lines, monkeypatch):
    """
    408 after a deadline for the whole body, however often a byte arrives; the connection ends.
    """
    monkeypatch.setattr(incoming, "BODY_SECONDS", 0.3)
    started = time.monotonic()
    with connected(port) as connection:
        connection.sendall(head(POST, **JSON, Content_Length=1000))
        connection.settimeout(0.05)
        received = b""
        while not received and time.monotonic() - started < 20:
            connection.sendall(b" ")
            try:
                received = connection.recv(65536)
            except TimeoutError:
                continue
        connection.settimeout(30)
        # The end may be a reset: the host has not read the last bytes that were sent.
        with suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece

    assert 0.3 <= time.monotonic() - started < 10
    top, _, body = received.partition(b"\r\n\r\n")
    assert top.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in top
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (408, "too_slow")
    assert wire.CONTENT_TYPE.encode() in top
    ((event, fields),) = lines
    assert (event, fields["status"], fields["code"]) == ("request", 408, "too_slow")


def test_a_body_in_time_is_read(service, port):
    """
    The deadline is for the body alone.
    """
    body = json.dumps(Merchant(service).initial()).encode()
    with connected(port) as connection:
        connection.sendall(head(POST, **JSON, Content_Length=len(body), Connection="close"))
        for place in range(0, len(body), 100):
            connection.sendall(body[place : place + 100])
            time.sleep(0.02)
        status, headers, _ = read_to_end(connection)

    assert status == 200
    assert headers["cache-control"] == "no-store"
    assert len(headers["x-request-id"]) == 36


@pytest.mark.parametrize("sent", [b"", b'{"application": '])
def test_a_client_that_goes_away_is_no_error(service, port, lines, sent):
    """
    No 500, no stack trace and no event: one line that says that the client went away.
    """
    with connected(port) as connection:
        connection.sendall(head(POST, **JSON, Content_Length=1000) + sent)
        time.sleep(0.1)
    deadline = time.monotonic() + 10
    while not lines and time.monotonic() < deadline:
        time.sleep(0.02)

    ((event, fields),) = lines
    assert event == "request"
    assert (fields["status"], fields["code"]) == (None, "client_disconnected")
    assert fields["caller"] == "partner:acme"
    assert service.events() == []


def test_a_body_that_is_too_large_ends_the_connection(port):
    """
    Its rest is not read, so nothing can follow it.
    """
    with connected(port) as connection:
        connection.sendall(head(POST, **JSON, Content_Length=10_000_000))
        connection.sendall(b" " * (wire.REQUEST_LIMIT + 1))
        status, headers, body = read_to_end(connection)

    assert (status, json.loads(body)["code"]) == (413, "too_large")
    assert headers["connection"] == "close"


def test_a_key_is_asked_for_before_the_body(port):
    """
    Without a valid key nobody can keep the host waiting.
    """
    with connected(port) as connection:
        wrong = {"Authorization": "Bearer nobody", "Connection": "close"}
        connection.sendall(head(POST, **JSON, Content_Length=1000, **wrong))
        status, _, _ = read_to_end(connection)
    assert status == 401


def test_head_on_a_server_has_no_body(port):
    """
    The server keeps the length that the body would have.
    """
    with connected(port) as connection:
        connection.sendall(head("HEAD /health HTTP/1.1", Connection="close"))
        status, headers, body = read_to_end(connection)
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


def test_a_forwarded_header_is_not_believed(port, lines):
    """
    The log has the direct peer, though the client names another one.
    """
    with connected(port) as connection:
        more = {"X_Forwarded_For": "192.0.2.7", "Forwarded": "for=192.0.2.7", "Connection": "close"}
        connection.sendall(head("GET /health HTTP/1.1", **more))
        read_to_end(connection)
    ((_, fields),) = lines
    assert fields["client"] == "127.0.0.1"
