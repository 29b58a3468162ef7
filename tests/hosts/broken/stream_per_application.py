"""The fault: it stores applications, not merchants, so that it never sees two of one merchant together."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("two applications", "one-winner")


class Host(MemoryHost):
    def open(self):
        super().open()
        self.streams = []

    def handle(self, operation, input, *, key, at):
        if operation == "request_offers":
            # A stream of its own for each application; one log for all, to look at.
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
