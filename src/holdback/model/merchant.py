"""The state of one merchant, which a host stores and writes back as a whole.

The merchant is the consistency boundary: everything that must agree is in its state
(decisions/engine).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from attrs import field, frozen
from pendulum import DateTime

from holdback.exact_json import Json, Opaque
from holdback.model.acceptance import Acceptance, BankDetails
from holdback.model.application import OffersRequest
from holdback.model.deal import FUNDED, Deal
from holdback.model.product import Product
from holdback.model.validators import amount, day, plain_day, text
from holdback.money import Money

# The statuses of an application after acceptance (decisions/fulfilment).
AWAITING_DETAILS: Final = "awaiting_details"
SUBMITTED: Final = "submitted"
FUNDED_APPLICATION: Final = "funded"
DECLINED_APPLICATION: Final = "declined"
WITHDRAWN_APPLICATION: Final = "withdrawn"
IN_FULFILMENT: Final = frozenset({AWAITING_DETAILS, SUBMITTED})


@frozen(kw_only=True)
class OfferSet:
    """
    The products and offers issued together on one request, with one expiry.

    `request_id` is the host's and names the set. `issued_on` is the local date of `issued_at`.
    `digest` is that of the rulebook that decided it. `base_deal_id` names the deal that a renewal
    is based on. `evidence` holds the results of the host's checks.
    """

    request_id: str
    application_id: str
    request: OffersRequest
    issued_at: DateTime
    issued_on: date
    expires_at: DateTime
    products: tuple[Product, ...]
    digest: str
    base_deal_id: str | None = None
    evidence: Mapping[str, Json] = field(factory=dict, repr=False)


@frozen(kw_only=True)
class Fulfilment:
    """
    An application whose offer was accepted, and its status.

    `omitted` names the details that are still to be supplied. `reply` is the reply to the
    acceptance, kept so that a retry gets the same bytes. `bank_details` are those of the
    application, which distinguish a retry from a conflict.
    """

    application_id: str
    status: str
    omitted: tuple[str, ...]
    accepted_at: DateTime
    reply: Acceptance
    bank_details: BankDetails | None = field(default=None, repr=False)
    base_deal_id: str | None = None
    deal_id: str | None = None


@frozen(kw_only=True)
class Takings:
    """The takings of one day: what the merchant sold."""

    on: date = field(converter=plain_day, validator=day)
    amount: Money = field(validator=amount)


@frozen(kw_only=True)
class TakingsHeld:
    """The reply about recorded takings: the number of days, and how far they are complete."""

    days: int
    complete_through: date | None


@frozen(kw_only=True)
class Merchant:
    """
    One merchant of one partner, as of the last event.

    `provider_id` is None until the first acceptance and never changes after it. The profile, the
    bank details and the evidence come from accepted applications; `months_trading` and the takings
    in the evidence are as of `evidence_on`. `renewal_eligibility` is as last announced.
    """

    partner: str = field(validator=text)
    merchant_id: str = field(validator=text)
    jurisdiction: str = field(validator=text)
    provider_id: str | None = None
    last_seen_at: DateTime | None = None
    consents: Opaque | None = field(default=None, repr=False)
    applicants: Opaque | None = field(default=None, repr=False)
    company: Opaque | None = field(default=None, repr=False)
    intended_use_of_funds: str | None = field(default=None, repr=False)
    bank_details: BankDetails | None = field(default=None, repr=False)
    evidence: Mapping[str, Json] = field(factory=dict, repr=False)
    evidence_on: date | None = None
    offer_sets: tuple[OfferSet, ...] = ()
    fulfilments: tuple[Fulfilment, ...] = ()
    deals: tuple[Deal, ...] = ()
    takings: tuple[Takings, ...] = ()
    takings_complete_through: date | None = None
    renewal_eligibility: bool = False

    @classmethod
    def new(cls, *, partner: str, merchant_id: str, jurisdiction: str) -> Merchant:
        """
        Return a merchant that the service has not seen before.

        >>> Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB").deals
        ()

        Raises:
            InvalidDocument: an identifier is not text, or is empty.
        """
        return cls(partner=partner, merchant_id=merchant_id, jurisdiction=jurisdiction)

    @property
    def active_deal(self) -> Deal | None:
        """The active deal, of which there is at most one (service 1); None without one."""
        return next((deal for deal in self.deals if deal.status == FUNDED), None)

    def deal_of(self, deal_id: str | None) -> Deal | None:
        """Return the deal with *deal_id*, None if there is none."""
        return next((deal for deal in self.deals if deal.id == deal_id), None)

    def fulfilment_of(self, application_id: str) -> Fulfilment | None:
        """Return the accepted application with *application_id*, None if there is none."""
        return next((f for f in self.fulfilments if f.application_id == application_id), None)

    @property
    def in_fulfilment(self) -> Fulfilment | None:
        """The application in fulfilment, None without one."""
        return next((f for f in self.fulfilments if f.status in IN_FULFILMENT), None)
