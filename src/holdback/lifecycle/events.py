"""The events of a merchant: one class for each type of event.

An event carries everything that it changes, so `evolve` applies it without a rulebook. The records
in `assessment` and `decisions` are plain values, kept so that a decision can be derived again years
later (decisions/three-ideas).
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

__all__ = [
    "ApplicationClosed",
    "ApplicationSubmitted",
    "DealClosed",
    "DealFunded",
    "DealRenewed",
    "DealReopened",
    "DealRepaid",
    "DetailsSupplied",
    "Event",
    "FilledApplication",
    "OfferAccepted",
    "OffersIssued",
    "RemittancesRecorded",
    "RenewalEligibilityChanged",
    "TakingsRecorded",
]


@frozen(kw_only=True)
class OffersIssued:
    """
    A set of offers was priced.

    `facts` are all facts known at the time, `decisions` the records of the products' decisions. A
    renewal has its `assessment`.
    """

    at: DateTime
    offer_set: OfferSet
    facts: Mapping[str, Json] = field(factory=dict, repr=False)
    assessment: Mapping[str, Json] | None = field(default=None, repr=False)
    decisions: tuple[Mapping[str, Json], ...] = field(default=(), repr=False)


@frozen(kw_only=True)
class FilledApplication:
    """
    The application that goes to fulfilment, filled from data that the service holds (service 1).

    `facts` are the known facts about the merchant, `deals` summaries of its earlier deals.
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

    `request_id` names the offer set. `omitted` names the details that are still to be supplied.
    """

    at: DateTime
    request_id: str
    reply: Acceptance
    filled: FilledApplication = field(repr=False)
    omitted: tuple[str, ...] = ()
    bank_details: BankDetails | None = field(default=None, repr=False)


@frozen(kw_only=True)
class DetailsSupplied:
    """Omitted details were supplied; `omitted` names those that are still missing."""

    at: DateTime
    application_id: str
    omitted: tuple[str, ...]
    bank_details: BankDetails | None = field(default=None, repr=False)
    intended_use_of_funds: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class ApplicationSubmitted:
    """The application is complete and went to fulfilment."""

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
    """A reversal left a repaid deal with a balance, while no other deal was active."""

    at: DateTime
    deal_id: str


@frozen(kw_only=True)
class DealRenewed:
    """The funding of a renewal settled the balance of the deal and closed it."""

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
    """The renewal eligibility of the deal has changed: the cause of a webhook (service 6)."""

    at: DateTime
    deal_id: str | None
    renewal_eligibility: bool
    assessment: Mapping[str, Json] | None = field(default=None, repr=False)


# Any of the events.
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

# The name under which a host stores each event. A class may be renamed; a name here never changes,
# because hosts have stored it.
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
