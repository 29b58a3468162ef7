"""The fault: It makes offers without checking whether an application is in fulfilment."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("two applications", "one-application")


class Host(MemoryHost):
    def decide(self, request, merchant):
        if request.operation != "request_offers":
            return super().decide(request, merchant)
        outcome = super().decide(request, evolve(merchant, fulfilments=()))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
