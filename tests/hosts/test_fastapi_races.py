"""The FastAPI host under concurrent requests and failures: all or nothing, and only once."""

from __future__ import annotations

import fastapi_calls as fixtures
import postgres
import pytest
from fastapi_calls import Merchant, Service, at_once, code, offers_of
from fastapi_host.migrate import migrate
from fastapi_host.store import Conflict, Store
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant


def test_one_of_two_concurrent_acceptances_wins(service, merchant):
    """
    Of two concurrent acceptances of offers of one set, exactly one wins, in any order.
    """
    merchant.ask()
    offer_ids = merchant.known["offer_ids"] * 3
    replies = at_once(
        [lambda offer_id=offer_id: Merchant(service).accept(offer_id) for offer_id in offer_ids]
    )

    bodies = {reply.content for reply in replies if reply.status_code == 200}
    assert len(bodies) == 1
    assert {reply.status_code for reply in replies} == {200, 409}
    assert service.events() == [
        "EvidenceRecorded",
        "OffersIssued",
        "OfferAccepted",
        "ApplicationSubmitted",
    ]


def test_concurrent_requests_with_one_key_are_one_request(service, merchant):
    """
    Concurrent requests with one key all get the bytes of the first.
    """
    replies = at_once([lambda: Merchant(service).ask(idempotency="k")] * 6)

    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert service.events() == ["EvidenceRecorded", "OffersIssued"]


def test_no_update_is_lost(service, merchant):
    """
    Concurrent remittances are all recorded.
    """
    merchant.funded()
    calls = [lambda n=n: merchant.remit("10.00", f"e-{n}") for n in range(6)]

    assert {reply.status_code for reply in at_once(calls)} == {200}
    (deal,) = merchant.look_up().json()["deals"]
    assert sorted(each["id"] for each in deal["transactions"]) == [f"e-{n}" for n in range(6)]


@pytest.mark.parametrize("key", [None, "k"])
def test_a_commit_whose_outcome_is_unknown_is_carried_out_once(service, merchant, key, monkeypatch):
    """
    After a commit with an unknown outcome the host starts again from the load, with the same
    request id.
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
    assert service.events() == ["EvidenceRecorded", "OffersIssued"]
    assert len(service.asked_checks) == 1
    assert offers_of(service) == reply.content


def test_after_ten_attempts_the_answer_is_503(service, merchant, monkeypatch):
    """
    After ten attempts the answer is a 503 with `Retry-After`.
    """
    attempts, slept = [], []

    def conflict(*_, **__):
        attempts.append(True)
        raise Conflict

    monkeypatch.setattr(service.store, "write", conflict)
    monkeypatch.setattr("fastapi_host.attempts.time.sleep", slept.append)
    reply = merchant.ask()

    assert code(reply) == (503, "unavailable")
    assert reply.headers["retry-after"] == "1"
    assert len(attempts) == 10
    assert len(slept) == 9  # between the attempts, not after the last


def test_the_isolation_level_is_the_one_asked_for(service, request):
    """
    The isolation level can be chosen on PostgreSQL; SQLite has only one, and commits to the disk.
    """
    level = request.node.callspec.params["place"]
    with service.store.engine.connect() as db:
        if level == "sqlite":
            assert db.scalar(text("pragma synchronous")) == 2
            assert db.scalar(text("pragma journal_mode")) == "wal"
        else:
            assert db.scalar(text("show transaction_isolation")).upper() == level


@pytest.mark.skipif(not postgres.INSTALLED, reason=postgres.MISSING)
def test_a_database_is_used_again_after_a_crash():
    """
    While it is down every answer is 503; afterwards all that was committed is there.
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
    Each makes the tables, or finds them.
    """
    if not postgres.INSTALLED:
        pytest.skip(postgres.MISSING)

    def start(url):
        migrate(url)
        return Store(url)

    with postgres.cluster() as cluster:
        for store in at_once([lambda: start(cluster.url)] * 4):
            assert store.backlog() == 0
            store.close()
