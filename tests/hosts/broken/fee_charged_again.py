"""The fault: It forgets what its fees were charged for, and charges a reversal again."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("fees", "fees-apart")


def _forgetful(deal, id_):
    return evolve(
        deal,
        entries=tuple(
            evolve(entry, about=None) if entry.kind == "fee" and entry.id != id_ else entry
            for entry in deal.entries
        ),
    )


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        if request.operation == "charge_fee":
            id_ = request.text_field("id")
            deals = [_forgetful(deal, id_) for deal in merchant.deals]
            merchant = evolve(merchant, deals=deals)
        return super().carry_out(request, merchant)
