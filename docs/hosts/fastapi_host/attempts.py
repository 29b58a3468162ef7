"""
The loop around every decision: load, decide, write, and start again after a conflict.

The same loop handles deadlocks, serialization failures, a locked or restarted database, and a
COMMIT whose outcome is unknown. It can repeat anything because the request id stays the same: an
operation that was carried out is recognised, by its stored reply or by the engine, and never
happens twice.

A clock that is years off would ruin merchants for good, so the host compares its clock with the
database's, in the query that loads the merchant (decisions/engine#a-far-clock).
"""

import random
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from attrs import evolve, field, frozen
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from fastapi_host.decisions import rulebook_digest, rulebook_digest_of_look_up
from fastapi_host.documents import new_documents, read_documents
from fastapi_host.evidence import recording
from fastapi_host.logs import Note, log
from fastapi_host.partners import Partner
from fastapi_host.problems import CHECKS_FAILED, IMPLAUSIBLE, UNAVAILABLE, Problem
from fastapi_host.store import Conflict, Store
from holdback import (
    ConfigurationError,
    Context,
    Engine,
    HoldbackError,
    InvalidDocument,
    Merchant,
    Refusal,
    StateError,
    wire,
)
from holdback.operations import AskReferrals, LookUp, RequestOffers, RequireChecks

MOST_ATTEMPTS = 10
MOST_APART = 60  # seconds between the clock of this host and that of the database
# Conflict: the version has changed. IntegrityError: another request wrote the merchant or used the
# key first. The others: 40001, 40P01, SQLITE_BUSY, or a connection lost before, during or after a
# COMMIT.
RETRYABLE = (Conflict, IntegrityError, OperationalError, InterfaceError)


@frozen(kw_only=True)
class MerchantRequest:
    """
    One request about a merchant, the same in all of its attempts.

    It names the merchant by `merchant_id`, or by a `kind` and `name` of the table of names.
    `command(merchant, context)` makes the command; with `takes_profile` its operation takes the
    profile. A `new` merchant may be made, and one with an erased profile gets another in an
    `initial` application. `fingerprint` identifies the request that the idempotency `key` belongs
    to. The `evidence` is what the host's checks gave for it. `written(reply)` returns the bytes of
    the reply. An agent may be `sure` of the time, however long the merchant was silent.
    """

    partner: Partner
    caller: str
    note: Note = field(factory=Note)
    command: Callable[[Merchant, Context], Any] | None = None
    merchant_id: str | None = None
    kind: str | None = None
    name: str | None = None
    new: bool = False
    initial: bool = False
    takes_profile: bool = False
    key: str | None = None
    fingerprint: str | None = None
    evidence: Any = field(factory=dict, repr=False)
    written: Callable[[Any], bytes] = wire.write
    sure: bool = False

    @property
    def request_id(self):
        """The id of the request in every attempt, drawn at random when it arrived."""
        return self.note.request_id


def _drops_sections(before, after):
    """Return whether *before* names a section of the profile that *after* does not."""
    return not set(before.named_sections) <= set(after.named_sections)


