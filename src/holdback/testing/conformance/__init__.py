"""
A test suite for services that embed holdback: it finds those that would lose money.

A host implements `open`, `handle` and `history` (see `Host`). Where it can, it also implements
`crash`, `new_process`, `published` and `change_rules`; those it cannot it names in `cannot`.
`holdback conformance MODULE:FACTORY --seed N` runs the checks from the command line, and
`conformance_suite` runs them under pytest.
"""

from __future__ import annotations

from holdback.testing.conformance.check_table import CHECKS, rerun_options, run_checks
from holdback.testing.conformance.host import PARTNER_OPERATIONS, Crashed, Host, Process
from holdback.testing.conformance.invariants import INVARIANTS
from holdback.testing.conformance.memory_host import MemoryHost
from holdback.testing.conformance.session import Effort, Session
from holdback.testing.conformance.suite import conformance_suite
from holdback.testing.conformance.worker import Worker

__all__ = [
    "CHECKS",
    "INVARIANTS",
    "PARTNER_OPERATIONS",
    "Crashed",
    "Effort",
    "Host",
    "MemoryHost",
    "Process",
    "Session",
    "Worker",
    "conformance_suite",
    "rerun_options",
    "run_checks",
]
