"""What a host may ask for: one class per operation that changes a merchant (design 6)."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

from attrs import field, frozen

from holdback.model.acceptance import BankDetails
from holdback.model.application import OffersRequest
from holdback.model.deal import Entry
from holdback.model.merchant import Takings


@frozen(kw_only=True)
class RequestOffers:
    """Price offers for an application, initial or renewal (spec 4.1)."""

    request: OffersRequest


@frozen(kw_only=True)
class AcceptOffer:
    """Accept one offer on the merchant's behalf (spec 4.2)."""

    offer_id: str
    bank_details: BankDetails | None = field(default=None, repr=False)


@frozen(kw_only=True)
class SupplyDetails:
    """Supply what was omitted, so that the application can be submitted."""

    application_id: str
    bank_details: BankDetails | None = field(default=None, repr=False)
    intended_use_of_funds: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class CloseApplication:
    """End an application in fulfilment: `status` is `declined` or `withdrawn`."""

    application_id: str
    status: str


@frozen(kw_only=True)
class FundDeal:
    """Fund a submitted application: its deal begins; a renewal settles its base deal."""

    application_id: str


@frozen(kw_only=True)
class RecordTakings:
    """Record days of takings; they are complete up to `complete_through`, where that is given."""

    takings: tuple[Takings, ...]
    complete_through: date | None = None


@frozen(kw_only=True)
class RecordRemittance:
    """Record entries of a deal; its history is complete up to `complete_through`, where given."""

    deal_id: str
    entries: tuple[Entry, ...]
    complete_through: date | None = None


@frozen(kw_only=True)
class CloseDeal:
    """End the active deal: `status` is `defaulted` or `cancelled`."""

    deal_id: str
    status: str


@frozen(kw_only=True)
class ReviewRenewal:
    """Look again whether the deal may be renewed, and announce it when that has changed."""


Command: TypeAlias = (
    RequestOffers
    | AcceptOffer
    | SupplyDetails
    | CloseApplication
    | FundDeal
    | RecordTakings
    | RecordRemittance
    | CloseDeal
    | ReviewRenewal
)
