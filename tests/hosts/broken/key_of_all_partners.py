"""The fault: a key is nobody's in particular, so that one partner's key gets another partner's reply."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("key of another request", "own-merchant")


class Host(MemoryHost):
    def earlier(self, request):
        known = [
            reply
            for (partner, key), (_, reply) in self.store.replies.items()
            if key == request.key and partner != request.partner
        ]
        return known[0] if known else super().earlier(request)
