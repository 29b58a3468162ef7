"""The fault: it tells others right after the commit and never again, so that a crash in between is silence."""

from holdback import wire
from holdback.testing.conformance import MemoryHost

BREAKS = ("telling", "told-all")


class Host(MemoryHost):
    def commit(self, request, version, outcome, reply):
        done = super().commit(request, version, outcome, reply)
        self.step()
        if done:
            who = (outcome.merchant.partner, outcome.merchant.merchant_id)
            self.store.told[who] += [wire.write_event(each) for each in outcome.events]
        return done

    def tell(self, who):
        """They have been told, if all went well."""
