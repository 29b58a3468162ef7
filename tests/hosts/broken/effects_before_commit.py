"""The fault: It publishes events before the commit, so others receive some that never happened."""

from holdback import wire
from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-after-commit")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        merchant_key = (merchant.partner, merchant.merchant_id)
        self.store.published[merchant_key] += [wire.write_event(event) for event in outcome.events]
        return outcome

    def publish(self, merchant_key):
        """Do nothing: the events were published already."""
