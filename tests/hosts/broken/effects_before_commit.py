"""The fault: it tells others before the commit, so that they hear of what never happened."""

from holdback import wire
from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-after-commit")


class Host(MemoryHost):
    def decide(self, request, merchant):
        outcome = super().decide(request, merchant)
        who = (merchant.partner, merchant.merchant_id)
        self.store.told[who] += [wire.write_event(each) for each in outcome.events]
        return outcome

    def tell(self, who):
        """They have been told."""
