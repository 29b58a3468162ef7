"""The commands and questions of the service, its events, and the values in its replies.

`Engine.carry_out` takes a command or a question; the other methods of `Engine` make one from their
arguments. What happens then is decided by `decide` and applied by `evolve`, in modules of the same
names, which are private (decisions/three-ideas).
"""

from __future__ import annotations

from holdback.lifecycle.commands import (
    AcceptOffer,
    AssessRenewal,
    CloseApplication,
    CloseDeal,
    Command,
    FundDeal,
    LookUp,
    Question,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    RequireChecks,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.lifecycle.events import (
    ApplicationClosed,
    ApplicationSubmitted,
    DealClosed,
    DealFunded,
    DealRenewed,
    DealReopened,
    DealRepaid,
    DetailsSupplied,
    Event,
    FilledApplication,
    OfferAccepted,
    OffersIssued,
    RemittancesRecorded,
    RenewalEligibilityChanged,
    TakingsRecorded,
)
from holdback.model.acceptance import ApplicationStatus
from holdback.model.application import Check, RequiredChecks
from holdback.model.deal import LookupDeal, MerchantLookup, Performance
from holdback.model.merchant import TakingsHeld
from holdback.model.product import Offers

__all__ = [
    "AcceptOffer",
    "ApplicationClosed",
    "ApplicationStatus",
    "ApplicationSubmitted",
    "AssessRenewal",
    "Check",
    "CloseApplication",
    "CloseDeal",
    "Command",
    "DealClosed",
    "DealFunded",
    "DealRenewed",
    "DealReopened",
    "DealRepaid",
    "DetailsSupplied",
    "Event",
    "FilledApplication",
    "FundDeal",
    "LookUp",
    "LookupDeal",
    "MerchantLookup",
    "OfferAccepted",
    "Offers",
    "OffersIssued",
    "Performance",
    "Question",
    "RecordRemittance",
    "RecordTakings",
    "RemittancesRecorded",
    "RenewalEligibilityChanged",
    "RequestOffers",
    "RequireChecks",
    "RequiredChecks",
    "ReviewRenewal",
    "SupplyDetails",
    "TakingsHeld",
    "TakingsRecorded",
]
