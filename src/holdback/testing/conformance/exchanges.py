"""What was asked and what was answered, about whom."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from attrs import define, field, frozen

from holdback.testing.conformance.event_fold import Ledger
from holdback.testing.conformance.host import Answer, Host, Input
from holdback.testing.conformance.invariants import expect

OK: Final = 200
_BUSY: Final = 503
_SHORT: Final = 150


@define(eq=False)
class Account:
    """One merchant of one partner: what its events say, and whether the host has died over it."""

    partner: str
    merchant_id: str
    ledger: Ledger = field(factory=Ledger)
    seen: tuple[bytes, ...] = ()
    entries: int = 0
    shaken: bool = False

    def read(self, host: Host) -> list[dict[str, Any]]:
        """The events that are new since the last reading, applied."""
        events = tuple(host.history(self.partner, self.merchant_id))
        before = len(self.seen)
        lost = f"{self.merchant_id} had {before} events, and now has others in their place"
        expect(events[:before] == self.seen, "append-only", lost)
        self.seen = events
        return [self.ledger.apply(event) for event in events[before:]]


@frozen
class Exchange:
    """A request and its answer."""

    number: int
    operation: str
    input: Input
    key: str | None
    at: datetime
    status: int
    body: bytes

    @property
    def asked(self) -> dict[str, Any]:
        """The body of the request as plain values."""
        read: dict[str, Any] = json.loads(self.input["body"], parse_float=Decimal)
        return read

    @property
    def reply(self) -> dict[str, Any]:
        """The body of the answer as plain values."""
        read: dict[str, Any] = json.loads(self.body, parse_float=Decimal)
        return read

    def says_the_same(self, other: Exchange) -> bool:
        """Whether two requests say the same, whatever the host's checks gave."""
        return self.operation == other.operation and all(
            self.input.get(name) == other.input.get(name)
            for name in ("partner", "merchant_id", "body")
        )

    def __str__(self) -> str:
        about = self.input.get("merchant_id")
        who = self.input["partner"] + (f"/{about}" if about else "")
        key = f" key={self.key}" if self.key else ""
        at = self.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        asked, answered = short(self.input["body"]), short(self.body)
        return (
            f"{self.number}. {at} {who} {self.operation}{key} {asked} -> {self.status} {answered}"
        )


def short(body: bytes) -> str:
    """The beginning of *body*."""
    text = body.decode(errors="replace")
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}..."


def patiently(tries: int, ask: Callable[[], Answer]) -> Answer:
    """The answer, after at most so many *tries* with a growing pause between, while the host says that it is busy."""
    for number in range(tries - 1):
        answer = ask()
        if answer[0] != _BUSY:
            return answer
        time.sleep(timedelta(milliseconds=min(number, 50)).total_seconds())
    return ask()
