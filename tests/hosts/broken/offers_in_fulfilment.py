"""The fault: It makes offers without checking whether an application is in fulfilment."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("two applications", "one-application")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation != "request_offers":
            return super().carry_out(request, merchant)
        outcome = super().carry_out(request, evolve(merchant, fulfilments=()))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
