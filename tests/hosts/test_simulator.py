"""Whole histories from a seed: many merchants, two partners, crashes, repetitions, clock steps, rule changes."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from broken import snapshot_without_version

from holdback.testing.conformance import CHECKS, Effort, MemoryHost, Session
from holdback.testing.conformance.actions import ACTIONS
from holdback.testing.conformance.checks import again, run_check
from holdback.testing.conformance.plans import carry_out, plan
from holdback.testing.conformance.simulation import World

HISTORIES, OPERATIONS = 2_000, 100
CHECK = next(each for each in CHECKS if each.name == "histories")


def simulated(host, seed, count):
    session = Session(host, seed, Effort(histories=count, operations=OPERATIONS))
    host.open()
    result = run_check(CHECK, session)
    return result, again(result, session)


def test_no_history_breaks_an_invariant():
    """
    "2,000 histories of 100 operations in CI [...], 0 invariant breaks"
    """
    result, options = simulated(MemoryHost(), 0, HISTORIES)
    assert result.fault is None, f"{result.fault}\n{options}"


def test_the_histories_are_rich():
    """A simulator in which nothing happens finds nothing: every answer, every end of a deal, every crash occurs."""
    host, answers, deals, crashes = MemoryHost(), Counter(), Counter(), 0
    for seed in range(60):
        world = World(host, f"rich{seed}")
        carry_out(plan(Random(seed), 2 * OPERATIONS), world, OPERATIONS)
        assert len(world.exchanges) >= OPERATIONS
        assert len(world.accounts) >= 4
        crashes += world.crashes
        answers.update((each.operation, each.status) for each in world.exchanges)
        for account in world.accounts.values():
            deals.update(deal.status for deal in account.ledger.deals.values())
    assert set(deals) == {"Funded", "Repaid", "Renewed", "Defaulted", "Cancelled"}
    assert crashes > 50
    for operation in ("request_offers", "accept_offer", "fund_deal", "close_application"):
        assert {status for name, status in answers if name == operation} >= {0, 200, 409}
    assert set(ACTIONS) >= {"crash", "time", "change the rules", "the same request again"}


@pytest.mark.parametrize("seed", [3, 4])
def test_a_failure_is_had_again_from_its_seed(seed):
    """
    "any failure replays from its seed", and is cut down to what matters
    """
    first, options = simulated(snapshot_without_version.Host(), seed, 50)
    assert first.fault is not None
    assert len(first.fault.history) < 12
    assert options == f"--seed {first.fault.seed} --histories 1 --only 'histories'"
    second, _ = simulated(snapshot_without_version.Host(), first.fault.seed, 1)
    assert (second.fault.invariant, second.fault.seen) == (first.fault.invariant, first.fault.seen)
