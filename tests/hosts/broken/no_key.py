"""The fault: It ignores the idempotency key, so a retry is a new request."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("same key", "replay-equal")


class Host(MemoryHost):
    def attempt(self, request):
        return super().attempt(evolve(request, key=None))
