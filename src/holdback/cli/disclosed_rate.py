"""Whether a rate that was disclosed is accurate, by the tolerance of a law."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.estimates import is_accurate, is_within_points, points_of
from holdback.exact.exact_json import Json
from holdback.exact.exact_numbers import PERCENT_PLACES
from holdback.frozen_classes import frozen
from holdback.rulebooks.regime import Regime
from holdback.rules.types import Kind, Type

# The bounds of a disclosed rate of four decimals have at most seven.
_PLACES: Final = 10
_SHOWN: Final = 2


@frozen(kw_only=True)
class RateCheck:
    """Whether a rate was `accurate`: what was `disclosed`, what was determined, the `tolerance`."""

    disclosed: str
    determined: str
    accurate: bool
    tolerance: str
    source: str

    def plain(self) -> dict[str, Json]:
        """Return it as plain values."""
        names = ("disclosed", "determined", "accurate", "tolerance", "source")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        verdict = "accurate" if self.accurate else "not accurate"
        return (
            f"The disclosed rate of {self.disclosed} is {verdict}: these payments have "
            f"{self.determined}.\nIt may be {self.tolerance} ({self.source})."
        )


def check_rate(
    disclosed: Fraction, rate: AnnualRate, regime: Regime | None, *, irregular: bool
) -> RateCheck:
    """Return whether *disclosed*, in percent, is accurate by a *regime*, or by Regulation Z."""
    # INVARIANT: rounded away from it, a rate is within a bound exactly where its root is.
    determined = Fraction(rate.percent(_PLACES, "up"))
    if determined <= disclosed:
        determined = Fraction(rate.percent(_PLACES, "down"))
    points = f"up to {points_of(irregular=irregular)} of a point"
    if regime is None:
        accurate = is_within_points(determined, disclosed, irregular=irregular)
        tolerance, source = f"{points} too low or too high", "12 CFR 1026.22(a)"
    else:
        both = regime.overstatement_counts
        accurate = is_accurate(determined, disclosed, irregular=irregular, both_sides=both)
        sides = "too low or too high" if both else "too low, and any number too high"
        tolerance, source = f"{points} or 2.5% of itself {sides}", regime.law
    return RateCheck(
        disclosed=Type(Kind.PERCENT).show(int(disclosed * 10**PERCENT_PLACES)),
        determined=f"{rate.percent(_SHOWN):,}%",
        accurate=accurate,
        tolerance=tolerance,
        source=source,
    )
