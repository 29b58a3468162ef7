"""The table of operations: for each its name, its input, its handler and its reply.

Everything that needs to know the operations reads this table: `decide` and `Engine` carry them out,
`holdback.wire` reads their inputs and writes their replies, `holdback run` and `holdback.testing`
call them by name. To add an operation, follow "Add a command" in `CONTRIBUTING.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, get_args

from holdback.eligibility.assessment import Assessment
from holdback.frozen_classes import frozen
from holdback.lifecycle import commands
from holdback.lifecycle.acceptance import accept_offer
from holdback.lifecycle.application_views import ask_applications, decline_offers
from holdback.lifecycle.bank_details import change_bank_details
from holdback.lifecycle.commands import Command, Question
from holdback.lifecycle.consents import record_consents
from holdback.lifecycle.decision import Decision
from holdback.lifecycle.early_settlement import settle_early, settlement_quote
from holdback.lifecycle.erasure import erase_profile
from holdback.lifecycle.evidence_recording import ask_evidence, record_evidence
from holdback.lifecycle.fulfilment import (
    close_application,
    fund_deal,
    record_signature,
    supply_details,
)
from holdback.lifecycle.holds import ask_holds, lift_hold, place_hold
from holdback.lifecycle.ledger_operations import (
    adjust,
    record_recovery,
    refund,
    transfer,
    write_off,
)
from holdback.lifecycle.lookup import assess_renewal, look_up, review_renewal
from holdback.lifecycle.offers import request_offers, required_checks
from holdback.lifecycle.referrals import ask_referrals, decide_referral
from holdback.lifecycle.remittances import (
    close_deal,
    record_remittance,
    record_takings,
    reinstate_deal,
)
from holdback.lifecycle.renewal_review import RenewalReview
from holdback.lifecycle.requoting import requote
from holdback.lifecycle.schedule_changes import change_terms, pause, resume
from holdback.lifecycle.statement import ask_statement
from holdback.lifecycle.unwinding import unwind_deal
from holdback.merchant.acceptance import Acceptance, ApplicationStatus
from holdback.merchant.application import Applications, Check, HeldEvidence, RequiredChecks
from holdback.merchant.deal import LookupDeal, MerchantLookup, Performance
from holdback.merchant.product import Offers
from holdback.merchant.receipt import (
    DealReceipt,
    ProfileStatus,
    RecordReceipt,
    SettlementQuote,
    TakingsReceipt,
)
from holdback.merchant.referral import Holds, Referrals
from holdback.merchant.statement import DealStatement, KindTotal, Statement, StatementLine

__all__ = [
    "COMMANDS",
    "ApplicationStatus",
    "Applications",
    "Check",
    "DealReceipt",
    "DealStatement",
    "HeldEvidence",
    "Holds",
    "KindTotal",
    "LookupDeal",
    "MerchantLookup",
    "Offers",
    "Performance",
    "ProfileStatus",
    "RecordReceipt",
    "Referrals",
    "RenewalReview",
    "Reply",
    "RequiredChecks",
    "SettlementQuote",
    "Statement",
    "StatementLine",
    "TakingsReceipt",
]

# A handler takes the merchant, the input, the context and the configuration; then the profile, if
# its operation does.
Handler: TypeAlias = Callable[..., Decision[Any]]

# What an operation replies with, which `wire.write` writes as JSON.
Reply: TypeAlias = (
    Offers
    | Acceptance
    | MerchantLookup
    | ApplicationStatus
    | DealReceipt
    | TakingsReceipt
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
    | Statement
)


@frozen(kw_only=True)
class Operation:
    """
    One operation of the service.

    `input` is the class of the command or question, whose attributes are the fields of the JSON
    input. With `by_provider` the input is the merchant's provider_id alone. A handler that
    `checks_evidence` itself does so because the evidence allowed depends on its request. An
    operation that `takes_profile` reads the merchant's profile and gives it back changed. One that
    is `remembered` replies to a repetition by its request id; offers and acceptances are recognised
    by their own ids. A change of renewal eligibility is announced with the events of an operation;
    one that `always_announces` does so without events too. A host that writes format 1 carries out
    what is `in_first_format`.
    """

    name: str
    input: type[Command | Question]
    handler: Handler
    reply: type[Reply]
    by_provider: bool = False
    always_announces: bool = False
    takes_profile: bool = False
    remembered: bool = False
    in_first_format: bool = True

    @property
    def is_question(self) -> bool:
        """Whether the operation changes nothing."""
        return self.input in get_args(Question)


_OPERATIONS: Final = (
    Operation(
        name="request_offers",
        input=commands.RequestOffers,
        handler=request_offers,
        reply=Offers,
        takes_profile=True,
    ),
    Operation(
        name="accept_offer",
        input=commands.AcceptOffer,
        handler=accept_offer,
        reply=Acceptance,
        takes_profile=True,
    ),
    Operation(
        name="supply_details",
        input=commands.SupplyDetails,
        handler=supply_details,
        reply=ApplicationStatus,
        takes_profile=True,
        remembered=True,
    ),
    Operation(
        name="close_application",
        input=commands.CloseApplication,
        handler=close_application,
        reply=ApplicationStatus,
        remembered=True,
    ),
    Operation(
        name="fund_deal",
        input=commands.FundDeal,
        handler=fund_deal,
        reply=DealReceipt,
        remembered=True,
    ),
    Operation(
        name="record_takings",
        input=commands.RecordTakings,
        handler=record_takings,
        reply=TakingsReceipt,
        remembered=True,
    ),
    Operation(
        name="record_remittance",
        input=commands.RecordRemittance,
        handler=record_remittance,
        reply=DealReceipt,
        remembered=True,
    ),
    Operation(
        name="close_deal",
        input=commands.CloseDeal,
        handler=close_deal,
        reply=DealReceipt,
        remembered=True,
    ),
    Operation(
        name="erase_profile",
        input=commands.EraseProfile,
        handler=erase_profile,
        reply=ProfileStatus,
        takes_profile=True,
    ),
    *(
        Operation(
            name=name,
            input=command,
            handler=handler,
            reply=reply,
            takes_profile=takes_profile,
            remembered=True,
            in_first_format=False,
        )
        for name, command, handler, reply, takes_profile in (
            ("record_evidence", commands.RecordEvidence, record_evidence, RecordReceipt, False),
            ("decide_referral", commands.DecideReferral, decide_referral, RecordReceipt, True),
            ("place_hold", commands.PlaceHold, place_hold, RecordReceipt, True),
            ("lift_hold", commands.LiftHold, lift_hold, RecordReceipt, False),
            ("decline_offers", commands.DeclineOffers, decline_offers, RecordReceipt, False),
            (
                "record_signature",
                commands.RecordSignature,
                record_signature,
                ApplicationStatus,
                False,
            ),
            (
                "change_bank_details",
                commands.ChangeBankDetails,
                change_bank_details,
                RecordReceipt,
                True,
            ),
            ("record_consents", commands.RecordConsents, record_consents, RecordReceipt, True),
            ("reinstate_deal", commands.ReinstateDeal, reinstate_deal, DealReceipt, False),
            ("refund", commands.Refund, refund, DealReceipt, False),
            ("transfer", commands.Transfer, transfer, DealReceipt, False),
            ("record_recovery", commands.RecordRecovery, record_recovery, DealReceipt, False),
            ("write_off", commands.WriteOff, write_off, DealReceipt, False),
            ("adjust", commands.Adjust, adjust, DealReceipt, False),
            ("unwind_deal", commands.UnwindDeal, unwind_deal, DealReceipt, False),
            ("pause", commands.PauseDeal, pause, DealReceipt, False),
            ("resume", commands.ResumeDeal, resume, DealReceipt, False),
            ("change_terms", commands.ChangeTerms, change_terms, DealReceipt, False),
            ("settle_early", commands.SettleEarly, settle_early, DealReceipt, False),
        )
    ),
    Operation(
        name="requote",
        input=commands.Requote,
        handler=requote,
        reply=Offers,
        in_first_format=False,
    ),
    Operation(
        name="review_renewal",
        input=commands.ReviewRenewal,
        handler=review_renewal,
        reply=RenewalReview,
        by_provider=True,
        always_announces=True,
    ),
    Operation(
        name="look_up",
        input=commands.LookUp,
        handler=look_up,
        reply=MerchantLookup,
        by_provider=True,
    ),
    Operation(
        name="assess_renewal",
        input=commands.AssessRenewal,
        handler=assess_renewal,
        reply=Assessment,
        by_provider=True,
    ),
    Operation(
        name="required_checks",
        input=commands.RequireChecks,
        handler=required_checks,
        reply=RequiredChecks,
    ),
    Operation(
        name="settlement_quote",
        input=commands.QuoteSettlement,
        handler=settlement_quote,
        reply=SettlementQuote,
    ),
    Operation(
        name="statement",
        input=commands.AskStatement,
        handler=ask_statement,
        reply=Statement,
    ),
    *(
        Operation(
            name=name,
            input=question,
            handler=handler,
            reply=reply,
            by_provider=True,
            takes_profile=takes_profile,
        )
        for name, question, handler, reply, takes_profile in (
            ("applications", commands.AskApplications, ask_applications, Applications, False),
            ("referrals", commands.AskReferrals, ask_referrals, Referrals, False),
            ("holds", commands.AskHolds, ask_holds, Holds, True),
            ("evidence", commands.AskEvidence, ask_evidence, HeldEvidence, False),
        )
    ),
)

OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType(
    {operation.name: operation for operation in _OPERATIONS}
)
"""The operations by name."""

# The names of the operations that may change a merchant.
COMMANDS: Final = tuple(name for name, operation in OPERATIONS.items() if not operation.is_question)

_BY_INPUT: Final[Mapping[type, Operation]] = MappingProxyType(
    {operation.input: operation for operation in _OPERATIONS}
)


def operation_of(command: Command | Question) -> Operation:
    """
    Return the operation that carries out *command*.

    Raises:
        TypeError: *command* is not an instance of a class in the table.
    """
    operation = _BY_INPUT.get(type(command))
    if operation is None:
        raise TypeError(f"expected a command or a question, not `{type(command).__name__}`")
    return operation
