"""One webhook of the FastAPI host: its signatures, and the addresses to which it is sent."""

from __future__ import annotations

import base64
import json
import shutil
import ssl
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv6Address, ip_address

import httpx
import pytest
from attrs import evolve
from fastapi_calls import HOOK, PARTNERS, SECRET, Merchant, Service, service_on
from fastapi_host import webhook_delivery
from fastapi_host.addresses import addresses_of, is_public
from fastapi_host.outbox import deliver_due
from fastapi_host.partners import Partners, Webhook, read_partners, sha256
from fastapi_host.webhook_delivery import MOST_ADDRESSES, Post, RefusedURL, client, signed
from hypothesis import given
from hypothesis import strategies as st

PUBLIC = "93.184.215.14"
# From the tests of the libraries of Standard Webhooks.
SPECIFIED = {
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "at": 1614265330,
    "body": b'{"test": 2432232314}',
    "signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_a_signature_is_that_of_standard_webhooks():
    """
    The headers `webhook-id`, `webhook-timestamp` and `webhook-signature`; HMAC-SHA256 over id, time
    and body, with the bytes of the secret, in Base64 after `v1,`.
    """
    given = SPECIFIED
    headers = signed([given["secret"]], given["id"], given["at"], given["body"])
    assert headers == {
        "content-type": "application/json",
        "webhook-id": given["id"],
        "webhook-timestamp": "1614265330",
        "webhook-signature": given["signature"],
    }


def test_a_secret_is_replaced_with_two_signatures():
    """
    One for each secret, with a space between them, so that the partner can verify either.
    """
    other = "whsec_" + base64.b64encode(bytes(64)).decode()
    given = SPECIFIED
    headers = signed([other, given["secret"]], given["id"], given["at"], given["body"])
    first, second = headers["webhook-signature"].split(" ")
    (alone,) = signed([other], given["id"], given["at"], given["body"])["webhook-signature"].split()
    assert (first, second) == (alone, given["signature"])


def webhook(tmp_path, secret, url="https://acme.example/hooks"):
    path = tmp_path / "partners.toml"
    path.write_text(
        f'[[partners]]\nname = "acme"\nkey_sha256 = "{sha256("k")}"\njurisdiction = "GB"\n'
        f"webhook = {{ url = {json.dumps(url)}, secret = {json.dumps(secret)} }}"
    )
    return read_partners(path).named("acme").webhook


def test_a_file_has_one_secret_or_several(tmp_path):
    """
    An array while a secret is replaced.
    """
    assert webhook(tmp_path, SECRET).secret == (SECRET,)
    assert webhook(tmp_path, [SECRET, SPECIFIED["secret"]]).secret == (SECRET, SPECIFIED["secret"])
    assert SECRET not in repr(webhook(tmp_path, SECRET))


def encoded(size):
    return "whsec_" + base64.b64encode(bytes(size)).decode()


@pytest.mark.parametrize(
    "secret",
    [
        encoded(23),
        encoded(65),
        encoded(32).removeprefix("whsec_"),
        encoded(24)[:-1],
        "whsec_" + "-_" * 16,  # Base64 for URLs
        "whsec_",
        "",
        [],
        [SECRET, encoded(23)],
        1,
    ],
)
def test_a_weak_or_wrong_secret_is_refused(tmp_path, secret):
    """
    24 to 64 bytes in Base64 after `whsec_`; the error does not repeat it.
    """
    with pytest.raises(
        ValueError, match=r"webhook\.secret: expected `whsec_` and 24 to 64"
    ) as error:
        webhook(tmp_path, secret)
    assert not isinstance(secret, str) or len(secret) < 8 or secret not in str(error.value)


@pytest.mark.parametrize("size", [24, 64])
def test_both_ends_of_a_secrets_length_are_taken(tmp_path, size):
    """
    192 bits at least and 512 at most.
    """
    assert webhook(tmp_path, encoded(size)).secret == (encoded(size),)


@pytest.mark.parametrize(
    "url", ["acme.example", "ftp://acme.example", "https://", "https://acme.example:a", ""]
)
def test_a_wrong_url_is_refused(tmp_path, url):
    """
    Another scheme, no host, and what cannot be read.
    """
    with pytest.raises(ValueError, match=r"webhook\.url: expected an address with https://"):
        webhook(tmp_path, SECRET, url)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",  # the metadata of cloud machines
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",  # compatible with IPv4
        "::ffff:127.0.0.1",  # mapped from IPv4
        "::ffff:93.184.215.14",
        "64:ff9b::7f00:1",  # NAT64
        "64:ff9b:1::1",
        "100::1",
        "2001::1",  # Teredo
        "2001:db8::1",
        "2002:7f00:1::1",  # 6to4
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "2606:4700::1111%eth0",
        "fec0::1",
        "ff02::1",
    ],
)
def test_an_address_that_is_not_public_is_refused(address):
    """
    Loopback, private, link-local, multicast, unspecified, reserved, and those that hold another.
    """
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", [PUBLIC, "172.15.255.255", "172.32.0.0", "100.63.0.1", "2606:4700::1111", "2400::1"]
)
def test_a_public_address_is_allowed(address):
    """
    Next to those that are refused, too.
    """
    assert is_public(address)


