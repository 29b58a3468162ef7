"""The documents of format 1, as the first version of holdback wrote and read them.

These classes never change, because hosts have stored such documents: their fields, in their order,
are the form. What a class of the model gains or loses later is settled in `upcast` and `downcast`.
None has a `repr`, because most hold personal data.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType, NoneType
from typing import Any, Final, TypeAlias

from attrs import Attribute, field
from pendulum import DateTime

from holdback.errors import ErrorDetail, InvalidDocument
from holdback.exact.exact_json import Json, Opaque, field_path
from holdback.exact.money import Money
from holdback.frozen_classes import frozen
from holdback.merchant import validators
from holdback.merchant.validators import optional, text


@frozen(kw_only=True, repr=False)
class Offer:
    """One offer of a product."""

    offer_id: str
    offer_status: str = "Eligible"
    description: str
    split_percentage: Decimal
    term_length: Decimal
    term_days: int
    repayment_amount: Money
    funded_amount: Money
    factor_rate: Decimal


@frozen(kw_only=True, repr=False)
class Limits:
    """The bounds of a product's amount."""

    minimum: Money
    maximum: Money


@frozen(kw_only=True, repr=False)
class Product:
    """A product with its decision and its offers."""

    product_id: str
    key: str
    name: str
    description: str
    decision: str
    repayment_mechanism: str
    limits: Limits
    offers: tuple[Offer, ...] = ()


@frozen(kw_only=True, repr=False)
class Application:
    """The application block of a request for offers."""

    merchant_id: str = field(validator=text)
    currency: str = field(validator=text)
    provider_id: str | None = field(default=None, validator=optional(text))
    intended_use_of_funds: str | None = field(default=None, validator=optional(text))


@frozen(kw_only=True, repr=False)
class OffersRequest:
    """A request for offers; an initial application has the full profile, a renewal none of it."""

    application: Application
    consents: Opaque | None = None
    applicants: Opaque | None = None
    company: Opaque | None = None

    def __attrs_post_init__(self) -> None:
        errors = [
            ErrorDetail(code="contradiction", message=_PROFILE, path=f"$.{name}")
            for name in ("consents", "applicants", "company")
            if (getattr(self, name) is None) is not self.renewal
        ]
        if errors:
            raise InvalidDocument(errors)

    @property
    def renewal(self) -> bool:
        """Whether this is a renewal."""
        return self.application.provider_id is not None


def _plain_values(_: object, attribute: Attribute[Any], values: Mapping[str, Json]) -> None:
    for name, value in values.items():
        if type(value) not in {str, int, bool, Decimal, NoneType}:
            path = field_path(f"$.{attribute.name}", name)
            raise InvalidDocument.of("wrong_type", "expected one plain value", path=path)


_PROFILE: Final = "an initial application carries the full profile, and a renewal none of it"


@frozen(kw_only=True, repr=False)
class OfferSet:
    """The products and offers issued together on one request."""

    request_id: str
    application_id: str
    request: OffersRequest
    issued_at: DateTime
    issued_on: date
    expires_at: DateTime
    products: tuple[Product, ...]
    digest: str
    base_deal_id: str | None = None
    evidence: Mapping[str, Json] = field(factory=dict, validator=_plain_values)


@frozen(kw_only=True, repr=False)
class BankDetails:
    """Where the funds go."""

    account_number: str | None = field(default=None, validator=optional(text))
    bank_name: str | None = field(default=None, validator=optional(text))
    account_type: str | None = field(default=None, validator=optional(text))
    sort_code: str | None = field(default=None, validator=optional(text))


@frozen(kw_only=True, repr=False)
class Acceptance:
    """The reply to an accepted offer."""

    application_id: str
    provider_id: str
    offer: Offer
    links: Mapping[str, str]


@frozen(kw_only=True, repr=False)
class Fulfilment:
    """An application whose offer was accepted, with the reply and its bank details."""

    application_id: str
    status: str
    omitted: tuple[str, ...]
    accepted_at: DateTime
    reply: Acceptance
    bank_details: BankDetails | None = None
    base_deal_id: str | None = None
    deal_id: str | None = None


@frozen(kw_only=True, repr=False)
class Entry:
    """One remittance, or the reversal of one."""

    id: str = field(validator=text)
    on: date
    amount: Money = field(validator=validators.amount)
    takings: Money | None = field(default=None, validator=optional(validators.amount))
    settled: bool = True
    reverses: str | None = field(default=None, validator=optional(text))


@frozen(kw_only=True, repr=False)
class Deal:
    """A funded offer and its entries."""

    id: str
    application_id: str
    type: str
    status: str = "Funded"
    funded_on: date
    funded_amount: Money
    repayment_amount: Money
    factor_rate: Decimal
    split_percentage: Decimal
    term_length: Decimal
    term_days: int
    settled: Money
    closed_on: date | None = None
    entries: tuple[Entry, ...] = ()
    complete_through: date | None = None


