"""Split percentages: the share of the takings that repays the financing."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from attrs import field

from holdback.errors import InvalidValue
from holdback.exact.bounds import MOST_OFFERS, MOST_SPLIT
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR, Percent, PricingCase
from holdback.offers.term import check_months, days_to_repay


def _shares(_: object, __: object, choices: tuple[Decimal, ...]) -> None:
    if not choices or list(choices) != sorted(set(choices)):
        raise ValueError("expected at least one percentage, each above the one before")
    if choices[0] <= 0 or choices[-1] > MOST_SPLIT:
        raise InvalidValue("out_of_range", "expected percentages above 0% and up to 100%")
    if len(choices) > MOST_OFFERS:
        raise InvalidValue("too_large", f"expected at most {MOST_OFFERS} percentages")


@frozen(kw_only=True)
class Chosen:
    """The merchant chooses: an offer for each of the `choices`."""

    version: ClassVar[int] = 1

    choices: tuple[Percent, ...] = field(validator=_shares)

    def __call__(self, case: PricingCase, repayment_amount: Money) -> tuple[Decimal, ...]:
        """Return all choices."""
        return self.choices


@frozen(kw_only=True)
class Affordability:
    """
    The smallest of `choices` that repays within `longest_term_months` at the current takings.

    When even the largest does not, the amount is not affordable and is not offered.
    """

    version: ClassVar[int] = 1

    choices: tuple[Percent, ...] = field(validator=_shares)
    longest_term_months: int = field(validator=check_months)

    def __call__(self, case: PricingCase, repayment_amount: Money) -> tuple[Decimal, ...] | None:
        """Return the smallest sufficient choice, or (); None while takings are unknown."""
        takings = case.number("average_monthly_takings")
        if takings is None:
            return None
        # Without takings no split ever repays the amount. Choices ascend, so the first is smallest.
        for choice in self.choices if takings else ():
            days = days_to_repay(repayment_amount, takings, choice)
            if days * MONTHS_A_YEAR <= self.longest_term_months * DAYS_A_YEAR:
                return (choice,)
        return ()
