"""The fault: It makes a new provider_id for every acceptance."""

import re
from uuid import uuid4

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "stable-provider-id")


class Host(MemoryHost):
    def attempt(self, request):
        reply = super().attempt(request)
        if request.operation == "accept_offer" and reply is not None:
            new_id = f'"provider_id":"{uuid4()}"'.encode()
            reply = re.sub(rb'"provider_id":"[^"]*"', new_id, reply)
        return reply
