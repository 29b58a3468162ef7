"""The conformance suite fails, and never hangs or passes, on a host that it does not understand."""

from __future__ import annotations

import pytest

from holdback.testing.conformance.checks.crashes import crash_until_past_the_last_step
from holdback.testing.conformance.invariants import BrokenInvariantError
from holdback.testing.conformance.simulated.projection import Projection


def test_an_event_of_an_unknown_type():
    """
    An event of a type that the suite does not know breaks an invariant.
    """
    stored = b'{"type": "OfferForgotten", "at": "2026-07-06T09:00:00Z"}'

    with pytest.raises(BrokenInvariantError, match="OfferForgotten is not a type of event"):
        Projection().apply(stored)


def test_the_first_step_at_which_the_host_survives():
    """
    Steps are tried from 0 on, until an operation has no such step.
    """
    tried = []

    def host_dies(step):
        tried.append(step)
        return step < 3

    assert crash_until_past_the_last_step(host_dies) == 3
    assert tried == [0, 1, 2, 3]


def test_a_host_whose_steps_never_end():
    """
    A host that dies at every step breaks an invariant after 500 steps.
    """
    with pytest.raises(BrokenInvariantError, match="more than 500 steps"):
        crash_until_past_the_last_step(lambda _: True)