@frozen
class Host:
    """
    The operations of the service on the merchants of a store.

    One that `compares` refuses commands while its clock and the database's are apart.
    """

    engine: Engine
    store: Store
    clock: Callable[[], datetime]
    checks: Callable[..., dict]
    compares: bool = False

    def carry_out(self, merchant_request):
        """Return the reply as bytes. A refusal raises, and changes nothing."""
        try:
            return retry(lambda: self._attempt(merchant_request), merchant_request.note)
        except Refusal as refusal:
            if refusal.code != IMPLAUSIBLE.code:
                raise
            log("implausible_time", request_id=merchant_request.request_id)
            raise Problem(IMPLAUSIBLE) from None

    def _attempt(self, merchant_request):
        stored = self._find(merchant_request)
        if stored.fingerprint is not None:
            return stored.reply
        documents = self._documents(stored, merchant_request)
        merchant, profile = documents.merchant, documents.profile
        context = self._compared(merchant_request, stored)
        command = merchant_request.command(merchant, context)
        outcome = self.engine.carry_out(merchant, command, context, profile=profile)
        if profile is None and _drops_sections(merchant, outcome.merchant):
            # What the state does not name any more goes from the profile with it.
            return self._attempt(evolve(merchant_request, takes_profile=True))
        merchant_request.note.rulebook_digest = rulebook_digest(outcome)
        reply = merchant_request.written(outcome.reply)
        row = {
            "caller": merchant_request.caller,
            "key": merchant_request.key,
            "asked": merchant_request.fingerprint,
            "reply": reply,
            "at": int(context.at.timestamp()),
        }
        self.store.write(
            outcome,
            documents=documents.after(outcome) if outcome.events else None,
            version=stored.version or 0,
            before=merchant,
            referrals=self._referrals(outcome, context),
            notify=merchant_request.partner.webhook is not None,
            reply=row if merchant_request.key is not None else None,
        )
        return reply

    def _referrals(self, outcome, context):
        """Return what a person has to decide after an outcome: a payout that waits, too."""
        merchant = outcome.merchant
        if merchant.in_fulfilment is None or not outcome.events:
            return merchant.referrals
        at = evolve(context, evidence={})
        return self.engine.carry_out(merchant, AskReferrals(), at).reply.referrals

    def request_offers(self, merchant_request, body):
        """
        Return the reply to a request for offers, initial or renewal.

        The checks cost money and time, so they run once, outside every transaction and attempt.
        """
        try:
            request, invalid = wire.read_offers_request(body), None
        except InvalidDocument as error:
            request, invalid = None, error
        merchant_request = evolve(
            merchant_request,
            merchant_id=request and request.application.merchant_id,
            new=True,
            initial=request is not None and not request.renewal,
            takes_profile=True,
            command=lambda *_: RequestOffers(request=request),
        )

        def first_look():
            # Before any error of the body: a used key decides first.
            stored = self._find(merchant_request)
            if stored.fingerprint is not None:
                return stored.reply, None
            if invalid is not None:
                raise invalid
            documents = self._documents(stored, merchant_request)
            outcome = self.engine.carry_out(
                documents.merchant,
                RequireChecks(request=request),
                self._compared(merchant_request, stored),  # before the checks cost anything
                profile=documents.profile,
            )
            return None, outcome.reply

        earlier, required = retry(first_look, merchant_request.note)
        if earlier is not None:
            return earlier
        return self._with_evidence(merchant_request, request, required)

    def _with_evidence(self, merchant_request, request, required):
        try:
            evidence = self.checks(merchant_request.partner, request, required)
        except Exception as error:  # noqa: BLE001 - any failure of a bureau can be tried again
            log("checks_failed", request_id=merchant_request.request_id, error=type(error).__name__)
            raise Problem(CHECKS_FAILED) from None
        merchant_request = evolve(merchant_request, evidence=evidence)
        try:
            return self.carry_out(merchant_request)
        except Refusal:
            if evidence:
                self._record(merchant_request, request)
            raise
        except ConfigurationError:
            log("evidence_not_valid", request_id=merchant_request.request_id)
            raise

    def _record(self, merchant_request, refused):
        """Record the evidence of a refused request, which changed nothing: it was paid for."""
        context = self._context(merchant_request)  # one instant, in every attempt

        def command(merchant, _):
            input_context = self.engine.input_context(merchant, context)
            jurisdictions, code = self.engine.jurisdictions, merchant.jurisdiction
            rulebook = jurisdictions.resolve(code, on=input_context.day)
            return recording(context, rulebook, input_context, refused)

        request = evolve(
            merchant_request,
            note=Note(request_id=f"{merchant_request.request_id}-evidence"),
            command=command,
            evidence={},
            key=None,
        )
        try:
            self.carry_out(request)
        except HoldbackError as error:  # the caller gets the refusal all the same
            why = type(error).__name__
            log("evidence_not_kept", request_id=merchant_request.request_id, why=why)

    def look_up(self, merchant_request):
        """Return the merchant's deals."""

        def answer(documents, context):
            merchant = documents.merchant
            digest = rulebook_digest_of_look_up(self.engine.jurisdictions, merchant, context.at)
            merchant_request.note.rulebook_digest = digest
            return wire.write(self.engine.carry_out(merchant, LookUp(), context).reply)

        return self.read(merchant_request, answer)

    def ask(self, merchant_request, question):
        """Return the reply to a question of the engine, as bytes."""

        def answer(documents, context):
            more = {"profile": documents.profile}
            outcome = self.engine.carry_out(documents.merchant, question, context, **more)
            return wire.write(outcome.reply)

        return self.read(merchant_request, answer)

    def read(self, merchant_request, answer):
        """
        Return `answer(documents, context)` about a merchant, which changes nothing.

        It needs no key; what may be personal data is read with `takes_profile` alone.
        """

        def attempt():
            documents = self._documents(self._find(merchant_request), merchant_request)
            return answer(documents, self._context(merchant_request))

        return retry(attempt, merchant_request.note)

    def _find(self, merchant_request):
        """Find the merchant, and the stored reply if the request was answered before."""
        stored = self.store.find(
            partner=merchant_request.partner.name,
            caller=merchant_request.caller,
            key=merchant_request.key,
            merchant_id=merchant_request.merchant_id,
            kind=merchant_request.kind,
            name=merchant_request.name,
            profile=merchant_request.takes_profile,
        )
        if stored.fingerprint not in (None, merchant_request.fingerprint):
            raise Refusal("request_conflict", "this key was used for another request")
        return stored

    def _documents(self, stored, merchant_request):
        if stored.state is not None:
            try:
                documents = read_documents(stored)
            except StateError:  # such as a state that a newer version wrote
                log("state_not_readable", request_id=merchant_request.request_id)
                raise
            if merchant_request.takes_profile and documents.profile is None:
                raise StateError.of("contradiction", "the merchant has no profile", path="$")
            return documents.for_initial_application() if merchant_request.initial else documents
        if merchant_request.new:
            return new_documents(merchant_request.partner, merchant_request.merchant_id)
        code = "offer_not_found" if merchant_request.kind == "offer_id" else "merchant_not_found"
        raise Refusal(code, NOT_FOUND[code])

    def _context(self, merchant_request):
        """Return the context of one attempt. No other line reads the time for a decision."""
        return Context(
            at=self.clock(),
            request_id=merchant_request.request_id,
            evidence=merchant_request.evidence,
        )

    def _compared(self, merchant_request, stored):
        """Return the context of a command; it is sure of its time if the database's is the same."""
        context = self._context(merchant_request)
        if not self.compares or stored.at is None:
            return evolve(context, sure=merchant_request.sure)
        apart = abs((context.at - stored.at).total_seconds())
        if apart > MOST_APART:
            log("clocks_apart", request_id=merchant_request.request_id, seconds=round(apart))
            raise Problem(IMPLAUSIBLE)
        return evolve(context, sure=True)


# The same sentence for an id that never existed and for another partner's.
NOT_FOUND = {
    "offer_not_found": "no offer has this offer_id",
    "merchant_not_found": "no merchant has this identifier",
}


def retry(attempt, note):
    """Return what `attempt` returns, starting again after a conflict; 503 if that does not help."""
    for number in range(1, MOST_ATTEMPTS + 1):
        if number > 1:
            time.sleep(random.uniform(0, 0.01 * 2 ** min(number - 1, 5)))
        note.attempts = max(note.attempts, number)
        try:
            return attempt()
        except RETRYABLE as error:
            log("attempt_failed", request_id=note.request_id, attempt=number, why=_why(error))
        except NoConnection:  # every connection is busy: more attempts would make it worse
            break
    raise Problem(UNAVAILABLE)


def _why(error):
    """Return the kind of failure without its message, which may contain what was written."""
    original = getattr(error, "orig", None)
    return getattr(original, "sqlstate", None) or type(original or error).__name__
