"""The fault: It accepts offers that the lender withdrew, for its state forgets the withdrawal."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("withdrawn offers", "withdrawn-as-expired")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "withdraw_offers":
            return outcome
        return evolve(outcome, merchant=evolve(outcome.merchant, offer_sets=merchant.offer_sets))
