"""The fault: it compares the expiry without its zone with the time on the wall, which is another in summer."""

from zoneinfo import ZoneInfo

from holdback import Refusal
from holdback.testing.conformance import MemoryHost

BREAKS = ("expiry", "expiry")


class Host(MemoryHost):
    def decide(self, request, merchant):
        if request.operation == "accept_offer":
            wall = request.at.astimezone(ZoneInfo("Europe/London")).replace(tzinfo=None)
            offer_id = request.named("offer_id")
            for each in merchant.offer_sets:
                ids = [offer.offer_id for product in each.products for offer in product.offers]
                if offer_id in ids and wall >= each.expires_at.naive():
                    raise Refusal("offers_expired", "the offers have expired")
        return super().decide(request, merchant)
