"""The fault: On a clock that is in doubt it answers no questions either."""

from datetime import timedelta

from holdback import Refusal
from holdback.testing.conformance import MemoryHost

BREAKS = ("wrong clock", "far-clock")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        seen = merchant.last_seen_at
        if seen is not None and abs(request.at - seen) > timedelta(days=400):
            raise Refusal("implausible_time", "the clock is years off")
        return super().carry_out(request, merchant)
