"""
The first version's FastAPI host on the present package, which writes format 1.

So a service looks in the first half of a rolling upgrade: the package is the new one, tables and
documents are still those of the first version. `fastapi` makes the host.
"""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace

import conforming
from attrs import evolve, frozen
from fastapi_host import app, attempts, outbox, store

from holdback import Engine, wire
from holdback.lifecycle.events import OfferAccepted, OffersIssued
from holdback.merchant.profile import Profile
from holdback.operations import LookUp, RequireChecks

SALT = bytes(range(16))  # format 1 stores nothing that is named by it
find_merchant = attempts.Host._merchant
write_to_store = store.Store.write
# The documents of the attempt that a thread makes: the profile that it read, and what it stores.
current = threading.local()


@frozen
class UpgradedEngine:
    """An engine that writes format 1, and gets the profile that the attempt has read."""

    engine: Engine

    @classmethod
    def bundled(cls):
        return cls(Engine.for_trial(format=1))

    @property
    def jurisdictions(self):
        return self.engine.jurisdictions

    def with_jurisdictions(self, jurisdictions):
        return evolve(self, engine=self.engine.with_jurisdictions(jurisdictions))

    def carry_out(self, merchant, command, context):
        if isinstance(command, UnreadCommand):
            situation = self.engine.situation(merchant, context)
            command = wire.read_command(command.operation, command.body, situation)
        return self.engine.carry_out(merchant, command, context, profile=current.profile)

    def required_checks(self, merchant, request, context):
        return self.engine.carry_out(merchant, RequireChecks(request=request), context)

    def look_up(self, merchant, context):
        return self.engine.carry_out(merchant, LookUp(), context)


@frozen
class UnreadCommand:
    """An agent's command, which is read with more than the currency that the host gives."""

    operation: str
    body: bytes | None
    currency: object


def _merchant(host, stored, merchant_request):
    if stored.state is None:
        current.profile = Profile.new(salt=SALT)
        return find_merchant(host, stored, merchant_request)
    merchant, current.profile = wire.read_stored(
        stored.state, None, salt=SALT, sequence=stored.version
    )
    return merchant


def _write(kept, outcome, **options):
    if outcome.events:
        documents = wire.write_stored(outcome, format=1)
        current.state, current.events = documents.state, iter(documents.events)
    write_to_store(kept, outcome, **options)


def _names(outcome, provider_id):
    merchant_key = store._merchant_key(outcome)
    for event in outcome.events:
        if isinstance(event, OffersIssued):
            for offer in event.offer_set.offers:
                yield merchant_key | {"kind": "offer_id", "name": offer.offer_id}
        elif isinstance(event, OfferAccepted) and provider_id is None:
            yield merchant_key | {"kind": "provider_id", "name": event.provider_id}


def _payload(row):
    named = {"partner": row.partner, "merchant_id": row.merchant_id, "sequence": row.place}
    event = wire.read_stored_event(row.event, **named)
    merchant, _ = wire.read_stored(row.state, None, salt=SALT)
    payload = {
        "type": "renewal_eligibility_changed",
        "provider_id": merchant.provider_id,
        "deal_id": event.deal_id,
        "renewal_eligibility": event.renewal_eligibility,
        "at": wire.write_timestamp(event.at),
    }
    return json.dumps(payload, separators=(",", ":")).encode()


def fastapi(*arguments):
    """Return the host, with what is new put in its place."""
    conforming.Engine = UpgradedEngine
    app.wire = SimpleNamespace(
        read_command=UnreadCommand, read_accept_request=wire.read_accept_request
    )
    attempts.Host._merchant = _merchant
    store.Store.write, store._names = _write, _names
    store.wire = SimpleNamespace(
        write_merchant=lambda _: current.state, write_event=lambda _: next(current.events)
    )
    outbox._payload = _payload
    return conforming.fastapi(*arguments)
