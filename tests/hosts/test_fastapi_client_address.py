"""The client's address in the log: the direct peer's, or what trusted proxies say."""

from __future__ import annotations

import pytest
from fastapi_calls import service_on
from fastapi_host.app import create_app
from fastapi_host.client_address import Proxies
from hypothesis import given
from hypothesis import strategies as st

PEER = "10.0.0.9"


def client(proxies, *headers, peer=(PEER, 4711)):
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers]
    return proxies.client({"type": "http", "headers": pairs, "client": peer})


@pytest.mark.parametrize(
    ("trusted", "sent", "expected"),
    [
        (0, ["192.0.2.7"], PEER),
        (1, ["192.0.2.7"], "192.0.2.7"),
        (1, ["203.0.113.1, 192.0.2.7"], "192.0.2.7"),  # what stands before it, anybody may write
        (2, ["203.0.113.1, 192.0.2.7"], "203.0.113.1"),
        (2, ["198.51.100.1, 203.0.113.1,192.0.2.7"], "203.0.113.1"),
        (2, ["198.51.100.1", "203.0.113.1", "192.0.2.7"], "203.0.113.1"),
        (2, ["192.0.2.7"], PEER),  # it did not pass both proxies
        (1, [], PEER),
        (1, [""], PEER),
        (1, ["192.0.2.7:4711"], "192.0.2.7"),
        (1, ["2001:db8::1"], "2001:db8::1"),
        (1, ["[2001:db8::1]:4711"], "2001:db8::1"),
        (1, ["2001:DB8:0::1"], "2001:db8::1"),
        (1, ["Ada Person"], PEER),
        (1, ["fe80::1%Ada Person"], PEER),
        (1, ["unknown"], PEER),
    ],
)
def test_x_forwarded_for_is_read_from_the_right(trusted, sent, expected):
    """
    The trusted proxies added the last entries; the client may have written all before them.
    """
    pairs = [("X-Forwarded-For", value) for value in sent]
    assert client(Proxies(trusted), *pairs) == expected


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
        ('proto=https; For="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"),
        ("for=198.51.100.1, for=192.0.2.60:80", "192.0.2.60"),
        ("for=_hidden", PEER),
        ("for=unknown", PEER),
        ("by=192.0.2.1", PEER),
        ("192.0.2.1", PEER),
    ],
)
def test_forwarded_is_read_as_rfc_7239_writes_it(sent, expected):
    """
    With `for=`, in quotes, with a port, and hidden.
    """
    assert client(Proxies(1, "Forwarded"), ("Forwarded", sent)) == expected


def test_only_the_configured_header_is_read():
    """
    A proxy that adds to one of them passes the other one on as the client wrote it.
    """
    sent = (("Forwarded", "for=198.51.100.9"), ("X-Forwarded-For", "192.0.2.7"))
    assert client(Proxies(1), *sent) == "192.0.2.7"
    assert client(Proxies(1, "Forwarded"), *sent) == "198.51.100.9"


def test_a_socket_has_no_address():
    """
    A server behind a Unix socket knows no peer.
    """
    assert client(Proxies(), peer=None) is None


@given(st.lists(st.text()), st.integers(1, 3))
def test_no_text_of_a_client_gets_into_the_log(sent, trusted):
    """
    Only an address does, for any text in the header.
    """
    pairs = [
        ("X-Forwarded-For", value.encode(errors="replace").decode("latin-1")) for value in sent
    ]
    pairs = [(name, value) for name, value in pairs if value.isascii()]
    address = client(Proxies(trusted), *pairs)
    assert set(address) <= set("0123456789abcdef.:")


@pytest.mark.parametrize("wrong", [(-1,), ("1",), (1, "X-Real-IP")])
def test_a_wrong_configuration_of_proxies_is_refused(wrong):
    """
    A negative number, a text, and another header.
    """
    with pytest.raises((TypeError, ValueError)):
        Proxies(*wrong)


def test_the_app_logs_what_its_proxies_say(tmp_path, monkeypatch):
    """
    `create_app` takes the proxies.
    """
    lines = []
    monkeypatch.setattr("fastapi_host.outermost.log", lambda _, **fields: lines.append(fields))
    with service_on("sqlite", tmp_path) as service:
        service.app = create_app(
            engine=service.host.engine,
            partners=service.app.state.partners,
            checks=service.checks,
            database_url=service.store.engine.url,
            proxies=Proxies(1),
        )
        service.call("GET", "/health", headers={"X-Forwarded-For": "192.0.2.7"})
        service.app.state.store.close()
    assert [line["client"] for line in lines] == ["192.0.2.7"]
