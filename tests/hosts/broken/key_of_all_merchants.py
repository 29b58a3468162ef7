"""The fault: An agent's request for one merchant has the same fingerprint as that for another."""

import hashlib

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("key of another request", "key-conflict")


class Host(MemoryHost):
    def attempt(self, request):
        fingerprint = hashlib.sha256(request.operation.encode() + request.input["body"]).digest()
        return super().attempt(evolve(request, fingerprint=fingerprint))
