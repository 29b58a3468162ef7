"""The fault: A key is not tied to its partner, so one partner gets another partner's reply."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("key of another request", "own-merchant")


class Host(MemoryHost):
    def earlier_reply(self, request):
        replies = [
            reply
            for (partner, key), (_, reply) in self.store.replies.items()
            if key == request.key and partner != request.partner
        ]
        return replies[0] if replies else super().earlier_reply(request)
