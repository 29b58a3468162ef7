"""The fault: it keeps the first answer of a lookup, and nobody tells it when the merchant changes."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "lookup-agrees")


class Host(MemoryHost):
    def open(self):
        super().open()
        self.shown = {}

    def attempt(self, request):
        if request.operation != "look_up":
            return super().attempt(request)
        who = (request.partner, request.named("provider_id"))
        if who not in self.shown:
            self.shown[who] = super().attempt(request)
        return self.shown[who]
