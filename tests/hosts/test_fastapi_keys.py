"""The keys of the FastAPI host: several for each caller, so that one can be replaced in use."""

from __future__ import annotations

import io
import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
from fastapi_calls import START, Merchant, code, service_on
from fastapi_host import logs
from fastapi_host.partners import Agent, Key, Partner, Partners, read_partners, sha256

DAY = timedelta(days=1)
FILE = f"""
[[partners]]
name = "acme"
key_sha256 = "{sha256("oldest")}"
jurisdiction = "GB"

[[partners.keys]]
name = "2026"
sha256 = "{sha256("acme-2026")}"
until = 2026-07-08T09:00:00Z

[[partners.keys]]
name = "2027"
sha256 = "{sha256("acme-2027")}"
from = 2026-07-07T10:00:00+01:00

[[agents]]
name = "operations"

[[agents.keys]]
sha256 = "{sha256("agent-2026")}"
until = 2026-07-08T09:00:00Z
"""


@pytest.fixture
def service(tmp_path):
    path = tmp_path / "partners.toml"
    path.write_text(FILE)
    with service_on("sqlite", tmp_path, partners=read_partners(path)) as service:
        yield service


def statuses(service, *keys):
    return [Merchant(service, key=key).ask().status_code for key in keys]


def test_two_keys_are_valid_while_one_replaces_the_other(service):
    """
    A key is valid from its `from` until just before its `until`; then it is 401, as an unknown one.
    """
    keys = ("oldest", "acme-2026", "acme-2027", "unknown")
    assert statuses(service, *keys) == [200, 200, 401, 401]
    service.now = START + DAY
    assert statuses(service, *keys) == [200, 200, 200, 401]
    service.now = START + 2 * DAY - timedelta(microseconds=1)
    assert statuses(service, *keys) == [200, 200, 200, 401]
    service.now = START + 2 * DAY
    assert statuses(service, *keys) == [200, 401, 200, 401]

    expired, unknown = (Merchant(service, key=key).ask() for key in ("acme-2026", "unknown"))
    assert code(expired) == (401, "unauthorized")
    assert expired.content == unknown.content
    assert expired.headers["www-authenticate"] == "Bearer"


def test_agents_replace_their_keys_in_the_same_way(service):
    """
    An agent's key ends too.
    """
    more = {"key": "agent-2026"}
    assert code(service.agent("review_renewal", **more)) == (404, "merchant_not_found")
    service.now = START + 2 * DAY
    assert code(service.agent("review_renewal", **more)) == (401, "unauthorized")


def test_keys_of_one_caller_share_its_requests(service):
    """
    A partner may repeat a request with its new key: idempotency keys belong to the caller.
    """
    first = Merchant(service, key="acme-2026").ask(idempotency="k")
    again = Merchant(service, key="oldest").ask(idempotency="k")

    assert first.status_code == 200
    assert again.content == first.content


def test_the_log_names_the_key_that_was_used(service, monkeypatch):
    """
    So an operator sees when the old key is no longer used, and who still uses one that has ended.
    """
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.Lines())
    monkeypatch.setattr(logs.LOGGER, "handlers", [handler])
    logs.LOGGER.setLevel(logging.INFO)
    for key in ("oldest", "acme-2026", "unknown"):
        service.now = START + 2 * DAY
        Merchant(service, key=key).ask()

    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["caller"], line["key_name"], line["status"]) for line in lines] == [
        ("partner:acme", None, 200),
        ("partner:acme", "2026", 401),
        (None, None, 401),
    ]


@pytest.mark.parametrize("sent", [("acme-key", "acme-key"), ("acme-key", "bolt-key")])
def test_two_keys_in_one_request_are_none(tmp_path, sent):
    """
    A proxy may have read the other one.
    """
    with service_on("sqlite", tmp_path) as service:
        headers = [("Authorization", f"Bearer {key}") for key in sent]
        reply = service.call("GET", "/v2/merchant?provider_id=p-1", headers=headers, key=None)
        assert code(reply) == (401, "unauthorized")


def test_a_missing_key_is_not_the_empty_key(tmp_path):
    """
    Somebody may store the digest of nothing by mistake; it lets nobody in.
    """
    owner = Partner(name="acme", key_sha256=sha256(""), jurisdiction="GB")
    with service_on("sqlite", tmp_path, partners=Partners(partners=(owner,))) as service:
        for given in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer"}):
            reply = service.call("POST", "/v2/offers", {}, key=None, headers=given)
            assert code(reply) == (401, "unauthorized")


PARTNER = '[[partners]]\nname = "acme"\njurisdiction = "GB"\n'
KEY = f'[[partners.keys]]\nsha256 = "{sha256("k")}"\n'
OTHER = f'[[partners.keys]]\nsha256 = "{sha256("l")}"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PARTNER, r"partners\[0\]\.key_sha256: expected this digest of a key, or `keys`"),
        (PARTNER + KEY + 'until = "2027"', r"keys\[0\]\.until: expected an instant, such as"),
        (PARTNER + KEY + "from = 2027-01-01", r"keys\[0\]\.from: expected an instant"),
        (PARTNER + KEY + "from = 2027-01-01T00:00:00", r"keys\[0\]\.from: expected an instant"),
        (
            PARTNER + KEY + "from = 2027-01-01T00:00:00Z\nuntil = 2027-01-01T00:00:00Z",
            r"keys\[0\]\.until: expected an instant after `from`",
        ),
        (PARTNER + KEY + KEY, "one key is given twice"),
        (PARTNER + f'key_sha256 = "{sha256("k")}"\n' + KEY, "one key is given twice"),
        (PARTNER + KEY + 'name = "a"\n' + OTHER + 'name = "a"', "two keys have the same name"),
        (PARTNER + '[[partners.keys]]\nsha256 = "k"', r"keys\[0\]\.sha256: expected 64 hex digits"),
        (
            PARTNER + "[[partners.keys]]\nend = 1",
            r"keys\[0\]: expected the keys sha256, name, from",
        ),
        (PARTNER + KEY + "since = 2027-01-01T00:00:00Z", r"keys\[0\]: expected the keys sha256"),
        (PARTNER + "webhook = 1", r"partners\[0\]\.webhook: expected the keys url, secret"),
        (PARTNER + "keys = 1", r"partners\[0\]\.keys: expected an array of tables"),
        ('[partners]\nname = "acme"', "partners: expected an array of tables"),
    ],
)
def test_a_wrong_key_is_refused_with_its_place(tmp_path, text, message):
    """
    The error names the place and says what was expected, without the value.
    """
    path = tmp_path / "partners.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_partners(path)


def test_one_key_does_not_open_two_doors():
    """
    With one key for two callers nobody could say who called, no matter how each states it.
    """
    key = Key(sha256=sha256("k"), until=datetime(2027, 1, 1, tzinfo=UTC))
    with pytest.raises(ValueError, match="one key is given twice"):
        Partners(
            partners=(Partner(name="acme", keys=(key,), jurisdiction="GB"),),
            agents=(Agent(name="operations", key_sha256=sha256("k")),),
        )
