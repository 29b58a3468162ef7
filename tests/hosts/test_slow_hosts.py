"""A slow machine is no fault of a host: the suite waits for it."""

from __future__ import annotations

import time
from types import MappingProxyType

from holdback.testing.conformance import CHECKS, Crashed, Effort, MemoryHost, Session, run_check

KILLS = next(check for check in CHECKS if check.name == "kills")


class SlowProcess:
    """A process on the store of another host in which every answer takes half a second."""

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


def test_a_process_lives_long_enough_to_do_something():
    """Killed after at most a quarter of a second it would never answer, which says nothing about the host."""
    host = SlowHost()
    host.open()
    assert run_check(KILLS, Session(host, 0, Effort(kills=6))).fault is None
