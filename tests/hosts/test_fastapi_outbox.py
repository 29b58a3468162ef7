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
    """A partner that answers with `statuses`, the last one repeatedly, and keeps what it gets."""

    def __init__(self, *statuses):
        self.statuses = list(statuses or (200,))
        self.received = []
        self.time = 1_800_000_000

    def __call__(self, url, headers, body):
        self.received.append((url, headers, body))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if status is None:
            raise httpx.ConnectTimeout("slow")
        return status

    def changes(self):
        return [json.loads(body)["renewal_eligibility"] for _, _, body in self.received]

    def now(self):
        return self.time


def deliver(service, receiver, partner=ACME):
    return deliver_due(service.store, partner, receiver, now=receiver.now)


def verify(headers, body, secret=SECRET):
    """Verify a signature as https://www.standardwebhooks.com defines it."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


def merchant_with_two_changes(service, merchant_id="m-1"):
    """Return a merchant with two events to deliver: it can renew, and then its deal defaults."""
    service.now = START
    merchant = Merchant(service, merchant_id).renewable()
    ended = {"deal_id": merchant.known["deal_id"], "status": "defaulted"}
    assert merchant.agent("close_deal", ended).status_code == 200
    return merchant


def test_a_webhook_is_signed_and_has_no_personal_data(service):
    """
    A webhook is signed, and carries the ids, the renewal eligibility and the time: no personal
    data.
    """
    merchant, receiver = Merchant(service).renewable(), Receiver()
    assert deliver(service, receiver) == 1

    ((url, headers, body),) = receiver.received
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


def test_a_delivered_event_is_not_delivered_again(service):
    """
    Nothing is left to deliver, and /health says so.
    """
    merchant_with_two_changes(service)
    assert service.call("GET", "/health", key=None).json()["webhooks_to_deliver"] == 2
    receiver = Receiver()
    assert deliver(service, receiver) == 2
    assert deliver(service, receiver) == 0

    assert receiver.changes() == [True, False]
    assert service.call("GET", "/health", key=None).json()["webhooks_to_deliver"] == 0


def test_a_failed_delivery_waits_longer_each_time_and_delays_the_next(service):
    """
    A failed delivery is retried with the same id and longer waits, and holds back the merchant's
    next.
    """
    merchant_with_two_changes(service)
    receiver = Receiver(500, None, 302, 200)
    for wait in WAIT[:3]:
        assert deliver(service, receiver) == 0
        receiver.time += wait - 1
        before = len(receiver.received)
        assert deliver(service, receiver) == 0
        assert len(receiver.received) == before
        receiver.time += 1
    assert deliver(service, receiver) == 2

    assert receiver.changes() == [True, True, True, True, False]
    ids = [headers["webhook-id"] for _, headers, _ in receiver.received]
    assert len(set(ids[:4])) == 1
    assert ids[4] != ids[3]
    assert all(verify(headers, body) for _, headers, body in receiver.received)


def test_another_merchant_does_not_wait(service):
    """
    Only the events of the same merchant are delivered in order.
    """
    merchant_with_two_changes(service, "m-1")
    merchant_with_two_changes(service, "m-2")
    receiver = Receiver(500, 200)

    assert deliver(service, receiver) == 2
    assert receiver.changes() == [True, True, False]


def test_a_process_that_dies_during_a_delivery_loses_nothing(service):
    """
    Its claim expires, and the event is delivered again: at least once.
    """
    merchant_with_two_changes(service)
    receiver = Receiver()

    def die(*_):
        raise SystemExit

    with pytest.raises(SystemExit):
        deliver_due(service.store, ACME, die, now=receiver.now)
    assert deliver(service, receiver) == 0
    receiver.time += CLAIMED
    assert deliver(service, receiver) == 2
    assert receiver.changes() == [True, False]


@pytest.mark.parametrize("failures", [1, 2])
def test_a_delivery_is_marked_though_the_database_refuses_at_first(service, failures):
    """
    Otherwise a serialization failure would repeat the delivery two minutes later, and delay the
    next one.
    """
    merchant_with_two_changes(service)
    receiver, refused = Receiver(), []

    @event.listens_for(service.store.engine, "before_cursor_execute")
    def refuse(_db, _cursor, statement, *_):
        marking = statement.lower().startswith("update events") and len(receiver.received) == 1
        if marking and len(refused) < failures:
            refused.append(statement)
            raise OperationalError(statement, {}, Exception("could not serialize access"))

    assert deliver(service, receiver) == 2
    assert receiver.changes() == [True, False]
    assert len(refused) == failures


def test_several_processes_deliver_in_order_and_once(service):
    """
    Several processes may run the dispatcher; deliveries stay in order.
    """
    merchants = [merchant_with_two_changes(service, f"m-{n}") for n in range(4)]
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

    assert delivered == len(receiver.received) == 2 * len(merchants)
    for merchant in merchants:
        bodies = [json.loads(body) for _, _, body in receiver.received]
        mine = [each for each in bodies if each["provider_id"] == merchant.known["provider_id"]]
        assert [each["renewal_eligibility"] for each in mine] == [True, False]


def test_nothing_is_delivered_before_the_commit(service, monkeypatch):
    """
    Nothing is delivered before the commit: a write that failed sends no webhook.
    """
    merchant = Merchant(service).funded()
    service.now += timedelta(days=120)

    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(service.store, "write", fail)
    assert merchant.remit("7000.00").status_code == 500
    receiver = Receiver()

    assert deliver(service, receiver) == 0
    assert receiver.received == []


def test_a_partner_without_a_webhook_gets_nothing(service):
    """
    Its events are stored, and do not wait for delivery.
    """
    Merchant(service, key="bolt-key", partner="bolt").renewable()

    assert "RenewalEligibilityChanged" in service.events(partner="bolt")
    assert service.store.backlog() == 0


def test_the_review_finds_changes_by_time(service):
    """
    The review records a `RenewalEligibilityChanged` when only time has passed.
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
    assert receiver.changes() == [True, False]


