"""The documents that the FastAPI host stores: state, profile and events, in one transaction."""

from __future__ import annotations

import json
from contextlib import contextmanager
from datetime import timedelta

import fastapi_calls as fixtures
import pytest
from fastapi_calls import BANK, PARTNERS, Merchant, Service, code, database
from fastapi_host.outbox import deliver_due
from fastapi_host.review import Reviewed, review
from fastapi_host.store import Conflict
from fastapi_host.tables import EVENTS, PROFILES
from sqlalchemy import select

from holdback import Context, Engine, wire
from holdback.operations import AcceptOffer

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant
FIRST = Engine.for_trial(format=1)
PERSONAL = [
    "Ada Person",
    "1980-01-02",
    "Nine Lives Ltd",
    "01234567",
    "a second oven",
    *BANK.values(),
]
PERSONAL.remove("NONE")


def rows(service, table):
    with service.store.engine.connect() as db:
        return [row._asdict() for row in db.execute(select(table))]


def texts(service):
    """Return what is stored of m-1, as text: its state, its events and its profile."""
    found = service.store.find(partner="acme", merchant_id="m-1", profile=True)
    events = b"\n".join(service.store.history("acme", "m-1"))
    return found.state.decode(), events.decode(), (found.profile or b"").decode()


def held(text):
    return [value for value in PERSONAL if value in text]


def test_personal_data_is_in_the_profile_alone(service, merchant):
    """
    Neither states nor events have any; names and replies are about offers.
    """
    merchant.renewable()
    merchant.ask(merchant.renewal())
    merchant.accept()
    state, events, profile = texts(service)

    assert held(profile) == PERSONAL
    assert (held(state), held(events)) == ([], [])
    assert len(rows(service, PROFILES)) == 1


def test_a_profile_is_erased(service, merchant):
    """
    An agent erases it; what needs it afterwards is refused, a retry of the acceptance is answered,
    and a new initial application brings another profile.
    """
    merchant.ask(idempotency="k-1")
    accepted = merchant.accept(idempotency="k-2")
    closed = {"application_id": merchant.known["application_id"], "status": "withdrawn"}
    assert code(merchant.agent("erase_profile")) == (409, "erasure_not_possible")
    merchant.agent("close_application", closed)
    assert merchant.agent("erase_profile").json() == {"erased": True}

    _, _, profile = texts(service)
    assert held(profile) == []
    assert wire.read_profile(profile.encode()).is_erased
    assert merchant.agent("erase_profile").json() == {"erased": True}
    assert merchant.accept(idempotency="k-2").content == accepted.content
    assert merchant.look_up().json() == {"deals": []}

    again = Merchant(service)
    assert again.ask().status_code == 200
    assert again.accept().status_code == 200
    _, _, profile = texts(service)
    assert held(profile) == PERSONAL
    assert again.fund().status_code == 200


def test_each_merchant_has_a_salt_of_its_own(service):
    """
    So nobody can compare two merchants by their digests.
    """
    for merchant_id in ("m-1", "m-2"):
        Merchant(service, merchant_id).ask()
    profiles = [wire.read_profile(bytes(row["profile"])) for row in rows(service, PROFILES)]

    assert len({profile.salt for profile in profiles}) == 2
    assert not set(profiles[0].sections) & set(profiles[1].sections)


def test_servicing_neither_reads_nor_writes_the_profile(service, merchant, monkeypatch):
    """
    It may be large, and an operation that does not take it leaves it unchanged.
    """
    asked, find = [], service.store.find

    def noted(**of):
        asked.append(of["profile"])
        return find(**of)

    monkeypatch.setattr(service.store, "find", noted)
    merchant.funded()
    (before,) = rows(service, PROFILES)
    assert asked == [
        False,
        True,
        True,
        False,
    ]  # the checks, the offers, the acceptance, the funding
    asked.clear()
    merchant.remit("100.00")
    merchant.look_up()
    merchant.agent("review_renewal")
    assert asked == [False, False, False]
    assert rows(service, PROFILES) == [before]


def test_a_conflict_writes_nothing_of_the_profile(service, merchant):
    """
    All documents are written in the transaction that compares the version.
    """
    merchant.ask()
    before = texts(service)
    stored = service.store.find(partner="acme", merchant_id="m-1", profile=True)
    engine, read = (
        service.host.engine,
        wire.read_stored(stored.state, stored.profile, salt=bytes(16)),
    )
    context = Context(at=service.now, request_id="r-1")
    offer_id = merchant.known["offer_ids"][0]
    details = wire.read_accept_request({"bank_details": BANK})
    outcome = engine.carry_out(
        read[0], AcceptOffer(offer_id=offer_id, bank_details=details), context, profile=read[1]
    )
    documents = wire.write_stored(outcome)
    assert documents.profile != stored.profile

    reply = {"caller": "partner:acme", "key": "k", "asked": "", "reply": b"", "at": 1}
    with pytest.raises(Conflict):
        service.store.write(outcome, documents=documents, version=stored.version + 1, reply=reply)
    assert texts(service) == before
    service.store.write(outcome, documents=documents, version=stored.version, reply=reply)
    assert held(texts(service)[2]) == PERSONAL


