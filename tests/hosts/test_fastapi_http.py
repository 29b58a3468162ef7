"""The FastAPI host over HTTP: every endpoint, and all that may go wrong on the way, on each database."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import postgres
import pytest
from fastapi_calls import BANK, DATABASES, START, Merchant, Service, service_on
from fastapi_host.store import Conflict
from fastapi_host.tables import METADATA
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from holdback import wire

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=DATABASES)
def place(request, tmp_path_factory):
    """A service on each database, for the whole module."""
    with service_on(request.param, tmp_path_factory.mktemp("database")) as service:
        yield service


@pytest.fixture
def service(place):
    """The service with nothing in it."""
    with place.store.engine.begin() as db:
        for table in METADATA.sorted_tables:
            db.execute(table.delete())
    place.now = START
    place.asked_checks.clear()
    return place


@pytest.fixture
def merchant(service):
    return Merchant(service)


def code(reply):
    """The status and code of problem details, whose form is looked at on the way."""
    assert reply.headers["content-type"] == wire.CONTENT_TYPE
    problem = reply.json()
    assert list(problem) == ["type", "title", "status", "detail", "code", "errors"]
    assert problem["status"] == reply.status_code
    assert problem["type"] == f"urn:holdback:{problem['code']}"
    return reply.status_code, problem["code"]


def at_once(calls):
    with ThreadPoolExecutor(len(calls)) as threads:
        return [each.result() for each in [threads.submit(call) for call in calls]]


# ------------------------------------------------------------------------------- the partner's way


def test_a_merchant_goes_the_whole_way(service, merchant):
    """
    Initial offers, acceptance, funding, and then the nine steps of the renewal flow (spec 1).
    """
    assert merchant.ask().status_code == 200
    accepted = merchant.accept()
    assert accepted.json()["offer"]["offer_status"] == "Accepted"
    assert set(accepted.json()["links"]) >= {"contract_link", "merchant_link"}
    assert merchant.look_up().json() == {"deals": []}
    assert merchant.fund().json()["status"] == "Funded"
    service.now += timedelta(days=120)
    merchant.remit("7000.00")

    (deal,) = merchant.look_up().json()["deals"]
    assert deal["active"] is True
    assert deal["performance"]["renewal_eligibility"] is True
    assert merchant.ask(merchant.renewal()).status_code == 200
    provider_id = merchant.known["provider_id"]
    assert merchant.accept(bank_details=None).json()["provider_id"] == provider_id
    assert merchant.fund().json()["type"] == "Renewal"
    deals = merchant.look_up().json()["deals"]
    assert [(each["status"], each["active"]) for each in deals] == [
        ("Renewed", False),
        ("Funded", True),
    ]


def test_replies_are_the_bytes_of_the_wire(service, merchant):
    """
    "wire.write(outcome.reply): bytes, exact" (design 6)
    """
    reply = merchant.ask()

    stored = service.store.find(partner="acme", merchant_id="m-1").state
    (offer_set,) = wire.read_merchant(stored).offer_sets
    assert reply.headers["content-type"] == "application/json"
    assert wire.write(offer_set_reply(offer_set)) == reply.content
    assert b'"funded_amount":9600.00' in reply.content


def offer_set_reply(offer_set):
    from holdback.model.product import Offers

    return Offers(products=offer_set.products, expires_at=offer_set.expires_at)


def test_the_checks_are_made_once_for_what_is_required(service, merchant):
    """
    "called once per request, after engine.required_checks": a renewal whose results are held needs none.
    """
    merchant.renewable()
    merchant.ask(merchant.renewal())

    names = [[check.name for check in required.checks] for _, required in service.asked_checks]
    assert names == [["identity", "business", "consumer_credit", "takings"], []]


# ------------------------------------------------------------------------------------- the agents


def test_agents_take_an_application_to_its_deal_and_the_deal_to_its_end(service, merchant):
    """
    Every operation of the agents (design 7a), by partner and merchant.
    """
    merchant.ask()
    merchant.accept(bank_details=None)
    named = {"application_id": merchant.known["application_id"]}
    supplied = merchant.agent("supply_details", named | {"details": {"bank_details": BANK}})
    assert supplied.json()["status"] == "submitted"
    merchant.fund()
    day = {"on": "2026-07-06", "amount": "650.00"}
    takings = merchant.agent("record_takings", {"takings": [day]})
    assert takings.json() == {"days": 1, "complete_through": None}
    assert merchant.remit("100.00").json()["balance"] == 11804
    assert merchant.agent("review_renewal").json()["outcome"] == "not_assessed"
    ended = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", ended).json()["status"] == "Defaulted"

    other = Merchant(service, "m-2")
    other.ask()
    other.accept()
    named = {"application_id": other.known["application_id"], "status": "declined"}
    assert other.agent("close_application", named).json()["status"] == "declined"


@pytest.mark.parametrize("merchant_id", ["a/b", "a b", "ä?x", "%41", "a" * 200])
def test_a_merchant_id_may_hold_anything(service, merchant_id):
    """
    The partner's own identifier is text; in a path it is escaped.
    """
    from urllib.parse import quote

    merchant = Merchant(service, merchant_id)
    merchant.ask()
    merchant.accept()
    path = f"/v2/agents/acme/{quote(merchant_id, safe='')}/fund_deal"
    reply = service.call(
        "POST", path, {"application_id": merchant.known["application_id"]}, key="agent-key"
    )

    assert reply.status_code == 200, reply.content


def test_only_an_initial_request_creates_a_merchant(service, merchant):
    """
    "an unknown merchant is 404 merchant_not_found and creates nothing"
    """
    merchant.known["provider_id"] = "p-1"

    assert code(merchant.ask(merchant.renewal())) == (404, "merchant_not_found")
    assert code(merchant.agent("review_renewal")) == (404, "merchant_not_found")
    assert code(service.agent("review_renewal", partner="nobody")) == (404, "merchant_not_found")
    assert service.store.find(partner="acme", merchant_id="m-1").state is None


# ------------------------------------------------------------------------------- idempotency keys


def test_the_same_key_gives_the_same_bytes_for_ever(service, merchant):
    """
    "checked before anything else": after the expiry, without new checks, and for each operation.
    """
    offers = merchant.ask(idempotency="k-1")
    accepted = merchant.accept(idempotency="k-2")
    service.now += timedelta(days=400)
    checks = len(service.asked_checks)

    assert merchant.ask(idempotency="k-1").content == offers.content
    assert merchant.accept(idempotency="k-2").content == accepted.content
    assert checks == len(service.asked_checks)
    assert service.events() == ["OffersIssued", "OfferAccepted", "ApplicationSubmitted"]


def test_the_same_key_with_another_request_is_refused(service, merchant):
    """
    Another body, another path, another operation: 409, even where the other body could not be read.
    """
    merchant.ask(idempotency="k")

    assert code(merchant.ask(merchant.initial(currency="USD"), idempotency="k"))[0] == 409
    assert code(merchant.ask(b"{", idempotency="k")) == (409, "request_conflict")
    assert code(merchant.accept(idempotency="k")) == (409, "request_conflict")


def test_a_refusal_is_not_kept_under_the_key(service, merchant):
    """
    "Only 200 replies are stored": what was refused may be asked again with the key.
    """
    merchant.ask()
    merchant.accept()
    named = {"deal_id": "d-1", "status": "cancelled"}
    assert code(merchant.agent("close_deal", named, idempotency="k")) == (404, "deal_not_found")
    merchant.fund()
    named["deal_id"] = merchant.known["deal_id"]

    assert merchant.agent("close_deal", named, idempotency="k").status_code == 200


def test_keys_are_the_callers_own(service, merchant):
    """
    Two partners and an agent may choose the same key.
    """
    other = Merchant(service, key="bolt-key", partner="bolt")

    assert merchant.ask(idempotency="k").status_code == 200
    assert other.ask(idempotency="k").status_code == 200
    merchant.accept()
    named = {"application_id": merchant.known["application_id"]}
    assert merchant.agent("fund_deal", named, idempotency="k").status_code == 200


@pytest.mark.parametrize("key", ["", " ", "a b", "a" * 256, "ä", "\x7f"])
def test_a_key_is_visible_ascii(service, merchant, key):
    """
    "1 to 255 visible ASCII; otherwise 422"
    """
    headers = {"Idempotency-Key": key.encode("latin-1")}

    assert code(merchant.ask(headers=headers)) == (422, "invalid_request")
    assert merchant.ask(headers={"Idempotency-Key": "a" * 255}).status_code == 200


def test_a_retry_without_a_key_gets_the_same_acceptance(service, merchant):
    """
    "Accepting it again gives the same reply, even after the expiry." Other bank details are a conflict.
    """
    merchant.ask()
    first = merchant.accept()
    service.now += timedelta(days=400)

    assert merchant.accept().content == first.content
    assert code(merchant.accept(bank_details=BANK | {"bank_name": "Other"}))[0] == 409


# ------------------------------------------------------------------- races, retries and lost commits


def test_of_two_offers_accepted_at_once_one_is(service, merchant):
    """
    "accepts of two different offers of one set": one acceptance, whoever was first.
    """
    merchant.ask()
    offer_ids = merchant.known["offer_ids"] * 3
    replies = at_once([lambda each=each: Merchant(service).accept(each) for each in offer_ids])

    bodies = {reply.content for reply in replies if reply.status_code == 200}
    assert len(bodies) == 1
    assert {reply.status_code for reply in replies} == {200, 409}
    assert service.events() == ["OffersIssued", "OfferAccepted", "ApplicationSubmitted"]


def test_the_same_key_at_once_is_one_request(service, merchant):
    """
    "concurrent same key in flight": everybody gets the bytes that the first one got.
    """
    replies = at_once([lambda: Merchant(service).ask(idempotency="k")] * 6)

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert service.events() == ["OffersIssued"]


def test_no_update_is_lost(service, merchant):
    """
    Remittances that arrive at once are all recorded.
    """
    merchant.funded()
    calls = [lambda n=n: merchant.remit("10.00", f"e-{n}") for n in range(6)]

    assert {reply.status_code for reply in at_once(calls)} == {200}
    (deal,) = merchant.look_up().json()["deals"]
    assert sorted(each["id"] for each in deal["transactions"]) == [f"e-{n}" for n in range(6)]


@pytest.mark.parametrize("key", [None, "k"])
def test_a_commit_whose_outcome_is_unknown_is_carried_out_once(service, merchant, key, monkeypatch):
    """
    "unknown outcome of a COMMIT: start again from the load, with the SAME request_id"
    """
    write, lost = service.store.write, []

    def write_and_lose(*given, **more):
        write(*given, **more)
        if not lost:
            lost.append(True)
            raise OperationalError("commit", {}, Exception("the connection was lost"))

    monkeypatch.setattr(service.store, "write", write_and_lose)
    reply = merchant.ask(idempotency=key)

    assert lost
    assert reply.status_code == 200
    assert service.events() == ["OffersIssued"]
    assert len(service.asked_checks) == 1
    stored = wire.read_merchant(service.store.find(partner="acme", merchant_id="m-1").state)
    assert wire.write(offer_set_reply(stored.offer_sets[0])) == reply.content


def test_after_ten_attempts_the_answer_is_503(service, merchant, monkeypatch):
    """
    "at most ~10 times, then 503 problem with Retry-After"
    """
    attempts = []

    def conflict(*_, **__):
        attempts.append(True)
        raise Conflict

    monkeypatch.setattr(service.store, "write", conflict)
    reply = merchant.ask()

    assert code(reply) == (503, "unavailable")
    assert reply.headers["retry-after"] == "1"
    assert len(attempts) == 10


def test_the_isolation_level_is_the_one_asked_for(service, request):
    """
    "isolation level configurable"; SQLite has but one, and commits to the disk.
    """
    level = request.node.callspec.params["place"]
    with service.store.engine.connect() as db:
        if level == "sqlite":
            assert db.scalar(text("pragma synchronous")) == 2
            assert db.scalar(text("pragma journal_mode")) == "wal"
        else:
            assert db.scalar(text("show transaction_isolation")).upper() == level


# ------------------------------------------------------------------------------------- problems


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


# -------------------------------------------------------------------------- the database, the command


@pytest.mark.skipif(not postgres.INSTALLED, reason=postgres.MISSING)
def test_a_database_that_crashes_is_used_again_when_it_is_back():
    """
    While it is away every answer is 503; what was committed is there afterwards.
    """
    with postgres.cluster() as cluster:
        service = Service(cluster.url)
        merchant = Merchant(service)
        merchant.ask()
        cluster.stop("immediate")
        assert code(merchant.accept()) == (503, "unavailable")
        assert service.call("GET", "/health", key=None).status_code == 503
        cluster.start()
        assert merchant.accept().status_code == 200
        cluster.crash()
        assert merchant.fund().status_code == 200
        service.store.close()


def test_two_processes_may_start_on_an_empty_database_at_once(tmp_path):
    """
    Both make the tables, or find them.
    """
    if not postgres.INSTALLED:
        pytest.skip(postgres.MISSING)
    with postgres.cluster() as cluster:
        for service in at_once([lambda: Service(cluster.url)] * 4):
            assert service.store.backlog() == 0
            service.store.close()


def test_an_unknown_isolation_level_is_refused(tmp_path):
    """
    What a person writes into the configuration is checked; a database in memory would be gone.
    """
    with pytest.raises(ValueError, match="READ COMMITTED"):
        Service("postgresql+psycopg://127.0.0.1:1/none", "CHAOS")
    with pytest.raises(ValueError, match="file"):
        Service("sqlite://")


def test_one_command_starts_it_with_sample_data(tmp_path):
    """
    "prints the sample keys and three curl commands that work as pasted"
    """
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed, so the commands that the sample prints were NOT tried")
    port = str(postgres.free_port())
    command = [sys.executable, str(ROOT / "docs/hosts/fastapi_host"), "--sample", "--port", port]
    env = {name: value for name, value in os.environ.items() if not name.startswith("HOLDBACK")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=env
    ) as process:
        try:
            printed = ""
            while "/accept" not in printed:
                line = process.stdout.readline()
                assert line, printed
                printed += line
            retry = 'curl() { command curl --retry 20 --retry-delay 1 --retry-connrefused "$@"; echo; }\n'
            script = printed[printed.index("# 1.") :]
            done = subprocess.run(
                ["bash", "-c", retry + script],
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            )
        finally:
            process.terminate()
    deals, offers, accepted = map(json.loads, done.stdout.splitlines())
    assert deals["deals"][0]["performance"]["renewal_eligibility"] is True
    assert offers["products"][0]["decision"] == "Accepted"
    assert re.fullmatch(r"[0-9a-f-]{36}", accepted["provider_id"])
