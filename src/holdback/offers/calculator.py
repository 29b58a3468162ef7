"""The case that a calculator prices, and a protocol for each kind of calculator.

A calculator is an attrs class whose fields are its settings in `products.toml` and whose instances
are called. It returns None when a fact that it needs is unknown.

The class has a `version`, a whole number from 1 on. The digest of a rulebook covers it, and every
record of a price names it. Raise it when the same settings and facts give another result: prices
of before then cannot be derived again, and `holdback replay` says so, instead of taking the new
results for the old ones (decisions/digests). A fact that a jurisdiction declares is covered when a
setting names it, as the setting `on` of `banded` does.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar, Final, NewType, Protocol, TypeAlias, runtime_checkable

from attrs import field

from holdback.bounds import MOST_TERM_DAYS
from holdback.exact_numbers import RATIO_PLACES, RoundingMode, divide, scaled, trimmed
from holdback.frozen_classes import frozen
from holdback.model.product import Limits
from holdback.money import Currency, Money
from holdback.rules.types import Catalogue, Facts, Kind
from holdback.rules.values import FactValue

# A setting of a calculator that is written as a percentage in quotes: `"12.5%"`.
Percent = NewType("Percent", Decimal)
# A setting of a calculator that is written as a ratio in quotes: `"1.18"`.
Ratio = NewType("Ratio", Decimal)

# A month is a twelfth of 365 days, everywhere in holdback.
DAYS_A_YEAR: Final = 365
MONTHS_A_YEAR: Final = 12


@frozen(kw_only=True)
class PricingCase:
    """One application for one product: its facts, and the jurisdiction's currency and rounding."""

    facts: Facts = field(repr=False)
    catalogue: Catalogue = field(repr=False)
    renewal: bool
    currency: Currency
    rounding: RoundingMode

    def number(self, name: str) -> int | None:
        """Return the fact *name* as the scaled number that rules read, None when it is unknown."""
        return self.facts[self.catalogue.place(name)]

    def fact(self, name: str) -> FactValue:
        """
        Return the fact *name* as a plain exact value, None when it is unknown.

        Money is `Money`, percentages (0 to 100) and ratios are `Decimal`, days and counts are whole
        numbers.
        """
        place = self.catalogue.place(name)
        number = self.facts[place]
        type_ = self.catalogue.facts[place].type
        if number is None:
            return None
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


Calculator: TypeAlias = (
    LimitsCalculator | FactorRateCalculator | SplitPercentageCalculator | TermCalculator
)
