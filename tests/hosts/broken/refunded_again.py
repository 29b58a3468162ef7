"""The fault: It pays a refund that is asked for again once more, with a new id."""

import json
from decimal import Decimal
from uuid import uuid4

from holdback.exact.exact_json import write_json
from holdback.testing.conformance import MemoryHost

BREAKS = ("refunds", "refunded-once")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        if operation != "refund":
            return super().handle(operation, input, key=key, at=at)
        body = json.loads(input["body"], parse_float=Decimal)
        history = b"".join(self.history(input["partner"], input["merchant_id"])).decode()
        if f'"id":"{body["id"]}"' in history:
            body["id"] = str(uuid4())
        changed = {**input, "body": write_json(body).encode()}
        return super().handle(operation, changed, key=key, at=at)
