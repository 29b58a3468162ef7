"""
Disclosures: the figures that a law defines for an offer of financing from a merchant's takings.

Nothing here decides anything, and nothing here is advice: the figures are computed as the cited
sections say, and what they leave open is a choice that is named (decisions/disclosures).
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from holdback.disclosures.annual_rate import AnnualRate
    from holdback.disclosures.disclosure import Disclosure, Payoff, Projection, disclose
    from holdback.disclosures.figures import Financing, double_dipping
    from holdback.disclosures.offer_figures import takings_sensitivity
    from holdback.disclosures.projected_payments import Payment, ProjectedPayments, project

__all__ = [
    "AnnualRate",
    "Disclosure",
    "Financing",
    "Payment",
    "Payoff",
    "ProjectedPayments",
    "Projection",
    "disclose",
    "double_dipping",
    "project",
    "takings_sensitivity",
]

_MODULES: Final = MappingProxyType(
    {
        "annual_rate": ("AnnualRate",),
        "disclosure": ("Disclosure", "Payoff", "Projection", "disclose"),
        "figures": ("Financing", "double_dipping"),
        "offer_figures": ("takings_sensitivity",),
        "projected_payments": ("Payment", "ProjectedPayments", "project"),
    }
)


def __getattr__(name: str) -> Any:
    # Who reads a regime needs the names of its figures, and none of the rates.
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
