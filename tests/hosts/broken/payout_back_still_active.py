"""The fault: It records that a payout came back, and keeps the deal active."""

from attrs import evolve

from holdback.lifecycle.events import PayoutReturned
from holdback.testing.conformance import MemoryHost

BREAKS = ("returned payout", "whole")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if not any(isinstance(event, PayoutReturned) for event in outcome.events):
            return outcome
        events = [event for event in outcome.events if not isinstance(event, PayoutReturned)]
        return evolve(outcome, events=events, merchant=self.engine.evolve(merchant, events))
