"""Carrying over what the first version stored: states, journals and profiles, once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi_calls import BANK, ENGINE, PARTNERS, PROFILE, Merchant, Service, code, database
from fastapi_host import carry_over as carrying
from fastapi_host.carry_over import CarriedOver, carry_over
from fastapi_host.outbox import deliver_due
from fastapi_host.tables import EVENTS, MERCHANTS, PROFILES
from sqlalchemy import select

from holdback import Engine, wire

HOST = Path(__file__).parents[2] / "docs/hosts/fastapi_host"
FIRST = Engine.for_trial(format=1)
PERSONAL = ["Ada Person", "Nine Lives Ltd", "a second oven", BANK["account_number"]]
assert PERSONAL[1] == PROFILE["company"]["name"]


@pytest.fixture(params=["sqlite", "READ COMMITTED", "SERIALIZABLE"])
def versions(request, tmp_path):
    """A function that returns the host of an engine, all on one database."""
    url, level = database(request.param, tmp_path, request)
    opened = []

    @contextmanager
    def host(engine=ENGINE):
        opened.append(Service(url, level, engine=engine))
        yield opened[-1]

    yield host
    for service in opened:
        service.store.close()


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(carrying, "PAGE", 2)


def fund(merchant):
    """Fund a deal with a host of either format."""
    assert merchant.ask().status_code == 200
    assert merchant.accept().status_code == 200
    named = {"application_id": merchant.known["application_id"]}
    funded = merchant.agent("fund_deal", named).json()
    merchant.known["deal_id"] = funded.get("deal_id") or funded["id"]
    return merchant


def in_the_first_format(versions, *merchant_ids):
    """Return funded merchants that the first version stored."""
    with versions(FIRST) as service:
        return [fund(Merchant(service, merchant_id)) for merchant_id in merchant_ids]


def documents(service, merchant_id="m-1"):
    stored = service.store.find(partner="acme", merchant_id=merchant_id, profile=True)
    return stored.state, stored.profile, service.store.history("acme", merchant_id)


def formats(service, merchant_id="m-1"):
    state, profile, events = documents(service, merchant_id)
    return wire.format_of(state), profile is not None, {wire.format_of(event) for event in events}


def personal(*texts):
    return [value for value in PERSONAL if any(value.encode() in text for text in texts)]


def test_all_documents_are_carried_over(versions):
    """
    State and journal lose their personal data to the profile, and agree with each other.
    """
    (merchant,) = in_the_first_format(versions, "m-1")
    with versions() as service:
        assert formats(service) == (1, False, {1})
        looked_up = Merchant(service, known=merchant.known).look_up().content
        assert carry_over(service.store) == CarriedOver(1, 0)

        state, profile, events = documents(service)
        assert formats(service) == (2, True, {2})
        assert personal(state, *events) == []
        assert personal(profile) == PERSONAL
        rebuilt = ENGINE.rebuild([wire.read_event(event) for event in events])
        assert wire.write_merchant(rebuilt) == state
        same = Merchant(service, known=merchant.known)
        assert same.look_up().content == looked_up
        assert same.remit("100.00").json()["sequence"] == len(events) + 1
        assert carry_over(service.store) == CarriedOver(0, 0)


def test_a_merchant_that_was_written_since_is_carried_over_too(versions):
    """
    Its state and later events are in the newest format; its profile and its salt stay.
    """
    (merchant,) = in_the_first_format(versions, "m-1")
    with versions() as service:
        same = Merchant(service, known=merchant.known)
        same.remit("100.00")
        assert formats(service) == (2, True, {1, 2})
        _, before, _ = documents(service)
        assert carry_over(service.store) == CarriedOver(1, 0)
        state, profile, events = documents(service)
        assert (formats(service), profile) == ((2, True, {2}), before)
        assert personal(state, *events) == []
        rebuilt = ENGINE.rebuild([wire.read_event(event) for event in events])
        assert wire.write_merchant(rebuilt) == state


def test_the_journal_of_an_erased_profile_loses_its_personal_data(versions):
    """
    The profile was erased before the journal was carried over; nothing of it comes back.
    """
    with versions(FIRST) as before:
        merchant = Merchant(before)
        merchant.ask()
        merchant.accept()
    with versions() as service:
        same = Merchant(service, known=merchant.known)
        named = {"application_id": merchant.known["application_id"], "status": "withdrawn"}
        assert same.agent("close_application", named).status_code == 200
        assert same.agent("erase_profile").status_code == 200
        _, _, events = documents(service)
        assert personal(*events) == PERSONAL
        assert carry_over(service.store) == CarriedOver(1, 0)
        state, profile, events = documents(service)
        assert personal(state, profile, *events) == []
        assert wire.read_profile(profile).is_erased


def test_every_merchant_is_found(versions):
    """
    In pages, those of the newest format between them.
    """
    in_the_first_format(versions, "m-1", "m-3", "m-4", "m-6")
    with versions() as service:
        for merchant_id in ("m-2", "m-5"):
            fund(Merchant(service, merchant_id))
        stored = documents(service, "m-2")
        assert carry_over(service.store) == CarriedOver(4, 0)
        for number in range(1, 7):
            assert formats(service, f"m-{number}") == (2, True, {2})
        assert documents(service, "m-2") == stored


def test_a_merchant_that_cannot_be_read_does_not_stop_the_others(versions):
    """
    It stays unchanged, and is counted.
    """
    in_the_first_format(versions, "m-1", "m-2", "m-3")
    with versions() as service:
        with service.store.engine.begin() as db:
            wrong = EVENTS.c.merchant_id == "m-2", EVENTS.c.place == 2
            db.execute(
                EVENTS.update().where(*wrong).values(event=b'{"type":"DealFunded","format":1,')
            )
        before = documents(service, "m-2")
        assert carry_over(service.store) == CarriedOver(2, 1)
        assert documents(service, "m-2") == before
        assert formats(service, "m-3") == (2, True, {2})


def test_a_request_in_between_starts_again(versions, monkeypatch):
    """
    It has read the merchant with another salt, so what it would write does not fit the journal.
    """
    (merchant,) = in_the_first_format(versions, "m-1")
    with versions() as service, versions() as other:
        find, done = service.store.find, []

        def carried_over_meanwhile(**of):
            found = find(**of)
            if not done:
                done.append(carry_over(other.store))
            return found

        monkeypatch.setattr(service.store, "find", carried_over_meanwhile)
        same = Merchant(service, known=merchant.known)
        assert same.remit("100.00").status_code == 200
        assert done == [CarriedOver(1, 0)]
        state, profile, events = documents(service)
        held = wire.read_profile(profile).sections.keys()
        assert set(wire.read_merchant(state).named_sections) <= set(held)
        rebuilt = ENGINE.rebuild([wire.read_event(event) for event in events])
        assert wire.write_merchant(rebuilt) == state


def test_requests_go_on_meanwhile(versions):
    """
    Of many requests during it, none is lost or doubled.
    """
    merchants = in_the_first_format(versions, *(f"m-{n}" for n in range(6)))
    with versions() as service, versions() as other:
        results = []

        def remit():
            for number in range(3):
                for merchant in merchants:
                    same = Merchant(service, merchant.merchant_id, known=merchant.known)
                    results.append(same.remit("10.00", f"e-{number}").status_code)

        thread = threading.Thread(target=remit)
        thread.start()
        while thread.is_alive():
            assert carry_over(other.store).failed == 0
        thread.join()
        carry_over(other.store)
        assert set(results) == {200}
        for merchant in merchants:
            assert formats(service, merchant.merchant_id) == (2, True, {2})
            same = Merchant(service, merchant.merchant_id, known=merchant.known)
            (deal,) = same.look_up().json()["deals"]
            assert [entry["id"] for entry in deal["transactions"]] == ["e-0", "e-1", "e-2"]


def test_a_waiting_webhook_stays(versions):
    """
    The event is rewritten, and delivered once with the same id.
    """
    with versions(FIRST) as before:
        merchant = fund(Merchant(before))
        before.now += timedelta(days=120)
        assert merchant.remit("7000.00").status_code == 200
        now = before.now
    sent = []

    def post(status):
        return lambda *given: sent.append(given) or status

    acme = PARTNERS.named("acme")
    with versions() as service:
        service.now = now
        assert deliver_due(service.store, acme, post(500)) == 0
        carry_over(service.store)
        later = lambda: 4_000_000_000  # noqa: E731
        assert deliver_due(service.store, acme, post(204), now=later) == 1
        assert service.store.backlog() == 0
    (_, first, body), (_, second, again) = sent
    assert (first["webhook-id"], body) == (second["webhook-id"], again)
    assert json.loads(body)["renewal_eligibility"] is True


def test_a_stop_ends_it_after_a_page(versions):
    """
    What is carried over stays, and the next run goes on.
    """
    in_the_first_format(versions, *(f"m-{n}" for n in range(5)))
    with versions() as service:
        looks = iter([False, True])
        assert carry_over(service.store, stop=lambda: next(looks)) == CarriedOver(2, 0)
        assert carry_over(service.store) == CarriedOver(3, 0)


def test_an_erasure_is_whole_after_it(versions):
    """
    Before it, the journal still has what was erased: the page says to carry over first.
    """
    (merchant,) = in_the_first_format(versions, "m-1")
    with versions() as service:
        carry_over(service.store)
        same = Merchant(service, known=merchant.known)
        assert code(same.agent("erase_profile")) == (409, "erasure_not_possible")
        with service.store.engine.connect() as db:
            stored = [
                bytes(value)
                for column in (MERCHANTS.c.state, EVENTS.c.event)
                for value in db.scalars(select(column))
            ]
            profiles = [bytes(value) for value in db.scalars(select(PROFILES.c.profile))]
        assert personal(*stored) == []
        assert personal(*profiles) == PERSONAL


def test_the_command_carries_over(tmp_path):
    """
    It needs nothing but the database, and exits with 1 if a merchant failed.
    """
    url = f"sqlite:///{tmp_path}/holdback.db"
    service = Service(url, engine=FIRST)
    for merchant_id in ("m-1", "m-2"):
        fund(Merchant(service, merchant_id))
    env = {name: value for name, value in os.environ.items() if not name.startswith("HOLDBACK")}

    def run(*arguments):
        command = [sys.executable, str(HOST), "carry-over", *arguments]
        return subprocess.run(
            command, env=env, capture_output=True, text=True, check=False, timeout=60
        )

    done = run("--database", url)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"event": "carried_over", "merchants": 2, "failed": 0' in done.stdout
    fund(Merchant(service, "m-3"))
    with service.store.engine.begin() as db:
        wrong = EVENTS.c.merchant_id == "m-3", EVENTS.c.place == 2
        db.execute(EVENTS.update().where(*wrong).values(event=b'{"type":"DealFunded","format":1,'))
    service.store.close()
    failed = run("--database", url)
    assert (failed.returncode, failed.stderr) == (1, "1 merchants could not be carried over\n")
