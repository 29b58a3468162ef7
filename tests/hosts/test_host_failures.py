"""Failures injected into a working host on a real PostgreSQL; `failures.py` describes them."""

from __future__ import annotations

import json
from types import SimpleNamespace

import failures
import postgres as server
import pytest

from counts import count

FAILURES, CRASHES = count("failures in a host"), count("crashes of PostgreSQL")


def test_no_failure_loses_or_doubles_an_acceptance():
    """
    After failures, server crashes among them, no acknowledged acceptance is lost or doubled, and
    every replay has the same bytes.
    """
    if not server.INSTALLED:
        pytest.skip(server.MISSING)
    counts, replayed, unknown = failures.campaign(FAILURES, CRASHES, seed=5)
    assert sum(counts.values()) == FAILURES
    assert counts["server crash"] == CRASHES
    assert len(counts) >= 6
    assert replayed > 2 * FAILURES
    assert unknown > 2 * FAILURES


def test_a_lost_acceptance_is_found_though_another_offer_won():
    """
    An acknowledged acceptance is lost also when another offer of the merchant is the accepted one.
    """
    reply = json.dumps({"offer": {"offer_id": "o-1"}}).encode()
    host = SimpleNamespace(handle=lambda *_, **__: (200, reply))
    simulation = SimpleNamespace(
        read_concurrent_events=lambda _: None, input_for=lambda *_: None, at=None
    )

    def settled(winner):
        offers = {
            offer_id: SimpleNamespace(status="Accepted" if offer_id == winner else "Offered")
            for offer_id in ("o-1", "o-2")
        }
        merchant = SimpleNamespace(projection=SimpleNamespace(offers=offers))
        sent = [(merchant, "k", b"", 200, reply)]
        return failures.Round(host, simulation, [merchant], sent).settle()

    assert settled("o-1") == 1
    with pytest.raises(AssertionError, match="lost"):
        settled("o-2")
