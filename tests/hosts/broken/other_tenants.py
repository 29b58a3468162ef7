"""The fault: It finds an offer by its id alone, without the partner."""

from holdback.testing.conformance import MemoryHost

BREAKS = ("tenancy", "tenancy")


class Host(MemoryHost):
    def load(self, request):
        if request.operation == "accept_offer":
            offer_id = request.text_field("offer_id")
            for (partner, _, name), merchant_id in self.store.names.items():
                if name == offer_id:
                    return self.store.merchants[partner, merchant_id]
        return super().load(request)