def test_a_merchant_without_its_profile_is_an_internal_error(service, merchant):
    """
    The state names sections that are gone: 500, and nothing is written.
    """
    merchant.ask()
    with service.store.engine.begin() as db:
        db.execute(PROFILES.delete())
    events = service.events()
    assert code(merchant.accept()) == (500, "internal_error")
    assert service.events() == events


@pytest.fixture(params=["sqlite", "READ COMMITTED"])
def versions(request, tmp_path):
    """A function that returns the host of a format on one database."""
    url, level = database(request.param, tmp_path, request)
    opened = []

    @contextmanager
    def host(engine):
        service = Service(url, level, engine=engine)
        opened.append(service)
        yield service

    yield host
    for service in opened:
        service.store.close()


def format_of_state(service, merchant_id="m-1"):
    return wire.format_of(service.store.find(partner="acme", merchant_id=merchant_id).state)


def test_during_an_upgrade_the_host_writes_format_1(versions):
    """
    Then the state has the profile, so nothing is erased; with format 2 the host goes on from there.
    """
    with versions(FIRST) as before:
        merchant = Merchant(before)
        merchant.ask()
        merchant.accept()
        assert code(merchant.agent("erase_profile")) == (409, "not_possible_now")
        assert merchant.agent("fund_deal", {"application_id": merchant.known["application_id"]})
        assert rows(before, PROFILES) == []
        assert format_of_state(before) == 1
        assert held(texts(before)[0]) == PERSONAL

    with versions(fixtures.ENGINE) as after:
        again = Merchant(after, known=merchant.known)
        (deal,) = again.look_up().json()["deals"]
        again.known["deal_id"] = deal["id"]
        assert (format_of_state(after), rows(after, PROFILES)) == (
            1,
            [],
        )  # a question writes nothing
        assert again.remit("100.00").status_code == 200
        state, _, profile = texts(after)
        assert format_of_state(after) == 2
        assert (held(state), held(profile)) == ([], PERSONAL)
        after.now += timedelta(days=1)
        assert again.remit("100.00", "e-2").status_code == 200


def test_a_merchant_of_format_2_stays_in_it(versions):
    """
    A host that writes format 1 serves it, and does not write it back.
    """
    with versions(fixtures.ENGINE) as newer:
        merchant = Merchant(newer).funded()
    with versions(FIRST) as older:
        same = Merchant(older, known=merchant.known)
        assert same.remit("100.00").status_code == 200
        assert same.look_up().json()["deals"][0]["balance"] == 11804
        assert format_of_state(older) == 2
        assert len(rows(older, PROFILES)) == 1
        Merchant(older, "m-2").ask()
        assert format_of_state(older, "m-2") == 1


def test_an_event_of_format_1_is_delivered(versions):
    """
    It may wait in the outbox while the host is replaced.
    """
    with versions(FIRST) as before:
        merchant = Merchant(before)
        merchant.ask()
        merchant.accept()
        named = {"application_id": merchant.known["application_id"]}
        merchant.known["deal_id"] = merchant.agent("fund_deal", named).json()["id"]
        before.now += timedelta(days=120)
        assert merchant.remit("7000.00").json()["performance"]["renewal_eligibility"] is True

    with versions(fixtures.ENGINE) as after:
        sent = []
        post = lambda *given: sent.append(given) or 204  # noqa: E731
        assert deliver_due(after.store, PARTNERS.named("acme"), post) == 1
        ((_, _, body),) = sent
        assert json.loads(body) == {
            "type": "renewal_eligibility_changed",
            "provider_id": merchant.known["provider_id"],
            "deal_id": merchant.known["deal_id"],
            "renewal_eligibility": True,
            "at": "2026-11-03T09:00:00Z",
        }
        after.now = before.now
        assert review(after.host, PARTNERS) == Reviewed(merchants=1, failed=0)


def test_the_document_at_openapi_shows_the_replies_of_the_format(versions):
    """
    While format 1 is written, servicing replies with the whole deal, as the first version does.
    """
    for engine, expected in ((FIRST, "Deal"), (fixtures.ENGINE, "DealReceipt")):
        with versions(engine) as service:
            paths = service.call("GET", "/openapi.json", key=None).json()["paths"]
            ok = paths["/v2/agents/{partner}/{merchant_id}/fund_deal"]["post"]["responses"]["200"]
            schema = ok["content"]["application/json"]["schema"]
            assert schema == {"$ref": f"#/components/schemas/{expected}"}


def test_an_event_is_stored_at_its_number(service, merchant):
    """
    From 1 without gaps, in the order in which they happened.
    """
    merchant.renewable()
    events = [json.loads(event) for event in service.store.history("acme", "m-1")]
    places = [row["place"] for row in rows(service, EVENTS)]
    assert sorted(places) == [event["sequence"] for event in events]
    assert sorted(places) == list(range(1, len(events) + 1))
