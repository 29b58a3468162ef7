"""The fault: It keeps the current request in one attribute that every thread writes."""

import time

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("strangers", "acknowledged-kept")


class Host(MemoryHost):
    def attempt(self, request):
        self.partner = request.partner
        time.sleep(0.0001)
        return super().attempt(evolve(request, input={**request.input, "partner": self.partner}))
