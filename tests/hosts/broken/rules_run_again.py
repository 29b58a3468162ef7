"""The fault: It prices an offer again on acceptance, by the rules of that day."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("changed rules", "terms-honoured")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation == "accept_offer":
            merchant = evolve(
                merchant, offer_sets=tuple(map(self.priced_again, merchant.offer_sets))
            )
        return super().carry_out(request, merchant)

    def priced_again(self, offer_set):
        rulebook = self.engine.jurisdictions.resolve("GB", on=offer_set.issued_on)
        if rulebook.digest == offer_set.digest:
            return offer_set
        products = [
            evolve(
                product,
                offers=tuple(evolve(o, funded_amount=o.repayment_amount) for o in product.offers),
            )
            for product in offer_set.products
        ]
        return evolve(offer_set, products=tuple(products))
