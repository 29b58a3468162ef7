"""The fault: It refuses all requests about a merchant whose jurisdiction it does not have now."""

from holdback import Refusal
from holdback.testing.conformance import MemoryHost

BREAKS = ("changed rules", "still-served")


class Host(MemoryHost):
    def load(self, request):
        version, merchant = super().load(request)
        if merchant.jurisdiction not in self.engine.jurisdictions.codes:
            raise Refusal("merchant_not_found", "its jurisdiction is not served")
        return version, merchant
