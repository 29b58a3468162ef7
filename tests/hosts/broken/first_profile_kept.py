"""The fault: It keeps the profile of a merchant's first request, and drops those of later ones."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner at its worst", "acknowledged-kept")


class Host(MemoryHost):
    def save(self, outcome, version):
        merchant = outcome.merchant
        first = self.store.profiles.get((merchant.partner, merchant.merchant_id))
        super().save(outcome if first is None else evolve(outcome, profile=first), version)
