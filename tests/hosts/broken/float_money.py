"""The fault: It reads its own replies with floats and writes them again."""

import json

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "exact-numbers")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        return status, json.dumps(json.loads(body)).encode()
