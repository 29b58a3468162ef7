"""The fault: It stores that a plan was agreed, and keeps the plan of before."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("plan", "plan-kept")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "agree_plan":
            return outcome
        deals = [
            evolve(deal, plan=before.plan)
            for deal, before in zip(outcome.merchant.deals, merchant.deals, strict=True)
        ]
        return evolve(outcome, merchant=evolve(outcome.merchant, deals=deals))
