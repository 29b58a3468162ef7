"""Faults in a working host on a real PostgreSQL, and what must hold after each: `faults.py` says which."""

from __future__ import annotations

import faults
import postgres as server
import pytest

FAULTS, CRASHES = 50, 6


def test_no_fault_loses_or_doubles_an_acceptance():
    """
    "Faults: at least 50 in CI [...], at least 5 of them server crashes: 0 acknowledged acceptances lost, 0 doubled,
    every replay byte-equal."
    """
    if not server.INSTALLED:
        pytest.skip(server.MISSING)
    counts, replayed, unknown = faults.campaign(FAULTS, CRASHES, seed=5)
    assert sum(counts.values()) == FAULTS
    assert counts["server crash"] == CRASHES
    assert len(counts) >= 6
    assert replayed > 100
    assert unknown > 100
