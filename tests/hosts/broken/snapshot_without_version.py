"""The fault: It writes the merchant's state in a later step than the events and the version."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("crashes", "whole")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        self.pending = None
        written = super().commit(request, version, outcome, reply)
        self.step()
        if written and self.pending is not None:
            super().save(*self.pending)
        return written

    def save(self, merchant, version):
        """Remember the state; it is written once the events are."""
        self.pending = (merchant, version)
