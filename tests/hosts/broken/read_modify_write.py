"""The fault: it reads, decides and writes, and never asks whether somebody else wrote in between."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("races of threads", "one-winner")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        who = (outcome.merchant.partner, outcome.merchant.merchant_id)
        newest = self.store.merchants.get(who, (0, None))[0]
        return super().commit(request, newest, outcome, reply)
