"""The methods of an engine: one for each operation, with its arguments and its reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from holdback.eligibility.assessment import Assessment
from holdback.lifecycle.check_results import CheckResult
from holdback.lifecycle.commands import (
    AcceptOffer,
    ApplicationEnding,
    AskApplications,
    AskEvidence,
    AskHolds,
    AskReferrals,
    AssessRenewal,
    ChangeBankDetails,
    CloseApplication,
    CloseDeal,
    DealEnding,
    DecideReferral,
    DeclineOffers,
    Details,
    EraseProfile,
    FundDeal,
    LiftHold,
    LookUp,
    PlaceHold,
    RecordConsents,
    RecordEvidence,
    RecordRemittance,
    RecordSignature,
    RecordTakings,
    ReinstateDeal,
    RequestOffers,
    RequireChecks,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Outcome
from holdback.lifecycle.renewal_review import RenewalReview
from holdback.merchant.acceptance import (
    Acceptance,
    ApplicationStatus,
    BankDetails,
)
from holdback.merchant.application import (
    Applications,
    HeldEvidence,
    OffersRequest,
    RequiredChecks,
)
from holdback.merchant.deal import MerchantLookup
from holdback.merchant.ledger import Entry
from holdback.merchant.merchant import Merchant, Takings
from holdback.merchant.product import Offers
from holdback.merchant.profile import Profile
from holdback.merchant.receipt import DealReceipt, ProfileStatus, RecordReceipt, TakingsReceipt
from holdback.merchant.referral import Holds, ReferralEnding, Referrals
from holdback.money_methods import MoneyMethods


class OperationMethods(MoneyMethods):
    """
    The operations of the service as methods, each of which makes its command.

    Every one takes the merchant, the arguments of the operation and the context, in this order.
    Optional arguments follow the context; give them by keyword.
    """

    __slots__ = ()

    def request_offers(
        self,
        merchant: Merchant,
        request: OffersRequest,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[Offers]:
        """
        Price offers for an application, initial or renewal (service 4.1).

        Raises:
            Refusal: `merchant_not_found`, `no_deal_to_renew`, `active_deal`, `currency_mismatch`,
                `application_in_fulfilment`, `request_conflict`, `not_possible_now`.
            ConfigurationError: the evidence is invalid.
        """
        return self.carry_out(merchant, RequestOffers(request=request), context, profile=profile)

    def accept_offer(
        self,
        merchant: Merchant,
        offer_id: str,
        context: Context,
        bank_details: BankDetails | None = None,
        *,
        profile: Profile,
    ) -> Outcome[Acceptance]:
        """
        Accept one offer (service 4.2); a retry gets the same reply, even after the expiry.

        Raises:
            Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`,
                `active_deal`.
        """
        command = AcceptOffer(offer_id=offer_id, bank_details=bank_details)
        return self.carry_out(merchant, command, context, profile=profile)

    def supply_details(
        self,
        merchant: Merchant,
        application_id: str,
        details: Details,
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[ApplicationStatus]:
        """
        Supply details that were omitted: `bank_details`, `intended_use_of_funds`, or both.

        With bank details the application is submitted.

        Raises:
            Refusal: `application_not_found`, `not_possible_now`, `request_conflict`.
            InvalidDocument: the details are invalid.
        """
        command = SupplyDetails.of(application_id, details)
        return self.carry_out(merchant, command, context, profile=profile)

    def close_application(
        self,
        merchant: Merchant,
        application_id: str,
        status: ApplicationEnding,
        context: Context,
    ) -> Outcome[ApplicationStatus]:
        """
        End an application in fulfilment without a deal.

        Raises:
            Refusal: `application_not_found`, `not_possible_now`.
        """
        command = CloseApplication(application_id=application_id, status=status)
        return self.carry_out(merchant, command, context)

    def fund_deal(
        self, merchant: Merchant, application_id: str, context: Context
    ) -> Outcome[DealReceipt]:
        """
        Fund a submitted application; a renewal settles its base deal at the same time.

        Raises:
            Refusal: `application_not_found`, `not_possible_now`, `active_deal`.
        """
        return self.carry_out(merchant, FundDeal(application_id=application_id), context)

    def record_takings(
        self,
        merchant: Merchant,
        takings: Iterable[Takings],
        context: Context,
        *,
        complete_through: date | None = None,
    ) -> Outcome[TakingsReceipt]:
        """
        Record days of takings, complete up to *complete_through* where it is given.

        Raises:
            InvalidDocument: an amount or a day is invalid.
        """
        command = RecordTakings(takings=_as_tuple(takings), complete_through=complete_through)
        return self.carry_out(merchant, command, context)

    def record_remittance(
        self,
        merchant: Merchant,
        deal_id: str,
        entries: Entry | Iterable[Entry],
        context: Context,
        *,
        complete_through: date | None = None,
    ) -> Outcome[DealReceipt]:
        """
        Record entries of a deal, complete up to *complete_through* where it is given.

        Raises:
            Refusal: `deal_not_found`, `request_conflict`.
            InvalidDocument: naming everything that is invalid in every entry.
        """
        command = RecordRemittance(
            deal_id=deal_id,
            entries=(entries,) if isinstance(entries, Entry) else _as_tuple(entries),
            complete_through=complete_through,
        )
        return self.carry_out(merchant, command, context)

    def close_deal(
        self, merchant: Merchant, deal_id: str, status: DealEnding, context: Context
    ) -> Outcome[DealReceipt]:
        """
        End the active deal early.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`.
        """
        return self.carry_out(merchant, CloseDeal(deal_id=deal_id, status=status), context)

    def erase_profile(
        self, merchant: Merchant, context: Context, *, profile: Profile
    ) -> Outcome[ProfileStatus]:
        """
        Erase the merchant's personal data and withdraw its open offers; decisions stay whole.

        Raises:
            Refusal: `erasure_not_possible`; `not_possible_now` while format 1 is written.
        """
        return self.carry_out(merchant, EraseProfile(), context, profile=profile)

    def reinstate_deal(
        self, merchant: Merchant, deal_id: str, context: Context
    ) -> Outcome[DealReceipt]:
        """
        Undo a default that was recorded by mistake; the deal is active again.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`, `active_deal`.
        """
        return self.carry_out(merchant, ReinstateDeal(deal_id=deal_id), context)

    def record_evidence(
        self, merchant: Merchant, records: Iterable[CheckResult], context: Context
    ) -> Outcome[RecordReceipt]:
        """
        Record results of checks, whenever they were made: the newest of each check counts.

        Raises:
            Refusal: `request_conflict`, another result of a check at the same instant.
            InvalidDocument: naming every check, fact and value that cannot be recorded.
        """
        return self.carry_out(merchant, RecordEvidence(records=_as_tuple(records)), context)

    def decide_referral(  # noqa: PLR0913 - what a person's decision says
        self,
        merchant: Merchant,
        application_id: str,
        product: str,
        decision: ReferralEnding,
        context: Context,
        *,
        by: str,
        note: str | None = None,
        until: datetime | None = None,
        profile: Profile,
    ) -> Outcome[RecordReceipt]:
        """
        Approve or decline a product that was referred; `referrals` lists what is to be decided.

        An approval lifts referring rules alone, for this product and this base deal, until *until*,
        or for the `approval_days` of the jurisdiction. The partner then asks again.

        Raises:
            Refusal: `referral_not_found`, `not_possible_now`, `profile_erased`.
            InvalidDocument: *until* is not after now.
        """
        command = DecideReferral(
            application_id=application_id,
            product=product,
            decision=decision,
            by=by,
            note=note,
            until=until,
        )
        return self.carry_out(merchant, command, context, profile=profile)

    def place_hold(  # noqa: PLR0913 - what a hold says
        self,
        merchant: Merchant,
        code: str,
        context: Context,
        *,
        by: str,
        note: str | None = None,
        profile: Profile,
    ) -> Outcome[RecordReceipt]:
        """Hold the merchant: nothing is offered, accepted or funded; no partner sees why."""
        command = PlaceHold(code=code, by=by, note=note)
        return self.carry_out(merchant, command, context, profile=profile)

    def lift_hold(
        self, merchant: Merchant, code: str, context: Context, *, by: str
    ) -> Outcome[RecordReceipt]:
        """Lift the hold with this code."""
        return self.carry_out(merchant, LiftHold(code=code, by=by), context)

    def decline_offers(
        self, merchant: Merchant, application_id: str, context: Context
    ) -> Outcome[RecordReceipt]:
        """Decline the open offers of an application; it raises as `accept_offer`."""
        return self.carry_out(merchant, DeclineOffers(application_id=application_id), context)

    def record_signature(
        self, merchant: Merchant, application_id: str, document: str, digest: str, context: Context
    ) -> Outcome[ApplicationStatus]:
        """
        Record that the merchant signed the contract, *document* with its *digest*.

        Raises:
            Refusal: `application_not_found`, `not_possible_now`.
        """
        command = RecordSignature(application_id=application_id, document=document, digest=digest)
        return self.carry_out(merchant, command, context)

    def change_bank_details(
        self, merchant: Merchant, bank_details: BankDetails, context: Context, *, profile: Profile
    ) -> Outcome[RecordReceipt]:
        """
        Correct the bank details of the application in fulfilment, or change those that are held.

        Raises:
            InvalidDocument: naming every field that is missing or not taken.
            Refusal: `not_possible_now`, `profile_erased`.
        """
        command = ChangeBankDetails(bank_details=bank_details)
        return self.carry_out(merchant, command, context, profile=profile)

    def record_consents(
        self,
        merchant: Merchant,
        consents: Mapping[str, bool],
        context: Context,
        *,
        profile: Profile,
    ) -> Outcome[RecordReceipt]:
        """
        Record consents that the merchant gave or withdrew, by name; the others stay.

        Raises:
            Refusal: `merchant_not_found`, `not_possible_now`, `profile_erased`.
        """
        return self.carry_out(merchant, RecordConsents(consents=consents), context, profile=profile)

    def review_renewal(self, merchant: Merchant, context: Context) -> Outcome[RenewalReview]:
        """
        Assess the renewal again, announce a change of eligibility, and name the checks it lacks.

        Raises:
            Refusal: `no_deal_to_renew`.
        """
        return self.carry_out(merchant, ReviewRenewal(), context)

    def assess_renewal(self, merchant: Merchant, context: Context) -> Outcome[Assessment]:
        """
        Return the assessment of the deal that a renewal would be based on; nothing changes.

        Raises:
            Refusal: `no_deal_to_renew`.
        """
        return self.carry_out(merchant, AssessRenewal(), context)

    def look_up(self, merchant: Merchant, context: Context) -> Outcome[MerchantLookup]:
        """Return the merchant's deals, none before the first funding (service 4.3)."""
        return self.carry_out(merchant, LookUp(), context)

    def required_checks(
        self, merchant: Merchant, request: OffersRequest, context: Context
    ) -> Outcome[RequiredChecks]:
        """
        Return the checks to carry out before this request for offers; nothing changes.

        Raises:
            Refusal: as `request_offers`.
        """
        return self.carry_out(merchant, RequireChecks(request=request), context)

    def applications(self, merchant: Merchant, context: Context) -> Outcome[Applications]:
        """Return the merchant's applications, as its partner may see them."""
        return self.carry_out(merchant, AskApplications(), context)

    def referrals(self, merchant: Merchant, context: Context) -> Outcome[Referrals]:
        """Return what a person has to decide, and what was decided and holds; for agents."""
        return self.carry_out(merchant, AskReferrals(), context)

    def holds(self, merchant: Merchant, context: Context, *, profile: Profile) -> Outcome[Holds]:
        """Return the holds of the merchant with their notes; for agents."""
        return self.carry_out(merchant, AskHolds(), context, profile=profile)

    def evidence(self, merchant: Merchant, context: Context) -> Outcome[HeldEvidence]:
        """Return the newest record of each check, its age, and whether it counts; for agents."""
        return self.carry_out(merchant, AskEvidence(), context)


def _as_tuple(items: Iterable[Any]) -> tuple[Any, ...]:
    # What cannot be iterated over is passed on: the command's own validator names the error.
    return tuple(items) if isinstance(items, Iterable) else items
