"""The fault: It looks for a hold when offers are made and accepted, and funds without a look."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("on hold", "hold")


class Host(MemoryHost):
    def decide(self, request, merchant):
        if request.operation != "fund_deal":
            return super().decide(request, merchant)
        outcome = super().decide(request, evolve(merchant, holds=()))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
