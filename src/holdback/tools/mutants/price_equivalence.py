"""Proof that a changed figure of a product never decides a price, for calculators that ship.

Both proofs bound what the limits allow, so they hold of every application. About other figures, and
about calculators of a host, nothing is proved.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from holdback.errors import ConfigurationError
from holdback.exact.exact_numbers import (
    HUNDRED_PERCENT,
    PERCENT_PLACES,
    RATIO_PLACES,
    digits,
    plain_digits,
    scaled,
)
from holdback.offers.calculator import DAYS_A_YEAR, MONTHS_A_YEAR
from holdback.offers.registry import PriceableProduct
from holdback.offers.shipped_calculators import (
    Affordability,
    BandedRate,
    FixedLimits,
    FlatRate,
    TakingsMultiple,
)
from holdback.rulebooks.rulebook import ProductTerms, Rulebook
from holdback.tools.example_run import bound

_KINDS: Final = ("limits", "split_percentage", "factor_rate", "term", "settlement")


def why_priced_alike(
    before: ProductTerms, after: ProductTerms, first: Rulebook, second: Rulebook
) -> str | None:
    """
    Return why *after* in *second* makes the offers that *before* in *first* makes; None if unknown.

    Terms that are the same need no reason: it is empty.
    """
    changed = [kind for kind in _KINDS if getattr(before, kind) != getattr(after, kind)]
    if before.amounts == after.amounts and not changed:
        return ""
    try:
        old, new = bound(first, before.key), bound(second, after.key)
    except ConfigurationError:  # a calculator of a host
        return None
    if not changed:
        return _shares_below_minimum(old, new)
    if changed == ["split_percentage"] and before.amounts == after.amounts:
        return _choices_never_needed(old, new)
    return None


def _shares_below_minimum(old: PriceableProduct, new: PriceableProduct) -> str | None:
    """Return the reason where each changed share of the maximum is raised to the minimum."""
    limits = old.limits
    if not isinstance(limits, FixedLimits | TakingsMultiple):
        return None
    pairs = list(zip(old.terms.amounts, new.terms.amounts, strict=False))
    if len(old.terms.amounts) != len(new.terms.amounts):
        return None
    largest = max(share for pair in pairs if pair[0] != pair[1] for share in pair)
    # No merchant's maximum is above the configured one, and no minimum below it.
    if limits.maximum.minor * largest // HUNDRED_PERCENT > limits.minimum.minor:
        return None
    share = digits(largest, PERCENT_PLACES, 0)
    return (
        f"this never decides: {share}% of the largest maximum, {limits.maximum}, is not above the "
        f"minimum of {limits.minimum}, to which either share is raised"
    )


def _choices_never_needed(old: PriceableProduct, new: PriceableProduct) -> str | None:
    """Return the reason where a smaller percentage than the changed one always suffices."""
    before, after = old.split_percentage, new.split_percentage
    if not isinstance(before, Affordability) or not isinstance(after, Affordability):
        return None
    enough = _always_enough(old, before), _always_enough(new, after)
    if None in enough or enough[0] != enough[1]:
        return None
    place = enough[0]
    assert place is not None, "checked above"
    if before.choices[: place + 1] != after.choices[: place + 1]:
        return None
    # With another longest term a smaller choice could do where it did not.
    if place and before.longest_term_months != after.longest_term_months:
        return None
    months = min(before.longest_term_months, after.longest_term_months)
    return (
        "this never decides: the most that is offered is repaid from "
        f"{plain_digits(before.choices[place])}% of the takings within {months} months"
    )


def _always_enough(product: PriceableProduct, split: Affordability) -> int | None:
    """Return the place of the first choice with which every amount is affordable; None for none."""
    limits, rates = product.limits, product.factor_rate
    if not isinstance(limits, TakingsMultiple) or not isinstance(rates, FlatRate | BandedRate):
        return None
    multiple = Fraction(scaled(limits.multiple, RATIO_PLACES), 10**RATIO_PLACES)
    rate = Fraction(scaled(rates.highest, RATIO_PLACES), 10**RATIO_PLACES)
    if limits.minimum.minor <= 1:
        return None
    # In minor units: an offer is at most takings x multiple + 1, by rounding, and what is repaid at
    # most offer x rate + 1. The offer is at least the minimum, so the takings are not small.
    least_takings = (limits.minimum.minor - 1) / multiple
    most = multiple * rate + (rate + 1) / least_takings
    for place, choice in enumerate(split.choices):
        share = Fraction(scaled(choice, PERCENT_PLACES), HUNDRED_PERCENT)
        days = -(-most * DAYS_A_YEAR // (MONTHS_A_YEAR * share))
        if days * MONTHS_A_YEAR <= split.longest_term_months * DAYS_A_YEAR:
            return place
    return None
