"""Merchants of two partners, the requests about them, and the answers that a host may give."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from attrs import define, field

from holdback.frozen_classes import frozen
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.testing import payloads
from holdback.testing.conformance.host import (
    AGENT_OPERATIONS,
    Crashed,
    Host,
    Input,
    Process,
    optional_methods,
)
from holdback.testing.conformance.invariants import BrokenInvariantError, expect
from holdback.testing.conformance.simulated.exchanges import (
    OK,
    Exchange,
    SimulatedMerchant,
    ask_until_free,
)
from holdback.testing.conformance.simulated.projection import instant
from holdback.testing.conformance.simulated.replies import (
    UNAVAILABLE,
    check_form,
    check_hold_unseen,
    check_reply,
)
from holdback.testing.conformance.simulated.rule_changes import JURISDICTION, rules

START: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@define
class Simulation:
    """
    Merchants whose names start with *label*, and a clock that only this simulation moves.

    Requests are made one after the other, so that the answer to each can be worked out beforehand.
    """

    host: Host
    label: str
    at: datetime = START
    partners: tuple[str, ...] = ("acme", "bolt")
    exchanges: list[Exchange] = field(factory=list)
    # The first successful exchange of each partner's idempotency keys.
    answered: dict[tuple[str, str], tuple[SimulatedMerchant, Exchange]] = field(factory=dict)
    merchants: dict[tuple[str, str], SimulatedMerchant] = field(factory=dict)
    optional: frozenset[str] = field(init=False)
    # The step at which the host dies during the next request.
    crash_at: int | None = None
    changed_rules: bool = False
    # How often a busy host (503) is asked: once, where no other request runs at the same time.
    attempts: int = 1
    used_keys: set[tuple[str, str]] = field(factory=set)
    key_count: int = 0
    crashes: int = 0

    def __attrs_post_init__(self) -> None:
        self.optional = optional_methods(self.host)

    def merchant(self, partner: str = "acme", name: str = "1") -> SimulatedMerchant:
        """Return *partner*'s merchant *name*; two partners may have merchants of the same name."""
        key = (partner, f"{self.label}-{name}")
        return self.merchants.setdefault(key, SimulatedMerchant(*key))

    def new_key(self) -> str:
        """Return an idempotency key that was not used before."""
        self.key_count += 1
        return f"{self.label}-k{self.key_count}"

    def pass_time(self, **duration: float) -> None:
        """Move the clock by a `timedelta` with these arguments, which may be negative."""
        self.at += timedelta(**duration)

    def day_of(self, merchant: SimulatedMerchant) -> date:
        """Return the day of the merchant's own time, which never goes back."""
        return merchant.projection.seen_at(self.at).date()

    def documents(self, merchant: SimulatedMerchant) -> tuple[bytes, bytes | None]:
        """Return the state and the profile that the host has stored; hosts may lack the method."""
        stored: tuple[bytes, bytes | None]
        stored = self.host.documents(merchant.partner, merchant.merchant_id)  # type: ignore[attr-defined]  # an optional method
        return stored

    def ask(  # noqa: PLR0913  # three of them are rarely given
        self,
        operation: str,
        merchant: SimulatedMerchant,
        body: Mapping[str, Any] | bytes,
        *,
        key: str | None = None,
        by: Host | Process | None = None,
        evidence: Mapping[str, Any] | None = None,
    ) -> Exchange:
        """
        Make one request and check its answer against the events that were there before it.

        When the host dies, the request is sent again, as a client does that got no answer.
        """
        request = self.input_for(operation, merchant, body, evidence)
        if self.crash_at is not None:
            # Without a key a client could not ask again: it would be another request.
            key = key or self.new_key()
            self.host.crash(self.crash_at)  # type: ignore[attr-defined]  # only set for hosts that have it
            self.crash_at = None
        try:
            exchange = self.send(by or self.host, operation, request, key)
        except Crashed:
            exchange = self._retry_after_crash(merchant, operation, request, key)
        else:
            self._check_answer(merchant, exchange)
        if key is not None and exchange.status == OK and operation != "look_up":
            self.answered.setdefault((merchant.partner, key), (merchant, exchange))
        return exchange

    def ask_again(self, merchant: SimulatedMerchant, earlier: Exchange) -> Exchange:
        """Make the request of *earlier* again, with its key."""
        body, evidence = earlier.input["body"], earlier.input.get("evidence")
        return self.ask(earlier.operation, merchant, body, key=earlier.key, evidence=evidence)

    def _retry_after_crash(
        self, merchant: SimulatedMerchant, operation: str, request: Input, key: str | None
    ) -> Exchange:
        """Send the request again; by now it has happened either completely or not at all."""
        self.crashes += 1
        merchant.crashed = True
        events_before_retry = self._read_events(merchant)
        exchange = self.send(self.host, operation, request, key)
        events_of_retry = self._check_answer(merchant, exchange)
        twice = events_before_retry and events_of_retry
        expect(not twice, "replay-equal", f"{operation} happened twice")
        message = f"{operation} happened, and its retry got {exchange.status}"
        expect(not events_before_retry or exchange.status == OK, "whole", message)
        return exchange

    def input_for(
        self,
        operation: str,
        merchant: SimulatedMerchant,
        body: Mapping[str, Any] | bytes,
        evidence: Mapping[str, Any] | None = None,
    ) -> Input:
        """Return the second argument of `handle` for a request."""
        text = body if isinstance(body, bytes) else payloads.as_json(body)
        request: dict[str, Any] = {
            "partner": merchant.partner,
            "jurisdiction": JURISDICTION,
            "body": text,
            "evidence": dict(evidence or {}),
        }
        if operation in AGENT_OPERATIONS:
            request["merchant_id"] = merchant.merchant_id
        return request

    def send(self, by: Host | Process, operation: str, request: Input, key: str | None) -> Exchange:
        """Send a request and record the exchange, also when the host raises or dies."""
        self.used_keys.add((request["partner"], key or ""))
        answer = (0, b"no answer")
        try:
            answer = ask_until_free(
                self.attempts, lambda: by.handle(operation, request, key=key, at=self.at)
            )
        except Exception as error:
            answer = (0, f"raised {type(error).__name__}: {error}".encode())
            raise BrokenInvariantError("sound-replies", answer[1].decode()) from error
        finally:
            number = len(self.exchanges) + 1
            self.exchanges.append(Exchange(number, operation, request, key, self.at, *answer))
        return self.exchanges[-1]

    def _read_events(self, merchant: SimulatedMerchant) -> list[dict[str, Any]]:
        """Return the merchant's new events, after checking their dates."""
        last_at = merchant.projection.last_at
        events = merchant.read_new_events(self.host)
        expected_at = self.at if last_at is None else max(self.at, last_at)
        for event in events:
            at = instant(event["at"])
            expect(
                at == expected_at, "one-clock", f"{event['type']} is dated {at}, not {expected_at}"
            )
        merchant.projection.check_between_operations()
        return events

    def _check_answer(
        self, merchant: SimulatedMerchant, exchange: Exchange
    ) -> list[dict[str, Any]]:
        """Check the answer, and return the events that the request caused."""
        check_form(exchange, is_far=merchant.projection.is_far(exchange.at))
        check_hold_unseen(exchange, merchant.projection)
        earlier = self.earlier_exchange(merchant, exchange.key)
        # Worked out before the new events are read: they are what the answer is checked against.
        expected = expected_answer(merchant, exchange, earlier)
        events = self._read_events(merchant)
        if exchange.status != OK:
            message = f"the refusal caused {len(events)} events"
            expect(not events, "refused-changes-nothing", message)
        if expected is not None:
            expected.check(exchange)
        if earlier is not None and exchange.is_same_request(earlier):
            # A replay shows the merchant of that time, so it is not compared with the events.
            operation = exchange.operation
            same = exchange.body == earlier.body
            expect(same, "replay-equal", f"the reply to {operation} has other bytes")
            expect(not events, "replay-equal", f"{operation} happened again")
        elif exchange.status == OK:
            others = [owner for owner in self.merchants.values() if owner is not merchant]
            check_reply(exchange, merchant, others, events)
        return events

    def earlier_exchange(self, merchant: SimulatedMerchant, key: str | None) -> Exchange | None:
        """Return the successful exchange with *key*, or None."""
        answered = self.answered.get((merchant.partner, key or ""))
        return None if answered is None else answered[1]

    def change_rules(self, *, changed: bool) -> None:
        """Give the host the changed rules, or the shipped ones again, if it can change rules."""
        if "change_rules" in self.optional and changed is not self.changed_rules:
            self.use_rules(rules(changed=changed))
            self.changed_rules = changed

    def use_rules(self, jurisdictions: Jurisdictions) -> None:
        """Give a host that can change rules these *jurisdictions*."""
        self.host.change_rules(jurisdictions)  # type: ignore[attr-defined]  # an optional method

    def read_concurrent_events(self, merchant: SimulatedMerchant) -> list[dict[str, Any]]:
        """Return the new events of a merchant that several workers asked about at once."""
        events = merchant.read_new_events(self.host)
        merchant.projection.check_between_operations()
        return events

    def transcript(self) -> tuple[str, ...]:
        """Return every exchange, one on a line."""
        return tuple(str(exchange) for exchange in self.exchanges)


