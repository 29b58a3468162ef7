"""The results of calculators, checked where they are made, and nowhere else.

A host's calculator is trusted with prices, and not with what the service promises of an offer: that
it can be stored, read back and replayed. So its results are checked as strictly as a partner's
document, by `bounds`; those of the built-in calculators are checked in the same way. What was
returned is not repeated, because it may follow from a merchant's figures.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from holdback.errors import ConfigurationError, ErrorDetail
from holdback.exact.bounds import (
    MOST_OFFERS,
    MOST_RATIO,
    MOST_SPLIT,
    MOST_TERM_DAYS,
    MOST_TERM_MONTHS,
    most_money,
)
from holdback.exact.exact_numbers import PERCENT_PLACES, RATIO_PLACES, divide, scaled
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.product import Limits
from holdback.offers.calculator import PricingCase, Term
from holdback.offers.registry import PriceableProduct

_LIMITS: Final = "limits"
_FACTOR_RATE: Final = "factor_rate"
_SPLIT_PERCENTAGE: Final = "split_percentage"
_TERM: Final = "term"

# The bounds in the scales of ratios and percentages.
_ONE: Final = 10**RATIO_PLACES
_MOST_RATE: Final = scaled(MOST_RATIO, RATIO_PLACES)
_MOST_PERCENT: Final = scaled(MOST_SPLIT, PERCENT_PLACES)
_MOST_MONTHS: Final = scaled(MOST_TERM_MONTHS, RATIO_PLACES)

_RATE_EXPECTED: Final = (
    f"a factor rate as a `Decimal`, at least 1 and at most {MOST_RATIO}, of at most "
    f"{RATIO_PLACES} decimals"
)
_SPLIT_EXPECTED: Final = (
    f"percentages as `Decimal`, above 0 and up to {MOST_SPLIT}, of at most {PERCENT_PLACES} "
    "decimals"
)
_TERM_EXPECTED: Final = (
    f"a `Term` of 1 to {MOST_TERM_DAYS} days as an `int`, and of more than 0 and at most "
    f"{MOST_TERM_MONTHS} months as a `Decimal` of at most {RATIO_PLACES} decimals"
)


@frozen
class Results:
    """
    The results of the calculators of *product* for *case*; None where a fact is unknown.

    Every method raises `ConfigurationError` for a result that no offer can have. The error names
    the calculator, the product and the jurisdiction, and says what was expected.
    """

    product: PriceableProduct
    case: PricingCase

    @property
    def configured(self) -> Limits:
        """The bounds in the file, reported for a merchant who gets no offers."""
        return self._limits(self.product.limits.configured, " as `configured`")

    @property
    def step(self) -> Money | None:
        """The amount of which every offer is a whole multiple, or None."""
        step = self.product.limits.step
        if step is not None and not self._is_amount(step, least=1):
            raise self._wrong(_LIMITS, step, f"{self._amounts_expected(1)}, as `step`")
        return step

    def limits(self) -> Limits | None:
        """Return the bounds of the amount."""
        limits = self._called(_LIMITS, self.product.limits)
        return None if limits is None else self._limits(limits)

    def repayment(self, funded: Money) -> tuple[Decimal, Money] | None:
        """Return the factor rate of the amount *funded*, and what is repaid with it."""
        rate = self._called(_FACTOR_RATE, self.product.factor_rate, funded)
        if rate is None:
            return None
        factor = _scaled(rate, RATIO_PLACES, _ONE, _MOST_RATE)
        if factor is None:
            raise self._wrong(_FACTOR_RATE, rate, _RATE_EXPECTED)
        # Above the most by part of a minor unit, it could be rounded to it.
        if funded.minor * factor > self._most * _ONE:
            most = Money(self._most, self.case.currency)
            expected = f"a factor rate with which at most {most} are repaid"
            raise self._wrong(_FACTOR_RATE, rate, expected)
        repaid = divide(funded.minor * factor, _ONE, self.case.rounding)
        return rate, Money(repaid, funded.currency)

    def split_percentages(self, repayment: Money) -> tuple[Decimal, ...] | None:
        """Return the split percentages of the amount *repayment*; () if it is unaffordable."""
        splits = self._called(_SPLIT_PERCENTAGE, self.product.split_percentage, repayment)
        if splits is None:
            return None
        most = MOST_OFFERS // len(self.product.terms.amounts)
        if type(splits) is not tuple or len(splits) > most:
            raise self._wrong_split(splits, most)
        for split in splits:
            if _scaled(split, PERCENT_PLACES, 1, _MOST_PERCENT) is None:
                raise self._wrong_split(split, most)
        return splits

    def term(self, repayment: Money, split: Decimal) -> Term | None:
        """Return the term in which *repayment* is expected to be repaid with the *split*."""
        term = self._called(_TERM, self.product.term, repayment, split)
        if term is None:
            return None
        # A `bool` is an `int` to `isinstance`.
        if type(term) is not Term or type(term.days) is not int:
            raise self._wrong(_TERM, term, _TERM_EXPECTED)
        months = _scaled(term.months, RATIO_PLACES, 1, _MOST_MONTHS)
        if months is None or not 1 <= term.days <= MOST_TERM_DAYS:
            raise self._wrong(_TERM, term, _TERM_EXPECTED)
        return term

    def _called(self, kind: str, calculator: Callable[..., Any], *arguments: object) -> Any:
        """Return what *calculator* returns; an exception of its own is the host's to repair."""
        try:
            return calculator(self.case, *arguments)
        except Exception as error:
            choice = getattr(self.product.terms, kind)
            # What it says is in the cause: it may follow from a merchant's figures.
            message = f"{self._named(kind)} failed with `{type(error).__name__}`"
            detail = ErrorDetail(code="wrong_result", message=message, **choice.place())
            raise ConfigurationError([detail]) from error

    def _named(self, kind: str) -> str:
        terms = self.product.terms
        return (
            f"the calculator `{kind}/{getattr(terms, kind).name}` of the product `{terms.key}` of "
            f"{terms.rules.jurisdiction}"
        )

    @property
    def _most(self) -> int:
        return most_money(self.case.currency)

    def _limits(self, limits: Any, where: str = "") -> Limits:
        if type(limits) is Limits:
            # A maximum below the minimum means no offers, and it may be computed.
            maximum, least = limits.maximum, -self._most
            if self._is_amount(limits.minimum, least=0) and self._is_amount(maximum, least=least):
                return limits
        expected = f"`Limits` of {self._amounts_expected(0)}{where}"
        raise self._wrong(_LIMITS, limits, expected)

    def _is_amount(self, amount: Any, *, least: int) -> bool:
        currency = self.case.currency
        return (
            type(amount) is Money
            and (amount.currency is currency or amount.currency == currency)
            and least <= amount.minor <= self._most
        )

    def _amounts_expected(self, least: int) -> str:
        currency = self.case.currency
        return f"`Money` in {currency}, {Money(least, currency)} to {Money(self._most, currency)}"

    def _wrong_split(self, result: object, most: int) -> ConfigurationError:
        return self._wrong(
            _SPLIT_PERCENTAGE, result, f"a tuple of at most {most} {_SPLIT_EXPECTED}"
        )

    def _wrong(self, kind: str, result: object, expected: str) -> ConfigurationError:
        choice = getattr(self.product.terms, kind)
        message = f"{self._named(kind)} returned something else than {expected}"
        hint = f"it was {_described(result)}"
        error = ErrorDetail(code="wrong_result", message=message, hint=hint, **choice.place())
        return ConfigurationError([error])


def _described(result: Any) -> str:
    """Return the type or the currency of *result*, and no value."""
    if type(result) is Limits:
        return f"`Limits` of {_described(result.minimum)} and {_described(result.maximum)}"
    if type(result) is Term:
        return f"a `Term` of {_described(result.days)} and {_described(result.months)}"
    return (
        f"`Money` in {result.currency}" if type(result) is Money else f"`{type(result).__name__}`"
    )


def _scaled(value: Any, places: int, least: int, most: int) -> int | None:
    """Return a `Decimal` scaled, if it is finite, of so few decimals and in range; else None."""
    if type(value) is not Decimal or not value.is_finite():
        return None
    return _in_range(value, places, least, most)


# As for `exact_numbers.scaled`.
@lru_cache(maxsize=1_024)
def _in_range(value: Decimal, places: int, least: int, most: int) -> int | None:
    try:
        number = scaled(value, places)
    except ValueError:
        return None
    return number if least <= number <= most else None
