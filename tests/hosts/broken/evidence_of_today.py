"""The fault: On acceptance it keeps only the evidence that the rules of that day declare."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("changed rules", "still-served")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        jurisdictions = self.engine.jurisdictions
        if request.operation == "accept_offer" and merchant.jurisdiction in jurisdictions.codes:
            rulebook = jurisdictions.resolve(merchant.jurisdiction, on=request.at.date())
            checks = (record for record in merchant.checks if record.check in rulebook.checks)
            merchant = evolve(merchant, checks=tuple(checks))
        return super().carry_out(request, merchant)
