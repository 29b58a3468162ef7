"""The fault: It publishes once, right after the commit, so a crash in between loses the events."""

from holdback import wire
from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-all")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        written = super().commit(request, version, outcome, reply)
        self.step()
        if written:
            merchant_key = (outcome.merchant.partner, outcome.merchant.merchant_id)
            self.store.published[merchant_key] += [
                wire.write_event(event) for event in outcome.events
            ]
        return written

    def publish(self, merchant_key):
        """Do nothing: the events were published after the commit."""
