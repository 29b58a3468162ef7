"""The fault: it marks an event as told and tells it afterwards, so that a crash in between is silence."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-all")


class Host(MemoryHost):
    def tell(self, who):
        for event in self.store.events[who][self.store.marked[who] :]:
            self.store.marked[who] += 1
            self.step()
            self.store.told[who].append(event)
