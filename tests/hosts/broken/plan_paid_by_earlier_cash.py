"""The fault: It lets what came in before a plan was agreed pay its instalments."""

from attrs import evolve

from holdback import Money
from holdback.testing.conformance import MemoryHost

BREAKS = ("plan", "plan-kept")


def _from_the_first(plan):
    return plan and evolve(plan, remitted_before=Money(0, plan.remitted_before.currency))


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation == "look_up":
            deals = [evolve(deal, plan=_from_the_first(deal.plan)) for deal in merchant.deals]
            merchant = evolve(merchant, deals=deals)
        return super().carry_out(request, merchant)
