"""Whole histories as data: a plan is a list of steps, each of which does what it can in the world it meets.

A step carries an action and three small numbers to choose with, so any list of steps is a plan, and so is any
part of one: a failing plan can be cut down to the steps that matter, and a seed is enough to have it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import monotonic
from typing import Final

from holdback.testing.conformance.actions import ACTIONS, Step
from holdback.testing.conformance.host import Crashed
from holdback.testing.conformance.invariants import fault_of
from holdback.testing.conformance.simulation import World

_WEIGHTS: Final = [weight for weight, _ in ACTIONS.values()]


def plan(random: Random, length: int) -> list[Step]:
    """A plan of *length* steps."""
    draw = random.randrange
    actions = random.choices(list(ACTIONS), _WEIGHTS, k=length)
    return [Step(action, draw(64), draw(64), draw(64)) for action in actions]


def carry_out(steps: Sequence[Step], world: World, operations: int) -> None:
    """
    Take *steps* in *world* until so many *operations* were asked for, every answer held against the invariants.

    Raises:
        BrokenInvariantError: with the history that led there, also for whatever else a host may raise.
    """
    try:
        for step in steps:
            if len(world.exchanges) >= operations:
                break
            ACTIONS[step.action][1](world, step)
    except (Exception, Crashed) as error:  # noqa: BLE001  # whatever a host raises is a finding
        fault = fault_of(error)
        fault.history = world.told()
        raise fault from None  # it says where it was raised
    finally:
        world.change_rules(otherwise=False)


def minimal(
    steps: Sequence[Step], fails: Callable[[Sequence[Step]], bool], *, seconds: int = 60
) -> Sequence[Step]:
    """What is left of *steps*, after so many *seconds*, of what is needed for it to fail."""
    size = len(steps)
    end = monotonic() + seconds
    while size > 0 and monotonic() < end:
        place = 0
        while place < len(steps) and monotonic() < end:
            shorter = [*steps[:place], *steps[place + size :]]
            if fails(shorter):
                steps = shorter
            else:
                place += size
        size //= 2
    return steps
