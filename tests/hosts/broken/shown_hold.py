"""The fault: It tells the partner for which hold an offer cannot be accepted."""

import json

from holdback.testing.conformance import MemoryHost

BREAKS = ("on hold", "hold-unseen")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if operation != "accept_offer" or status == 200:
            return status, body
        codes = [
            hold.code
            for (partner, _), (_, merchant) in self.store.merchants.items()
            for hold in merchant.holds
            if partner == input["partner"]
        ]
        return status, json.dumps({**json.loads(body), "holds": codes}).encode()
