"""The fault: It undoes a funding, and the application cannot be funded again."""

from attrs import evolve

from holdback.lifecycle.events import PayoutReturned
from holdback.testing.conformance import MemoryHost

BREAKS = ("returned payout", "payout-returned")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if not any(isinstance(event, PayoutReturned) for event in outcome.events):
            return outcome
        events = [
            evolve(event, application_id=None) if isinstance(event, PayoutReturned) else event
            for event in outcome.events
        ]
        return evolve(outcome, events=events, merchant=self.engine.evolve(merchant, events))
