"""The fault: It checks the expiry first, so a retried acceptance that succeeded gets a 404."""

from holdback import Refusal
from holdback.testing.conformance import MemoryHost

BREAKS = ("retry after expiry", "replay-after-expiry")


class Host(MemoryHost):
    def earlier_reply(self, request):
        if request.operation == "accept_offer":
            _, merchant = self.load(request)
            offer_id = request.text_field("offer_id")
            for offer_set in merchant.offer_sets:
                ids = [offer.offer_id for product in offer_set.products for offer in product.offers]
                if offer_id in ids and request.at >= offer_set.expires_at:
                    raise Refusal("offers_expired", "the offers have expired")
        return super().earlier_reply(request)
