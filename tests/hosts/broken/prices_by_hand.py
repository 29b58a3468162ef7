"""The fault: It raises the price of the offers that it stores and sends, by hand."""

from decimal import Decimal

from attrs import evolve

from holdback.lifecycle.events import OffersIssued
from holdback.testing.conformance import MemoryHost

BREAKS = ("prices", "prices-replay")


def raised(product):
    """Raise the factor rate of every offer."""
    offers = (evolve(o, factor_rate=o.factor_rate + Decimal("0.01")) for o in product.offers)
    return evolve(product, offers=tuple(offers))


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        outcome = super().carry_out(request, merchant)
        if not outcome.events or not isinstance(outcome.events[0], OffersIssued):
            return outcome
        first, *rest = outcome.events
        products = tuple(raised(product) for product in first.offer_set.products)
        issued = evolve(first, offer_set=evolve(first.offer_set, products=products))
        merchant = self.engine.evolve(merchant, [issued, *rest])
        reply = evolve(outcome.reply, products=products)
        return evolve(outcome, reply=reply, events=(issued, *rest), merchant=merchant)
