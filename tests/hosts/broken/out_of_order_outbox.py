"""The fault: Its outbox publishes the newest event first."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-in-order")


class Host(MemoryHost):
    def publish(self, merchant_key):
        published = self.store.published[merchant_key]
        published += [
            event for event in reversed(self.store.events[merchant_key]) if event not in published
        ]
