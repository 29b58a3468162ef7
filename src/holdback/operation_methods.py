"""The methods of an engine: one for each operation, with its arguments and its reply."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from holdback.carry_out import CarryOut
from holdback.eligibility import Assessment
from holdback.lifecycle.commands import (
    AcceptOffer,
    ApplicationEnding,
    AssessRenewal,
    CloseApplication,
    CloseDeal,
    DealEnding,
    Details,
    EraseProfile,
    FundDeal,
    LookUp,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    RequireChecks,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.lifecycle.context import Context
from holdback.lifecycle.decision import Outcome
from holdback.model.acceptance import (
    Acceptance,
    ApplicationStatus,
    BankDetails,
)
from holdback.model.application import OffersRequest, RequiredChecks
from holdback.model.deal import Entry, MerchantLookup
from holdback.model.merchant import Merchant, Takings
from holdback.model.product import Offers
from holdback.model.profile import Profile
from holdback.model.receipt import DealReceipt, ProfileStatus, TakingsReceipt


class OperationMethods(CarryOut):
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

    def review_renewal(self, merchant: Merchant, context: Context) -> Outcome[Assessment]:
        """
        Assess the renewal again, and announce a change of eligibility.

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


def _as_tuple(items: Iterable[Any]) -> tuple[Any, ...]:
    # What cannot be iterated over is passed on: the command's own validator names the error.
    return tuple(items) if isinstance(items, Iterable) else items
