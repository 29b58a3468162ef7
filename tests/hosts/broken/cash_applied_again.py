"""The fault: It applies cash in suspense that it was asked to apply again, as another payment."""

import json
from decimal import Decimal
from uuid import uuid4

from holdback.exact.exact_json import write_json
from holdback.testing.conformance import MemoryHost

BREAKS = ("suspense", "suspense-kept")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        if operation != "apply_suspense":
            return super().handle(operation, input, key=key, at=at)
        body = json.loads(input["body"], parse_float=Decimal)
        history = b"".join(self.history(input["partner"], input["merchant_id"])).decode()
        if f'"id":"{body["id"]}"' in history:
            body |= {"id": str(uuid4()), "amount": Decimal("50.00")}
        changed = {**input, "body": write_json(body).encode()}
        return super().handle(operation, changed, key=key, at=at)
