"""The case that a calculator prices, and a protocol for each kind of calculator.

A calculator is an attrs class whose fields are its settings in `products.toml` and whose instances
are called. It returns None when a fact that it needs is unknown.

The class has a `version`, a whole number from 1 on. The digest of a rulebook covers it, and every
record of a price names it. Raise it when the same settings and facts give another result: prices of
before then cannot be derived again, and `holdback replay` says so, instead of taking the new
results for the old ones (decisions/jurisdiction-folders). A fact that a jurisdiction declares is
covered when a setting names it, as the setting `on` of `banded` does.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar, Final, NewType, Protocol, TypeAlias, runtime_checkable

from attrs import field

from holdback.exact.bounds import MOST_TERM_DAYS
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    RoundingMode,
    divide,
    scaled,
    trimmed,
)
from holdback.exact.money import Currency, Money
from holdback.frozen_classes import frozen
from holdback.merchant.product import Limits
from holdback.rules.types import Catalogue, Facts, Kind
from holdback.rules.values import FactValue

# A setting of a calculator that is written as a percentage in quotes: `"12.5%"`.
Percent = NewType("Percent", Decimal)
# A setting of a calculator that is written as a ratio in quotes: `"1.18"`.
Ratio = NewType("Ratio", Decimal)

# What a rate may depend on besides facts: the months of the term that the merchant chooses.
TERM_MONTHS: Final = "term_months"
# A month is a twelfth of 365 days, everywhere in holdback.
DAYS_A_YEAR: Final = 365
MONTHS_A_YEAR: Final = 12


@frozen(kw_only=True)
class PricingCase:
    """
    One application for one product: its facts, and the jurisdiction's currency and rounding.

    `term_months` is the term of the offers that are priced, where the merchant chooses it.
    """

    facts: Facts = field(repr=False)
    catalogue: Catalogue = field(repr=False)
    renewal: bool
    currency: Currency
    rounding: RoundingMode
    term_months: int | None = None

    def number(self, name: str) -> int | None:
        """
        Return the fact *name* as the scaled number that rules read, None when it is unknown.

        `TERM_MONTHS` is the chosen term, unless a jurisdiction declares a fact of this name.
        """
        if name == TERM_MONTHS and self.catalogue.fact(name) is None:
            return self.term_months
        return self.facts[self.catalogue.place(name)]

    def fact(self, name: str) -> FactValue:
        """
        Return the fact *name* as a plain exact value, None when it is unknown.

        Money is `Money`, percentages (0 to 100) and ratios are `Decimal`, days and counts are whole
        numbers.
        """
        number = self.number(name)
        if number is None:
            return None
        type_ = self.catalogue.facts[self.catalogue.place(name)].type
        if type_.kind is Kind.MONEY:
            return Money(number, self.currency)
        if type_.kind in {Kind.PERCENT, Kind.RATIO}:
            return trimmed(number, type_.places)
        if type_.kind is Kind.FLAG:
            return bool(number)
        if type_.kind is Kind.TEXT:
            return type_.options[number]
        return date.fromordinal(number) if type_.kind is Kind.DATE else number

    def times(self, amount: Money, factor: Decimal) -> Money:
        """Return *amount* times *factor*, rounded to minor units by the jurisdiction's rounding."""
        product = amount.minor * scaled(factor, RATIO_PLACES)
        return Money(divide(product, 10**RATIO_PLACES, self.rounding), amount.currency)


@frozen
class Term:
    """
    A term: in months, as partners see it, and in whole days, as the deal keeps it.

    `MOST_DAYS` is the longest that an offer can have, a hundred years.
    """

    MOST_DAYS: ClassVar[int] = MOST_TERM_DAYS

    months: Decimal
    days: int

    @classmethod
    def of_days(cls, days: int) -> Term:
        """
        Return the term of *days*; its months are rounded half even to two decimals.

        >>> Term.of_days(200)
        Term(months=Decimal('6.58'), days=200)
        """
        return _of_days(days)

    @classmethod
    def of_months(cls, months: int) -> Term:
        """
        Return the term of whole *months*; its days are rounded up.

        >>> Term.of_months(6)
        Term(months=Decimal('6'), days=183)
        """
        # A term is never shorter in days than in months.
        return cls(Decimal(months), divide(months * DAYS_A_YEAR, MONTHS_A_YEAR, "up"))


