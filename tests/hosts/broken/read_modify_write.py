"""The fault: It writes without checking whether the merchant changed since it was read."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("races of threads", "one-winner")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        merchant_key = (outcome.merchant.partner, outcome.merchant.merchant_id)
        newest = self.store.merchants.get(merchant_key, (0, None))[0]
        return super().commit(request, newest, outcome, reply)
