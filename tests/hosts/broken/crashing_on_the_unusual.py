"""The fault: It answers every "not found" with a 500 instead of problem details."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("expiry", "sound-replies")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        return (500, b"Internal Server Error") if status == 404 else (status, body)