_CONFLICTS: Final = frozenset({409, 422})
# 404, because another merchant's provider_id is not found, even while an application is in
# fulfilment.
_REFUSALS: Final = frozenset({404, 409, 422})
_UNKNOWN: Final = frozenset({404})
# What is refused without a look at the clock is refused all the same.
_NOT_NOW: Final = _REFUSALS | {UNAVAILABLE}
_EXPIRED: Final = "offers_expired"


@frozen
class ExpectedAnswer:
    """The statuses that an answer may have, why, and the invariant that any other status breaks."""

    invariant: str
    statuses: frozenset[int]
    reason: str

    def check(self, exchange: Exchange) -> None:
        """Break the invariant unless the answer has one of the expected statuses."""
        observed = f"{exchange.operation} got {exchange.status}, {self.reason}"
        expect(exchange.status in self.statuses, self.invariant, observed)


def expected_answer(
    merchant: SimulatedMerchant, exchange: Exchange, earlier: Exchange | None
) -> ExpectedAnswer | None:
    """
    Return what the answer must be, or None where the events do not decide it.

    *earlier* is the successful exchange with the same idempotency key, if there is one.
    """
    if earlier is not None and not exchange.is_same_request(earlier):
        return ExpectedAnswer(
            "key-conflict", _CONFLICTS, "though its key was used for another request"
        )
    if earlier is not None:
        invariant = _replay_invariant(merchant, exchange)
        return ExpectedAnswer(invariant, frozenset({OK}), "though it had succeeded before")
    if exchange.operation != "look_up" and merchant.projection.is_far(exchange.at):
        return ExpectedAnswer("far-clock", _NOT_NOW, "on a clock that is years off")
    if exchange.operation == "accept_offer":
        return _acceptance(merchant, exchange)
    if exchange.operation == "fund_deal" and merchant.projection.holds:
        return _funding_on_hold(merchant, exchange)
    if exchange.operation == "request_offers" and merchant.projection.waiting(
        merchant.projection.seen_at(exchange.at)
    ):
        return ExpectedAnswer("one-application", _REFUSALS, "with an application in fulfilment")
    if exchange.operation == "look_up":
        if exchange.request["provider_id"] == merchant.projection.provider_id:
            far = merchant.projection.is_far(exchange.at)
            invariant = "far-clock" if far else "acknowledged-kept"
            return ExpectedAnswer(invariant, frozenset({OK}), "for a provider_id that was issued")
        return ExpectedAnswer("tenancy", _UNKNOWN, "for a provider_id that is not this partner's")
    return None


