"""The fault: It reads the partner's request with floats before it hands it on."""

import json

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "exact-numbers")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        body = json.dumps(json.loads(input["body"])).encode()
        return super().handle(operation, {**input, "body": body}, key=key, at=at)
