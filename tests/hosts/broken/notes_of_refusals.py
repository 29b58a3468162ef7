"""The fault: It writes an event into the merchant's history when it refuses a request."""

from holdback import wire
from holdback.lifecycle.events import TakingsRecorded
from holdback.testing.conformance import MemoryHost

BREAKS = ("two applications", "refused-changes-nothing")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if status == 409:
            for (partner, _), events in self.store.events.items():
                if partner == input["partner"]:
                    note = TakingsRecorded(at=at, takings=(), sequence=len(events) + 1)
                    events.append(wire.write_event(note))
        return status, body
