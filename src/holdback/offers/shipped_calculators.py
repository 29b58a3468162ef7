"""The calculators that ship: split percentage, term, factor rate, limits and early settlement."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any, ClassVar

from attrs import Attribute, field

from holdback.errors import InvalidValue
from holdback.exact.bounds import (
    MOST_OFFERS,
    MOST_RATIO,
    MOST_SPLIT,
    MOST_TERM_DAYS,
    MOST_TERM_MONTHS,
)
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    plain,
    scaled,
    subtract,
    trimmed,
)
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.product import Limits
from holdback.offers.calculator import (
    DAYS_A_YEAR,
    MONTHS_A_YEAR,
    Percent,
    PricingCase,
    Ratio,
    SettlementCase,
    Term,
)
from holdback.offers.price_tables import PriceTable

# -- Terms: the time in which the financing is expected to be repaid.


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


def _check_choices(choices: tuple[Any, ...], noun: str, plural: str) -> None:
    """Refuse *choices* of a merchant that do not rise; *noun* and *plural* say what they are."""
    if not choices or list(choices) != sorted(set(choices)):
        raise ValueError(f"expected at least one {noun}, each above the one before")
    if len(choices) > MOST_OFFERS:
        raise InvalidValue("too_large", f"expected at most {MOST_OFFERS} {plural}")


def _terms(_: object, __: object, months: tuple[int, ...]) -> None:
    _check_choices(months, "number of months", "terms")
    for number in (months[0], months[-1]):
        check_months(_, __, number)


@frozen(kw_only=True)
class ChosenTerm:
    """
    The merchant chooses: offers for each term of `months`.

    The factor rate may depend on it, with `on = "term_months"` of `banded`. With `affordability`
    every term has the smallest split that repays within it, and is not offered where none does.
    """

    version: ClassVar[int] = 1

    months: tuple[int, ...] = field(validator=_terms)

    def __call__(
        self, case: PricingCase, repayment_amount: Money, split_percentage: Decimal
    ) -> Term:
        """Return the term that is priced."""
        assert case.term_months is not None, "every term is priced by itself"
        return Term.of_months(case.term_months)


# -- Split percentages: the shares of the takings that a merchant may choose from.


def _shares(_: object, __: object, choices: tuple[Decimal, ...]) -> None:
    _check_choices(choices, "percentage", "percentages")
    if choices[0] <= 0 or choices[-1] > MOST_SPLIT:
        raise InvalidValue("out_of_range", "expected percentages above 0% and up to 100%")


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

    Where the merchant chooses the term, it repays within this one too. When even the largest does
    not, the amount is not affordable and is not offered.
    """

    version: ClassVar[int] = 1

    choices: tuple[Percent, ...] = field(validator=_shares)
    longest_term_months: int = field(validator=check_months)

    def __call__(self, case: PricingCase, repayment_amount: Money) -> tuple[Decimal, ...] | None:
        """Return the smallest sufficient choice, or (); None while takings are unknown."""
        takings = case.number("average_monthly_takings")
        if takings is None:
            return None
        longest = min(self.longest_term_months, case.term_months or self.longest_term_months)
        # Without takings no split ever repays the amount. Choices ascend, so the first is smallest.
        for choice in self.choices if takings else ():
            days = days_to_repay(repayment_amount, takings, choice)
            if days * MONTHS_A_YEAR <= longest * DAYS_A_YEAR:
                return (choice,)
        return ()


@frozen(kw_only=True)
class TableSplit:
    """The split percentage of the row of a table, which has a column `split_percentage`."""

    version: ClassVar[int] = 1

    table: PriceTable

    def __call__(self, case: PricingCase, repayment_amount: Money) -> tuple[Decimal, ...] | None:
        """Return the percentage; None while it is unknown which row takes the merchant."""
        possible = self.table.possible(case)
        return (trimmed(possible.pop(), PERCENT_PLACES),) if len(possible) == 1 else None


# -- Factor rates, the cost of financing: `repayment_amount = funded_amount x factor_rate`.

_ONE = Decimal(1)
_NO_DISCOUNT = Ratio(Decimal(0))


def _discounted(rate: Decimal, discount: Decimal, case: PricingCase) -> Decimal:
    """Return *rate* less the discount of a renewal; a factor rate is never below 1."""
    return max(_ONE, subtract(rate, discount)) if case.renewal else rate


def _rate(_: object, __: object, rate: Any) -> None:
    if not _ONE <= rate <= MOST_RATIO:
        raise InvalidValue("out_of_range", f"a factor rate is at least 1 and at most {MOST_RATIO}")


def _discount(_: object, __: object, discount: Any) -> None:
    if not 0 <= discount <= MOST_RATIO:
        message = f"a renewal discount is not negative, and at most {MOST_RATIO}"
        raise InvalidValue("out_of_range", message)


@frozen(kw_only=True)
class FlatRate:
    """The same `rate` for everyone, less `renewal_discount` in a renewal."""

    version: ClassVar[int] = 1

    rate: Ratio = field(validator=_rate)
    renewal_discount: Ratio = field(default=_NO_DISCOUNT, validator=_discount)

    @property
    def highest(self) -> Decimal:
        """The highest rate that it can return."""
        return self.rate

    def __call__(self, case: PricingCase, funded_amount: Money) -> Decimal:
        """Return the factor rate."""
        return _discounted(self.rate, self.renewal_discount, case)


