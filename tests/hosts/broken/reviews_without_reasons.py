"""The fault: It answers a review of a renewal with its outcome alone, and no reason for it."""

import json
from decimal import Decimal

from holdback.exact.exact_json import write_json
from holdback.testing.conformance import MemoryHost

BREAKS = ("reasons", "reasons")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if operation != "review_renewal" or status != 200:
            return status, body
        reply = json.loads(body, parse_float=Decimal)
        return status, write_json({**reply, "reasons": [], "trace": []}).encode()
