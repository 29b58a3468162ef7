"""The fault: It merges consents without the engine's bound."""

from unittest.mock import patch

from holdback.lifecycle.people import consents
from holdback.testing.conformance import MemoryHost

BREAKS = ("partner at its worst", "small-documents")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        with patch.object(consents, "MOST_BYTES", 2**40):
            return super().carry_out(request, merchant)
