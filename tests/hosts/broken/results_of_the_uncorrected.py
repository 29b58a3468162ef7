"""The fault: After a correction it counts the results of checks as before."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("corrected profile", "corrected")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "rectify_profile":
            return outcome
        checks = tuple(
            evolve(record, about={name: outcome.merchant.sections[name] for name in record.about})
            for record in merchant.checks
        )
        return evolve(outcome, merchant=evolve(outcome.merchant, checks=checks))
