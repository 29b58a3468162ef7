"""Prices: what a calculator of a host takes and gives.

`products.toml` names a calculator for each of limits, factor rate, split percentage and term, and
may name one for the discount of repaying early, `settlement`. Those that ship are in
`shipped_calculators`. A host's own implement one of the protocols here, and
`Engine(calculators=...)` registers them.
"""

from __future__ import annotations

from holdback.merchant.product import Limits
from holdback.offers.calculator import (
    FactorRateCalculator,
    LimitsCalculator,
    Percent,
    PricingCase,
    Ratio,
    SettlementCalculator,
    SettlementCase,
    SplitPercentageCalculator,
    Term,
    TermCalculator,
)
from holdback.offers.shipped_calculators import days_to_repay

__all__ = [
    "FactorRateCalculator",
    "Limits",
    "LimitsCalculator",
    "Percent",
    "PricingCase",
    "Ratio",
    "SettlementCalculator",
    "SettlementCase",
    "SplitPercentageCalculator",
    "Term",
    "TermCalculator",
    "days_to_repay",
]
