"""The fault: It keeps only the newest events, because the state has the rest."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "append-only")


class Host(MemoryHost):
    def history(self, partner, merchant_id):
        return super().history(partner, merchant_id)[-3:]
