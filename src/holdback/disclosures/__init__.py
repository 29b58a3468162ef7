"""
Disclosures: the figures that a law defines for an offer of financing from a merchant's takings.

Nothing here decides anything, and nothing here is advice: the figures are computed as the cited
sections say, and what they leave open is a choice that is named (decisions/disclosures).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdback.disclosures.annual_rate import AnnualRate
    from holdback.disclosures.disclosure import Disclosure, Payoff, ProjectionTerms, disclose
    from holdback.disclosures.figures import Financing, double_dipping
    from holdback.disclosures.figures_from_takings import takings_sensitivity
    from holdback.disclosures.projected_payments import Payment, ProjectedPayments, project

__all__ = [
    "AnnualRate",
    "Disclosure",
    "Financing",
    "Payment",
    "Payoff",
    "ProjectedPayments",
    "ProjectionTerms",
    "disclose",
    "double_dipping",
    "project",
    "takings_sensitivity",
]


def __getattr__(name: str) -> Any:
    # Who reads a regime needs the names of its figures, and none of the rates.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdback.disclosures import (  # noqa: PLC0415  # only where it is needed
        annual_rate,
        disclosure,
        figures,
        figures_from_takings,
        projected_payments,
    )

    modules = (annual_rate, projected_payments, disclosure, figures, figures_from_takings)
    return next(getattr(module, name) for module in modules if name in vars(module))
