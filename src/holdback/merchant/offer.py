"""One offer (service 2.2)."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.fee_terms import FeeTerms
from holdback.tool_named import shown_by

# The values of `offer_status`. The service specifies `Eligible` (service 2.2).
ELIGIBLE: Final = "Eligible"
ACCEPTED: Final = "Accepted"
WITHDRAWN: Final = "Withdrawn"
DECLINED: Final = "Declined"
WITHDRAWN_BY_LENDER: Final = "WithdrawnByLender"
# Offers that nobody accepted or declined in time. Partners see no difference between the two: that
# the lender withdrew offers would tell of a suspicion (decisions/applications#withdrawn-offers).
LEFT_TO_EXPIRE: Final = frozenset({ELIGIBLE, WITHDRAWN_BY_LENDER})


@frozen(kw_only=True)
class Offer:
    """
    One offer of a product (service 2.2).

    `split_percentage` is 0 to 100, `factor_rate` a ratio, `term_length` in months. `term_days` is
    the same term in whole days; the deal keeps it, and no reply shows it. `fees` are
    those that may be charged above the repayment amount.
    """

    offer_id: str
    offer_status: str = ELIGIBLE
    description: str
    split_percentage: Decimal
    term_length: Decimal
    term_days: int
    repayment_amount: Money
    funded_amount: Money
    factor_rate: Decimal
    fees: tuple[FeeTerms, ...] = ()

    @property
    def currency(self) -> str:
        """The currency code of the offer's amounts."""
        return self.funded_amount.currency.code

    def __repr__(self) -> str:
        return shown_by("merchants.offer_repr", self)

    def _repr_html_(self) -> str:
        return shown_by("merchants.offer_html", self)