def _check_bands(
    bands: tuple[Any, ...], least: Decimal | None, has: str, shown: Callable[[Any], str]
) -> None:
    """
    Refuse *bands* whose bounds do not rise from *least* on, or whose last has one.

    A band *has* a rate or a percentage, and a bound that is wrong is *shown*.
    """
    if len(bands) > MOST_OFFERS:
        raise InvalidValue("too_large", f"expected at most {MOST_OFFERS} bands")
    if not bands or bands[-1].up_to is not None:
        raise ValueError(f"the last band has a {has} and no `up_to`")
    before: Any = least
    for place, band in enumerate(bands[:-1], start=1):
        if band.up_to is None or (before is not None and band.up_to <= before):
            raise ValueError(
                f"every band but the last has an `up_to`{'' if least is None else ' above 0%'}, "
                f"each above the one before, and band {place} has "
                f"{'none' if band.up_to is None else shown(band.up_to)}"
            )
        before = band.up_to


@frozen
class Band:
    """A band of a banded rate: values below `up_to`, a scaled number; None has no bound."""

    up_to: int | None
    rate: Ratio = field(validator=_rate)


@frozen(kw_only=True)
class BandedRate:
    """
    A rate by the band of the fact `on`, less `renewal_discount` in a renewal.

    With `on = "term_months"` it is by the term of `term/chosen`, in months.
    A band holds the values below its `up_to` that no earlier band holds; the last has no `up_to`.
    While the fact is unknown the highest rate applies: ignorance never makes financing cheaper.
    """

    version: ClassVar[int] = 1

    on: str
    bands: tuple[Band, ...] = field()
    renewal_discount: Ratio = field(default=_NO_DISCOUNT, validator=_discount)

    @bands.validator
    def _in_order(self, _: object, bands: tuple[Band, ...]) -> None:
        _check_bands(bands, None, "rate", lambda _: "a lower one or the same")

    @property
    def highest(self) -> Decimal:
        """The highest rate that it can return."""
        return max(band.rate for band in self.bands)

    def __call__(self, case: PricingCase, funded_amount: Money) -> Decimal:
        """Return the factor rate."""
        number = case.number(self.on)
        # Ignorance never makes financing cheaper (decisions/three-ideas).
        rate = self.highest if number is None else self.of(number)
        return _discounted(rate, self.renewal_discount, case)

    def of(self, number: int) -> Decimal:
        """Return the rate of the band that holds the scaled *number*."""
        for band in self.bands:
            if band.up_to is None or number < band.up_to:
                return band.rate
        raise AssertionError("the last band has no `up_to`")


@frozen(kw_only=True)
class TableRate:
    """
    The rate of the row of a table, less `renewal_discount` in a renewal.

    The table has a column `factor_rate`. A row may ask for the months of `term/chosen`, in a
    column `term_months`. While a fact is unknown, the highest rate applies of the rows that may
    take the merchant.
    """

    version: ClassVar[int] = 1

    table: PriceTable
    renewal_discount: Ratio = field(default=_NO_DISCOUNT, validator=_discount)

    @property
    def highest(self) -> Decimal:
        """The highest rate that it can return."""
        return trimmed(self.table.highest, RATIO_PLACES)

    def __call__(self, case: PricingCase, funded_amount: Money) -> Decimal | None:
        """Return the factor rate; None where no row takes the merchant."""
        # Ignorance never makes financing cheaper (decisions/three-ideas).
        highest = max(self.table.possible(case), default=None)
        rate = None if highest is None else trimmed(highest, RATIO_PLACES)
        return None if rate is None else _discounted(rate, self.renewal_discount, case)


# -- Limits: the smallest and the largest amount that a merchant may be offered.


def _above_zero(_: object, attribute: Attribute[Any], value: Any) -> None:
    if value is not None and value.minor <= 0:
        raise InvalidValue("out_of_range", f"`{attribute.name}` must be above zero")


def _multiple(_: object, __: object, multiple: Any) -> None:
    if not 0 < multiple <= MOST_RATIO:
        message = f"`multiple` must be above zero, and at most {MOST_RATIO}"
        raise InvalidValue("out_of_range", message)


@frozen(kw_only=True)
class _Bounds:
    """What both kinds of limits configure."""

    minimum: Money = field(validator=_above_zero)
    maximum: Money
    step: Money | None = field(default=None, validator=_above_zero)

    def __attrs_post_init__(self) -> None:
        if self.minimum > self.maximum:
            raise ValueError("`minimum` is above `maximum`")

    @property
    def configured(self) -> Limits:
        """The configured bounds."""
        return Limits(minimum=self.minimum, maximum=self.maximum)


@frozen(kw_only=True)
class FixedLimits(_Bounds):
    """The same `minimum` and `maximum` for every merchant; offers are whole multiples of `step`."""

    version: ClassVar[int] = 1

    def __call__(self, case: PricingCase) -> Limits:
        """Return the configured bounds."""
        return self.configured


