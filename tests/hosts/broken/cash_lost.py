"""The fault: It stores that cash came into suspense, and forgets it with the next operation."""

from attrs import evolve

from holdback.merchant.suspense import Suspense
from holdback.testing.conformance import MemoryHost

BREAKS = ("suspense", "suspense-kept")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation == "record_suspense":
            return outcome
        return evolve(outcome, merchant=evolve(outcome.merchant, suspense=Suspense()))
