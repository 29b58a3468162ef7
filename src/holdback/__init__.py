"""A rules engine for merchant financing: offers, acceptance, deals and renewals.

It does no I/O and reads no clock: time, identity and facts are arguments. Start with `Engine` in a
service, and with `load_jurisdictions` in a notebook.

Each name of this front door is fetched from its room when it is first asked for, so that importing one
room, such as `holdback.rules`, does not import the whole house.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from holdback import wire
    from holdback.eligibility import Assessment
    from holdback.engine import Engine, Outcome
    from holdback.errors import HoldbackError, InvalidDocument, Refusal, RuleError
    from holdback.jurisdictions.folder import load_jurisdictions
    from holdback.jurisdictions.jurisdiction import Jurisdictions
    from holdback.jurisdictions.rulebook import Rulebook
    from holdback.lifecycle.context import Context
    from holdback.model.acceptance import Acceptance, BankDetails
    from holdback.model.application import Application, OffersRequest
    from holdback.model.deal import Deal, Entry
    from holdback.model.merchant import Merchant, OfferSet, Takings
    from holdback.model.offer import Offer
    from holdback.model.product import Product
    from holdback.money import Money
    from holdback.offers.pricing_case import (
        FactorRateCalculator,
        LimitsCalculator,
        SplitPercentageCalculator,
        TermCalculator,
    )
    from holdback.ruleset import Reason

__all__ = [
    "Acceptance",
    "Application",
    "Assessment",
    "BankDetails",
    "Context",
    "Deal",
    "Engine",
    "Entry",
    "FactorRateCalculator",
    "HoldbackError",
    "InvalidDocument",
    "Jurisdictions",
    "LimitsCalculator",
    "Merchant",
    "Money",
    "Offer",
    "OfferSet",
    "OffersRequest",
    "Outcome",
    "Product",
    "Reason",
    "Refusal",
    "RuleError",
    "Rulebook",
    "SplitPercentageCalculator",
    "Takings",
    "TermCalculator",
    "load_jurisdictions",
    "wire",
]

_MODULES: Final = {
    "engine": ("Engine", "Outcome"),
    "errors": ("HoldbackError", "InvalidDocument", "Refusal", "RuleError"),
    "jurisdictions.folder": ("load_jurisdictions",),
    "jurisdictions.jurisdiction": ("Jurisdictions",),
    "jurisdictions.rulebook": ("Rulebook",),
    "lifecycle.context": ("Context",),
    "model.acceptance": ("Acceptance", "BankDetails"),
    "model.application": ("Application", "OffersRequest"),
    "model.deal": ("Deal", "Entry"),
    "model.merchant": ("Merchant", "OfferSet", "Takings"),
    "model.offer": ("Offer",),
    "model.product": ("Product",),
    "money": ("Money",),
    "offers.pricing_case": (
        "FactorRateCalculator",
        "LimitsCalculator",
        "SplitPercentageCalculator",
        "TermCalculator",
    ),
    "eligibility": ("Assessment",),
    "ruleset": ("Reason",),
}
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "wire":
        return import_module("holdback.wire")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'holdback' has no attribute {name!r}")
    value = getattr(import_module(f"holdback.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # asked for once only
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
