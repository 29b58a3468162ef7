"""The fault: It counts the consents of anybody under the merchant_id for those who ask."""

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
        given = (evolve(given, **people_of(people, given)) for given in merchant.consents)
        return {"consents": tuple(given)[-1:]}


def people_of(people, given):
    return {"applicants": people.get("applicants", given.applicants)}
