"""Discounts for repaying a deal early, as shares of the cost that is still in its balance."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any, ClassVar

from attrs import field

from holdback.errors import InvalidValue
from holdback.exact.bounds import MOST_OFFERS
from holdback.exact.exact_numbers import HUNDRED_PERCENT, PERCENT_PLACES, plain, scaled
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.offers.calculator import Percent, SettlementCase

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
        if len(bands) > MOST_OFFERS:
            raise InvalidValue("too_large", f"expected at most {MOST_OFFERS} bands")
        if not bands or bands[-1].up_to is not None:
            raise ValueError("the last band has a percentage and no `up_to`")
        before = Decimal(0)
        for place, band in enumerate(bands[:-1], start=1):
            if band.up_to is None or band.up_to <= before:
                stated = "none" if band.up_to is None else f"{plain(band.up_to)}%"
                raise ValueError(
                    "every band but the last has an `up_to` above 0%, each above the one before, "
                    f"and band {place} has {stated}"
                )
            before = band.up_to
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
