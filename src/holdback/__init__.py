"""A rules engine for merchant financing: offers, acceptance, deals and renewals.

It does no I/O and reads no clock: time, identity and facts are arguments. Start with `Engine` in a
service, and with `load_jurisdictions` in a notebook.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from holdback import operations, wire
    from holdback.eligibility.assessment import Assessment
    from holdback.eligibility.reasons import Reason
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
    from holdback.exact.money import Money
    from holdback.jurisdictions import load_jurisdictions, load_language
    from holdback.jurisdictions.jurisdiction import Jurisdictions
    from holdback.lifecycle.configuration import Links
    from holdback.lifecycle.context import CheckResult, Context
    from holdback.lifecycle.offers.application import filled_application
    from holdback.lifecycle.operation import Outcome
    from holdback.merchant.acceptance import Acceptance, AcceptanceIds, BankDetails
    from holdback.merchant.application import Application, OffersRequest
    from holdback.merchant.deal import Deal
    from holdback.merchant.ledger import Entry
    from holdback.merchant.merchant import Merchant, OfferSet, Takings
    from holdback.merchant.offer import Offer
    from holdback.merchant.product import Product
    from holdback.merchant.profile import Profile
    from holdback.offers.calculator import (
        FactorRateCalculator,
        LimitsCalculator,
        SplitPercentageCalculator,
        TermCalculator,
    )
    from holdback.rulebooks.rulebook import Rulebook
    from holdback.rules.language import Language

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
    "Language",
    "LimitsCalculator",
    "Links",
    "Merchant",
    "Money",
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
    "load_language",
    "operations",
    "wire",
]

# A name is imported when it is first used, so that importing one module, such as `holdback.rules`,
# does not import all the others (decisions/layers).
_MODULES: Final = {
    "Acceptance": "merchant.acceptance",
    "AcceptanceIds": "merchant.acceptance",
    "Application": "merchant.application",
    "Assessment": "eligibility.assessment",
    "BankDetails": "merchant.acceptance",
    "CheckResult": "lifecycle.context",
    "ConfigurationError": "errors",
    "Context": "lifecycle.context",
    "Deal": "merchant.deal",
    "Engine": "engine",
    "Entry": "merchant.ledger",
    "FactorRateCalculator": "offers.calculator",
    "HistoryError": "errors",
    "HoldbackError": "errors",
    "InvalidDocument": "errors",
    "Jurisdictions": "jurisdictions.jurisdiction",
    "LimitsCalculator": "offers.calculator",
    "Language": "rules.language",
    "Links": "lifecycle.configuration",
    "Merchant": "merchant.merchant",
    "Money": "exact.money",
    "Offer": "merchant.offer",
    "OfferSet": "merchant.merchant",
    "OffersRequest": "merchant.application",
    "Outcome": "lifecycle.operation",
    "Product": "merchant.product",
    "Profile": "merchant.profile",
    "Reason": "eligibility.reasons",
    "Refusal": "errors",
    "RuleError": "errors",
    "Rulebook": "rulebooks.rulebook",
    "SplitPercentageCalculator": "offers.calculator",
    "StateError": "errors",
    "Takings": "merchant.merchant",
    "TermCalculator": "offers.calculator",
    "filled_application": "lifecycle.offers.application",
    "load_jurisdictions": "jurisdictions",
    "load_language": "jurisdictions",
}


def __getattr__(name: str) -> Any:
    if name in {"operations", "wire"}:
        return import_module(f"holdback.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'holdback' has no attribute {name!r}")
    value = getattr(import_module(f"holdback.{_MODULES[name]}"), name)
    globals()[name] = value  # the next use does not come here
    return value


def __dir__() -> list[str]:
    return list(__all__)
