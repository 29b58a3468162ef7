"""The fault: It undoes a funding and loses the deal that it had renewed."""

from attrs import evolve

from holdback.lifecycle.events import PayoutReturned
from holdback.testing.conformance import MemoryHost

BREAKS = ("returned payout", "revived")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if not any(isinstance(event, PayoutReturned) for event in outcome.events):
            return outcome
        events = [
            evolve(event, base_deal_id=None) if isinstance(event, PayoutReturned) else event
            for event in outcome.events
        ]
        return evolve(outcome, events=events, merchant=self.engine.evolve(merchant, events))
