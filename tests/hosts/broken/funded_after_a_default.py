"""The fault: It looks at earlier deals when an offer is accepted, and funds without a look."""

from attrs import evolve

from holdback.merchant.known_deals import known_deals_of
from holdback.testing.conformance import MemoryHost

BREAKS = ("since the offer", "since-the-offer")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation != "fund_deal":
            return super().carry_out(request, merchant)
        now = known_deals_of(merchant.deals)
        accepted = tuple(evolve(one, known_deals=now) for one in merchant.fulfilments)
        outcome = super().carry_out(request, evolve(merchant, fulfilments=accepted))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
