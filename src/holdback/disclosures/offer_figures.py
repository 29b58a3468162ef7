"""
The figures of an offer that is repaid by a payment on each day, out of takings that are known.

They assume what a day of pricing does not change: payments on consecutive days, which are as far
apart from any day on. So the same offer has the same figures in every reply, file and table.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any, Final

from holdback.disclosures.disclosure import Projection, figures_of
from holdback.disclosures.figures import Financing
from holdback.disclosures.unit_periods import AVERAGE_MONTH
from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.merchant.offer import Offer

_ANY_DAY: Final = date(2000, 1, 1)


def offer_figures(offer: Offer, monthly_takings: int | None) -> dict[str, Any] | None:
    """
    Return the figures of *offer* by name, scaled as the catalogue of figures has them.

    They are those of Appendix J for daily payments of the offer's split of *monthly_takings*, in
    minor units. None where the takings are unknown, or so low that the payments have no end within
    a hundred years.
    """
    if monthly_takings is None:
        return None
    share = Fraction(scaled(offer.split_percentage, PERCENT_PLACES), HUNDRED_PERCENT)
    financing = Financing(
        purchase_price=offer.funded_amount.minor,
        purchased_amount=offer.repayment_amount.minor,
    )
    projection = Projection(
        consummation=_ANY_DAY, frequency="daily", split=share, monthly_takings=monthly_takings
    )
    try:
        payments = projection.payments_of(financing.total_payments, AVERAGE_MONTH)
    except InvalidValue:
        return None
    return figures_of(financing, projection, payments)
