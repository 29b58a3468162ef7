"""The fault: It answers first and writes later, so a crash loses what it acknowledged."""

from holdback.testing.conformance import Crashed, MemoryHost

BREAKS = ("crashes", "acknowledged-kept")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        try:
            self.step()
        except Crashed:
            return True  # it assumes that the write will succeed later
        return super().commit(request, version, outcome, reply)
