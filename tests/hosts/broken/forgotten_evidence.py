"""The fault: It forgets the results of checks that came with a request for offers."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("evidence", "newest-evidence")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "request_offers":
            return outcome
        return evolve(outcome, merchant=evolve(outcome.merchant, checks=merchant.checks))
