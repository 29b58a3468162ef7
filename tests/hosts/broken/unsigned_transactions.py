"""The fault: It shows what was taken back as if it had been paid."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("refunds", "ledger-balances")


class Host(MemoryHost):
    def attempt(self, request):
        reply = super().attempt(request)
        if request.operation == "look_up" and reply is not None:
            return reply.replace(b'"amount":-', b'"amount":')
        return reply
