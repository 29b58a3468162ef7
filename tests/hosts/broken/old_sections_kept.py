"""The fault: Its profile keeps what was corrected, next to what is so."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("corrected profile", "corrected")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "rectify_profile":
            return outcome
        old = self.store.profile(merchant).sections.values()
        return evolve(outcome, profile=outcome.profile.with_sections(old))
