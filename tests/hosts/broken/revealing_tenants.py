"""The fault: It answers 403 for another partner's merchant, which shows that it exists."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("tenancy", "tenancy")
FORBIDDEN = (
    b'{"type":"about:blank","title":"Forbidden","status":403,'
    b'"detail":"not yours","code":"forbidden"}'
)


class Host(MemoryHost):
    def handle(self, operation, input, *, key, at):
        status, body = super().handle(operation, input, key=key, at=at)
        if operation == "look_up" and status == 404:
            for partner, _, name in self.store.names:
                if name.encode() in input["body"] and partner != input["partner"]:
                    return 403, FORBIDDEN
        return status, body
