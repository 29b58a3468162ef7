"""The fault: It keeps the consents of the last applicants alone."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("other applicants", "about-whom")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if request.operation != "request_offers":
            return outcome
        asked = outcome.merchant.offer_sets[-1].sections.get("applicants")
        given = tuple(given for given in outcome.merchant.consents if given.applicants == asked)
        return evolve(outcome, merchant=evolve(outcome.merchant, consents=given))
