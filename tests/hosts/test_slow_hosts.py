"""The suite does not blame a host for a slow machine: it waits longer."""

from __future__ import annotations

import time
from types import MappingProxyType

from holdback.testing.conformance import CHECKS, Crashed, Effort, MemoryHost, Session, run_check

KILLS = next(check for check in CHECKS if check.name == "kills")


class SlowProcess:
    """A process on the store of another host, which takes half a second for every answer."""

    def __init__(self, host):
        self.host, self.dead = host, False

    def handle(self, operation, input, *, key, at):
        time.sleep(0.5)
        if self.dead:
            raise Crashed
        return self.host.handle(operation, input, key=key, at=at)

    def kill(self):
        self.dead = True

    def close(self):
        self.dead = True


class SlowHost(MemoryHost):
    cannot = MappingProxyType({})

    def new_process(self):
        return SlowProcess(self)


def test_a_process_lives_long_enough_to_answer():
    """A life of a quarter of a second at most would end before the first answer."""
    host = SlowHost()
    host.open()
    assert run_check(KILLS, Session(host, 0, Effort(kills=6))).broken is None
