"""The fault: its outbox takes what is due in any order, here the newest first."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-in-order")


class Host(MemoryHost):
    def tell(self, who):
        told = self.store.told[who]
        told += [event for event in reversed(self.store.events[who]) if event not in told]
