"""A fee that the file of a product allows, before an offer says what it can come to."""

from __future__ import annotations

from typing import Final

from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, trimmed
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.fee_terms import FeeReason, FeeTerms

# The fees of a product on one day.
MOST_FEE_KINDS: Final = 12


@frozen(kw_only=True)
class AllowedFee:
    """
    A fee that a product allows: an `amount`, or interest at a `yearly_rate`.

    The rate and the share are in ten-thousandths of a percent. It is capped by an amount, by a
    share of the repayment amount, or by the lower of both.
    """

    key: str
    after: FeeReason
    amount: Money | None
    yearly_rate: int | None
    at_most: Money | None
    at_most_share: int | None

    def terms(self, repayment_amount: Money) -> FeeTerms:
        """Return the fee as an offer of *repayment_amount* has it; a share is rounded down."""
        caps = [] if self.at_most is None else [self.at_most.minor]
        if self.at_most_share is not None:
            caps.append(repayment_amount.minor * self.at_most_share // HUNDRED_PERCENT)
        rate = self.yearly_rate
        return FeeTerms(
            key=self.key,
            after=self.after,
            amount=self.amount,
            yearly_rate=None if rate is None else trimmed(rate, PERCENT_PLACES),
            at_most=Money(min(caps), repayment_amount.currency),
        )
