"""The fault: It undoes a renewal and does not revive the deal that it had renewed."""

from attrs import evolve

from holdback.lifecycle.events import DealUnwound
from holdback.testing.conformance import MemoryHost

BREAKS = ("unwinding", "revived")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if not any(isinstance(event, DealUnwound) for event in outcome.events):
            return outcome
        events = [
            evolve(event, base_deal_id=None) if isinstance(event, DealUnwound) else event
            for event in outcome.events
        ]
        return evolve(outcome, events=events, merchant=self.engine.evolve(merchant, events))
