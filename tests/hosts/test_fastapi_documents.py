"""The documents that the FastAPI host stores: state, profile and events, in one transaction."""

from __future__ import annotations

from datetime import timedelta

import fastapi_calls as fixtures
import pytest
from fastapi_calls import BANK, Merchant, code
from fastapi_host.store import Conflict
from fastapi_host.tables import PROFILES
from sqlalchemy import select

from holdback import Context, wire
from holdback.operations import AcceptOffer

place, service, merchant = fixtures.place, fixtures.service, fixtures.merchant
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
    # the checks, the offers, the acceptance, the funding
    assert asked == [True, True, True, False]
    asked.clear()
    merchant.remit("100.00")
    merchant.look_up()
    merchant.agent("review_renewal")
    assert asked == [False, False, False]
    assert rows(service, PROFILES) == [before]


def test_what_the_state_names_no_more_goes_from_the_profile_at_once(service, merchant):
    """
    Not with the next operation that takes the profile, which may come in years: the note of a hold
    goes as it is lifted, and a forgotten application with the servicing that forgets it.
    """
    merchant.ask(merchant.initial(company={"name": "Old Forge Ltd"}))
    service.now += timedelta(days=40)
    merchant.ask()
    merchant.accept()
    assert "Old Forge Ltd" not in texts(service)[2]
    merchant.agent("place_hold", {"code": "fraud", "by": "u-1", "note": "Rings at night."})
    assert "Rings at night." in texts(service)[2]
    merchant.agent("lift_hold", {"code": "fraud", "by": "u-1"})
    assert "Rings at night." not in texts(service)[2]


def test_a_conflict_writes_nothing_of_the_profile(service, merchant):
    """
    All documents are written in the transaction that compares the version.
    """
    merchant.ask()
    before = texts(service)
    stored = service.store.find(partner="acme", merchant_id="m-1", profile=True)
    engine, read = (
        service.host.engine,
        wire.read_stored(stored.state, stored.profile),
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


def test_documents_are_sealed_where_there_is_a_key(service, merchant, monkeypatch):
    """
    "The host seals states and profiles, and refuses to read others"; a new key goes before the old
    one.
    """
    old, new = bytes(range(32)), bytes(range(1, 33))
    monkeypatch.setattr("fastapi_host.documents.SEAL_KEYS", (old,))
    merchant.ask()
    state, _, profile = texts(service)
    for document in (state, profile):
        assert wire.unseal(document.encode(), old) != document.encode()

    monkeypatch.setattr("fastapi_host.documents.SEAL_KEYS", (new, old))
    assert merchant.accept().status_code == 200
    state, _, _ = texts(service)
    assert wire.read_merchant(wire.unseal(state.encode(), new)).provider_id

    monkeypatch.setattr("fastapi_host.documents.SEAL_KEYS", (old,))
    assert merchant.look_up().status_code == 500
