"""
The fees that the terms of an offer allow above its repayment amount.

Why is in decisions/money-after-funding#fees.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final, Literal, TypeAlias

from holdback.exact.money import Money
from holdback.frozen_classes import frozen

# What has to have happened before a fee may be charged.
REVERSED: Final = "reversal"
IN_DEFAULT: Final = "default"
FeeReason: TypeAlias = Literal["reversal", "default"]
FEE_REASONS: Final = (REVERSED, IN_DEFAULT)

# The most fees of one deal. Their entries are held as long as the deal is, because what was charged
# decides what may still be.
MOST_FEES: Final = 40


@frozen(kw_only=True)
class FeeTerms:
    """
    A fee that a deal allows, as its offer said.

    It is an `amount` each time, or interest at a `yearly_rate` in percent on the balance of the
    days in default. All fees of one `key` together are `at_most` an amount. After a `"reversal"`
    it may be charged once for each reversal; after a `"default"`, while the deal is in default: an
    amount once, interest for every day once.
    """

    key: str
    after: FeeReason
    amount: Money | None = None
    yearly_rate: Decimal | None = None
    at_most: Money
