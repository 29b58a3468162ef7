"""The fault: it draws a provider_id for every acceptance."""

import re
from uuid import uuid4

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "stable-provider-id")


class Host(MemoryHost):
    def attempt(self, request):
        reply = super().attempt(request)
        if request.operation == "accept_offer" and reply is not None:
            drawn = f'"provider_id":"{uuid4()}"'.encode()
            reply = re.sub(rb'"provider_id":"[^"]*"', drawn, reply)
        return reply