@frozen(kw_only=True)
class TakingsMultiple(_Bounds):
    """
    A maximum of `multiple` times the average monthly takings, rounded down to a whole `step`.

    It is never above `maximum`, and `minimum` is fixed.
    """

    version: ClassVar[int] = 1

    multiple: Ratio = field(validator=_multiple)

    def __call__(self, case: PricingCase) -> Limits | None:
        """Return the bounds for the merchant's takings; None while these are unknown."""
        takings = case.number("average_monthly_takings")
        if takings is None:
            return None
        # Rounding down to a step keeps the offer within both the multiple and the maximum.
        most = min(case.times(Money(takings, case.currency), self.multiple), self.maximum)
        return Limits(minimum=self.minimum, maximum=floor_to(most, self.step))


@frozen(kw_only=True)
class TableLimits:
    """
    The maximum of the row of a table, which has a column `maximum`; `minimum` is fixed.

    While it is unknown which row takes the merchant, the product is referred. A row whose maximum
    is below `minimum` makes no offer.
    """

    version: ClassVar[int] = 1

    table: PriceTable
    minimum: Money = field(validator=_above_zero)
    step: Money | None = field(default=None, validator=_above_zero)

    def __attrs_post_init__(self) -> None:
        if self.minimum > self.maximum:
            raise ValueError("`minimum` is above the `maximum` of every row")

    @property
    def maximum(self) -> Money:
        """The largest maximum of a row."""
        return Money(self.table.highest, self.minimum.currency)

    @property
    def configured(self) -> Limits:
        """The bounds of all merchants together."""
        return Limits(minimum=self.minimum, maximum=self.maximum)

    def __call__(self, case: PricingCase) -> Limits | None:
        """Return the bounds; None while it is unknown which row takes the merchant."""
        possible = self.table.possible(case)
        if len(possible) != 1:
            return None
        return Limits(minimum=self.minimum, maximum=Money(possible.pop(), case.currency))


def floor_to(amount: Money, step: Money | None) -> Money:
    """
    Return *amount* rounded down to a whole multiple of *step*.

    >>> floor_to(Money.parse("GBP 1299.99"), Money.parse("GBP 100.00"))
    Money.parse('GBP 1200.00')
    """
    return (
        amount if step is None else Money(amount.minor // step.minor * step.minor, amount.currency)
    )


def ceil_to(amount: Money, step: Money | None) -> Money:
    """
    Return *amount* rounded up to a whole multiple of *step*.

    >>> ceil_to(Money.parse("GBP 1200.01"), Money.parse("GBP 100.00"))
    Money.parse('GBP 1300.00')
    """
    if step is None:
        return amount
    return Money(-(-amount.minor // step.minor) * step.minor, amount.currency)


# -- Discounts for repaying a deal early, as shares of the cost that is still in its balance.

_HUNDRED = 100


def _percentage(_: object, __: object, percentage: Any) -> None:
    if not 0 <= percentage <= _HUNDRED:
        raise InvalidValue("out_of_range", "a share of the remaining cost is from 0% to 100%")


@frozen(kw_only=True)
class PercentageOfCost:
    """The same `percentage` of the remaining cost, whenever the deal is repaid."""

    version: ClassVar[int] = 1

    percentage: Percent = field(validator=_percentage)

    def __call__(self, case: SettlementCase) -> Money:
        """Return the discount, rounded to minor units by the jurisdiction's rounding."""
        return case.of_remaining_cost(self.percentage)


@frozen
class SettlementBand:
    """A band: less than the share `up_to` of the term has elapsed; None has no bound."""

    up_to: Percent | None
    percentage: Percent = field(validator=_percentage)


@frozen(kw_only=True)
class BandsOfTerm:
    """
    A percentage of the remaining cost by the band of the elapsed part of the term.

    A band holds the parts below its `up_to` that no earlier band holds; the last has no `up_to`.
    The percentages do not rise: nobody gains by waiting.
    """

    version: ClassVar[int] = 1

    bands: tuple[SettlementBand, ...] = field()

    @bands.validator
    def _in_order(self, _: object, bands: tuple[SettlementBand, ...]) -> None:
        _check_bands(bands, Decimal(0), "percentage", lambda up_to: f"{plain(up_to)}%")
        for place, (first, second) in enumerate(pairwise(bands), start=2):
            if second.percentage > first.percentage:
                raise ValueError(
                    f"no band has a higher percentage than the one before, and band {place} has "
                    f"{plain(second.percentage)}% after {plain(first.percentage)}%"
                )

    def __call__(self, case: SettlementCase) -> Money:
        """Return the discount, rounded to minor units by the jurisdiction's rounding."""
        elapsed = case.elapsed_days * HUNDRED_PERCENT
        for band in self.bands:
            # Multiplied, not divided: the part of the term is compared exactly.
            if band.up_to is None or elapsed < scaled(band.up_to, PERCENT_PLACES) * case.term_days:
                return case.of_remaining_cost(band.percentage)
        raise AssertionError("the last band has no `up_to`")
