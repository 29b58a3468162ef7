"""The power of the suite: every classic fault is found, and for what it is."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import broken
import pytest

from holdback.testing.conformance import CHECKS, INVARIANTS, Effort, MemoryHost, Session, run_checks

NAMES = sorted(each.name for each in pkgutil.iter_modules(broken.__path__))
EFFORT = Effort(sets=40, histories=8, operations=60)


def results_of(host, checks=CHECKS):
    return {result.check.name: result for result in run_checks(Session(host, 1, EFFORT), checks)}


def test_there_are_enough_of_them():
    """
    "at least 12, each with one classic fault" (issue: hosts)
    """
    assert len(NAMES) >= 12
    for name in NAMES:
        assert import_module(f"broken.{name}").__doc__.startswith("The fault: ")


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_host_is_rejected_for_its_own_fault(name):
    """
    "rejects every broken host, each for its own fault"
    """
    module = import_module(f"broken.{name}")
    check, invariant = module.BREAKS
    found = results_of(module.Host())
    assert {k: r.fault.invariant for k, r in found.items() if r.fault}.get(check) == invariant


def test_every_invariant_is_broken_by_a_host():
    """An invariant that no host breaks is one that the suite may not look at."""
    broken_by = {import_module(f"broken.{name}").BREAKS[1] for name in NAMES}
    assert broken_by == set(INVARIANTS)


def test_the_host_that_they_are_made_from_holds():
    """Nothing of what is found comes from the host that the faults are put into."""
    found = results_of(MemoryHost())
    assert [name for name, result in found.items() if result.fault] == []
