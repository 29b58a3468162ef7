"""
Figures: the amounts that the laws define for an offer, exactly (decisions/disclosures).

F is the purchase price, R the purchased amount; w are finance charges withheld from F, s those paid
separately up to consummation, L those that come later; X are amounts for third parties outside the
finance charge, and B what pays off other deals. All are whole minor units.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from attrs import field

from holdback.disclosures.unit_periods import AVERAGE_MONTH, MONTHS_OF_A_YEAR, months_from
from holdback.errors import InvalidValue
from holdback.exact.exact_numbers import divide
from holdback.frozen_classes import frozen


def _at_least_zero(_: object, attribute: object, amount: int) -> None:
    if type(amount) is not int or amount < 0:
        name = getattr(attribute, "name", "amount")
        raise InvalidValue("wrong_value", f"{name}: expected whole minor units from 0 up")


@frozen(kw_only=True)
class Financing:
    """
    What is financed and what is repaid, in minor units.

    >>> offer = Financing(
    ...     purchase_price=60_000_00, purchased_amount=78_000_00, withheld=1_200_00,
    ...     payoffs=20_800_00,
    ... )
    >>> offer.amount_financed, offer.recipient_funds, offer.finance_charge, offer.total_payments
    (5880000, 3800000, 1920000, 7800000)

    Raises:
        InvalidValue: when the merchant would receive less than nothing.
    """

    purchase_price: int = field(validator=_at_least_zero)
    purchased_amount: int = field(validator=_at_least_zero)
    withheld: int = field(default=0, validator=_at_least_zero)
    paid_separately: int = field(default=0, validator=_at_least_zero)
    later_charges: int = field(default=0, validator=_at_least_zero)
    third_parties: int = field(default=0, validator=_at_least_zero)
    payoffs: int = field(default=0, validator=_at_least_zero)

    def __attrs_post_init__(self) -> None:
        if self.recipient_funds < 0:
            raise InvalidValue(
                "wrong_value",
                "the merchant would receive less than nothing: what is withheld, paid to third "
                "parties and paid off is more than the purchase price",
            )
        if self.amount_financed <= 0:
            raise InvalidValue(
                "wrong_value",
                "nothing would be financed: the charges are all of the purchase price",
            )
        if self.finance_charge < 0:
            raise InvalidValue(
                "wrong_value", "the merchant would repay less than it receives: no law defines that"
            )

    @property
    def amount_financed(self) -> int:
        """AF = F - w - s. What pays off other deals is part of it (10 CCR 900(a)(1)(A))."""
        return self.purchase_price - self.withheld - self.paid_separately

    @property
    def recipient_funds(self) -> int:
        """RF = F - w - X - B: what the merchant receives (10 CCR 900(a)(26))."""
        return self.purchase_price - self.withheld - self.third_parties - self.payoffs

    @property
    def finance_charge(self) -> int:
        """FC = (R - F) + w + s + L (12 CFR 1026.4)."""
        discount = self.purchased_amount - self.purchase_price
        return discount + self.withheld + self.paid_separately + self.later_charges

    @property
    def total_payments(self) -> int:
        """TP = R + L. It is AF + FC."""
        return self.purchased_amount + self.later_charges

    @property
    def disbursement(self) -> int:
        """F - w: what is disbursed before payoffs, which reduce it (Va. Code 6.2-2231)."""
        return self.purchase_price - self.withheld


def monthly_cost(total: int, days: int) -> int:
    """
    Return the total of payments for 30.4 of its *days*, in minor units, rounded half up (K8).

    Below 30.4 days it is more than the total (10 CCR 900(a)(12)).

    >>> monthly_cost(1100_00, 5)
    668800
    """
    exact = total * AVERAGE_MONTH / days
    return divide(exact.numerator, exact.denominator, "half_up")


def term_in_words(start: date, end: date) -> str:
    """
    Return the term in words: days up to one calendar year, then years and months (K6, K7).

    >>> term_in_words(date(2024, 1, 10), date(2025, 1, 10))
    '366 days'
    >>> term_in_words(date(2025, 1, 31), date(2026, 3, 1))
    '1 year 1.03 months'
    """
    if end <= months_from(start, MONTHS_OF_A_YEAR, start.day):
        days = (end - start).days
        return f"{days} {'day' if days == 1 else 'days'}"
    months = (end.year - start.year) * MONTHS_OF_A_YEAR + end.month - start.month
    if months_from(start, months, start.day) > end:
        months -= 1
    rest = (end - months_from(start, months, start.day)).days / AVERAGE_MONTH
    years, months = divmod(months, MONTHS_OF_A_YEAR)
    hundredths = 100 * months + divide(100 * rest.numerator, rest.denominator, "half_up")
    units, parts = divmod(hundredths, 100)
    return f"{years} {'year' if years == 1 else 'years'} {units}.{parts:02} months"


def double_dipping(
    *, finance_charge: int, total_repayment: int, used_for_payoff: int, forgiven: int = 0
) -> int:
    """
    Return the unpaid charge of an old deal that a renewal pays off, in minor units, half up.

    DD = max(0, FC0 x U / R0 - G) for a fixed total (FSL 808(a), Conn. Gen. Stat. 36a-864(1)): the
    *finance_charge* and *total_repayment* are those of the old deal.

    >>> double_dipping(
    ...     finance_charge=12_000_00, total_repayment=52_000_00, used_for_payoff=19_800_00,
    ...     forgiven=1_000_00,
    ... )
    356923
    """
    if not 0 <= used_for_payoff <= total_repayment:
        raise InvalidValue("wrong_value", "a payoff is at most the total repayment of the old deal")
    if not used_for_payoff:
        return 0
    exact = Fraction(finance_charge * used_for_payoff, total_repayment) - forgiven
    return divide(exact.numerator, exact.denominator, "half_up") if exact > 0 else 0
