"""
A complete host in memory: the smallest one that passes the suite.

A merchant is written only if its version is still the one that was read. The suite can let the host
die at any step; what was committed by then stays in the store, as it would on a disk.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final
from uuid import UUID, uuid5

from attrs import define, field

from holdback import wire
from holdback.engine import Engine
from holdback.errors import InvalidDocument, Refusal
from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle.context import Context
from holdback.lifecycle.operation import Outcome
from holdback.merchant.merchant import Merchant
from holdback.testing.conformance.host import Answer, Crashed, Input
from holdback.testing.memory_store import MemoryStore, MerchantKey
from holdback.wire.commands import read_input

_ATTEMPTS: Final = 100
_BUSY: Final = (
    b'{"type":"urn:holdback:busy","title":"Try again","status":503,"detail":"","code":"busy"}'
)


@frozen
class Request:
    """One request; two requests with the same `fingerprint` ask for the same."""

    operation: str
    input: Input
    key: str | None
    at: datetime
    request_id: str
    fingerprint: bytes

    @property
    def partner(self) -> str:
        """The partner that the request is from, or whose merchant it is about."""
        return str(self.input["partner"])

    def text_field(self, name: str) -> str:
        """Return the text in a field of the body."""
        body = wire.read_json(self.input["body"])
        value = body.get(name) if isinstance(body, dict) else None
        if type(value) is not str:
            raise InvalidDocument.of("wrong_type", "expected text", path=f"$.{name}")
        return value


@define(eq=False)
class MemoryHost:
    """
    The operations of the service on merchants in memory.

    >>> host = MemoryHost()
    >>> host.open()
    >>> request = {"partner": "acme", "body": b'{"provider_id": "p-1"}'}
    >>> host.handle("look_up", request, key=None, at=None)[0]
    404
    """

    cannot: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "new_process": "its store is in the memory of one process",
            "previous_version": "it is of one version",
        }
    )
    publishes: ClassVar[Sequence[str]] = tuple(wire.EVENT_TYPES)

    engine: Engine = field(factory=Engine.for_trial)
    store: MemoryStore = field(factory=MemoryStore)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _engines: dict[int, Engine] = field(factory=dict, init=False, repr=False)
    _steps_left: int | None = field(default=None, init=False)
    _requests: int = 0

    def open(self) -> None:
        """Empty the store."""
        self.store = MemoryStore()

    def handle(
        self,
        operation: str,
        input: Input,  # noqa: A002  # the signature of `Host.handle`
        *,
        key: str | None,
        at: datetime,
    ) -> Answer:
        """Return the status and the body of the answer."""
        # An agent's body does not name the merchant, so the fingerprint has to.
        subject = f"{operation}\n{input.get('merchant_id') or ''}\n".encode()
        fingerprint = hashlib.sha256(subject + input["body"]).digest()
        request = Request(operation, input, key, at, self._new_request_id(), fingerprint)
        try:
            for _ in range(_ATTEMPTS):
                reply = self.attempt(request)
                if reply is not None:
                    return 200, reply
        except (Refusal, InvalidDocument) as error:
            status: int = wire.problem(error)["status"]
            return status, wire.write_problem(error)
        else:
            return 503, _BUSY
        finally:
            self._steps_left = None

    def _new_request_id(self) -> str:
        """Return an unused id. It is counted, not random, so that a seed reproduces a history."""
        with self._lock:
            self._requests += 1
            return str(uuid5(UUID(int=0), str(self._requests)))

    def attempt(self, request: Request) -> bytes | None:
        """Make one attempt and return the reply, or None if another request wrote first."""
        self.step()
        earlier = self.earlier_reply(request)
        if earlier is not None:
            return earlier
        version, merchant = self.load(request)
        outcome = self.carry_out(request, merchant)
        reply = wire.write(outcome.reply)
        self.step()
        if request.operation == "look_up":
            return reply
        if not self.commit(request, version, outcome, reply):
            return None
        self.step()
        return reply

    def earlier_reply(self, request: Request) -> bytes | None:
        """Return the reply that is stored under the key, or None."""
        if request.key is None or (request.partner, request.key) not in self.store.replies:
            return None
        fingerprint, reply = self.store.replies[request.partner, request.key]
        if fingerprint != request.fingerprint:
            raise Refusal("request_conflict", "this key was used for another request")
        return reply

    def load(self, request: Request) -> tuple[int, Merchant]:
        """Return the merchant that the request is about, and its version."""
        merchant_id = self.merchant_id(request)
        stored = self.store.find(request.partner, merchant_id)
        if stored is not None:
            return stored
        if request.operation != "request_offers":
            code = (
                "offer_not_found" if request.operation == "accept_offer" else "merchant_not_found"
            )
            raise Refusal(code, "this partner has no such merchant or offer")
        jurisdiction = request.input["jurisdiction"]
        new = Merchant.new(
            partner=request.partner, merchant_id=merchant_id or "", jurisdiction=jurisdiction
        )
        return 0, new

    def merchant_id(self, request: Request) -> str | None:
        """Return the merchant_id that the request is about, None if the partner has none."""
        if request.operation == "request_offers":
            return wire.read_offers_request(request.input["body"]).application.merchant_id
        if request.operation == "accept_offer":
            offer_id = request.text_field("offer_id")
            return self.store.find_by_name(request.partner, "offer_id", offer_id)
        if request.operation == "look_up":
            provider_id = request.text_field("provider_id")
            return self.store.find_by_name(request.partner, "provider_id", provider_id)
        return str(request.input["merchant_id"])

    def context(self, request: Request) -> Context:
        """Return the context of the request; with one clock alone, the host is not sure of it."""
        evidence = wire.read_evidence(request.input.get("evidence"))
        return Context(at=request.at, request_id=request.request_id, evidence=evidence)

    def carry_out(self, request: Request, merchant: Merchant) -> Outcome[Any]:
        """Return the engine's outcome of the request."""
        context = self.context(request)
        body = request.input["body"]
        profile = self.store.profile(merchant)
        input_context = self.engine.input_context(merchant, context)
        operation = read_input(request.operation, body, input_context)
        return self.engine.carry_out(merchant, operation, context, profile=profile)

    def commit(self, request: Request, version: int, outcome: Outcome[Any], reply: bytes) -> bool:
        """Write everything; return False if the merchant's version changed or the key was used."""
        key = (outcome.merchant.partner, outcome.merchant.merchant_id)
        stored = [wire.write_event(event) for event in outcome.events]
        with self._lock:
            if self.store.merchants.get(key, (0, None))[0] != version:
                return False
            if request.key is not None:
                if (request.partner, request.key) in self.store.replies:
                    return False
                self.store.replies[request.partner, request.key] = (request.fingerprint, reply)
            if outcome.events:
                self.save(outcome, version + 1)
                self.record(outcome, stored)
        return True

    def save(self, outcome: Outcome[Any], version: int) -> None:
        """Write the merchant's state and its profile."""
        self.store.save(outcome.merchant, outcome.profile, version)

    def record(self, outcome: Outcome[Any], stored: Sequence[bytes]) -> None:
        """Write the events, and the names by which the partner can now find the merchant."""
        merchant = outcome.merchant
        self.store.events[merchant.partner, merchant.merchant_id] += stored
        self.store.add_names(outcome)

    def history(self, partner: str, merchant_id: str) -> Sequence[bytes]:
        """Return the merchant's events as JSON."""
        return tuple(self.store.events.get((partner, merchant_id), ()))

    def documents(self, partner: str, merchant_id: str) -> tuple[bytes, bytes | None]:
        """Return a merchant's state and its profile as JSON."""
        key = (partner, merchant_id)
        profile = self.store.profiles.get(key)
        state = wire.write_merchant(self.store.merchants[key][1])
        return state, None if profile is None else wire.write_profile(profile)

    def published(self, partner: str, merchant_id: str) -> Sequence[bytes]:
        """Publish what is due, and return the events that others have received."""
        key = (partner, merchant_id)
        try:
            self.publish(key)
        finally:
            self._steps_left = None
        return tuple(self.store.published[key])

    def publish(self, key: MerchantKey) -> None:
        """Publish a merchant's events in order, and mark each afterwards: at least once."""
        for event in self.store.events[key][self.store.marked[key] :]:
            self.step()
            self.store.published[key].append(event)
            self.step()
            self.store.marked[key] += 1

    def crash(self, step: int) -> None:
        """Die at step number *step* of the next request, or of the next `published`."""
        self._steps_left = step

    def step(self) -> None:
        """Mark a point at which a power cut could stop the host."""
        if self._steps_left is None:
            return
        if self._steps_left == 0:
            self._steps_left = None
            raise Crashed
        self._steps_left -= 1

    def change_rules(self, jurisdictions: Jurisdictions) -> None:
        """Use these rules from now on."""
        # The engines keep their jurisdictions alive, so no other object can have the same id.
        engine = self._engines.get(id(jurisdictions))
        self.engine = engine or self.engine.with_jurisdictions(jurisdictions)
        self._engines[id(jurisdictions)] = self.engine
