"""The suite does not blame a host for a slow machine: it waits longer."""

from __future__ import annotations

import time
from datetime import timedelta
from types import MappingProxyType

from holdback.testing.conformance import CHECKS, Crashed, Effort, MemoryHost, Session
from holdback.testing.conformance.check_table import run_check
from holdback.testing.conformance.checks import crashes

# A tenth of the suite's own, so that the test takes a second.
LONGEST_LIFE = timedelta(milliseconds=25)
KILLS = next(check for check in CHECKS if check.name == "kills")


class SlowProcess:
    """
    A process on the store of another host, which at first dies before it can answer.
    """

    def __init__(self, host):
        self.host, self.dead = host, False

    def handle(self, operation, input, *, key, at):
        time.sleep(2 * LONGEST_LIFE.total_seconds())
        if self.dead:
            raise Crashed
        return self.host.handle(operation, input, key=key, at=at)

    def kill(self):
        self.dead = True

    def close(self):
        self.dead = True


class SlowHost(MemoryHost):
    cannot = MappingProxyType({"previous_version": "the suite comes with one version"})

    def new_process(self):
        return SlowProcess(self)


def test_a_process_lives_long_enough_to_answer(monkeypatch):
    """A process that has answered nothing lives longer the next time."""
    monkeypatch.setattr(crashes, "_LONGEST_LIFE", LONGEST_LIFE)
    host = SlowHost()
    host.open()
    assert run_check(KILLS, Session(host, 0, Effort(kills=2))).broken is None
