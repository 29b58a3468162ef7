"""Webhooks of the FastAPI host: signed, in order, at least once, never before the commit."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import conforming
import fastapi_calls as fixtures
import httpx
import pytest
from attrs import evolve
from fastapi_calls import HOOK, PARTNERS, SECRET, START, Merchant, Service, service_on
from fastapi_host import outbox
from fastapi_host.outbox import CLAIMED, WAIT, deliver_due, running
from fastapi_host.partners import Partners
from fastapi_host.review import Reviewed, review
from fastapi_host.store import Conflict
from fastapi_host.tables import EVENTS, MERCHANTS
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

place, service = fixtures.place, fixtures.service
ACME = PARTNERS.named("acme")


class Receiver:
    """A partner's side: answers with `statuses`, the last of them for ever, and keeps what it was sent."""

    def __init__(self, *statuses):
        self.statuses = list(statuses or (200,))
        self.got = []
        self.time = 1_800_000_000

    def __call__(self, url, headers, body):
        self.got.append((url, headers, body))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if status is None:
            raise httpx.ConnectTimeout("slow")
        return status

    def told(self):
        return [json.loads(body)["renewal_eligibility"] for _, _, body in self.got]

    def now(self):
        return self.time


def deliver(service, receiver, partner=ACME):
    return deliver_due(service.store, partner, receiver, now=receiver.now)


