"""The fault: It records a transfer on the deal that the money leaves, and not where it arrives."""

from attrs import evolve

from holdback.lifecycle.events import EntriesPosted
from holdback.testing.conformance import MemoryHost

BREAKS = ("transfers", "both-halves")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        events = [self.without_arrival(event) for event in outcome.events]
        if events == list(outcome.events):
            return outcome
        return evolve(outcome, events=events, merchant=self.engine.evolve(merchant, events))

    def without_arrival(self, event):
        if not isinstance(event, EntriesPosted):
            return event
        kept = [
            posting
            for posting in event.postings
            if posting.entry.kind != "transfer" or posting.entry.amount.minor < 0
        ]
        return evolve(event, postings=tuple(kept))
