"""The fault: It counts the consents of anybody under the merchant_id for those who ask."""

from attrs import evolve

from broken import approval_of_anybody

BREAKS = ("other applicants", "about-whom")


class Host(approval_of_anybody.Host):
    def of_anybody(self, merchant, people):
        newest = merchant.consents[-1:]
        asking = {name: people[name] for name in ("applicants",) if name in people}
        return {"consents": tuple(evolve(given, **asking) for given in newest)}
