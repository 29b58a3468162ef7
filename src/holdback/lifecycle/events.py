"""What has happened to a merchant: one class per kind of event, complete in itself.

`evolve` applies an event without any rulebook, so an event carries everything that it changes. The
records in `assessment` and `decisions` are plain values (design 7a), kept so that a decision can be
derived again years later.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Final, TypeAlias

from attrs import field, frozen
from pendulum import DateTime

from holdback.exact_json import Json, Opaque
from holdback.model.acceptance import Acceptance, BankDetails
from holdback.model.application import Application
from holdback.model.deal import Deal, Entry
from holdback.model.merchant import OfferSet, Takings
from holdback.money import Money


@frozen(kw_only=True)
class OffersIssued:
    """
    A set of offers was priced. A renewal carries its assessment; each product has its decision. `facts`
    are all that was known when they were decided.
    """

    at: DateTime
    offer_set: OfferSet
    facts: Mapping[str, Json] = field(factory=dict, repr=False)
    assessment: Mapping[str, Json] | None = field(default=None, repr=False)
    decisions: tuple[Mapping[str, Json], ...] = field(default=(), repr=False)


@frozen(kw_only=True)
class FilledApplication:
    """
    The application as it goes to fulfilment, filled from what is held (service 1, renewal flow 9).

    `facts` are the known facts about the merchant, `deals` its earlier deals in short.
    """

    application: Application
    consents: Opaque | None = field(default=None, repr=False)
    applicants: Opaque | None = field(default=None, repr=False)
    company: Opaque | None = field(default=None, repr=False)
    facts: Mapping[str, Json] = field(factory=dict, repr=False)
    deals: tuple[Mapping[str, Json], ...] = ()


@frozen(kw_only=True)
class OfferAccepted:
    """
    An offer was accepted; every other open offer of the merchant is withdrawn.

    `request_id` names the offer set. `omitted` names what is still to be supplied.
    """

    at: DateTime
    request_id: str
    reply: Acceptance
    filled: FilledApplication = field(repr=False)
    omitted: tuple[str, ...] = ()
    bank_details: BankDetails | None = field(default=None, repr=False)


@frozen(kw_only=True)
class DetailsSupplied:
    """Some of what was omitted was supplied; `omitted` is what is left."""

    at: DateTime
    application_id: str
    omitted: tuple[str, ...]
    bank_details: BankDetails | None = field(default=None, repr=False)
    intended_use_of_funds: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class ApplicationSubmitted:
    """The application went to fulfilment complete."""

    at: DateTime
    application_id: str


@frozen(kw_only=True)
class ApplicationClosed:
    """The application ended without a deal: `status` is `declined` or `withdrawn`."""

    at: DateTime
    application_id: str
    status: str


@frozen(kw_only=True)
class DealFunded:
    """The application was funded and its deal began."""

    at: DateTime
    deal: Deal


@frozen(kw_only=True)
class DealRepaid:
    """The deal was paid down in full; `on` is the day of the remittance that completed it."""

    at: DateTime
    deal_id: str
    on: date


@frozen(kw_only=True)
class DealReopened:
    """A reversal left something to pay on a repaid deal, and no other deal was active."""

    at: DateTime
    deal_id: str


@frozen(kw_only=True)
class DealRenewed:
    """A renewal's funding settled what was left of the deal and closed it."""

    at: DateTime
    deal_id: str
    settled: Money
    on: date


@frozen(kw_only=True)
class DealClosed:
    """The deal ended early: `status` is `Defaulted` or `Cancelled`."""

    at: DateTime
    deal_id: str
    status: str
    on: date


@frozen(kw_only=True)
class TakingsRecorded:
    """Days of takings were recorded."""

    at: DateTime
    takings: tuple[Takings, ...]
    complete_through: date | None = None


@frozen(kw_only=True)
class RemittancesRecorded:
    """Entries of a deal were recorded."""

    at: DateTime
    deal_id: str
    entries: tuple[Entry, ...]
    complete_through: date | None = None


@frozen(kw_only=True)
class RenewalEligibilityChanged:
    """Whether the deal may be renewed has changed (service 6 leaves the webhook open; this is its cause)."""

    at: DateTime
    deal_id: str | None
    renewal_eligibility: bool
    assessment: Mapping[str, Json] | None = field(default=None, repr=False)


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

# The name under which a host stores each event. A class may be renamed; a name here never changes, because
# the histories that hosts keep are full of it.
EVENT_TYPES: Final[Mapping[str, type[Event]]] = MappingProxyType(
    {
        "OffersIssued": OffersIssued,
        "OfferAccepted": OfferAccepted,
        "DetailsSupplied": DetailsSupplied,
        "ApplicationSubmitted": ApplicationSubmitted,
        "ApplicationClosed": ApplicationClosed,
        "DealFunded": DealFunded,
        "DealRepaid": DealRepaid,
        "DealReopened": DealReopened,
        "DealRenewed": DealRenewed,
        "DealClosed": DealClosed,
        "TakingsRecorded": TakingsRecorded,
        "RemittancesRecorded": RemittancesRecorded,
        "RenewalEligibilityChanged": RenewalEligibilityChanged,
    }
)
_TYPE_NAMES: Final[Mapping[type, str]] = MappingProxyType(
    {kind: name for name, kind in EVENT_TYPES.items()}
)


def event_type(event: Event | type[Event]) -> str:
    """
    Return the name under which *event*, or every event of that class, is stored.

    >>> event_type(DealReopened)
    'DealReopened'
    """
    return _TYPE_NAMES[event if isinstance(event, type) else type(event)]