def unreadable(service, _):
    """Store a state that this version cannot read."""
    with service.store.engine.begin() as db:
        db.execute(MERCHANTS.update().where(MERCHANTS.c.merchant_id == "m-1").values(state=b"{}"))


def busy(service, monkeypatch):
    """Let every write of the merchant conflict."""
    write = service.store.write

    def conflict(outcome, **more):
        if outcome.merchant.merchant_id == "m-1":
            raise Conflict
        write(outcome, **more)

    monkeypatch.setattr(service.store, "write", conflict)


@pytest.mark.parametrize("fail", [unreadable, busy])
def test_a_merchant_that_cannot_be_reviewed_does_not_stop_the_others(service, fail, monkeypatch):
    """
    Every other merchant is reviewed, and the failure is counted.
    """
    for merchant_id in ("m-1", "m-2"):
        service.now = START
        Merchant(service, merchant_id).renewable()
    service.now += timedelta(days=60)
    fail(service, monkeypatch)

    assert review(service.host, PARTNERS) == Reviewed(merchants=1, failed=1)
    assert service.events("m-2").count("RenewalEligibilityChanged") == 2


@pytest.mark.parametrize("read", ["find", "merchant_ids"])
def test_a_lost_connection_does_not_end_the_review(service, read, monkeypatch):
    """
    The review reads again, as every attempt does.
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


def test_deliveries_stop_on_request(service):
    """
    A shutdown waits for the current delivery, not for all that are due.
    """
    for number in range(3):
        merchant_with_two_changes(service, f"m-{number}")
    receiver = Receiver()

    def stop():
        return len(receiver.received) == 2

    assert deliver_due(service.store, ACME, receiver, now=receiver.now, stop=stop) == 2
    assert len(receiver.received) == 2
    assert deliver(service, receiver) == 4


@pytest.mark.parametrize("wrong", [("url",), ("secret",), ("url", "secret")])
def test_the_conforming_host_sees_a_webhook_for_the_wrong_partner(tmp_path, wrong, monkeypatch):
    """
    A webhook to another partner's URL, or signed with its secret, does not count as published.
    """

    def misdirect(store, partner, post, **more):
        foreign = {name: getattr(conforming.HOOKS["bolt"], name) for name in wrong}
        hook = evolve(partner.webhook, **foreign)
        return deliver_due(store, evolve(partner, webhook=hook), post, **more)

    with service_on("sqlite", tmp_path) as service:
        Merchant(service).renewable()
    host = conforming.fastapi(f"sqlite:///{tmp_path}/holdback.db")
    monkeypatch.setattr(conforming, "deliver_due", misdirect)
    assert host.published("acme", "m-1") == []

    monkeypatch.undo()
    last = host.history("acme", "m-1")[-1]
    with host.store.engine.begin() as db:
        db.execute(EVENTS.update().where(EVENTS.c.event == last).values(due=0))
    assert host.published("acme", "m-1") == [last]
    host.close()


def test_the_app_delivers_and_a_slow_partner_does_not_delay_others(tmp_path, monkeypatch):
    """
    A background thread of the app delivers, and a slow or failing partner does not delay the
    others.
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
        with service_on("sqlite", tmp_path, partners=partners, private_webhooks=True) as service:
            Merchant(service).renewable()
            service.now = START
            Merchant(service, key="bolt-key", partner="bolt").renewable()
            with running(service.store, partners, private=True):
                assert arrived.wait(20)
                let_go.set()
            assert service.store.backlog() == 0
        server.shutdown()
