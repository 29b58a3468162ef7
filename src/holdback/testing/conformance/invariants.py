"""What must hold of every host, one sentence each, and the error for a host that breaks one."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# What must hold of every host: a sentence for each invariant, by name.
INVARIANTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sound-replies": "Every answer is a reply (200) or problem details (RFC 9457) with a 4xx "
        "status; no answer is a 5xx, but a 503 on a clock that is years off, and the host raises "
        "nothing.",
        "refused-changes-nothing": "A refused request changes nothing.",
        "acknowledged-kept": "An operation that was answered with 200 has happened, for good.",
        "whole": "An operation is all or nothing: its events, its state, the reply to its key.",
        "append-only": "Events are never changed or removed; a history only grows.",
        "one-winner": "At most one offer is accepted at a time; accepting it withdraws the others.",
        "one-application": "A merchant gets no new offers while an application is in fulfilment.",
        "one-active-deal": "A merchant has at most one active deal.",
        "newest-evidence": "Of each check the newest result counts, whichever request brought it.",
        "about-whom": "A result of a check, an approval and a consent count only for the "
        "applicants and the company concerned.",
        "corrected": "A corrected section takes the place of what the profile said, and what was "
        "found out about that does not count for it.",
        "approval-limits": "A person's approval lifts rules that refer, never one that declines.",
        "reasons": "What is declined or referred has a reason, in its event and in its reply.",
        "hold": "On hold nothing is offered, accepted or funded.",
        "since-the-offer": "What is known against a merchant since its offers, such as a default, "
        "holds back their acceptance and their funding.",
        "funding-rules": "An accepted offer is paid out only while the funding rules are true of "
        "what is known.",
        "funding-unseen": "Nothing that a partner sees tells that a payout waits.",
        "hold-unseen": "Nothing that a partner sees tells a hold from another referral.",
        "terms-honoured": "An offer is accepted on the terms that were offered.",
        "still-served": "A change of the rules takes nothing back: what was offered, "
        "is owed or was checked stays.",
        "stable-provider-id": "A merchant's provider_id never changes.",
        "replay-equal": "The same request with the same key gets the same bytes whenever it is "
        "repeated, and happens once.",
        "key-conflict": "A key that is reused for another request is refused (409 or 422).",
        "replay-after-expiry": "A repeated acceptance gets its reply again, even after the offers "
        "expired.",
        "expiry": "An offer can be accepted before expiresAt; from that instant on it is refused "
        "with 404.",
        "one-clock": "An event is dated at the instant of its request, or at the merchant's latest "
        "event if that is later.",
        "withdrawn-as-expired": "Offers that the lender withdrew are answered as expired ones: "
        "same status, same body.",
        "clock-back": "When the clock goes back, no event is dated earlier and no expired offer "
        "opens again.",
        "far-clock": "On a clock that is years off nothing is carried out, and questions are "
        "answered; once it is right again, everything goes on.",
        "exact-numbers": "Numbers are exact: money has the currency's minor units, and the "
        "partner's numbers keep every digit.",
        "lookup-agrees": "The merchant lookup agrees with the events.",
        "own-merchant": "An answer is about the merchant and the offer of the request.",
        "tenancy": "Another partner's id gets the same answer as one that never existed: same "
        "status, same body.",
        "delivered-once": "A remittance entry that is delivered again counts once; with other "
        "content it is refused.",
        "any-order": "Remittance entries give the same deal in every order of arrival.",
        "ledger-balances": "The transactions of a deal add up to what is paid of it: its repayment "
        "amount less its balance.",
        "both-halves": "What moves from one deal of a merchant to another is recorded on both.",
        "refunded-once": "A refund that is asked for again happens once, and no more is refunded "
        "than was overpaid.",
        "suspense-kept": "Cash in suspense is held until it is applied or returned, "
        "and no part of it is taken twice.",
        "fees-apart": "A fee is charged once for what it follows, and is owed beside the balance "
        "until it is paid or waived.",
        "plan-kept": "A default shows the plan that was agreed last, and what of it is paid and "
        "past due.",
        "revived": "Undoing a renewal makes the deal that it had renewed active again, which owes "
        "what its renewal had paid.",
        "payout-returned": "A payout that comes back undoes its funding, and the application can "
        "be funded again on its terms, as another deal.",
        "restart": "Another process on the same store gives the same answers.",
        "erased": "After an erasure nothing personal is left; before it may happen, it is refused.",
        "bounded": "A merchant's state and replies do not grow with its age.",
        "small-documents": "What is kept of a merchant stays small, and can be read and erased, "
        "even if its partner sends the largest requests for years.",
        "prices-replay": "Every offer and decision of a history can be derived again, the same.",
        "told-after-commit": "Only events that are committed are published.",
        "told-in-order": "A merchant's events are published in the order in which they happened.",
        "told-all": "Every event is published in the end, even if the host dies at any step.",
    }
)


class BrokenInvariantError(Exception):
    """
    A host breaks an invariant.

    `observed` says what the host did, and `transcript` lists the exchanges that led there. `seed`
    reproduces a random history, which has a seed of its own.
    """

    def __init__(self, invariant: str, observed: str) -> None:
        assert invariant in INVARIANTS, invariant
        self.invariant = invariant
        self.observed = observed
        self.transcript: tuple[str, ...] = ()
        self.seed: int | None = None
        super().__init__(invariant, observed)

    def __str__(self) -> str:
        lines = [f"{self.invariant}: {INVARIANTS[self.invariant]}", f"  observed: {self.observed}"]
        if self.transcript:
            lines += ["  transcript:", *(f"    {line}" for line in self.transcript)]
        return "\n".join(lines)


def expect(condition: object, invariant: str, observed: str) -> None:
    """Break *invariant* with the message *observed*, unless *condition* is true."""
    if not condition:
        raise BrokenInvariantError(invariant, observed)


def as_broken_invariant(error: BaseException) -> BrokenInvariantError:
    """Return *error* as a broken invariant: a host may raise anything, and answer anything."""
    if isinstance(error, BrokenInvariantError):
        return error
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = f"{last.filename}:{last.lineno} in {last.name}"
    return BrokenInvariantError("sound-replies", f"{type(error).__name__}: {error} ({line})")
