"""The operations: each a class with its input, its documentation, its reply and what it decides.

An engine carries them out: `engine.carry_out(merchant, FundDeal(application_id=...), context)`. The
module of each is in `lifecycle`; this one names them all, with the replies that `holdback` does not
export. Everything that needs to know the operations reads `OPERATIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from holdback.eligibility.assessment import Assessment
from holdback.lifecycle.deals.early_settlement import QuoteSettlement, SettleEarly
from holdback.lifecycle.deals.fees import ChargeFee, WaiveFee
from holdback.lifecycle.deals.fulfilment import (
    CloseApplication,
    FundDeal,
    RecordSignature,
    SupplyDetails,
)
from holdback.lifecycle.deals.ledger_operations import (
    Adjust,
    AskRefundable,
    RecordRecovery,
    Refund,
    Transfer,
    WaiveRest,
    WriteOff,
)
from holdback.lifecycle.deals.lookup import AssessRenewal, LookUp, RenewalReview, ReviewRenewal
from holdback.lifecycle.deals.plans import AgreePlan
from holdback.lifecycle.deals.remittances import (
    CloseDeal,
    RecordRemittance,
    RecordTakings,
    ReinstateDeal,
)
from holdback.lifecycle.deals.schedule_changes import ChangeTerms, PauseDeal, ResumeDeal
from holdback.lifecycle.deals.statement import AskStatement
from holdback.lifecycle.deals.suspense import ApplySuspense, RecordSuspense, ReturnSuspense
from holdback.lifecycle.deals.unwinding import QuoteUnwinding, ReturnPayout, UnwindDeal
from holdback.lifecycle.evidence.recording import AskEvidence, RecordEvidence
from holdback.lifecycle.offers.acceptance import AcceptOffer
from holdback.lifecycle.offers.application_views import (
    AskApplications,
    DeclineOffers,
    WithdrawOffers,
)
from holdback.lifecycle.offers.disclosing import Disclose
from holdback.lifecycle.offers.requests import RequestOffers, RequireChecks
from holdback.lifecycle.offers.requoting import Requote
from holdback.lifecycle.operation import (
    Command,
    Operation,
    PersonalCommand,
    PersonalQuestion,
    Question,
)
from holdback.lifecycle.people.bank_details import ChangeBankDetails
from holdback.lifecycle.people.consents import RecordConsents
from holdback.lifecycle.people.erasure import EraseProfile
from holdback.lifecycle.people.holds import AskHolds, LiftHold, PlaceHold
from holdback.lifecycle.people.rectification import RectifyProfile
from holdback.lifecycle.people.referrals import AskReferrals, DecideReferral
from holdback.merchant.acceptance import Acceptance, ApplicationStatus
from holdback.merchant.application import Applications, Check, HeldEvidence, RequiredChecks
from holdback.merchant.deal import LookupDeal, MerchantLookup, Performance
from holdback.merchant.disclosure import OfferDisclosure
from holdback.merchant.product import Offers
from holdback.merchant.receipt import (
    DealReceipt,
    ProfileStatus,
    RecordReceipt,
    Refundable,
    RefundableDeal,
    SettlementQuote,
    SuspenseReceipt,
    TakingsReceipt,
    UnwindQuote,
)
from holdback.merchant.referral import Holds, Referrals
from holdback.merchant.statement import DealStatement, KindTotal, Statement, StatementLine

__all__ = [
    "COMMANDS",
    "OPERATIONS",
    "AcceptOffer",
    "Adjust",
    "AgreePlan",
    "ApplicationStatus",
    "Applications",
    "ApplySuspense",
    "AskApplications",
    "AskEvidence",
    "AskHolds",
    "AskReferrals",
    "AskRefundable",
    "AskStatement",
    "AssessRenewal",
    "ChangeBankDetails",
    "ChangeTerms",
    "ChargeFee",
    "Check",
    "CloseApplication",
    "CloseDeal",
    "Command",
    "DealReceipt",
    "DealStatement",
    "DecideReferral",
    "DeclineOffers",
    "Disclose",
    "EraseProfile",
    "FundDeal",
    "HeldEvidence",
    "Holds",
    "KindTotal",
    "LiftHold",
    "LookUp",
    "LookupDeal",
    "MerchantLookup",
    "OfferDisclosure",
    "Offers",
    "Operation",
    "PauseDeal",
    "Performance",
    "PersonalCommand",
    "PersonalQuestion",
    "PlaceHold",
    "ProfileStatus",
    "Question",
    "QuoteSettlement",
    "QuoteUnwinding",
    "RecordConsents",
    "RecordEvidence",
    "RecordReceipt",
    "RecordRecovery",
    "RecordRemittance",
    "RecordSignature",
    "RecordSuspense",
    "RecordTakings",
    "RectifyProfile",
    "Referrals",
    "Refund",
    "Refundable",
    "RefundableDeal",
    "ReinstateDeal",
    "RenewalReview",
    "Reply",
    "RequestOffers",
    "RequireChecks",
    "RequiredChecks",
    "Requote",
    "ResumeDeal",
    "ReturnPayout",
    "ReturnSuspense",
    "ReviewRenewal",
    "SettleEarly",
    "SettlementQuote",
    "Statement",
    "StatementLine",
    "SupplyDetails",
    "SuspenseReceipt",
    "TakingsReceipt",
    "Transfer",
    "UnwindDeal",
    "UnwindQuote",
    "WaiveFee",
    "WaiveRest",
    "WithdrawOffers",
    "WriteOff",
]

# What an operation replies with, which `wire.write` writes as JSON.
Reply: TypeAlias = (
    Offers
    | Acceptance
    | MerchantLookup
    | ApplicationStatus
    | DealReceipt
    | TakingsReceipt
    | SuspenseReceipt
    | ProfileStatus
    | RequiredChecks
    | Assessment
    | RenewalReview
    | RecordReceipt
    | Applications
    | Referrals
    | Holds
    | HeldEvidence
    | SettlementQuote
    | UnwindQuote
    | Refundable
    | Statement
    | OfferDisclosure
)


# The operations by name.
OPERATIONS: Final[Mapping[str, type[Operation[Any]]]] = MappingProxyType(
    {
        operation.name: operation
        for operation in (
            RequestOffers,
            AcceptOffer,
            SupplyDetails,
            CloseApplication,
            FundDeal,
            RecordTakings,
            RecordRemittance,
            CloseDeal,
            EraseProfile,
            RecordEvidence,
            DecideReferral,
            PlaceHold,
            LiftHold,
            DeclineOffers,
            WithdrawOffers,
            RecordSignature,
            ChangeBankDetails,
            RectifyProfile,
            RecordConsents,
            ReinstateDeal,
            Refund,
            Transfer,
            RecordRecovery,
            WriteOff,
            WaiveRest,
            Adjust,
            UnwindDeal,
            ReturnPayout,
            RecordSuspense,
            ApplySuspense,
            ReturnSuspense,
            ChargeFee,
            WaiveFee,
            AgreePlan,
            PauseDeal,
            ResumeDeal,
            ChangeTerms,
            SettleEarly,
            Requote,
            Disclose,
            ReviewRenewal,
            LookUp,
            AssessRenewal,
            RequireChecks,
            QuoteSettlement,
            QuoteUnwinding,
            AskRefundable,
            AskStatement,
            AskApplications,
            AskReferrals,
            AskHolds,
            AskEvidence,
        )
    }
)

# The names of the operations that may change a merchant.
COMMANDS: Final = tuple(name for name, operation in OPERATIONS.items() if not operation.is_question)
