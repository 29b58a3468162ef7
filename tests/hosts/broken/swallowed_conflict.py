"""The fault: when somebody else was first, it answers as if it had written all the same."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("races of threads", "acknowledged-kept")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        super().commit(request, version, outcome, reply)
        return True
