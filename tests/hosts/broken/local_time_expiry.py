"""The fault: It compares the expiry, without its zone, with local time: wrong in summer."""

from zoneinfo import ZoneInfo

from holdback import Refusal
from holdback.testing.conformance import MemoryHost

BREAKS = ("expiry", "expiry")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation == "accept_offer":
            local_time = request.at.astimezone(ZoneInfo("Europe/London")).replace(tzinfo=None)
            offer_id = request.text_field("offer_id")
            for offer_set in merchant.offer_sets:
                ids = [offer.offer_id for product in offer_set.products for offer in product.offers]
                if offer_id in ids and local_time >= offer_set.expires_at.naive():
                    raise Refusal("offers_expired", "the offers have expired")
        return super().carry_out(request, merchant)
