"""The fault: It never dates an entry before the latest arrival, so the order of delivery shows."""

import json
from decimal import Decimal

from holdback.exact.exact_json import write_json
from holdback.testing.conformance import MemoryHost

BREAKS = ("deliveries", "any-order")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        if operation != "record_remittance":
            return super().handle(operation, input, key=key, at=at)
        body = json.loads(input["body"], parse_float=Decimal)
        merchant = self.store.merchants[input["partner"], input["merchant_id"]][1]
        dates = {
            entry.id: entry.on.isoformat() for deal in merchant.deals for entry in deal.entries
        }
        for entry in body["entries"]:
            entry["on"] = dates.get(entry["id"], max([entry["on"], *dates.values()]))
        changed = {**input, "body": write_json(body).encode()}
        return super().handle(operation, changed, key=key, at=at)
