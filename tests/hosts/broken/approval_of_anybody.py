"""The fault: It applies an approval to anybody who asks under the merchant_id."""

from attrs import evolve

from holdback import wire
from holdback.testing.conformance import MemoryHost

BREAKS = ("other applicants", "about-whom")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation == "request_offers":
            asked = wire.read_offers_request(request.input["body"])
            profile = self.store.profile(merchant)
            people = {
                name: profile.digest(content)
                for name in ("applicants", "company")
                if (content := getattr(asked, name)) is not None
            }
            merchant = evolve(merchant, **self.of_anybody(merchant, people))
        return super().carry_out(request, merchant)

    def of_anybody(self, merchant, people):
        decisions = (
            evolve(decision, sections={**decision.sections, **people})
            for decision in merchant.referral_decisions
        )
        return {"referral_decisions": tuple(decisions)}
