"""The fault: It keeps the refusal of a wrong clock under the key, as if it were a reply."""

from holdback import Refusal, wire
from holdback.testing.conformance import MemoryHost

BREAKS = ("wrong clock", "far-clock")
KEPT = 409, wire.write_problem(Refusal("not_possible_now", "the clock was wrong"))


class Host(MemoryHost):
    def open(self):
        super().open()
        self.kept = set()

    def handle(self, operation, input, *, key, at):
        if key in self.kept:
            return KEPT
        status, body = super().handle(operation, input, key=key, at=at)
        if status == 503 and key is not None:
            self.kept.add(key)
            return KEPT
        return status, body
