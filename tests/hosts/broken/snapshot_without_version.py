"""The fault: events have a version, and the merchant's state is written beside them in a step of its own."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("crashes", "whole")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        who = (outcome.merchant.partner, outcome.merchant.merchant_id)
        self.late = None
        done = super().commit(request, version, outcome, reply)
        self.step()
        if done and self.late is not None:
            super().save(who, *self.late)
        return done

    def save(self, who, version, merchant):
        """Later, when the events are safe."""
        self.late = (version, merchant)