@given(st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address))
def test_python_agrees_that_an_allowed_address_is_public(address):
    """
    The standard library has registries of its own.
    """
    if is_public(str(address)):
        assert address.is_global
        odd = (address.is_private, address.is_multicast, address.is_reserved)
        assert not any(odd)


class Sent(httpx.MockTransport):
    """A network that answers every request with 204, and keeps it."""

    def __init__(self, unreachable=()):
        self.requests = []
        self.unreachable = unreachable
        super().__init__(self.answer)

    def answer(self, request):
        self.requests.append(request)
        if request.url.host in self.unreachable:
            raise httpx.ConnectTimeout("no route", request=request)
        return httpx.Response(204)


def posting(monkeypatch, *answers, unreachable=(), private=False):
    """Return a `Post` whose names resolve to *answers*, one after the other, and its network."""
    asked = iter(answers)
    monkeypatch.setattr(webhook_delivery, "addresses_of", lambda *_: next(asked))
    network = Sent(unreachable)
    return Post(client(transport=network), private), network


def test_a_webhook_goes_to_the_address_that_was_checked(monkeypatch):
    """
    The name is resolved once. The request and the certificate are for the name.
    """
    post, network = posting(monkeypatch, [PUBLIC], ["127.0.0.1"])
    assert post("https://hooks.example:8443/a?b=c", {"webhook-id": "evt_1"}, b"{}") == 204

    (request,) = network.requests
    assert str(request.url) == f"https://{PUBLIC}:8443/a?b=c"
    assert request.headers["host"] == "hooks.example:8443"
    assert request.headers["webhook-id"] == "evt_1"
    assert request.extensions["sni_hostname"] == "hooks.example"
    with pytest.raises(RefusedURL):  # the next delivery checks again
        post("https://hooks.example/", {}, b"{}")
    assert len(network.requests) == 1


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["::1"], ["::ffff:10.0.0.1"]]
)
def test_nothing_is_sent_to_a_private_address(monkeypatch, addresses):
    """
    Not even when only one of a name's addresses is private.
    """
    post, network = posting(monkeypatch, addresses)
    with pytest.raises(RefusedURL):
        post("https://hooks.example/", {}, b"{}")
    assert network.requests == []


def test_nothing_is_sent_without_encryption(monkeypatch):
    """
    https alone, except in development.
    """
    post, network = posting(monkeypatch, [PUBLIC])
    with pytest.raises(RefusedURL):
        post("http://hooks.example/", {}, b"{}")
    post, network = posting(monkeypatch, ["127.0.0.1"], private=True)
    assert post("http://hooks.example/", {}, b"{}") == 204
    assert str(network.requests[0].url) == "http://127.0.0.1/"


def test_the_next_address_is_tried_when_one_cannot_be_reached(monkeypatch):
    """
    Nothing was sent to the first one. There are at most four tries.
    """
    second = "2606:4700::1111"
    post, network = posting(monkeypatch, [PUBLIC, second], unreachable=[PUBLIC])
    assert post("https://hooks.example/", {}, b"{}") == 204
    assert [request.url.host for request in network.requests] == [PUBLIC, second]
    assert str(network.requests[1].url) == f"https://[{second}]/"

    many = [f"93.184.215.{n}" for n in range(9)]
    post, network = posting(monkeypatch, many, unreachable=many)
    with pytest.raises(httpx.ConnectTimeout):
        post("https://hooks.example/", {}, b"{}")
    assert len(network.requests) == MOST_ADDRESSES


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f000001", "127.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"],
)
def test_no_way_to_write_this_machine_is_public(host):
    """
    The system's own resolver reads numbers in several ways; what it resolves is checked.
    """
    network = Sent()
    with pytest.raises((RefusedURL, httpx.ConnectError)):
        Post(client(transport=network))(f"https://{host}/", {}, b"{}")
    assert network.requests == []


