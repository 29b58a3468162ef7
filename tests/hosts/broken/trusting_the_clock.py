"""The fault: It follows the clock, even after the clock went back."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("clock back", "clock-back")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        return super().carry_out(request, evolve(merchant, last_seen_at=None))
