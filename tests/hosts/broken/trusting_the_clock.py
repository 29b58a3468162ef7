"""The fault: It follows the clock, even after the clock went back."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("clock back", "clock-back")


class Host(MemoryHost):
    def decide(self, request, merchant):
        return super().decide(request, evolve(merchant, last_seen_at=None))
