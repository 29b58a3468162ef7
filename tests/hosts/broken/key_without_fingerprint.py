"""The fault: It recognises a key without checking that the request is the same."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("key of another request", "key-conflict")


class Host(MemoryHost):
    def earlier_reply(self, request):
        stored = self.store.replies.get((request.partner, request.key))
        return None if stored is None else stored[1]
