"""Limits: the smallest and the largest amount that a merchant may be offered."""

from __future__ import annotations

from typing import Any, ClassVar

from attrs import Attribute, field

from holdback.errors import InvalidValue
from holdback.exact.bounds import MOST_RATIO
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant.product import Limits
from holdback.offers.calculator import PricingCase, Ratio


def _above_zero(_: object, attribute: Attribute[Any], value: Any) -> None:
    if value is not None and value.minor <= 0:
        raise InvalidValue("out_of_range", f"`{attribute.name}` must be above zero")


def _multiple(_: object, __: object, multiple: Any) -> None:
    if not 0 < multiple <= MOST_RATIO:
        message = f"`multiple` must be above zero, and at most {MOST_RATIO}"
        raise InvalidValue("out_of_range", message)


def _in_order(calculator: FixedLimits | TakingsMultiple) -> None:
    if calculator.minimum > calculator.maximum:
        raise ValueError("`minimum` is above `maximum`")


@frozen(kw_only=True)
class FixedLimits:
    """The same `minimum` and `maximum` for every merchant; offers are whole multiples of `step`."""

    version: ClassVar[int] = 1

    minimum: Money = field(validator=_above_zero)
    maximum: Money
    step: Money | None = field(default=None, validator=_above_zero)

    def __attrs_post_init__(self) -> None:
        _in_order(self)

    @property
    def configured(self) -> Limits:
        """The configured bounds."""
        return Limits(minimum=self.minimum, maximum=self.maximum)

    def __call__(self, case: PricingCase) -> Limits:
        """Return the configured bounds."""
        return self.configured


@frozen(kw_only=True)
class TakingsMultiple:
    """
    A maximum of `multiple` times the average monthly takings, rounded down to a whole `step`.

    It is never above `maximum`, and `minimum` is fixed.
    """

    version: ClassVar[int] = 1

    minimum: Money = field(validator=_above_zero)
    maximum: Money
    multiple: Ratio = field(validator=_multiple)
    step: Money | None = field(default=None, validator=_above_zero)

    def __attrs_post_init__(self) -> None:
        _in_order(self)

    @property
    def configured(self) -> Limits:
        """The configured bounds."""
        return Limits(minimum=self.minimum, maximum=self.maximum)

    def __call__(self, case: PricingCase) -> Limits | None:
        """Return the bounds for the merchant's takings; None while these are unknown."""
        takings = case.number("average_monthly_takings")
        if takings is None:
            return None
        # Rounding down to a step keeps the offer within both the multiple and the maximum.
        most = min(case.times(Money(takings, case.currency), self.multiple), self.maximum)
        return Limits(minimum=self.minimum, maximum=floor_to(most, self.step))


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
