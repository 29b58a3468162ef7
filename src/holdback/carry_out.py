"""`carry_out`, typed: the reply to every command, and whether it takes the profile.

A test holds that the types agree with the table of operations.
"""

from __future__ import annotations

from typing import Any, overload

from holdback.eligibility.assessment import Assessment
from holdback.lifecycle.commands import (
    AcceptOffer,
    Adjust,
    AskApplications,
    AskEvidence,
    AskHolds,
    AskReferrals,
    AskStatement,
    AssessRenewal,
    ChangeBankDetails,
    ChangeTerms,
    CloseApplication,
    CloseDeal,
    Command,
    DecideReferral,
    DeclineOffers,
    EraseProfile,
    FundDeal,
    LiftHold,
    LookUp,
    PauseDeal,
    PlaceHold,
    Question,
    QuoteSettlement,
    RecordConsents,
    RecordEvidence,
    RecordRecovery,
    RecordRemittance,
    RecordSignature,
    RecordTakings,
    Refund,
    ReinstateDeal,
    RequestOffers,
    RequireChecks,
    Requote,
    ResumeDeal,
    ReviewRenewal,
    SettleEarly,
    SupplyDetails,
    Transfer,
    UnwindDeal,
    WriteOff,
)
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Outcome
from holdback.lifecycle.operations import Reply
from holdback.lifecycle.renewal_review import RenewalReview
from holdback.merchant.acceptance import Acceptance, ApplicationStatus
from holdback.merchant.application import Applications, HeldEvidence, RequiredChecks
from holdback.merchant.deal import MerchantLookup
from holdback.merchant.merchant import Merchant
from holdback.merchant.product import Offers
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import (
    DealReceipt,
    ProfileStatus,
    RecordReceipt,
    SettlementQuote,
    TakingsReceipt,
)
from holdback.merchant.referral import Holds, Referrals
from holdback.merchant.statement import Statement


class CarryOut:
    """The one method behind all methods of an engine."""

    __slots__ = ()

    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: RequestOffers,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[Offers]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AcceptOffer,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[Acceptance]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: SupplyDetails,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[ApplicationStatus]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: EraseProfile,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[ProfileStatus]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: CloseApplication,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[ApplicationStatus]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: FundDeal | RecordRemittance | CloseDeal,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[DealReceipt]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: RecordTakings,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[TakingsReceipt]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AssessRenewal,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[Assessment]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: Requote,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[Offers]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: QuoteSettlement,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[SettlementQuote]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AskStatement,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[Statement]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: LookUp,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[MerchantLookup]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: RequireChecks,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[RequiredChecks]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: DecideReferral | PlaceHold | ChangeBankDetails | RecordConsents,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[RecordReceipt]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: RecordEvidence | LiftHold | DeclineOffers,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[RecordReceipt]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: RecordSignature,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[ApplicationStatus]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: ReinstateDeal
        | Refund
        | Transfer
        | RecordRecovery
        | WriteOff
        | Adjust
        | UnwindDeal
        | PauseDeal
        | ResumeDeal
        | ChangeTerms
        | SettleEarly,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[DealReceipt]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: ReviewRenewal,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[RenewalReview]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AskApplications,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[Applications]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AskReferrals,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[Referrals]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AskHolds,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[Holds]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: AskEvidence,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[HeldEvidence]: ...
    @overload
    def carry_out(
        self,
        merchant: Merchant,
        command: Command | Question,
        context: Context,
        *,
        profile: Profile | None,
    ) -> Outcome[Reply]: ...
    def carry_out(
        self,
        merchant: Merchant,
        command: Command | Question,
        context: Context,
        *,
        profile: Profile | None = None,
    ) -> Outcome[Any]:
        """
        Carry out *command*, such as `wire.read_command` returns.

        A type checker knows the reply of each command. The other methods do the same, each for one
        operation with its arguments. The operations that take the *profile* say so in
        `lifecycle.operations.OPERATIONS`; for the others it is passed through.

        >>> from holdback import Engine, wire
        >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
        >>> context = Context(at=wire.read_timestamp("2026-07-06T09:00:00Z"), request_id="r-1")
        >>> engine = Engine.for_trial()
        >>> body, situation = b'{"application_id": "a-1"}', engine.situation(merchant, context)
        >>> command = wire.read_command("fund_deal", body, situation)
        >>> engine.carry_out(merchant, command, context)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        holdback.errors.Refusal: application_not_found: no accepted application has this ...

        Raises:
            Refusal, InvalidDocument, ConfigurationError: as the operation of the command.
            TypeError: the operation takes the profile, and none was given.
        """
        return self._carried_out(merchant, command, context, profile)

    def _carried_out(
        self,
        merchant: Merchant,
        command: Command | Question,
        context: Context,
        profile: Profile | None,
    ) -> Outcome[Any]:
        raise NotImplementedError  # abstract: each subclass has its own stages
