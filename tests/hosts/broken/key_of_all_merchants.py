"""The fault: what an agent asks of one merchant is the same to it as what it asks of another."""

import hashlib

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("key of another request", "key-conflict")


class Host(MemoryHost):
    def attempt(self, request):
        asked = hashlib.sha256(request.operation.encode() + request.input["body"]).digest()
        return super().attempt(evolve(request, asked=asked))
