"""The fault: It keeps every reply to a merchant in its state document."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("growth", "bounded")


class Host(MemoryHost):
    def documents(self, partner, merchant_id):
        state, profile = super().documents(partner, merchant_id)
        replies = [reply for (owner, _), (_, reply) in self.store.replies.items()]
        return state + b"".join(replies), profile
