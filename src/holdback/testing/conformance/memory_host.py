"""A whole host in memory: the smallest that the suite passes, and the one that the simulator runs on.

Merchants have a version, and are written only when it is the one that was read. The suite can let it die
at any step; what was committed is kept then, as if it lay on a disk.
"""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final
from uuid import UUID, uuid5

from attrs import define, field, frozen

from holdback import wire
from holdback.dispatch import perform
from holdback.engine import Engine, Outcome
from holdback.errors import InvalidDocument, Refusal
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle.context import Context
from holdback.lifecycle.events import Event, OfferAccepted, OffersIssued
from holdback.model.merchant import Merchant
from holdback.testing.conformance.host import Answer, Crashed, Input

_ATTEMPTS: Final = 100
_BUSY: Final = (
    b'{"type":"urn:holdback:busy","title":"Try again","status":503,"detail":"","code":"busy"}'
)


@frozen
class Request:
    """One request, and what makes it the same as another: `asked`, a digest of what it says."""

    operation: str
    input: Input
    key: str | None
    at: datetime
    request_id: str
    asked: bytes

    @property
    def partner(self) -> str:
        """Who asks."""
        return str(self.input["partner"])

    def named(self, name: str) -> str:
        """What the body calls the thing that is asked about."""
        body = wire.read_json(self.input["body"])
        value = body.get(name) if isinstance(body, dict) else None
        if type(value) is not str:
            raise InvalidDocument.of("expected text", path=f"$.{name}")
        return value


@define
class Store:
    """What would lie in a database; every table by partner."""

    merchants: dict[tuple[str, str], tuple[int, Merchant]] = field(factory=dict)
    names: dict[tuple[str, str, str], str] = field(factory=dict)
    replies: dict[tuple[str, str], tuple[bytes, bytes]] = field(factory=dict)
    events: dict[tuple[str, str], list[bytes]] = field(factory=lambda: defaultdict(list))
    marked: dict[tuple[str, str], int] = field(factory=lambda: defaultdict(int))
    # Not ours: what those who are told have got.
    told: dict[tuple[str, str], list[bytes]] = field(factory=lambda: defaultdict(list))


