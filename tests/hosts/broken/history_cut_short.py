"""The fault: it keeps the newest events alone, because the state says the rest."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "append-only")


class Host(MemoryHost):
    def history(self, partner, merchant_id):
        return super().history(partner, merchant_id)[-3:]
