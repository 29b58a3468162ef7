"""The fault: It looks at earlier deals when an offer is accepted, and funds without a look."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("since the offer", "since-the-offer")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation != "fund_deal" or merchant.active_deal is not None:
            return super().carry_out(request, merchant)
        accepted = tuple(evolve(one, known_deals=()) for one in merchant.fulfilments)
        outcome = super().carry_out(request, evolve(merchant, deals=(), fulfilments=accepted))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
