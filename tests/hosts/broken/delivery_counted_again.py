"""The fault: It takes an entry that is delivered again for a new payment with a new id."""

import json
from decimal import Decimal
from uuid import uuid4

from holdback.exact.exact_json import write_json
from holdback.testing.conformance import MemoryHost

BREAKS = ("deliveries", "delivered-once")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        if operation != "record_remittance":
            return super().handle(operation, input, key=key, at=at)
        body = json.loads(input["body"], parse_float=Decimal)
        history = b"".join(self.history(input["partner"], input["merchant_id"])).decode()
        for entry in body["entries"]:
            if f'"id":"{entry["id"]}"' in history:
                entry["id"] = str(uuid4())
        changed = {**input, "body": write_json(body).encode()}
        return super().handle(operation, changed, key=key, at=at)
