"""Some merchants of two partners, the requests about them, and every answer held against the invariants."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from attrs import define, field

from holdback.testing.conformance.event_fold import instant
from holdback.testing.conformance.exchanges import OK, Account, Exchange, patiently
from holdback.testing.conformance.foreseen import foresee
from holdback.testing.conformance.host import AGENTS, Crashed, Host, Input, Process, abilities
from holdback.testing.conformance.invariants import BrokenInvariantError, expect
from holdback.testing.conformance.replies import hold_reply, sound
from holdback.testing.conformance.rule_changes import JURISDICTION, rules

START: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@define
class World:
    """
    Merchants whose names start with *label*, at one instant that only this world moves.

    The requests are made one after the other, so that each answer can be told beforehand.
    """

    host: Host
    label: str
    at: datetime = START
    partners: tuple[str, ...] = ("acme", "bolt")
    exchanges: list[Exchange] = field(factory=list)
    answered: dict[tuple[str, str], tuple[Account, Exchange]] = field(factory=dict)
    accounts: dict[tuple[str, str], Account] = field(factory=dict)
    able: frozenset[str] = field(init=False)
    dies_at: int | None = None
    otherwise: bool = False
    # How often a host that is busy (503) is asked: once, where nobody else asks.
    tries: int = 1
    used: set[tuple[str, str]] = field(factory=set)
    keys: int = 0
    crashes: int = 0

    def __attrs_post_init__(self) -> None:
        self.able = abilities(self.host)

    def account(self, partner: str = "acme", name: str = "1") -> Account:
        """The merchant *name* of *partner*; two partners may have merchants of one name."""
        key = (partner, f"{self.label}-{name}")
        return self.accounts.setdefault(key, Account(*key))

    def new_key(self) -> str:
        """An idempotency key that was not used before."""
        self.keys += 1
        return f"{self.label}-k{self.keys}"

    def pass_time(self, **of: float) -> None:
        """Let time pass, or go back."""
        self.at += timedelta(**of)

    def ask(
        self,
        operation: str,
        account: Account,
        body: bytes,
        *,
        key: str | None = None,
        by: Host | Process | None = None,
        evidence: Mapping[str, Any] | None = None,
    ) -> Exchange:
        """
        One request, its answer held against what the merchant's events said before.

        A host that dies on the way is asked again, as a client would that got no answer.
        """
        given = self.input_of(operation, account, body, evidence)
        if self.dies_at is not None:
            # Without a key a client could not ask again: it would be another request.
            key = key or self.new_key()
            self.host.crash(self.dies_at)  # type: ignore[attr-defined]  # asked for only of a host that is able to
            self.dies_at = None
        try:
            exchange = self.exchange(by or self.host, operation, given, key)
        except Crashed:
            exchange = None
        if exchange is None:
            exchange = self._asked_again(account, operation, given, key)
        else:
            self._judge(account, exchange)
        if key is not None and exchange.status == OK and operation != "look_up":
            self.answered.setdefault((account.partner, key), (account, exchange))
        return exchange

    def _asked_again(
        self, account: Account, operation: str, given: Input, key: str | None
    ) -> Exchange:
        """The same request after the host died of it: it has happened once, or not at all before now."""
        self.crashes += 1
        account.shaken = True
        happened = self._absorb(account)
        exchange = self.exchange(self.host, operation, given, key)
        again = self._judge(account, exchange)
        expect(not (happened and again), "replay-equal", f"{operation} happened twice")
        refused = f"{operation} happened, and its retry got {exchange.status}"
        expect(not happened or exchange.status == OK, "whole", refused)
        return exchange

    def input_of(
        self,
        operation: str,
        account: Account,
        body: bytes,
        evidence: Mapping[str, Any] | None = None,
    ) -> Input:
        """What `handle` is given."""
        given = {"partner": account.partner, "jurisdiction": JURISDICTION, "body": body}
        if operation in AGENTS:
            given["merchant_id"] = account.merchant_id
        return given | {"evidence": dict(evidence or {})}

    def exchange(
        self, by: Host | Process, operation: str, given: Input, key: str | None
    ) -> Exchange:
        """The exchange, in the world's history whatever becomes of it."""
        self.used.add((given["partner"], key or ""))
        answer = (0, b"no answer")
        try:
            answer = patiently(self.tries, lambda: by.handle(operation, given, key=key, at=self.at))
        except Exception as error:
            answer = (0, f"raised {type(error).__name__}: {error}".encode())
            raise BrokenInvariantError("sound-replies", answer[1].decode()) from error
        finally:
            self.exchanges.append(
                Exchange(len(self.exchanges) + 1, operation, given, key, self.at, *answer)
            )
        return self.exchanges[-1]

    def _absorb(self, account: Account) -> list[dict[str, Any]]:
        """What has happened to the merchant, each event dated as it has to be."""
        last = account.ledger.last_at
        events = account.read(self.host)
        due = self.at if last is None else max(self.at, last)
        for event in events:
            dated = instant(event["at"])
            expect(dated == due, "one-clock", f"{event['type']} is dated {dated}, not {due}")
        account.ledger.at_rest()
        return events

    def _judge(self, account: Account, exchange: Exchange) -> list[dict[str, Any]]:
        """The answer against what was to be expected, and what happened against the answer."""
        sound(exchange)
        earlier = self.earlier(account, exchange.key)
        foreseen = foresee(account, exchange, earlier)
        events = self._absorb(account)
        if exchange.status != OK:
            expect(not events, "refused-changes-nothing", f"{len(events)} events of a refusal")
        if foreseen is not None:
            foreseen.hold(exchange)
        if earlier is not None and exchange.says_the_same(earlier):
            # It tells of what was so then.
            again = exchange.operation
            expect(exchange.body == earlier.body, "replay-equal", f"{again} got other bytes")
            expect(not events, "replay-equal", f"{again} happened again")
        elif exchange.status == OK:
            others = [each for each in self.accounts.values() if each is not account]
            hold_reply(exchange, account, others, events)
        return events

    def earlier(self, account: Account, key: str | None) -> Exchange | None:
        """The exchange that *key* came with before."""
        known = self.answered.get((account.partner, key or ""))
        return None if known is None else known[1]

    def change_rules(self, *, otherwise: bool) -> None:
        """Let the host go on with other rules than those that ship, or with those again, if it can."""
        if "change_rules" in self.able and otherwise is not self.otherwise:
            self.host.change_rules(rules(otherwise=otherwise))  # type: ignore[attr-defined]  # an optional method, which it has
            self.otherwise = otherwise

    def audit(self, account: Account) -> list[dict[str, Any]]:
        """What has happened to a merchant while several asked at once."""
        events = account.read(self.host)
        account.ledger.at_rest()
        return events

    def told(self) -> tuple[str, ...]:
        """Every exchange on a line."""
        return tuple(str(each) for each in self.exchanges)
