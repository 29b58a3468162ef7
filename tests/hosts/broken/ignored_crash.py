"""The fault: it answers first and writes behind, so that a crash takes what was acknowledged."""

from holdback.testing.conformance import Crashed, MemoryHost

BREAKS = ("crashes", "acknowledged-kept")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        try:
            self.step()
        except Crashed:
            return True  # it will have been written by then, surely
        return super().commit(request, version, outcome, reply)
