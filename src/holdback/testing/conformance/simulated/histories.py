"""
Random histories: any operations in any order, each history from a seed of its own.

A history is drawn as a list of steps. Any part of such a list is a valid history too, so a failing
one can be cut down to the steps that matter, and its seed is enough to reproduce it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import Final

from holdback.testing.conformance.host import Crashed
from holdback.testing.conformance.invariants import BrokenInvariantError, as_broken_invariant
from holdback.testing.conformance.session import Session
from holdback.testing.conformance.simulated.actions import ACTIONS, Step
from holdback.testing.conformance.simulated.simulation import Simulation

# The number of histories after which the store is emptied, so that it does not grow without end.
_PER_STORE: Final = 500
_WEIGHTS: Final = [weight for weight, _ in ACTIONS.values()]


def histories(session: Session) -> None:
    """
    Try one history for each seed, from the session's own seed upwards.

    Raises:
        BrokenInvariantError: with the shortest history that still breaks it, and its seed.
    """
    effort = session.effort
    for number in range(effort.histories):
        session.progress(number, effort.histories)
        if number and number % _PER_STORE == 0:
            session.host.open()
        _try_history(session, session.seed + number)


def _try_history(session: Session, seed: int) -> None:
    # A step makes one request on average, but may make none: twice as many steps are enough.
    steps = draw_steps(Random(seed), 2 * session.effort.operations)  # noqa: S311  # test data, not secrets
    failure = _failure(session, steps)
    if failure is None:
        return
    failures = {len(steps): failure}

    def fails(fewer: Sequence[Step]) -> bool:
        again = _failure(session, fewer)
        if again is None or again.invariant != failure.invariant:
            return False
        failures[len(fewer)] = again
        return True

    shortest = failures[len(shorten(steps, fails))]
    shortest.seed = seed
    raise shortest


def _failure(session: Session, steps: Sequence[Step]) -> BrokenInvariantError | None:
    try:
        carry_out(steps, session.simulation(), session.effort.operations)
    except BrokenInvariantError as failure:
        return failure
    return None


def draw_steps(random: Random, length: int) -> list[Step]:
    """Return *length* random steps."""
    draw = random.randrange
    actions = random.choices(list(ACTIONS), _WEIGHTS, k=length)
    return [Step(action, draw(64), draw(64), draw(64)) for action in actions]


def carry_out(steps: Sequence[Step], simulation: Simulation, operations: int) -> None:
    """
    Take *steps* until *operations* requests were made, checking every answer.

    Raises:
        BrokenInvariantError: with its history, also when the host raised something else.
    """
    try:
        for step in steps:
            if len(simulation.exchanges) >= operations:
                break
            ACTIONS[step.action][1](simulation, step)
    except (Exception, Crashed) as error:  # noqa: BLE001  # anything that a host raises is a finding
        failure = as_broken_invariant(error)
        failure.transcript = simulation.transcript()
        raise failure from None  # its message names the line that raised
    finally:
        simulation.change_rules(changed=False)


def shorten(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], bool], *, seconds: int = 60
) -> Sequence[Step]:
    """
    Return a part of *steps* that still fails, the shortest found in the given time.

    Leaves out ever smaller blocks of steps, down to single ones, as long as the rest still fails.
    """
    size = len(steps)
    end = monotonic() + seconds
    while size > 0 and monotonic() < end:
        start = 0
        while start < len(steps) and monotonic() < end:
            shorter = [*steps[:start], *steps[start + size :]]
            if fails(shorter):
                steps = shorter
            else:
                start += size
        size //= 2
    return steps