def verify(headers, body, secret=SECRET):
    """As https://www.standardwebhooks.com has it."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


def twice_changed(service, merchant_id="m-1"):
    """A merchant with two events to tell of: it may renew, and then its deal has defaulted."""
    service.now = START
    merchant = Merchant(service, merchant_id).renewable()
    ended = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", ended).status_code == 200
    return merchant


def test_a_webhook_is_signed_and_says_no_more_than_it_has_to(service):
    """
    "the payload carries provider_id, deal_id, renewal_eligibility, at: no personal data"
    """
    merchant, receiver = Merchant(service).renewable(), Receiver()
    assert deliver(service, receiver) == 1

    ((url, headers, body),) = receiver.got
    assert url == HOOK.url
    assert json.loads(body) == {
        "type": "renewal_eligibility_changed",
        "provider_id": merchant.known["provider_id"],
        "deal_id": merchant.known["deal_id"],
        "renewal_eligibility": True,
        "at": "2026-11-03T09:00:00Z",
    }
    assert headers["webhook-timestamp"] == str(receiver.time)
    assert verify(headers, body)
    assert not verify(headers, body.replace(b"true", b"false"))
    assert not verify(headers | {"webhook-timestamp": "1"}, body)


def test_what_was_delivered_is_not_delivered_again(service):
    """
    Nothing is left to tell, and /health says so.
    """
    twice_changed(service)
    assert service.call("GET", "/health", key=None).json()["webhooks_to_deliver"] == 2
    receiver = Receiver()
    assert deliver(service, receiver) == 2
    assert deliver(service, receiver) == 0

    assert receiver.told() == [True, False]
    assert service.call("GET", "/health", key=None).json()["webhooks_to_deliver"] == 0


def test_a_failed_delivery_waits_longer_each_time_and_holds_up_the_next(service):
    """
    "in order per merchant, at least once, retried with back-off", with the same id.
    """
    twice_changed(service)
    receiver = Receiver(500, None, 302, 200)
    for wait in WAIT[:3]:
        assert deliver(service, receiver) == 0
        receiver.time += wait - 1
        before = len(receiver.got)
        assert deliver(service, receiver) == 0
        assert len(receiver.got) == before
        receiver.time += 1
    assert deliver(service, receiver) == 2

    assert receiver.told() == [True, True, True, True, False]
    ids = [headers["webhook-id"] for _, headers, _ in receiver.got]
    assert len(set(ids[:4])) == 1
    assert ids[4] != ids[3]
    assert all(verify(headers, body) for _, headers, body in receiver.got)


def test_another_merchant_does_not_wait(service):
    """
    The order is each merchant's own.
    """
    twice_changed(service, "m-1")
    twice_changed(service, "m-2")
    receiver = Receiver(500, 200)

    assert deliver(service, receiver) == 2
    assert receiver.told() == [True, True, False]


def test_a_process_that_dies_while_it_delivers_loses_nothing(service):
    """
    Its claim expires, and the event is told again: at least once.
    """
    twice_changed(service)
    receiver = Receiver()

    def die(*_):
        raise SystemExit

    with pytest.raises(SystemExit):
        deliver_due(service.store, ACME, die, now=receiver.now)
    assert deliver(service, receiver) == 0
    receiver.time += CLAIMED
    assert deliver(service, receiver) == 2
    assert receiver.told() == [True, False]


@pytest.mark.parametrize("failures", [1, 2])
def test_what_was_delivered_is_marked_though_the_database_refuses_at_first(service, failures):
    """
    A serialization failure at the mark would have the event told again two minutes later, and the next one wait.
    """
    twice_changed(service)
    receiver, refused = Receiver(), []

    @event.listens_for(service.store.engine, "before_cursor_execute")
    def refuse(_db, _cursor, statement, *_):
        marking = statement.lower().startswith("update events") and len(receiver.got) == 1
        if marking and len(refused) < failures:
            refused.append(statement)
            raise OperationalError(statement, {}, Exception("could not serialize access"))

    assert deliver(service, receiver) == 2
    assert receiver.told() == [True, False]
    assert len(refused) == failures


def test_several_processes_deliver_in_order_and_once(service):
    """
    "several processes may run the dispatcher without reordering"
    """
    merchants = [twice_changed(service, f"m-{n}") for n in range(4)]
    receiver = Receiver()
    other = Service(service.store.engine.url, partners=PARTNERS)
    stores = [service.store, other.store] * 3
    with ThreadPoolExecutor(len(stores)) as threads:
        calls = [
            threads.submit(deliver_due, store, ACME, receiver, now=receiver.now) for store in stores
        ]
        delivered = sum(each.result() for each in calls)
    delivered += deliver(service, receiver)
    other.store.close()

    assert delivered == len(receiver.got) == 2 * len(merchants)
    for merchant in merchants:
        bodies = [json.loads(body) for _, _, body in receiver.got]
        mine = [each for each in bodies if each["provider_id"] == merchant.known["provider_id"]]
        assert [each["renewal_eligibility"] for each in mine] == [True, False]


def test_nothing_is_told_before_the_commit(service, monkeypatch):
    """
    "never before the commit": a write that failed tells nobody.
    """
    merchant = Merchant(service).funded()
    service.now += timedelta(days=120)

    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(service.store, "write", fail)
    assert merchant.remit("7000.00").status_code == 500
    receiver = Receiver()

    assert deliver(service, receiver) == 0
    assert receiver.got == []


def test_a_partner_without_a_webhook_is_told_nothing(service):
    """
    Its events are stored, and there is no backlog of them.
    """
    Merchant(service, key="bolt-key", partner="bolt").renewable()

    assert "RenewalEligibilityChanged" in service.events(partner="bolt")
    assert service.store.backlog() == 0


def test_the_review_finds_what_time_has_changed(service):
    """
    "RenewalEligibilityChanged also comes when only time has passed, if somebody looks"
    """
    Merchant(service, "m-0").ask()
    Merchant(service, "m-1").renewable()
    assert service.events("m-1")[-1] == "RenewalEligibilityChanged"
    receiver = Receiver()
    assert deliver(service, receiver) == 1

    assert review(service.host, PARTNERS) == Reviewed(merchants=1, failed=0)
    assert deliver(service, receiver) == 0
    service.now += timedelta(days=60)  # without a remittance
    assert review(service.host, PARTNERS) == Reviewed(merchants=1, failed=0)
    assert deliver(service, receiver) == 1
    assert receiver.told() == [True, False]


def unreadable(service, _):
    """A state that this version cannot read."""
    with service.store.engine.begin() as db:
        db.execute(MERCHANTS.update().where(MERCHANTS.c.merchant_id == "m-1").values(state=b"{}"))


def busy(service, monkeypatch):
    """A merchant that somebody else always writes first."""
    write = service.store.write

    def conflict(outcome, **more):
        if outcome.merchant.merchant_id == "m-1":
            raise Conflict
        write(outcome, **more)

    monkeypatch.setattr(service.store, "write", conflict)


@pytest.mark.parametrize("fault", [unreadable, busy])
def test_a_merchant_that_cannot_be_reviewed_holds_up_no_other(service, fault, monkeypatch):
    """
    Every other merchant is reviewed, and the failure is counted.
    """
    for merchant_id in ("m-1", "m-2"):
        service.now = START
        Merchant(service, merchant_id).renewable()
    service.now += timedelta(days=60)
    fault(service, monkeypatch)

    assert review(service.host, PARTNERS) == Reviewed(merchants=1, failed=1)
    assert service.events("m-2").count("RenewalEligibilityChanged") == 2


@pytest.mark.parametrize("read", ["find", "merchant_ids"])
def test_a_connection_that_is_lost_does_not_end_the_review(service, read, monkeypatch):
    """
    What the review reads is read again, as in every attempt.
    """
    Merchant(service).renewable()
    query, lost = getattr(service.store, read), []

    def lose(*given, **more):
        if not lost:
            lost.append(True)
            raise OperationalError("select", {}, Exception("the connection was lost"))
        return query(*given, **more)

    monkeypatch.setattr(service.store, read, lose)
    assert review(service.host, PARTNERS) == Reviewed(merchants=1, failed=0)
    assert lost


def test_delivering_stops_before_the_next_when_it_is_asked_to(service):
    """
    A shutdown waits for the delivery that is under way, and not for all that is due.
    """
    for number in range(3):
        twice_changed(service, f"m-{number}")
    receiver = Receiver()

    def stop():
        return len(receiver.got) == 2

    assert deliver_due(service.store, ACME, receiver, now=receiver.now, stop=stop) == 2
    assert len(receiver.got) == 2
    assert deliver(service, receiver) == 4


@pytest.mark.parametrize("wrong", [("url",), ("secret",), ("url", "secret")])
def test_the_conforming_host_sees_a_webhook_for_the_wrong_partner(tmp_path, wrong, monkeypatch):
    """
    A webhook that comes to another partner's URL, or is signed with its secret, is not told.
    """

    def astray(store, partner, post, **more):
        bolts = {each: getattr(conforming.HOOKS["bolt"], each) for each in wrong}
        hook = evolve(partner.webhook, **bolts)
        return deliver_due(store, evolve(partner, webhook=hook), post, **more)

    with service_on("sqlite", tmp_path) as service:
        Merchant(service).renewable()
    host = conforming.fastapi(f"sqlite:///{tmp_path}/holdback.db")
    monkeypatch.setattr(conforming, "deliver_due", astray)
    assert host.told("acme", "m-1") == []

    monkeypatch.undo()
    last = host.history("acme", "m-1")[-1]
    with host.store.engine.begin() as db:
        db.execute(EVENTS.update().where(EVENTS.c.event == last).values(due=0))
    assert host.told("acme", "m-1") == [last]
    host.close()


def test_the_app_delivers_by_itself_and_a_slow_partner_holds_up_no_other(tmp_path, monkeypatch):
    """
    "A background thread in the app"; "one slow or failing partner does not stop the others"
    """
    let_go, arrived = threading.Event(), threading.Event()

    class Hooks(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/slow":
                let_go.wait(30)
            elif verify(self.headers, body):
                arrived.set()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    monkeypatch.setattr(outbox, "PAUSE", 0.02)
    with ThreadingHTTPServer(("127.0.0.1", 0), Hooks) as server:
        threading.Thread(target=server.serve_forever).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        slow, quick = (evolve(HOOK, url=f"{base}/{path}") for path in ("slow", "quick"))
        acme, bolt = (PARTNERS.named(name) for name in ("acme", "bolt"))
        partners = Partners(
            partners=(evolve(acme, webhook=slow), evolve(bolt, webhook=quick)),
            agents=PARTNERS.agents,
        )
        with service_on("sqlite", tmp_path, partners=partners) as service:
            Merchant(service).renewable()
            service.now = START
            Merchant(service, key="bolt-key", partner="bolt").renewable()
            with running(service.store, partners):
                assert arrived.wait(20)
                let_go.set()
            assert service.store.backlog() == 0
        server.shutdown()
