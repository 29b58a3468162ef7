"""The fault: When another request wrote first, it answers as if it had written itself."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("races of threads", "acknowledged-kept")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        super().commit(request, version, outcome, reply)
        return True
