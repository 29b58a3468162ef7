"""The fault: It writes the event of an erasure, and keeps the profile."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("erasure", "erased")


class Host(MemoryHost):
    def save(self, outcome, version):
        if outcome.merchant.profile_erased:
            outcome = evolve(outcome, profile=None)
        super().save(outcome, version)