def _funding_on_hold(merchant: SimulatedMerchant, exchange: Exchange) -> ExpectedAnswer | None:
    application_id = exchange.request["application_id"]
    if merchant.projection.applications.get(application_id) == "funded":
        return None
    return ExpectedAnswer("hold", _REFUSALS, "on hold")


def _replay_invariant(merchant: SimulatedMerchant, exchange: Exchange) -> str:
    """Return the invariant that breaks when a repeated request does not get its reply again."""
    if exchange.operation == "accept_offer":
        offer = merchant.projection.offers.get(exchange.request["offer_id"])
        if offer is not None and exchange.at >= offer.expires_at:
            return "replay-after-expiry"
    return "replay-equal"


def _acceptance(merchant: SimulatedMerchant, exchange: Exchange) -> ExpectedAnswer:
    """Return the answer to an acceptance, in the engine's order of tests (decisions/offers)."""
    projection, at = merchant.projection, exchange.at
    offer = projection.offers.get(exchange.request["offer_id"])
    if offer is None:
        return ExpectedAnswer("tenancy", _UNKNOWN, "for an offer that is not this merchant's")
    if offer.status == "Accepted":
        # With the same bank details, or none, the reply comes again; with others it is a conflict.
        invariant = _replay_invariant(merchant, exchange)
        reason = "though the offer had been accepted"
        allowed = frozenset({OK, 409})
        accepted_at = projection.accepted_at[exchange.request["offer_id"]]
        if projection.seen_at(at) - accepted_at > timedelta(days=MEMORY_DAYS):
            allowed |= _UNKNOWN  # it need not be remembered any longer
        return ExpectedAnswer(invariant, allowed, reason)
    if offer.status in {"Withdrawn", "Declined"}:
        reason = f"though the offer was {offer.status.lower()}"
        return ExpectedAnswer("one-winner", frozenset({404, 409}), reason)
    if offer.status == "WithdrawnByLender":
        reason = "though the lender had withdrawn the offer"
        return ExpectedAnswer("withdrawn-as-expired", _UNKNOWN, reason)
    # INVARIANT: a merchant's time never goes back, even when the host's clock does.
    seen_at = projection.seen_at(at)
    if seen_at >= offer.expires_at:
        invariant = "expiry" if at >= offer.expires_at else "clock-back"
        return ExpectedAnswer(invariant, _UNKNOWN, f"{seen_at - offer.expires_at} after its expiry")
    if projection.holds:
        return ExpectedAnswer("hold", frozenset({409}), "on hold")
    if projection.waiting(seen_at):
        return ExpectedAnswer("one-winner", frozenset({409}), "with an application in fulfilment")
    if projection.people.declined(offer.product, seen_at):
        reason = "though a person has declined the product"
        return ExpectedAnswer("since-the-offer", frozenset({409}), reason)
    # The acceptance of a renewal is refused when the deal it would settle has changed.
    allowed = frozenset({OK, 409}) if projection.deals else frozenset({OK})
    reason = f"{offer.expires_at - seen_at} before the offer's expiry"
    return ExpectedAnswer(_refusal_invariant(merchant, exchange), allowed, reason)


def _refusal_invariant(merchant: SimulatedMerchant, exchange: Exchange) -> str:
    """Return the invariant that breaks when an open offer cannot be accepted."""
    if exchange.status != OK and exchange.reply.get("code") == _EXPIRED:
        return "expiry"
    # After a crash, a part of an operation may be missing; without one, the offer itself was lost.
    return "whole" if merchant.crashed else "acknowledged-kept"
