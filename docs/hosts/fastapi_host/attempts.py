"""The loop around every decision: load, decide, write, and from the start again when somebody was first.

The same loop heals conflicts, deadlocks, serialization failures, a locked or restarted database, and a
COMMIT whose outcome nobody knows. It may, because the request id stays the same: what was carried out is
recognised, by the reply that was stored with it or by the engine, and is not carried out twice.
"""

import random
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from attrs import evolve, field, frozen
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from fastapi_host.logs import Note, log
from fastapi_host.partners import Partner
from fastapi_host.problems import CHECKS_FAILED, INTERNAL_ERROR, UNAVAILABLE, Problem
from fastapi_host.store import Conflict, Store
from holdback import Context, Engine, InvalidDocument, Merchant, Refusal, wire
from holdback.lifecycle.commands import RequestOffers

MOST_ATTEMPTS = 10
# Conflict: another version. IntegrityError: another first write, or another request under the same key.
# The others: 40001, 40P01, SQLITE_BUSY, a lost connection, before, during or after a COMMIT.
BEGIN_AGAIN = (Conflict, IntegrityError, OperationalError, InterfaceError)


@frozen(kw_only=True)
class Ask:
    """
    One request to change a merchant, the same through all of its attempts.

    The merchant is named by its `merchant_id`, or by `kind` and `name` as the table of names has them.
    `command` makes the command, given the merchant; `key` and `asked` are the idempotency key and the fingerprint.
    """

    partner: Partner
    caller: str
    note: Note = field(factory=Note)
    command: Callable[[Merchant], Any] | None = None
    merchant_id: str | None = None
    kind: str | None = None
    name: str | None = None
    new: bool = False
    key: str | None = None
    asked: str | None = None
    evidence: dict = field(factory=dict, repr=False)

    @property
    def request_id(self):
        """Random and made when the request arrived: it names what is carried out, in every attempt."""
        return self.note.request_id


@frozen
class Host:
    """The operations of the service, on the merchants of a store."""

    engine: Engine
    store: Store
    clock: Callable[[], datetime]
    checks: Callable[..., dict]

    def carry_out(self, ask):
        """The reply's bytes. What is refused raises, and has changed nothing."""
        return again(lambda: self._attempt(ask), ask.note)

    def _attempt(self, ask):
        found = self._find(ask)
        if found.asked is not None:
            return found.reply
        merchant = self._merchant(found, ask)
        context = self._context(ask)
        outcome = self.engine.carry_out(merchant, ask.command(merchant), context)
        reply = wire.write(outcome.reply)
        row = {"caller": ask.caller, "key": ask.key, "asked": ask.asked, "reply": reply}
        self.store.write(
            outcome,
            version=found.version or 0,
            known=merchant.provider_id,
            tell=ask.partner.webhook is not None,
            reply=row if ask.key is not None else None,
        )
        return reply

    def request_offers(self, ask, body):
        """
        The reply to a request for offers, initial or renewal.

        The checks cost money and time: they are made once, outside of every transaction and attempt.
        """
        try:
            request, wrong = wire.read_offers_request(body), None
        except InvalidDocument as error:
            request, wrong = None, error
        ask = evolve(
            ask,
            merchant_id=request and request.application.merchant_id,
            new=True,
            command=lambda _: RequestOffers(request=request),
        )

        def first_look():
            found = self._find(ask)  # even before a fault of the body: the key decides first
            if found.asked is not None:
                return found.reply, None
            if wrong is not None:
                raise wrong
            merchant = self._merchant(found, ask)
            return None, self.engine.required_checks(merchant, request, self._context(ask)).reply

        earlier, required = again(first_look, ask.note)
        return self._with_evidence(ask, request, required) if earlier is None else earlier

    def _with_evidence(self, ask, request, required):
        try:
            evidence = self.checks(ask.partner, request, required)
        except Exception as error:  # noqa: BLE001 - whatever a bureau's client raises, the partner may try again
            log("checks_failed", request_id=ask.request_id, error=type(error).__name__)
            raise Problem(CHECKS_FAILED) from None
        try:
            return self.carry_out(evolve(ask, evidence=evidence))
        except InvalidDocument:  # the request was read: the evidence is at fault, and so are we
            log("evidence_not_valid", request_id=ask.request_id)
            raise Problem(INTERNAL_ERROR) from None

    def look_up(self, ask):
        """The merchant's deals: a question, which changes nothing and needs no key."""

        def attempt():
            merchant = self._merchant(self._find(ask), ask)
            return wire.write(self.engine.look_up(merchant, self._context(ask)).reply)

        return again(attempt, ask.note)

    def _find(self, ask):
        """What is stored of the merchant; `asked` and `reply` when the request was answered before."""
        found = self.store.find(
            partner=ask.partner.name,
            caller=ask.caller,
            key=ask.key,
            merchant_id=ask.merchant_id,
            kind=ask.kind,
            name=ask.name,
        )
        if found.asked not in (None, ask.asked):
            raise Refusal("request_conflict", "this key came before with another request")
        return found

    def _merchant(self, found, ask):
        if found.state is not None:
            try:
                return wire.read_merchant(found.state)
            except InvalidDocument:  # such as by a version before the one that wrote it
                log("state_not_readable", request_id=ask.request_id)
                raise Problem(INTERNAL_ERROR) from None
        if ask.new:
            return Merchant.new(
                partner=ask.partner.name,
                merchant_id=ask.merchant_id,
                jurisdiction=ask.partner.jurisdiction,
            )
        code = "offer_not_found" if ask.kind == "offer_id" else "merchant_not_found"
        raise Refusal(code, NOT_FOUND[code])

    def _context(self, ask):
        """The context of one attempt: here, and nowhere else, the time is read for a decision."""
        return Context(at=self.clock(), request_id=ask.request_id, evidence=ask.evidence)


# One sentence for what was never there and for what is another partner's.
NOT_FOUND = {
    "offer_not_found": "no offer has this offer_id",
    "merchant_not_found": "no merchant has this identifier",
}


def again(attempt, note):
    """What `attempt` gives, begun again as often as it has to be; 503 when that does not help."""
    for number in range(1, MOST_ATTEMPTS + 1):
        if number > 1:
            time.sleep(random.uniform(0, 0.01 * 2 ** min(number - 1, 5)))
        note.attempts = max(note.attempts, number)
        try:
            return attempt()
        except BEGIN_AGAIN as error:
            log("attempt_failed", request_id=note.request_id, attempt=number, why=_why(error))
        except NoConnection:  # all connections are busy: more attempts would make it worse
            break
    raise Problem(UNAVAILABLE)


def _why(error):
    """The kind of failure, without its message: that may name what was written."""
    original = getattr(error, "orig", None)
    return getattr(original, "sqlstate", None) or type(original or error).__name__
