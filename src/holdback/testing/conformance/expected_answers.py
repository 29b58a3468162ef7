"""The answers that a host may give to a request, worked out from the merchant's events."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from holdback.frozen_classes import frozen
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.testing.conformance.exchanges import OK, Exchange, SimulatedMerchant
from holdback.testing.conformance.invariants import expect

_CONFLICTS: Final = frozenset({409, 422})
# 404, because another merchant's provider_id is not found, even while an application is in
# fulfilment.
_REFUSALS: Final = frozenset({404, 409, 422})
_UNKNOWN: Final = frozenset({404})
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
            return ExpectedAnswer(
                "acknowledged-kept", frozenset({OK}), "for a provider_id that was issued"
            )
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
    """Return the answer to an acceptance, in the engine's order of tests (decisions/acceptance)."""
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
        if at - accepted_at > timedelta(days=MEMORY_DAYS):
            allowed |= _UNKNOWN  # it need not be remembered any longer
        return ExpectedAnswer(invariant, allowed, reason)
    if offer.status in {"Withdrawn", "Declined"}:
        reason = f"though the offer was {offer.status.lower()}"
        return ExpectedAnswer("one-winner", frozenset({404, 409}), reason)
    # INVARIANT: a merchant's time never goes back, even when the host's clock does.
    seen_at = projection.seen_at(at)
    if seen_at >= offer.expires_at:
        invariant = "expiry" if at >= offer.expires_at else "clock-back"
        return ExpectedAnswer(invariant, _UNKNOWN, f"{seen_at - offer.expires_at} after its expiry")
    if projection.holds:
        return ExpectedAnswer("hold", frozenset({409}), "on hold")
    if projection.waiting(seen_at):
        return ExpectedAnswer("one-winner", frozenset({409}), "with an application in fulfilment")
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
