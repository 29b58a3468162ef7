"""The fault: It refuses an acceptance on hold in words that nothing else has."""

import json

from holdback.testing.conformance import MemoryHost

BREAKS = ("since the offer", "hold-unseen")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if operation != "accept_offer" or status != 409:
            return status, body
        of_held = [
            offer.offer_id
            for _, merchant in self.store.merchants.values()
            for offer_set in merchant.offer_sets
            for offer in offer_set.offers
            if merchant.on_hold
        ]
        if any(offer_id in str(input) for offer_id in of_held):
            return status, json.dumps({**json.loads(body), "detail": "not now"}).encode()
        return status, body
