"""Terms: the time in which the financing is expected to be repaid."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from attrs import field

from holdback.errors import InvalidValue
from holdback.exact.bounds import MOST_TERM_DAYS, MOST_TERM_MONTHS
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, scaled
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR, PricingCase, Term


def days_to_repay(repayment_amount: Money, monthly_takings: int, split_percentage: Decimal) -> int:
    """
    Return the days in which the split of the takings repays *repayment_amount*, rounded up.

    That is `repayment / (takings a day x split)` with a month of 365/12 days, in whole numbers.

    >>> days_to_repay(Money.parse("GBP 11800.00"), 2_000_000, Decimal("12.5"))
    144
    """
    # One division of integers, rounded up, so no intermediate result is rounded.
    split = scaled(split_percentage, PERCENT_PLACES)
    remitted = monthly_takings * MONTHS_A_YEAR * split
    return -(-repayment_amount.minor * DAYS_A_YEAR * HUNDRED_PERCENT // remitted)


def check_months(_: object, __: object, number: Any) -> None:
    """Validate a term in months."""
    if not 1 <= number <= MOST_TERM_MONTHS:
        message = f"expected at least one month, and at most {MOST_TERM_MONTHS}"
        raise InvalidValue("out_of_range", message)


@frozen(kw_only=True)
class TakingsPace:
    """The term in which the split of the merchant's average takings repays the deal."""

    version: ClassVar[int] = 1

    def __call__(
        self, case: PricingCase, repayment_amount: Money, split_percentage: Decimal
    ) -> Term | None:
        """Return the term; None while the takings are unknown, or too low for any term."""
        takings = case.number("average_monthly_takings")
        if not takings:
            return None
        days = days_to_repay(repayment_amount, takings, split_percentage)
        return Term.of_days(days) if days <= MOST_TERM_DAYS else None


@frozen(kw_only=True)
class FixedTerm:
    """The same term of whole `months` for everyone."""

    version: ClassVar[int] = 1

    months: int = field(validator=check_months)

    def __call__(
        self, case: PricingCase, repayment_amount: Money, split_percentage: Decimal
    ) -> Term:
        """Return the configured term."""
        return Term.of_months(self.months)
