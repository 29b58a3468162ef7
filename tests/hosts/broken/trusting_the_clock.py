"""The fault: it goes by the clock alone, also when the clock has gone back."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("clock back", "clock-back")


class Host(MemoryHost):
    def decide(self, request, merchant):
        return super().decide(request, evolve(merchant, last_seen_at=None))
