"""A rules engine for merchant financing: offers, acceptance, deals and renewals.

It does no I/O and reads no clock: time, identity and facts are arguments. Start with `Engine` in a
service, and with `load_jurisdictions` in a notebook.
"""

from holdback import wire
from holdback.engine import Engine, Outcome
from holdback.errors import HoldbackError, InvalidDocument, Refusal, RuleError
from holdback.jurisdictions.folder import load_jurisdictions
from holdback.jurisdictions.rulebook import Jurisdictions, Rulebook
from holdback.lifecycle.setting import Context
from holdback.model.acceptance import Acceptance, BankDetails
from holdback.model.application import Application, OffersRequest
from holdback.model.deal import Deal, Entry
from holdback.model.merchant import Merchant, OfferSet, Takings
from holdback.model.offer import Offer
from holdback.model.product import Product
from holdback.money import Money
from holdback.offers.case import (
    FactorRateCalculator,
    LimitsCalculator,
    SplitPercentageCalculator,
    TermCalculator,
)
from holdback.renewal import Assessment
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
