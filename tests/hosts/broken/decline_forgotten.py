"""The fault: It accepts an offer though a person has declined its product since it was made."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("since the offer", "since-the-offer")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation != "accept_offer":
            return super().carry_out(request, merchant)
        outcome = super().carry_out(request, evolve(merchant, referral_decisions=()))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
