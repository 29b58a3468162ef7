"""
Estimates: the takings that are projected, and how far estimated rates were from those that came.

Rates are in percent and exact: a `Fraction` or an integer, never a float (10 CCR 930, 931 and 955;
23 NYCRR 600.4, 600.8, 600.9 and 600.22).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from statistics import median
from typing import Final

from holdback.errors import InvalidValue, did_you_mean, listed
from holdback.frozen_classes import frozen
from holdback.rules.types import Kind, Type

# A rate is accurate within these points of the exact one, or within this part of itself.
_POINTS: Final = Fraction(1, 8)
_POINTS_OF_IRREGULAR: Final = Fraction(1, 4)
_PERCENT_OF_ITSELF: Final = Fraction("2.5")

# Over how many of the last audits the mean spread is taken, and the most that it may be.
LIMITS_OF_AUDITS: Final = ((3, 15), (5, 10), (7, 5))
# Why a deal takes no part in an audit (10 CCR 931(a), 23 NYCRR 600.9); a flag says only whether.
LEFT_OUT_FOR: Final = ("litigated", "stopped", "modified")
_NUMBERS: Final = {"": "no", "0": "no", "0.0": "no", "1": "yes", "1.0": "yes"}
# The most that the mean spread of the last audits may be where one a year is enough.
_YEARLY: Final = (3, 5)


# -- takings from history


def months_used(
    months: Sequence[int],
    fixed: int,
    *,
    left_out: Collection[int] = (),
    highest: bool = False,
) -> tuple[int, ...]:
    """
    Return the places of the *months* of takings that are projected, which are the oldest first.

    They are the last *fixed* months; a younger merchant has fewer, and so has one whose oldest
    months were neither required nor received. With *highest*, they are the same number of months
    with the highest takings in the last twelve (23 NYCRR 600.8(b)(2)). *left_out* are the places
    of months to leave out: below the mean, for a cause that is unlikely to recur.

    >>> months_used([8_000, 12_000, 9_500, 11_000], 2, highest=True)
    (1, 3)

    Raises:
        InvalidValue: when no month is left, or one that is left out is not below the mean.
    """
    places: Sequence[int] = range(len(months))
    if highest:
        places = sorted(sorted(places[-12:], key=lambda place: months[place])[-fixed:])
    used = tuple(places[-fixed:])
    mean = Fraction(sum(months[place] for place in used), len(used) or 1)
    for place in left_out:
        if place not in used:
            raise InvalidValue("wrong_value", "a month that is left out is one of those in use")
        if months[place] >= mean:
            raise InvalidValue(
                "wrong_value",
                "only a month below the mean may be left out (10 CCR 930(b)(4)(A))",
            )
    kept = tuple(place for place in used if place not in left_out)
    if not kept:
        raise InvalidValue("wrong_value", "there is no month of which the takings are known")
    return kept


def mean_takings(
    months: Sequence[int],
    fixed: int,
    *,
    left_out: Collection[int] = (),
    highest: bool = False,
) -> Fraction:
    """
    Return the mean of monthly takings over the `months_used`.

    >>> mean_takings([8_000, 9_500, 11_000], 6)
    Fraction(9500, 1)
    """
    used = months_used(months, fixed, left_out=left_out, highest=highest)
    return Fraction(sum(months[place] for place in used), len(used))


# -- how accurate a rate is


def is_within_points(determined: Fraction, disclosed: Fraction, *, irregular: bool = False) -> bool:
    """
    Return whether a *disclosed* rate is within the points of Regulation Z of the *determined*.

    That is 1/8 of a point on both sides, and 1/4 where advances or payments are irregular
    (12 CFR 1026.22(a)).
    """
    return abs(determined - disclosed) <= points_of(irregular=irregular)


def points_of(*, irregular: bool) -> Fraction:
    """Return the points within which a rate is accurate."""
    return _POINTS_OF_IRREGULAR if irregular else _POINTS


def is_accurate(
    determined: Fraction, disclosed: Fraction, *, irregular: bool = False, both_sides: bool
) -> bool:
    """
    Return whether a *disclosed* rate is accurate, given the one *determined* from what came.

    It may be below by 1/8 of a point, 1/4 where advances or payments are irregular, or by 2.5
    percent of itself. With *both_sides*, as in New York, it may be above by no more either; its
    formula is signed, and is read as the absolute value (decisions/disclosures).
    """
    points = points_of(irregular=irregular)
    below = determined - disclosed
    if both_sides:
        below = abs(below)
    return below <= points or 100 * below <= _PERCENT_OF_ITSELF * disclosed


# -- audits


def spread(disclosed: Fraction, retrospective: Fraction) -> Fraction:
    """Return how much higher the rate of what came is, in percent of the disclosed one, signed."""
    return 100 * (retrospective - disclosed) / disclosed


@frozen
class Audit:
    """An audit of deals that were repaid: their *spread*, which is the median, and how many."""

    spread: Fraction
    deals: int


def audit(rates: Sequence[tuple[Fraction, Fraction]]) -> Audit:
    """
    Return the audit of the (disclosed, retrospective) *rates* of deals.

    The median of an even number is the mean of the two in the middle (decisions/disclosures).
    """
    if not rates:
        raise InvalidValue("wrong_value", "an audit has at least one deal")
    return Audit(median(spread(*pair) for pair in rates), len(rates))


def mean_spread(audits: Sequence[Audit]) -> Fraction:
    """Return the mean spread of *audits*, weighted by their deals."""
    deals = sum(audit.deals for audit in audits)
    return Fraction(sum(audit.spread * audit.deals for audit in audits)) / deals


def mean_spreads(audits: Sequence[Audit]) -> dict[int, Fraction | None]:
    """Return the mean spread of the last *audits* by their number, None where there are fewer."""
    return {
        number: mean_spread(audits[-number:]) if len(audits) >= number else None
        for number, _ in LIMITS_OF_AUDITS
    }


def why_left_out(text: str) -> str | None:
    """
    Return why a deal takes no part in an audit, or that it takes none; None where it does.

    >>> why_left_out("Stopped"), why_left_out("yes"), why_left_out("0")
    ('stopped', 'left out', None)

    Raises:
        InvalidValue: *text* is neither a reason nor a flag.
    """
    word = text.strip().casefold()
    if word in LEFT_OUT_FOR:
        return word
    flags = Type(Kind.FLAG).readings(_NUMBERS.get(word, word))
    if flags:
        return "left out" if flags == ("true",) else None
    wanted = did_you_mean(word, LEFT_OUT_FOR) or f"expected {listed(LEFT_OUT_FOR)}, or a flag"
    raise InvalidValue("wrong_value", f"this is not a reason to leave a deal out: {wanted}")


def is_barred(audits: Sequence[Audit]) -> bool:
    """
    Return whether these *audits*, the oldest first, bar a provider from its own projections.

    That is for 24 months, unless projections from history would have been worse (10 CCR 931(a)(5),
    23 NYCRR 600.9(i)). Fewer than three audits bar nobody.
    """
    return any(
        len(audits) >= number and mean_spread(audits[-number:]) > limit
        for number, limit in LIMITS_OF_AUDITS
    )


def may_audit_yearly(audits: Sequence[Audit]) -> bool:
    """Return whether California asks for an audit a year only: the last three are at most 5."""
    number, limit = _YEARLY
    return len(audits) >= number and mean_spread(audits[-number:]) <= limit


def mean_difference(rates: Iterable[tuple[int, Fraction, Fraction]], *, weighted: bool) -> Fraction:
    """
    Return the mean of actual less estimated rates, of (amount, estimated, actual).

    *weighted* is by the amounts. The rule gives no sign (23 NYCRR 600.22(b)(2)).
    """
    parts = [((amount if weighted else 1), actual - stated) for amount, stated, actual in rates]
    return Fraction(sum(weight * by for weight, by in parts)) / sum(weight for weight, _ in parts)
