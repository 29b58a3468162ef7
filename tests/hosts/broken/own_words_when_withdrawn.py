"""The fault: It tells the partner that the lender withdrew the offer."""

import json

from holdback.testing.conformance import MemoryHost

BREAKS = ("withdrawn offers", "withdrawn-as-expired")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if operation != "accept_offer" or status != 404:
            return status, body
        withdrawn = [
            offer.offer_id
            for _, merchant in self.store.merchants.values()
            for offer_set in merchant.offer_sets
            for offer in offer_set.offers
            if offer_set.withdrawn_at is not None
        ]
        if any(offer_id in str(input) for offer_id in withdrawn):
            return status, json.dumps({**json.loads(body), "detail": "withdrawn"}).encode()
        return status, body
