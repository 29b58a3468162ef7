"""The fault: It funds an application every time that an agent asks."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("two applications", "one-active-deal")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation == "fund_deal":
            submitted = tuple(
                evolve(fulfilment, status="submitted") for fulfilment in merchant.fulfilments
            )
            merchant = evolve(merchant, fulfilments=submitted, deals=())
        return super().carry_out(request, merchant)