# Most terms are of less than two years.
@lru_cache(maxsize=1_024)
def _of_days(days: int) -> Term:
    hundredths = divide(days * MONTHS_A_YEAR * 100, DAYS_A_YEAR, "half_even")
    return Term(trimmed(hundredths, 2), days)


@runtime_checkable
class LimitsCalculator(Protocol):
    """A calculator of the bounds of a product's amount."""

    version: ClassVar[int]

    @property
    def configured(self) -> Limits:
        """The bounds in the file, reported for a merchant who gets no offers."""

    @property
    def step(self) -> Money | None:
        """The amount of which every offer is a whole multiple, or None."""

    def __call__(self, case: PricingCase) -> Limits | None:
        """Return the bounds for *case*; a minimum above the maximum means no offers."""


@runtime_checkable
class FactorRateCalculator(Protocol):
    """A calculator of the factor rate for an amount."""

    version: ClassVar[int]

    def __call__(self, case: PricingCase, funded_amount: Money) -> Decimal | None:
        """Return the factor rate: from 1 to 100, of at most 6 decimals."""


@runtime_checkable
class SplitPercentageCalculator(Protocol):
    """A calculator of the split percentages of an amount, each of which makes an offer."""

    version: ClassVar[int]

    def __call__(self, case: PricingCase, repayment_amount: Money) -> tuple[Decimal, ...] | None:
        """Return percentages above 0 and up to 100, of at most 4 decimals; () if unaffordable."""


@runtime_checkable
class TermCalculator(Protocol):
    """A calculator of the term in which an amount is expected to be repaid."""

    version: ClassVar[int]

    def __call__(
        self, case: PricingCase, repayment_amount: Money, split_percentage: Decimal
    ) -> Term | None:
        """Return the term: at least one day, and at most `Term.MOST_DAYS`."""


@frozen(kw_only=True)
class SettlementCase:
    """
    A deal that is to be repaid early: what is left of it, what it cost, and how far its term is.

    `balance` is what the merchant owes; `repayment_amount` and `funded_amount` are those of the
    deal. `elapsed_days` are the days of its term that have passed, without pauses, and
    `term_days` those of the whole term; more may have passed. The currency and the rounding are
    the jurisdiction's.
    """

    balance: Money
    repayment_amount: Money
    funded_amount: Money
    elapsed_days: int
    term_days: int
    currency: Currency
    rounding: RoundingMode

    def of_remaining_cost(self, percentage: Decimal, rounding: RoundingMode | None = None) -> Money:
        """
        Return *percentage* (0 to 100) of the cost that is still in the balance.

        The remaining cost is `(repayment_amount - funded_amount) * balance / repayment_amount`. The
        share of it is rounded once, to minor units, by *rounding* or else the jurisdiction's.

        >>> pounds = Currency.of("GBP")
        >>> case = SettlementCase(
        ...     balance=Money.parse("GBP 5500.00"),
        ...     repayment_amount=Money.parse("GBP 11000.00"),
        ...     funded_amount=Money.parse("GBP 10000.00"),
        ...     elapsed_days=60,
        ...     term_days=200,
        ...     currency=pounds,
        ...     rounding="half_up",
        ... )
        >>> case.of_remaining_cost(Decimal(100)), case.of_remaining_cost(Decimal("12.5"))
        (Money.parse('GBP 500.00'), Money.parse('GBP 62.50'))
        """
        cost = self.repayment_amount.minor - self.funded_amount.minor
        share = cost * self.balance.minor * scaled(percentage, PERCENT_PLACES)
        whole = self.repayment_amount.minor * HUNDRED_PERCENT
        return Money(divide(share, whole, rounding or self.rounding), self.currency)


@runtime_checkable
class SettlementCalculator(Protocol):
    """A calculator of what is taken off the balance of a deal that is repaid early."""

    version: ClassVar[int]

    def __call__(self, case: SettlementCase) -> Money:
        """Return the discount: from zero to the remaining cost, rounded up to minor units."""


Calculator: TypeAlias = (
    LimitsCalculator
    | FactorRateCalculator
    | SplitPercentageCalculator
    | TermCalculator
    | SettlementCalculator
)
