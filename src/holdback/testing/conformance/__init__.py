"""Whether a service that embeds holdback loses money: a suite for hosts, JSON in and JSON out.

A host implements `open`, `handle` and `history` (see `Host`), and where it can `crash`, `new_process`, `told`
and `change_rules`; what it cannot it names in `cannot`. `holdback conformance MODULE:FACTORY --seed N` tries it,
and `conformance_suite` makes tests for pytest of the same checks.
"""

from __future__ import annotations

from holdback.testing.conformance.checks import CHECKS, again, run_check, run_checks
from holdback.testing.conformance.host import Crashed, Host, NotAHostError, Process
from holdback.testing.conformance.invariants import INVARIANTS, BrokenInvariantError
from holdback.testing.conformance.memory_host import MemoryHost
from holdback.testing.conformance.session import Effort, Session
from holdback.testing.conformance.suite import conformance_suite
from holdback.testing.conformance.worker import Worker

__all__ = [
    "CHECKS",
    "INVARIANTS",
    "BrokenInvariantError",
    "Crashed",
    "Effort",
    "Host",
    "MemoryHost",
    "NotAHostError",
    "Process",
    "Session",
    "Worker",
    "again",
    "conformance_suite",
    "run_check",
    "run_checks",
]
