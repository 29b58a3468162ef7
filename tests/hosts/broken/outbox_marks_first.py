"""The fault: It marks an event as published before it publishes it, so a crash loses the event."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-all")


class Host(MemoryHost):
    def publish(self, merchant_key):
        for event in self.store.events[merchant_key][self.store.marked[merchant_key] :]:
            self.store.marked[merchant_key] += 1
            self.step()
            self.store.published[merchant_key].append(event)
