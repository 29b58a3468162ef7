"""Factor rates, the cost of financing: `repayment_amount = funded_amount x factor_rate`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from attrs import field

from holdback.errors import InvalidValue
from holdback.exact.bounds import MOST_OFFERS, MOST_RATIO
from holdback.exact.exact_numbers import subtract
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.offers.calculator import PricingCase, Ratio

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


@frozen
class Band:
    """A band of a banded rate: values below `up_to`, a scaled number; None has no bound."""

    up_to: int | None
    rate: Ratio = field(validator=_rate)


@frozen(kw_only=True)
class BandedRate:
    """
    A rate by the band of the fact `on`, less `renewal_discount` in a renewal.

    A band holds the values below its `up_to` that no earlier band holds; the last has no `up_to`.
    While the fact is unknown the highest rate applies: ignorance never makes financing cheaper.
    """

    version: ClassVar[int] = 1

    on: str
    bands: tuple[Band, ...] = field()
    renewal_discount: Ratio = field(default=_NO_DISCOUNT, validator=_discount)

    @bands.validator
    def _in_order(self, _: object, bands: tuple[Band, ...]) -> None:
        if len(bands) > MOST_OFFERS:
            raise InvalidValue("too_large", f"expected at most {MOST_OFFERS} bands")
        if not bands or bands[-1].up_to is not None:
            raise ValueError("the last band has a rate and no `up_to`")
        before = None
        for place, band in enumerate(bands[:-1], start=1):
            if band.up_to is None or (before is not None and band.up_to <= before):
                raise ValueError(
                    "every band but the last has an `up_to`, each above the one before, and band "
                    f"{place} has {'none' if band.up_to is None else 'a lower one or the same'}"
                )
            before = band.up_to

    @property
    def highest(self) -> Decimal:
        """The highest rate that it can return."""
        return max(band.rate for band in self.bands)

    def __call__(self, case: PricingCase, funded_amount: Money) -> Decimal:
        """Return the factor rate."""
        number = case.number(self.on)
        # Ignorance never makes financing cheaper (decisions/three-ideas).
        rate = self.highest if number is None else self._of(number)
        return _discounted(rate, self.renewal_discount, case)

    def _of(self, number: int) -> Decimal:
        for band in self.bands:
            if band.up_to is None or number < band.up_to:
                return band.rate
        raise AssertionError("the last band has no `up_to`")