@pytest.mark.parametrize("name", ["nobody.invalid", "a" * 70 + ".example"])
def test_a_name_without_an_address_is_a_failed_try(name):
    """
    The delivery is tried again later.
    """
    with pytest.raises(httpx.ConnectError):
        Post(client(transport=Sent()))(f"https://{name}/", {}, b"{}")


def test_an_address_is_resolved_once():
    """
    A name may be listed with an address several times.
    """
    assert addresses_of("127.0.0.1", 443) == ["127.0.0.1"]
    assert all(ip_address(address) for address in addresses_of("localhost", 443))


def test_a_webhook_without_encryption_is_refused_at_the_start(tmp_path):
    """
    The message names the partner and not the URL, which may contain a password.
    """
    plain = Webhook(url="http://user:pass@acme.example/hooks", secret=SECRET)
    partners = Partners(partners=(evolve(PARTNERS.named("acme"), webhook=plain),))
    with pytest.raises(
        ValueError, match=r"webhook of `acme`: expected a URL with https://"
    ) as error:
        Service(f"sqlite:///{tmp_path}/holdback.db", partners=partners)
    assert "pass" not in str(error.value)
    Service(f"sqlite:///{tmp_path}/h.db", partners=partners, private_webhooks=True).store.close()


def test_a_refused_webhook_is_tried_again_later(tmp_path, monkeypatch):
    """
    The log says why, and nothing of the event is lost.
    """
    lines = []
    monkeypatch.setattr(
        "fastapi_host.outbox.log", lambda event, **fields: lines.append((event, fields))
    )
    with service_on("sqlite", tmp_path) as service:
        Merchant(service).renewable()
        post, network = posting(monkeypatch, ["10.0.0.1"], [PUBLIC])
        acme, seconds = PARTNERS.named("acme"), iter(range(0, 9000, 60))
        now = lambda: next(seconds)  # noqa: E731
        assert deliver_due(service.store, acme, post, now=now) == 0
        assert network.requests == []
        assert deliver_due(service.store, acme, post, now=now) == 1

    assert [event for event, _ in lines] == ["webhook_failed", "webhook", "webhook"]
    assert lines[0][1]["why"] == "RefusedURL"
    assert [fields["delivered"] for _, fields in lines[1:]] == [False, True]
    assert all("sha256:" in fields["rulebook_digest"] for _, fields in lines[1:])
    assert network.requests[0].headers["host"] == httpx.URL(HOOK.url).host


def certificate(folder, name):
    """Make a certificate for *name* that signs itself, and return its file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, so the certificate of a webhook was NOT tested")
    pem = folder / f"{name}.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    command += ["-keyout", str(pem) + ".key", "-out", str(pem)]
    subprocess.run(command, check=True, capture_output=True)
    pem.write_text(pem.read_text() + (folder / f"{name}.pem.key").read_text())
    return pem


@contextmanager
def encrypted_server(pem):
    """A server on this machine that answers with a redirect, and the heads that it got."""
    heads = []

    class Hooks(BaseHTTPRequestHandler):
        def do_POST(self):
            heads.append((self.path, self.headers))
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(307)
            self.send_header("location", "https://127.0.0.1/")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hooks) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], heads
        finally:
            server.shutdown()
            thread.join()


def test_the_certificate_is_the_names(tmp_path, monkeypatch):
    """
    The connection goes to an address, and the certificate must still be for the name; a redirect is
    not followed.
    """
    right = certificate(tmp_path, "hooks.example")
    wrong = certificate(tmp_path, "other.example")
    trusting = ssl.create_default_context(cafile=right)
    trusting.load_verify_locations(wrong)
    monkeypatch.setattr(webhook_delivery, "addresses_of", lambda *_: ["127.0.0.1"])
    monkeypatch.setattr(webhook_delivery, "is_public", lambda _: True)
    with client(verify=trusting) as sender:
        for pem, expected in ((right, 307), (wrong, None)):
            with encrypted_server(pem) as (port, heads):
                url = f"https://hooks.example:{port}/a"
                if expected is None:
                    with pytest.raises(httpx.ConnectError, match="certificate"):
                        Post(sender)(url, {}, b"{}")
                    assert heads == []
                else:
                    assert Post(sender)(url, {}, b"{}") == expected
                    ((path, head),) = heads
                    assert (path, head["Host"]) == ("/a", f"hooks.example:{port}")


def test_no_proxy_of_the_environment_is_used(tmp_path, monkeypatch):
    """
    It would resolve the name again, or get what was meant for the partner.
    """
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with client() as sender:
        assert not any(sender._mounts.values())
