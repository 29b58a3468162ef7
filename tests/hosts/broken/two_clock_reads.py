"""The fault: it reads the clock again when it writes, so that what was decided at one time is dated at another."""

from datetime import UTC, datetime

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "one-clock")


class Host(MemoryHost):
    def decide(self, request, merchant):
        outcome = super().decide(request, merchant)
        now = datetime.now(UTC)
        return evolve(outcome, events=tuple(evolve(each, at=now) for each in outcome.events))
