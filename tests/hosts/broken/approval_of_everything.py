"""The fault: An approval lifts every rule, one that declines too."""

from attrs import evolve

from holdback.testing import payloads
from holdback.testing.conformance import MemoryHost

BREAKS = ("approvals", "approval-limits")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        approved = any(one.decision == "approve" for one in merchant.referral_decisions)
        if request.operation == "request_offers" and approved:
            good = payloads.checks(request.at.date())
            request = evolve(request, input={**request.input, "evidence": good})
        return super().carry_out(request, merchant)
