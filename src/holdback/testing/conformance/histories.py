"""Any operations in any order: histories of many merchants, each from a seed of its own."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from holdback.testing.conformance.actions import Step
from holdback.testing.conformance.invariants import BrokenInvariantError
from holdback.testing.conformance.plans import carry_out, minimal, plan
from holdback.testing.conformance.session import Session

# So many histories share a store.
_ANEW: Final = 500


def histories(session: Session) -> None:
    """
    As many histories as the effort says, the first from the session's seed, the next from the number after it.

    Raises:
        BrokenInvariantError: with the shortest history found that breaks the same invariant, and its seed.
    """
    effort = session.effort
    for number in range(effort.histories):
        session.progress(number, effort.histories)
        if number and number % _ANEW == 0:
            session.host.open()
        _history(session, session.seed + number)


def _history(session: Session, seed: int) -> None:
    # Some steps ask more than once, some do nothing: twice as many are enough.
    steps = plan(Random(seed), 2 * session.effort.operations)  # noqa: S311  # chances to be had again
    fault = _fault(session, steps)
    if fault is None:
        return
    found = {len(steps): fault}

    def fails(shorter: Sequence[Step]) -> bool:
        again = _fault(session, shorter)
        if again is None or again.invariant != fault.invariant:
            return False
        found[len(shorter)] = again
        return True

    shortest = found[len(minimal(steps, fails))]
    shortest.seed = seed
    raise shortest


def _fault(session: Session, steps: Sequence[Step]) -> BrokenInvariantError | None:
    try:
        carry_out(steps, session.world(), session.effort.operations)
    except BrokenInvariantError as fault:
        return fault
    return None
