"""A rules engine for merchant financing: offers, acceptance, deals and renewals.

It does no I/O and reads no clock: time, identity and facts are arguments. Start with `Engine` in a
service, and with `load_jurisdictions` in a notebook.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from holdback import wire
    from holdback.eligibility import Assessment
    from holdback.engine import Engine
    from holdback.errors import (
        ConfigurationError,
        HistoryError,
        HoldbackError,
        InvalidDocument,
        Refusal,
        RuleError,
        StateError,
    )
    from holdback.jurisdictions.folder import load_jurisdictions
    from holdback.jurisdictions.jurisdiction import Jurisdictions
    from holdback.jurisdictions.rulebook import Rulebook
    from holdback.lifecycle.application import filled_application
    from holdback.lifecycle.check_results import CheckResult
    from holdback.lifecycle.configuration import Links
    from holdback.lifecycle.context import Context
    from holdback.lifecycle.decision import Outcome
    from holdback.model.acceptance import Acceptance, AcceptanceIds, BankDetails
    from holdback.model.application import Application, OffersRequest
    from holdback.model.deal import Deal
    from holdback.model.ledger import Entry, Movement
    from holdback.model.merchant import Merchant, OfferSet, Takings
    from holdback.model.offer import Offer
    from holdback.model.product import Product
    from holdback.model.profile import Profile
    from holdback.money import Money
    from holdback.offers.calculator import (
        FactorRateCalculator,
        LimitsCalculator,
        SplitPercentageCalculator,
        TermCalculator,
    )
    from holdback.reasons import Reason

__all__ = [
    "Acceptance",
    "AcceptanceIds",
    "Application",
    "Assessment",
    "BankDetails",
    "CheckResult",
    "ConfigurationError",
    "Context",
    "Deal",
    "Engine",
    "Entry",
    "FactorRateCalculator",
    "HistoryError",
    "HoldbackError",
    "InvalidDocument",
    "Jurisdictions",
    "LimitsCalculator",
    "Links",
    "Merchant",
    "Money",
    "Movement",
    "Offer",
    "OfferSet",
    "OffersRequest",
    "Outcome",
    "Product",
    "Profile",
    "Reason",
    "Refusal",
    "RuleError",
    "Rulebook",
    "SplitPercentageCalculator",
    "StateError",
    "Takings",
    "TermCalculator",
    "filled_application",
    "load_jurisdictions",
    "wire",
]

# A name is imported when it is first used, so that importing one module, such as `holdback.rules`,
# does not import all the others (decisions/layers).
_MODULES: Final = {
    "Acceptance": "model.acceptance",
    "AcceptanceIds": "model.acceptance",
    "Application": "model.application",
    "Assessment": "eligibility",
    "BankDetails": "model.acceptance",
    "CheckResult": "lifecycle.check_results",
    "ConfigurationError": "errors",
    "Context": "lifecycle.context",
    "Deal": "model.deal",
    "Engine": "engine",
    "Entry": "model.ledger",
    "FactorRateCalculator": "offers.calculator",
    "HistoryError": "errors",
    "HoldbackError": "errors",
    "InvalidDocument": "errors",
    "Jurisdictions": "jurisdictions.jurisdiction",
    "LimitsCalculator": "offers.calculator",
    "Links": "lifecycle.configuration",
    "Merchant": "model.merchant",
    "Money": "money",
    "Movement": "model.ledger",
    "Offer": "model.offer",
    "OfferSet": "model.merchant",
    "OffersRequest": "model.application",
    "Outcome": "lifecycle.decision",
    "Product": "model.product",
    "Profile": "model.profile",
    "Reason": "reasons",
    "Refusal": "errors",
    "RuleError": "errors",
    "Rulebook": "jurisdictions.rulebook",
    "SplitPercentageCalculator": "offers.calculator",
    "StateError": "errors",
    "Takings": "model.merchant",
    "TermCalculator": "offers.calculator",
    "filled_application": "lifecycle.application",
    "load_jurisdictions": "jurisdictions.folder",
}


def __getattr__(name: str) -> Any:
    if name == "wire":
        return import_module("holdback.wire")
    if name not in _MODULES:
        raise AttributeError(f"module 'holdback' has no attribute {name!r}")
    value = getattr(import_module(f"holdback.{_MODULES[name]}"), name)
    globals()[name] = value  # the next use does not come here
    return value


def __dir__() -> list[str]:
    return list(__all__)
