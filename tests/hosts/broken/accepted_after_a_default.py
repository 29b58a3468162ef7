"""The fault: It accepts an offer though a deal of the merchant has defaulted since it was made."""

from attrs import evolve

from holdback.merchant.merchant import known_deals_of
from holdback.testing.conformance import MemoryHost

BREAKS = ("since the offer", "since-the-offer")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation != "accept_offer":
            return super().carry_out(request, merchant)
        now = known_deals_of(merchant.deals)
        sets = tuple(evolve(one, known_deals=now) for one in merchant.offer_sets)
        outcome = super().carry_out(request, evolve(merchant, offer_sets=sets))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
