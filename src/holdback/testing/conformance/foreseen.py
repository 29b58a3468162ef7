"""What the answer to a request has to be, told beforehand from what the merchant's events say."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from holdback.testing.conformance.exchanges import OK, Account, Exchange
from holdback.testing.conformance.invariants import expect

_CONFLICTS: Final = frozenset({409, 422})
# A request that names another merchant than its own is refused as such.
_REFUSED: Final = frozenset({404, 409, 422})
_UNKNOWN: Final = frozenset({404})
_EXPIRED: Final = "offers_expired"


@frozen
class Foreseen:
    """The statuses that an answer may have, why, and the invariant that is broken by another."""

    invariant: str
    statuses: frozenset[int]
    why: str

    def hold(self, exchange: Exchange) -> None:
        """Break the invariant unless the answer is as foreseen."""
        seen = f"{exchange.operation} got {exchange.status}, {self.why}"
        expect(exchange.status in self.statuses, self.invariant, seen)


def foresee(account: Account, exchange: Exchange, earlier: Exchange | None) -> Foreseen | None:
    """
    What the answer has to be; None where the events alone do not say.

    *earlier* is the exchange that the same key came with before.
    """
    if earlier is not None and not exchange.says_the_same(earlier):
        return Foreseen("key-conflict", _CONFLICTS, "its key had come with another request")
    if earlier is not None:
        return Foreseen(_replay(account, exchange), frozenset({OK}), "though it had succeeded")
    if exchange.operation == "accept_offer":
        return _acceptance(account, exchange)
    if exchange.operation == "request_offers" and account.ledger.in_fulfilment:
        return Foreseen("one-application", _REFUSED, "with an application in fulfilment")
    if exchange.operation == "look_up":
        if exchange.asked["provider_id"] == account.ledger.provider_id:
            return Foreseen(
                "acknowledged-kept", frozenset({OK}), "of a provider_id that was issued"
            )
        return Foreseen("tenancy", _UNKNOWN, "of a provider_id that is not this partner's")
    return None


def _replay(account: Account, exchange: Exchange) -> str:
    """What it is called when the same request does not get its reply again."""
    if exchange.operation == "accept_offer":
        quoted = account.ledger.offers.get(exchange.asked["offer_id"])
        if quoted is not None and exchange.at >= quoted.expires_at:
            return "replay-after-expiry"
    return "replay-equal"


def _acceptance(account: Account, exchange: Exchange) -> Foreseen:
    """An acceptance: the checks in the order of design 6a."""
    ledger, at = account.ledger, exchange.at
    quoted = ledger.offers.get(exchange.asked["offer_id"])
    if quoted is None:
        return Foreseen("tenancy", _UNKNOWN, "of an offer that is not this merchant's")
    if quoted.status == "Accepted":
        # The same bank details, or none: the same reply. Others: a conflict.
        statuses = frozenset({OK, 409})
        return Foreseen(_replay(account, exchange), statuses, "though it had been accepted")
    if quoted.status == "Withdrawn":
        statuses = frozenset({404, 409})
        return Foreseen("one-winner", statuses, "though another offer had been accepted")
    now = at if ledger.last_at is None else max(at, ledger.last_at)
    if now >= quoted.expires_at:
        clock = "expiry" if at >= quoted.expires_at else "clock-back"
        return Foreseen(clock, _UNKNOWN, f"{now - quoted.expires_at} after the expiry")
    if ledger.in_fulfilment:
        return Foreseen("one-winner", frozenset({409}), "with an application in fulfilment")
    allowed = frozenset({OK, 409}) if ledger.deals else frozenset({OK})
    refused = exchange.status != OK and exchange.reply.get("code") == _EXPIRED
    broken = "expiry" if refused else "whole" if account.shaken else "acknowledged-kept"
    return Foreseen(
        broken, allowed, f"though it was made, {quoted.expires_at - now} before its expiry"
    )
