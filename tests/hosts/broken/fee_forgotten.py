"""The fault: It stores that a fee was charged, and shows nobody that it is owed."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("fees", "fees-apart")


def _without_fees(deal):
    return evolve(deal, entries=tuple(entry for entry in deal.entries if entry.kind != "fee"))


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "charge_fee":
            return outcome
        deals = [_without_fees(deal) for deal in outcome.merchant.deals]
        return evolve(outcome, merchant=evolve(outcome.merchant, deals=deals))