@define(eq=False)
class MemoryHost:
    """
    The operations of the service on merchants in memory.

    >>> host = MemoryHost()
    >>> host.open()
    >>> host.handle("look_up", {"partner": "acme", "body": b'{"provider_id": "p-1"}'}, key=None, at=None)[0]
    404
    """

    cannot: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"new_process": "what it holds is in the memory of one process"}
    )
    tells: ClassVar[Sequence[str]] = tuple(wire.EVENT_TYPES)

    engine: Engine = field(factory=Engine.bundled)
    store: Store = field(factory=Store)
    _lock: threading.Lock = field(factory=threading.Lock, repr=False)
    _engines: dict[int, Engine] = field(factory=dict, repr=False)
    _steps_left: int | None = None
    _requests: int = 0

    def open(self) -> None:
        """An empty store."""
        self.store = Store()

    def handle(self, operation: str, input: Input, *, key: str | None, at: datetime) -> Answer:  # noqa: A002  # the word of the design
        """The status and the body of the answer."""
        about = f"{operation}\n{input.get('merchant_id') or ''}\n".encode()
        asked = hashlib.sha256(about + input["body"]).digest()
        request = Request(operation, input, key, at, self._request_id(), asked)
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

    def _request_id(self) -> str:
        """Never used twice. A host for real draws it; here a history has to come out the same again."""
        with self._lock:
            self._requests += 1
            return str(uuid5(UUID(int=0), str(self._requests)))

    def attempt(self, request: Request) -> bytes | None:
        """One attempt at a request; None when somebody else wrote the merchant first."""
        self.step()
        earlier = self.earlier(request)
        if earlier is not None:
            return earlier
        version, merchant = self.load(request)
        outcome = self.decide(request, merchant)
        reply = wire.write(outcome.reply)
        self.step()
        if request.operation == "look_up":
            return reply
        if not self.commit(request, version, outcome, reply):
            return None
        self.step()
        return reply

    def earlier(self, request: Request) -> bytes | None:
        """The reply that the same key got before."""
        if request.key is None or (request.partner, request.key) not in self.store.replies:
            return None
        asked, reply = self.store.replies[request.partner, request.key]
        if asked != request.asked:
            raise Refusal("request_conflict", "this key came before with another request")
        return reply

    def load(self, request: Request) -> tuple[int, Merchant]:
        """The merchant that the request is about, and its version."""
        found = self.merchant_id(request)
        known = self.store.merchants.get((request.partner, found or ""))
        if known is not None:
            return known
        if request.operation != "request_offers":
            code = (
                "offer_not_found" if request.operation == "accept_offer" else "merchant_not_found"
            )
            raise Refusal(code, "this partner has no such thing")
        jurisdiction = request.input["jurisdiction"]
        new = Merchant.new(
            partner=request.partner, merchant_id=found or "", jurisdiction=jurisdiction
        )
        return 0, new

    def merchant_id(self, request: Request) -> str | None:
        """Which merchant is meant; one of another partner is as unknown as none."""
        if request.operation == "request_offers":
            return wire.read_offers_request(request.input["body"]).application.merchant_id
        if request.operation == "accept_offer":
            return self.store.names.get((request.partner, "offer_id", request.named("offer_id")))
        if request.operation == "look_up":
            named = request.named("provider_id")
            return self.store.names.get((request.partner, "provider_id", named))
        return str(request.input["merchant_id"])

    def decide(self, request: Request, merchant: Merchant) -> Outcome[Any]:
        """What the engine makes of it."""
        evidence = wire.read_evidence(request.input.get("evidence"))
        context = Context(at=request.at, request_id=request.request_id, evidence=evidence)
        body = request.input["body"]
        return perform(self.engine, merchant, request.operation, body, context)

    def commit(self, request: Request, version: int, outcome: Outcome[Any], reply: bytes) -> bool:
        """Write all of it, if the merchant is still the one that was read and the key is still free."""
        who = (outcome.merchant.partner, outcome.merchant.merchant_id)
        written = [wire.write_event(event) for event in outcome.events]
        with self._lock:
            if self.store.merchants.get(who, (0, None))[0] != version:
                return False
            if request.key is not None:
                if (request.partner, request.key) in self.store.replies:
                    return False
                self.store.replies[request.partner, request.key] = (request.asked, reply)
            if outcome.events:
                self.save(who, version + 1, outcome.merchant)
                self.record(who, written, outcome.events)
        return True

    def save(self, who: tuple[str, str], version: int, merchant: Merchant) -> None:
        """The merchant as it is now."""
        self.store.merchants[who] = (version, merchant)

    def record(
        self, who: tuple[str, str], written: Sequence[bytes], events: Sequence[Event]
    ) -> None:
        """What happened, and by which names partners may call the merchant from now on."""
        self.store.events[who] += written
        for event in events:
            for kind, name in names(event):
                self.store.names[who[0], kind, name] = who[1]

    def history(self, partner: str, merchant_id: str) -> Sequence[bytes]:
        """The merchant's events."""
        return tuple(self.store.events.get((partner, merchant_id), ()))

    def told(self, partner: str, merchant_id: str) -> Sequence[bytes]:
        """What others were told of the merchant, when what is due has been told."""
        try:
            self.tell((partner, merchant_id))
        finally:
            self._steps_left = None
        return tuple(self.store.told[partner, merchant_id])

    def tell(self, who: tuple[str, str]) -> None:
        """Tell others what they have not been told, from the history: after the commit, in order, marked afterwards."""
        for event in self.store.events[who][self.store.marked[who] :]:
            self.step()
            self.store.told[who].append(event)
            self.step()
            self.store.marked[who] += 1

    def crash(self, step: int) -> None:
        """Let the next `handle` or `told` die at *step*."""
        self._steps_left = step

    def step(self) -> None:
        """What may be the last before a power cut."""
        if self._steps_left is None:
            return
        if self._steps_left == 0:
            self._steps_left = None
            raise Crashed
        self._steps_left -= 1

    def change_rules(self, jurisdictions: Jurisdictions) -> None:
        """Go on with other rules."""
        # An engine keeps its jurisdictions, so that no other object can have their identity.
        known = self._engines.get(id(jurisdictions))
        self.engine = known or self.engine.with_jurisdictions(jurisdictions)
        self._engines[id(jurisdictions)] = self.engine


def names(event: Event) -> Iterator[tuple[str, str]]:
    """What partners may call the merchant by once *event* has happened, each with its kind."""
    if isinstance(event, OffersIssued):
        for product in event.offer_set.products:
            for offer in product.offers:
                yield "offer_id", offer.offer_id
    elif isinstance(event, OfferAccepted):
        yield "provider_id", event.reply.provider_id