@frozen(kw_only=True, repr=False)
class Takings:
    """The takings of one day."""

    on: date
    amount: Money = field(validator=validators.amount)


@frozen(kw_only=True, repr=False)
class Merchant:
    """The state of one merchant, with its profile."""

    partner: str = field(validator=text)
    merchant_id: str = field(validator=text)
    jurisdiction: str = field(validator=text)
    provider_id: str | None = None
    last_seen_at: DateTime | None = None
    consents: Opaque | None = None
    applicants: Opaque | None = None
    company: Opaque | None = None
    intended_use_of_funds: str | None = field(default=None, validator=optional(text))
    bank_details: BankDetails | None = None
    evidence: Mapping[str, Json] = field(factory=dict, validator=_plain_values)
    evidence_on: date | None = None
    offer_sets: tuple[OfferSet, ...] = ()
    fulfilments: tuple[Fulfilment, ...] = ()
    deals: tuple[Deal, ...] = ()
    takings: tuple[Takings, ...] = ()
    takings_complete_through: date | None = None
    renewal_eligibility: bool = False


@frozen(kw_only=True, repr=False)
class OffersIssued:
    """A set of offers was priced, on these facts."""

    at: DateTime
    offer_set: OfferSet
    facts: Mapping[str, Json] = field(factory=dict)
    assessment: Mapping[str, Json] | None = None
    decisions: tuple[Mapping[str, Json], ...] = ()


@frozen(kw_only=True, repr=False)
class FilledApplication:
    """The application that went to fulfilment."""

    application: Application
    consents: Opaque | None = None
    applicants: Opaque | None = None
    company: Opaque | None = None
    facts: Mapping[str, Json] = field(factory=dict)
    deals: tuple[Mapping[str, Json], ...] = ()


@frozen(kw_only=True, repr=False)
class OfferAccepted:
    """An offer of the set that `request_id` names was accepted."""

    at: DateTime
    request_id: str
    reply: Acceptance
    filled: FilledApplication
    omitted: tuple[str, ...] = ()
    bank_details: BankDetails | None = None


@frozen(kw_only=True, repr=False)
class DetailsSupplied:
    """Omitted details were supplied."""

    at: DateTime
    application_id: str
    omitted: tuple[str, ...]
    bank_details: BankDetails | None = None
    intended_use_of_funds: str | None = field(default=None, validator=optional(text))


@frozen(kw_only=True, repr=False)
class ApplicationSubmitted:
    """The application went to fulfilment."""

    at: DateTime
    application_id: str


@frozen(kw_only=True, repr=False)
class ApplicationClosed:
    """The application ended without a deal."""

    at: DateTime
    application_id: str
    status: str


@frozen(kw_only=True, repr=False)
class DealFunded:
    """The deal began."""

    at: DateTime
    deal: Deal


@frozen(kw_only=True, repr=False)
class DealRepaid:
    """The deal was paid down in full."""

    at: DateTime
    deal_id: str
    on: date


@frozen(kw_only=True, repr=False)
class DealReopened:
    """A reversal left a repaid deal with a balance."""

    at: DateTime
    deal_id: str


@frozen(kw_only=True, repr=False)
class DealRenewed:
    """The funding of a renewal closed the deal."""

    at: DateTime
    deal_id: str
    settled: Money
    on: date


@frozen(kw_only=True, repr=False)
class DealClosed:
    """The deal ended early."""

    at: DateTime
    deal_id: str
    status: str
    on: date


@frozen(kw_only=True, repr=False)
class TakingsRecorded:
    """Days of takings were recorded."""

    at: DateTime
    takings: tuple[Takings, ...]
    complete_through: date | None = None


@frozen(kw_only=True, repr=False)
class RemittancesRecorded:
    """Entries of a deal were recorded."""

    at: DateTime
    deal_id: str
    entries: tuple[Entry, ...]
    complete_through: date | None = None


@frozen(kw_only=True, repr=False)
class RenewalEligibilityChanged:
    """The renewal eligibility of the deal has changed."""

    at: DateTime
    deal_id: str | None
    renewal_eligibility: bool
    assessment: Mapping[str, Json] | None = None


Event: TypeAlias = (
    OffersIssued
    | OfferAccepted
    | DetailsSupplied
    | ApplicationSubmitted
    | ApplicationClosed
    | DealFunded
    | DealRepaid
    | DealReopened
    | DealRenewed
    | DealClosed
    | TakingsRecorded
    | RemittancesRecorded
    | RenewalEligibilityChanged
)
EVENT_TYPES: Final[Mapping[str, type[Event]]] = MappingProxyType(
    {
        kind.__name__: kind
        for kind in (
            OffersIssued,
            OfferAccepted,
            DetailsSupplied,
            ApplicationSubmitted,
            ApplicationClosed,
            DealFunded,
            DealRepaid,
            DealReopened,
            DealRenewed,
            DealClosed,
            TakingsRecorded,
            RemittancesRecorded,
            RenewalEligibilityChanged,
        )
    }
)
