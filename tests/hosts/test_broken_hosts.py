"""The conformance suite finds every classic fault, and names the invariant that it breaks."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import broken
import pytest

from holdback.testing.conformance import CHECKS, INVARIANTS, Effort, MemoryHost, Session, run_checks

NAMES = sorted(module.name for module in pkgutil.iter_modules(broken.__path__))
EFFORT = Effort(sets=40, histories=8, operations=60)


def results_of(host, checks=CHECKS):
    return {result.check.name: result for result in run_checks(Session(host, 1, EFFORT), checks)}


def test_there_are_enough_of_them():
    """
    There are at least 12 broken hosts, each with one classic fault.
    """
    assert len(NAMES) >= 12
    for name in NAMES:
        assert import_module(f"broken.{name}").__doc__.startswith("The fault: ")


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_host_is_rejected_for_its_own_fault(name):
    """
    The suite rejects every broken host, each for its own fault.
    """
    module = import_module(f"broken.{name}")
    finds, invariant = module.BREAKS
    results = results_of(module.Host(), [check for check in CHECKS if check.name == finds])
    assert results[finds].broken is not None
    assert results[finds].broken.invariant == invariant


def test_every_invariant_is_broken_by_a_host():
    """An invariant that no host breaks may be one that the suite never checks."""
    broken_by = {import_module(f"broken.{name}").BREAKS[1] for name in NAMES}
    assert broken_by == set(INVARIANTS)


def test_the_memory_host_holds():
    """The host that the broken ones are made from breaks nothing itself."""
    results = results_of(MemoryHost())
    assert [name for name, result in results.items() if result.broken] == []
