"""The fault: It keeps the results of checks by merchant_id, and not by whom they are about."""

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
        checks = (
            evolve(
                record, about={name: people.get(name, old) for name, old in record.about.items()}
            )
            for record in merchant.checks
        )
        return {"checks": tuple(checks)}
