"""The fault: what it did not expect is a 500, here everything that is not found."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("expiry", "sound-replies")


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        return (500, b"Internal Server Error") if status == 404 else (status, body)
