"""What a host may ask for: one class per operation that changes a merchant (design 6)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from holdback.errors import ErrorDetail, InvalidDocument, did_you_mean
from holdback.model.acceptance import BankDetails
from holdback.model.application import OffersRequest
from holdback.model.deal import CANCELLED, DEFAULTED, Entry
from holdback.model.merchant import (
    DECLINED_APPLICATION,
    WITHDRAWN_APPLICATION,
    Takings,
)
from holdback.model.validators import (
    day,
    each,
    instance_of,
    one_of,
    optional,
    plain_day,
    text,
)

# The words with which an application and a deal are ended (design 7a), and the deal's status then.
APPLICATION_ENDINGS: Final = (DECLINED_APPLICATION, WITHDRAWN_APPLICATION)
DEAL_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {"defaulted": DEFAULTED, "cancelled": CANCELLED}
)
# What may be omitted from a request for offers and supplied later.
DETAILS: Final = ("bank_details", "intended_use_of_funds")
_DETAILS = optional(instance_of(BankDetails, "bank details, `BankDetails`"))


@frozen(kw_only=True)
class RequestOffers:
    """Price offers for an application, initial or renewal (service 4.1)."""

    request: OffersRequest = field(validator=instance_of(OffersRequest, "a request for offers"))


@frozen(kw_only=True)
class AcceptOffer:
    """Accept one offer on the merchant's behalf (service 4.2)."""

    offer_id: str = field(validator=text)
    bank_details: BankDetails | None = field(default=None, repr=False, validator=_DETAILS)


@frozen(kw_only=True)
class SupplyDetails:
    """Supply what was omitted, so that the application can be submitted."""

    application_id: str = field(validator=text)
    bank_details: BankDetails | None = field(default=None, repr=False, validator=_DETAILS)
    intended_use_of_funds: str | None = field(default=None, repr=False, validator=optional(text))

    @classmethod
    def of(cls, application_id: str, details: Mapping[str, Any]) -> SupplyDetails:
        """
        The command that supplies the named *details*.

        Raises:
            InvalidDocument: a name that is not one of them, or a value that is not valid.
        """
        if not isinstance(details, Mapping):
            raise InvalidDocument.of("expected details by name", path="$.details")
        faults = [
            ErrorDetail(
                message="unknown detail",
                path=f"$.details.{str(name)[:60]}",
                hint=did_you_mean(str(name), DETAILS),
            )
            for name in details
            if name not in DETAILS
        ]
        if faults:
            raise InvalidDocument(faults)
        return cls(application_id=application_id, **details)


@frozen(kw_only=True)
class CloseApplication:
    """End an application in fulfilment: `status` is `declined` or `withdrawn`."""

    application_id: str = field(validator=text)
    status: str = field(validator=one_of(*APPLICATION_ENDINGS))


@frozen(kw_only=True)
class FundDeal:
    """Fund a submitted application: its deal begins; a renewal settles its base deal."""

    application_id: str = field(validator=text)


@frozen(kw_only=True)
class RecordTakings:
    """Record days of takings; they are complete up to `complete_through`, where that is given."""

    takings: tuple[Takings, ...] = field(validator=each(instance_of(Takings, "days of takings")))
    complete_through: date | None = field(
        default=None, converter=plain_day, validator=optional(day)
    )


@frozen(kw_only=True)
class RecordRemittance:
    """Record entries of a deal; its history is complete up to `complete_through`, where given."""

    deal_id: str = field(validator=text)
    entries: tuple[Entry, ...] = field(validator=each(instance_of(Entry, "entries")))
    complete_through: date | None = field(
        default=None, converter=plain_day, validator=optional(day)
    )


@frozen(kw_only=True)
class CloseDeal:
    """End the active deal: `status` is `defaulted` or `cancelled`."""

    deal_id: str = field(validator=text)
    status: str = field(validator=one_of(*DEAL_ENDINGS))


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
