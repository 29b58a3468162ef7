"""The fault: It tells the partner that a check failed while a payout waits."""

import json

from holdback.testing.conformance import MemoryHost

BREAKS = ("payout that waits", "funding-unseen")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if operation != "request_offers" or status != 409:
            return status, body
        failed = [
            merchant.merchant_id
            for _, merchant in self.store.merchants.values()
            for record in merchant.checks
            if any(held.value is False for held in record.facts.values())
        ]
        if any(name in str(input) for name in failed):
            return status, json.dumps({**json.loads(body), "detail": "a check failed"}).encode()
        return status, body
