"""Requests with their answers, and the merchants that they are about."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from typing import Any, Final

from attrs import define, field

from holdback.frozen_classes import frozen
from holdback.testing import payloads
from holdback.testing.conformance.host import Answer, Host, Input
from holdback.testing.conformance.invariants import expect
from holdback.testing.conformance.simulated.projection import Projection

OK: Final = 200
PENNY: Final = Decimal("0.01")
_BUSY: Final = 503
_EXCERPT: Final = 150


@define(eq=False)
class SimulatedMerchant:
    """
    One merchant of one partner, as its events describe it.

    `crashed` is whether the host has died during one of its requests, and `entry_count` numbers
    its entries.
    """

    partner: str
    merchant_id: str
    projection: Projection = field(factory=Projection)
    events: tuple[bytes, ...] = ()
    entry_count: int = 0
    crashed: bool = False

    def read_new_events(self, host: Host) -> list[dict[str, Any]]:
        """Apply the events since the last call to the projection, and return them."""
        events = tuple(host.history(self.partner, self.merchant_id))
        count = len(self.events)
        expect(
            events[:count] == self.events,
            "append-only",
            f"the first {count} events of {self.merchant_id} have changed",
        )
        self.events = events
        return [self.projection.apply(event) for event in events[count:]]

    def remittance(self, deal_id: str, percent: int, on: date) -> dict[str, Any]:
        """Return a new entry that remits *percent* of the deal's repayment amount."""
        repayment = self.projection.deals[deal_id].repayment
        amount = (repayment * Decimal(percent).scaleb(-2)).quantize(PENNY, ROUND_DOWN)
        self.entry_count += 1
        return payloads.entry(f"e-{self.entry_count}", on, amount)

    def movement(self, on: date, amount: Decimal) -> dict[str, Any]:
        """Return a new movement of money: its id, its day and its amount."""
        self.entry_count += 1
        return {"id": f"m-{self.entry_count}", "on": on.isoformat(), "amount": amount}


@frozen
class Exchange:
    """A request and its answer. A `status` of 0 means that the host raised or died."""

    number: int
    operation: str
    input: Input
    key: str | None
    at: datetime
    status: int
    body: bytes

    @property
    def request(self) -> dict[str, Any]:
        """The body of the request, its numbers exact."""
        document: dict[str, Any] = json.loads(self.input["body"], parse_float=Decimal)
        return document

    @property
    def reply(self) -> dict[str, Any]:
        """The body of the answer, its numbers exact."""
        document: dict[str, Any] = json.loads(self.body, parse_float=Decimal)
        return document

    def is_same_request(self, earlier: Exchange) -> bool:
        """Whether both are the same request; only the host's own evidence may differ."""
        return self.operation == earlier.operation and all(
            self.input.get(name) == earlier.input.get(name)
            for name in ("partner", "merchant_id", "body")
        )

    def __str__(self) -> str:
        merchant_id = self.input.get("merchant_id")
        caller = self.input["partner"] + (f"/{merchant_id}" if merchant_id else "")
        key = f" key={self.key}" if self.key else ""
        at = self.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return (
            f"{self.number}. {at} {caller} {self.operation}{key} {excerpt(self.input['body'])}"
            f" -> {self.status} {excerpt(self.body)}"
        )


def excerpt(body: bytes) -> str:
    """Return the beginning of *body*."""
    text = body.decode(errors="replace")
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}..."


def ask_until_free(attempts: int, ask: Callable[[], Answer]) -> Answer:
    """Return the answer, asking up to *attempts* times while the host says that it is busy."""
    for number in range(attempts - 1):
        answer = ask()
        if answer[0] != _BUSY:
            return answer
        time.sleep(timedelta(milliseconds=min(number, 50)).total_seconds())
    return ask()
