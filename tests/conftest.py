"""Fixtures that every part of the suite may use."""

from __future__ import annotations

import pytest

from journey import Journey


@pytest.fixture
def journey():
    """A merchant of a partner in GB that the service has not seen before."""
    return Journey()


@pytest.fixture
def funded(journey):
    """A merchant with one active deal, funded on the first day of the journey."""
    journey.ask()
    journey.accept()
    journey.fund()
    return journey


@pytest.fixture
def renewable(funded):
    """A merchant whose active deal is 60 percent paid down, on pace, with a complete history."""
    funded.pay_down(60)
    return funded
