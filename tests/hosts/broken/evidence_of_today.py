"""The fault: On acceptance it keeps only the evidence that the rules of that day declare."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("changed rules", "still-served")


class Host(MemoryHost):
    def decide(self, request, merchant):
        jurisdictions = self.engine.jurisdictions
        if request.operation == "accept_offer" and merchant.jurisdiction in jurisdictions.codes:
            rulebook = jurisdictions.resolve(merchant.jurisdiction, on=request.at.date())
            declared = {fact.name for fact in rulebook.catalogue.facts}
            evidence = {name: held for name, held in merchant.evidence.items() if name in declared}
            merchant = evolve(merchant, evidence=evidence)
        return super().decide(request, merchant)
