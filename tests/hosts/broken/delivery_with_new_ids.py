"""The fault: it gives each delivery an id of its own, so that what comes twice counts twice."""

import json
from decimal import Decimal
from uuid import uuid4

from holdback.canonical import write_json
from holdback.testing.conformance import MemoryHost

BREAKS = ("deliveries", "delivered-once")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        if operation == "record_remittance":
            body = json.loads(input["body"], parse_float=Decimal)
            for entry in body["entries"]:
                entry["id"] = str(uuid4())
            changed = {**input, "body": write_json(body).encode()}
            return super().handle(operation, changed, key=key, at=at)
        return super().handle(operation, input, key=key, at=at)
