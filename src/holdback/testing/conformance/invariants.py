"""What must hold of every host, each in one sentence, and how it is said that one does not."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

INVARIANTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sound-replies": "Every answer is a reply of the specification (200) or a problem (RFC 9457) of "
        "status 4xx; none is a 5xx, and nothing is raised.",
        "refused-changes-nothing": "What is refused has changed nothing.",
        "acknowledged-kept": "What was answered with 200 has happened, and stays so.",
        "whole": "An operation happens whole or not at all: its events, its state, the reply to its key.",
        "append-only": "What happened stays: a history is only added to.",
        "one-winner": "No two acceptances stand at one time: one offer wins, the others are withdrawn.",
        "one-application": "While an application is in fulfilment, its merchant gets no other offers.",
        "one-active-deal": "At most one deal of a merchant is active.",
        "terms-honoured": "What is accepted are the terms that were offered.",
        "stable-provider-id": "A merchant's provider_id never changes.",
        "replay-equal": "The same request with the same key gets the same bytes, whenever it comes again, "
        "and happens once.",
        "key-conflict": "A key that comes again with another request is refused (409 or 422).",
        "replay-after-expiry": "The retry of an acceptance gets its reply, even after the offers' expiry.",
        "expiry": "An offer can be accepted until expiresAt; from that instant on it is refused with 404.",
        "one-clock": "What happens is dated at the instant of its attempt, or at the last one that the "
        "merchant has seen.",
        "clock-back": "When the clock goes back nothing is dated earlier, and nothing that expired opens again.",
        "exact-numbers": "Numbers are exact: money at the currency's minor units, and what the partner sent "
        "digit for digit.",
        "lookup-agrees": "The merchant lookup says what the events say.",
        "own-merchant": "An answer is about the merchant, and the offer, that was asked about.",
        "tenancy": "What belongs to another partner is as unknown as what never was: same status, same body.",
        "delivered-once": "An entry that is delivered again counts once; with another content it is refused.",
        "any-order": "Entries delivered in any order give the same deal.",
        "restart": "Another process gives the same answers from the same store.",
        "told-after-commit": "Nobody is told of what has not happened.",
        "told-in-order": "Others are told of a merchant's events in the order in which they happened.",
        "told-all": "Others are told of everything at last, though the host dies at any step.",
    }
)


class BrokenInvariantError(Exception):
    """
    A host breaks an invariant: which, and what was seen.

    `history` are the exchanges that led there; `seed` is that of the history, where it has its own.
    """

    def __init__(self, invariant: str, seen: str) -> None:
        assert invariant in INVARIANTS, invariant
        self.invariant = invariant
        self.seen = seen
        self.history: tuple[str, ...] = ()
        self.seed: int | None = None
        super().__init__(invariant, seen)

    def __str__(self) -> str:
        lines = [f"{self.invariant}: {INVARIANTS[self.invariant]}", f"  seen: {self.seen}"]
        if self.history:
            lines += ["  history:", *(f"    {line}" for line in self.history)]
        return "\n".join(lines)


def expect(holds: object, invariant: str, seen: str) -> None:
    """Break *invariant*, with what was *seen*, unless it *holds*."""
    if not holds:
        raise BrokenInvariantError(invariant, seen)


def fault_of(error: BaseException) -> BrokenInvariantError:
    """*error* as a broken invariant: a host may raise anything, and give answers that cannot be read."""
    if isinstance(error, BrokenInvariantError):
        return error
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename}:{last.lineno} in {last.name}"
    return BrokenInvariantError("sound-replies", f"{type(error).__name__}: {error} ({where})")
