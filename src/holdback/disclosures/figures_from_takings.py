"""
The figures of an offer that is repaid by a payment on each day, out of takings that are known.

They assume what a day of pricing does not change: payments on consecutive days, which are as far
apart from any day on. So an offer has the same figures by a rule, in a quote and on a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from holdback.disclosures.disclosure import ProjectionTerms, figures_of
from holdback.disclosures.figures import Financing
from holdback.disclosures.projected_payments import ProjectedPayments
from holdback.disclosures.unit_periods import AVERAGE_MONTH
from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.merchant.offer import Offer

_ANY_DAY: Final = date(2000, 1, 1)
# Of the takings that are projected, in percent.
_SHARES: Final = (50, 75, 100, 125, 150, 175, 200)


def offer_figures(offer: Offer, monthly_takings: int | None) -> dict[str, Any] | None:
    """
    Return the figures of *offer* by name, scaled as the catalogue of figures has them.

    They are those of Appendix J for daily payments of the offer's split of *monthly_takings*, in
    minor units. None where the takings are unknown, or so low that there would be too many
    payments.
    """
    if monthly_takings is None:
        return None
    projection = _projection(offer, monthly_takings)
    payments = _payments(offer, projection)
    if payments is None:
        return None
    financing = Financing(
        purchase_price=offer.funded_amount.minor, purchased_amount=offer.repayment_amount.minor
    )
    rate = payments.annual_rate(financing.amount_financed)
    return figures_of(financing, projection, payments, rate)


def _projection(offer: Offer, monthly_takings: int) -> ProjectionTerms:
    split = Fraction(scaled(offer.split_percentage, PERCENT_PLACES), HUNDRED_PERCENT)
    return ProjectionTerms(
        consummation=_ANY_DAY, frequency="daily", split=split, monthly_takings=monthly_takings
    )


def _payments(offer: Offer, projection: ProjectionTerms) -> ProjectedPayments | None:
    """Return the payments of *offer*, or None where there would be too many."""
    try:
        return projection.payments_of(offer.repayment_amount.minor, AVERAGE_MONTH)
    except InvalidValue:
        return None


def takings_sensitivity(offer: Offer, monthly_takings: int) -> tuple[Mapping[str, Any], ...]:
    """
    Return the annual rate of *offer* where other takings come than the *monthly_takings*.

    There is a record for each of the shares from 50% to 200% that have a rate: the `share` in
    percent, the `apr` with two decimals, rounded half up, and the `term` in days.
    """
    records = []
    for share in _SHARES:
        payments = _payments(offer, _projection(offer, monthly_takings * share // 100))
        if payments is not None:
            rate = payments.annual_rate(offer.funded_amount.minor)
            record = {"share": share, "apr": rate.percent(2), "term": payments.term_days}
            records.append(MappingProxyType(record))
    return tuple(records)
