"""The fault: It caches the first answer to a lookup and never refreshes it."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("partner flow", "lookup-agrees")


class Host(MemoryHost):
    def open(self):
        super().open()
        self.answers = {}

    def attempt(self, request):
        if request.operation != "look_up":
            return super().attempt(request)
        lookup = (request.partner, request.text_field("provider_id"))
        if lookup not in self.answers:
            self.answers[lookup] = super().attempt(request)
        return self.answers[lookup]
