"""The fault: It stores applications, not merchants, so it never compares two of one merchant."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("two applications", "one-winner")


class Host(MemoryHost):
    def open(self):
        super().open()
        self.streams = []

    def handle(self, operation, input, *, key, at):
        if operation == "request_offers":
            # Each application has its own merchants, names and replies; only events are shared.
            store = evolve(self.store, merchants={}, names={}, replies={})
            self.streams.append(
                MemoryHost(engine=self.engine, store=store, requests=10**6 * len(self.streams))
            )
        answer = (404, b"{}")
        for stream in reversed(self.streams):
            answer = stream.handle(operation, input, key=key, at=at)
            if answer[0] != 404:
                break
        return answer
