"""The fault: It reads the clock again when it writes, so events are dated after their decision."""

from datetime import UTC, datetime

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "one-clock")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        now = datetime.now(UTC)
        return evolve(outcome, events=tuple(evolve(event, at=now) for event in outcome.events))
