"""The fault: it knows a key again and does not look whether the request is the same."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("key of another request", "key-conflict")


class Host(MemoryHost):
    def earlier(self, request):
        known = self.store.replies.get((request.partner, request.key))
        return None if known is None else known[1]
