"""The fault: it looks at the expiry first, so that the retry of an acceptance that succeeded gets a 404."""

from holdback import Refusal
from holdback.testing.conformance import MemoryHost

BREAKS = ("retry after expiry", "replay-after-expiry")


class Host(MemoryHost):
    def earlier(self, request):
        if request.operation == "accept_offer":
            _, merchant = self.load(request)
            offer_id = request.named("offer_id")
            for each in merchant.offer_sets:
                ids = [offer.offer_id for product in each.products for offer in product.offers]
                if offer_id in ids and request.at >= each.expires_at:
                    raise Refusal("offers_expired", "the offers have expired")
        return super().earlier(request)
