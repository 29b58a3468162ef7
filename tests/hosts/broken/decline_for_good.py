"""The fault: A person's decline holds for good, and not until the instant that the person said."""

from datetime import timedelta

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("since the offer", "acknowledged-kept")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation != "accept_offer":
            return super().carry_out(request, merchant)
        decisions = tuple(
            evolve(decision, until=decision.until + timedelta(days=365))
            for decision in merchant.referral_decisions
        )
        outcome = super().carry_out(request, evolve(merchant, referral_decisions=decisions))
        return evolve(outcome, merchant=self.engine.evolve(merchant, outcome.events))
