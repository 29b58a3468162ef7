"""The events of a merchant: one class for each type of event.

An event carries what does not follow from the state before it, so `evolve` applies it without a
rulebook. It has no personal data: it names sections of the profile (decisions/documents). The
records in `assessment` and `decisions` are plain values, kept so that a decision can be derived
again years later (decisions/three-ideas).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Final, TypeAlias

from attrs import evolve, field
from attrs.converters import optional
from pendulum import DateTime

from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import (
    FrozenMapping,
    frozen,
    frozen_record,
    frozen_records,
    frozen_texts,
)
from holdback.merchant.application import CheckRecord
from holdback.merchant.deal import Deal
from holdback.merchant.disclosure import OfferDisclosure
from holdback.merchant.ledger import Entry, Posting
from holdback.merchant.merchant import CarriedOut, Merchant, OfferSet, Signature, Takings
from holdback.merchant.offer import Offer
from holdback.merchant.plan import Plan
from holdback.merchant.referral import Hold, Referral, ReferralDecision
from holdback.merchant.schedule import TermsChange
from holdback.merchant.suspense import SuspenseEntry

__all__ = [
    "ApplicationClosed",
    "ApplicationLapsed",
    "ApplicationSubmitted",
    "BankDetailsChanged",
    "ConsentsRecorded",
    "DealClosed",
    "DealDefaultedAgain",
    "DealFunded",
    "DealPaused",
    "DealRecovered",
    "DealReinstated",
    "DealRenewed",
    "DealReopened",
    "DealRepaid",
    "DealResumed",
    "DealSettled",
    "DealUnwound",
    "DetailsSupplied",
    "EntriesClosed",
    "EntriesPosted",
    "Event",
    "EvidenceRecorded",
    "Forgotten",
    "HoldLifted",
    "HoldPlaced",
    "OfferAccepted",
    "OfferDisclosed",
    "OfferRequoted",
    "OffersDeclined",
    "OffersIssued",
    "OffersWithdrawn",
    "PayoutReturned",
    "PlanAgreed",
    "ProfileErased",
    "ProfileRectified",
    "QueuedRenewalReady",
    "ReferralDecided",
    "RemittancesRecorded",
    "RenewalEligibilityChanged",
    "SignatureRecorded",
    "TakingsRecorded",
    "TermsChanged",
]


@frozen(kw_only=True)
class Envelope:
    """
    What every event has: its instant, its merchant, its place in the journal, and its request.

    The events of a merchant are numbered from 1 without gaps. `carried_out` is on the last event of
    an operation that is remembered, so that it is not repeated. `carry_out` fills it in.
    """

    at: DateTime
    partner: str = ""
    merchant_id: str = ""
    sequence: int = 0
    request_id: str | None = None
    carried_out: CarriedOut | None = None


@frozen(kw_only=True)
class MayBeFirst(Envelope):
    """
    An event that may be the first of its merchant: then it names the merchant's `jurisdiction`.

    `OffersIssued` and `EvidenceRecorded` always name it; `decide` fills it into the others.
    """

    jurisdiction: str | None = None


@frozen(kw_only=True)
class OffersIssued(MayBeFirst):
    """
    A set of offers was priced.

    `timezone` and `currency` are those of the jurisdiction, which the merchant keeps. `decisions`
    are the records of the products' decisions, and `referrals` what a person has to decide. A
    renewal has its `assessment`. `consents` are those given, in the request or before it, of those
    that the jurisdiction names.
    """

    jurisdiction: str
    timezone: str | None = None
    currency: str
    offer_set: OfferSet
    assessment: Mapping[str, Json] | None = field(
        default=None, converter=optional(frozen_record), repr=False
    )
    decisions: tuple[Mapping[str, Json], ...] = field(
        default=(), converter=frozen_records, repr=False
    )
    referrals: tuple[Referral, ...] = ()
    consents: tuple[str, ...] | None = None


@frozen(kw_only=True)
class OfferAccepted(Envelope):
    """
    An offer was accepted; every other open offer of the merchant is withdrawn.

    `application_id` names the offer set. `omitted` names the details that are still to be supplied,
    `sections` the application's personal data. `facts` are those known when the offer was priced,
    `earlier_deals` summaries of the merchant's deals. The application lapses at `lapses_at`, and
    `signature_before` says before what its contract is signed. `product` of the rulebook of the day
    `priced_on` was priced, and a renewal that is `queued` waits until its base deal is repaid; it
    has no `lapses_at` until then.
    """

    application_id: str
    provider_id: str
    offer: Offer
    omitted: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    facts: Mapping[str, Json] = field(factory=FrozenMapping, converter=frozen_record, repr=False)
    earlier_deals: tuple[Mapping[str, Json], ...] = field(
        default=(), converter=frozen_records, repr=False
    )
    lapses_at: DateTime | None = None
    signature_before: str | None = None
    product: str | None = None
    priced_on: date | None = None
    queued: bool = False


@frozen(kw_only=True)
class DetailsSupplied(Envelope):
    """
    Omitted details were supplied; `omitted` names those that are still missing.

    `sections` names the details in the profile.
    """

    application_id: str
    omitted: tuple[str, ...]
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class ApplicationSubmitted(Envelope):
    """The application is complete and went to fulfilment."""

    application_id: str


@frozen(kw_only=True)
class ApplicationClosed(Envelope):
    """
    The application ended without a deal: `status` is `declined` or `withdrawn`.

    `code` is that of the reason for which it was declined; None of one of before, or withdrawn.
    """

    application_id: str
    status: str
    code: str | None = None


@frozen(kw_only=True)
class DealFunded(Envelope):
    """
    The application was funded and its deal began.

    `decision` is the record of the funding rules: their digest, and the facts that they read. It is
    None where there were none.
    """

    deal: Deal
    decision: Mapping[str, Json] | None = field(
        default=None, converter=optional(frozen_record), repr=False
    )


@frozen(kw_only=True)
class DealRepaid(Envelope):
    """The deal was paid down in full; `on` is the day of the remittance that completed it."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class DealReopened(Envelope):
    """A reversal left a repaid deal with a balance, while no other deal was active."""

    deal_id: str


@frozen(kw_only=True)
class DealRenewed(Envelope):
    """The funding of a renewal settled the balance of the deal and closed it."""

    deal_id: str
    settled: Money
    on: date


@frozen(kw_only=True)
class DealClosed(Envelope):
    """The deal ended early: `status` is `Defaulted` or `Cancelled`."""

    deal_id: str
    status: str
    on: date


@frozen(kw_only=True)
class TakingsRecorded(MayBeFirst):
    """Days of takings were recorded."""

    takings: tuple[Takings, ...]
    complete_through: date | None = None


@frozen(kw_only=True)
class RemittancesRecorded(Envelope):
    """Entries of a deal were recorded."""

    deal_id: str
    entries: tuple[Entry, ...]
    complete_through: date | None = None


@frozen(kw_only=True)
class RenewalEligibilityChanged(Envelope):
    """
    The renewal eligibility of the deal has changed: the cause of a webhook (service 6).

    `decided_by` says what decided: the `rules`, the `products`, or the `service` itself, which
    invites nobody in fulfilment or on hold.
    """

    deal_id: str | None
    renewal_eligibility: bool
    assessment: Mapping[str, Json] | None = field(
        default=None, converter=optional(frozen_record), repr=False
    )
    decided_by: str | None = None


@frozen(kw_only=True)
class ProfileErased(MayBeFirst):
    """The profile was erased, and every open offer withdrawn."""


@frozen(kw_only=True)
class EntriesClosed:
    """The entries of one deal up to the day `through`."""

    deal_id: str
    through: date


@frozen(kw_only=True)
class Forgotten(Envelope):
    """
    What no operation can ask for any more left the state; the journal has it.

    `closed_offer_sets` names, by application_id, the sets of which only statuses are kept.
    `applications_before` and `servicing_before` are the instants before which requests, and what
    belongs to them, are no longer remembered. `takings_before` is the first day whose takings are
    kept. `entries_through` is, for each deal by id, the last day whose entries are closed, and
    `suspense_through` that of the suspense account.
    """

    closed_offer_sets: tuple[str, ...] = ()
    applications_before: DateTime | None = None
    servicing_before: DateTime | None = None
    takings_before: date | None = None
    entries_through: tuple[EntriesClosed, ...] = ()
    suspense_through: date | None = None


@frozen(kw_only=True)
class EvidenceRecorded(MayBeFirst):
    """
    Results of checks were recorded, in whichever order they were made.

    It always names the merchant's `jurisdiction`.
    """

    jurisdiction: str
    records: tuple[CheckRecord, ...]


@frozen(kw_only=True)
class ReferralDecided(Envelope):
    """A person decided a referral, so the partner may ask again; `sections` name the note."""

    decision: ReferralDecision


@frozen(kw_only=True)
class HoldPlaced(MayBeFirst):
    """An agent holds the merchant."""

    hold: Hold


@frozen(kw_only=True)
class HoldLifted(Envelope):
    """The hold with this code was lifted, by the person whose identifier is `by`."""

    code: str
    by: str


@frozen(kw_only=True)
class OffersDeclined(Envelope):
    """The open offers of an application were declined on the merchant's behalf."""

    application_id: str


@frozen(kw_only=True)
class OffersWithdrawn(Envelope):
    """
    The lender withdrew the open offers of an application.

    `code` is the host's reason, and `by` its identifier of the person. A partner sees what it sees
    of an expiry.
    """

    application_id: str
    code: str
    by: str


@frozen(kw_only=True)
class ApplicationLapsed(Envelope):
    """The application was not funded in time."""

    application_id: str


@frozen(kw_only=True)
class SignatureRecorded(Envelope):
    """The merchant signed the contract of the application."""

    application_id: str
    signature: Signature


@frozen(kw_only=True)
class BankDetailsChanged(Envelope):
    """
    The bank details were changed: those held, and those of the application in fulfilment, if any.

    `omitted` names what that application still lacks. `sections` names the details in the profile.
    """

    application_id: str | None = None
    omitted: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class ConsentsRecorded(MayBeFirst):
    """
    Applicants said something of their consents; `sections` names all that they said, `consents`.

    `given` are all those given by the `applicants` with this digest, of those that the jurisdiction
    names. Where it is None, as in events of before, they count for nobody, and what is not among
    them is given by nobody any more.
    """

    given: tuple[str, ...]
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    applicants: str | None = None


@frozen(kw_only=True)
class ProfileRectified(Envelope):
    """
    The applicants or the company were corrected; `sections` has the new digests of those that were.

    The merchant, and the applications that it holds, have the corrected sections from then on.
    """

    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class DealReinstated(Envelope):
    """The default of the deal had been recorded by mistake; the deal is active again."""

    deal_id: str


@frozen(kw_only=True)
class EntriesPosted(MayBeFirst):
    """
    Entries of deals, and of the merchant's `suspense` account, were recorded by one operation.

    They are in one event, so that no half of a movement between them can be lost.
    """

    postings: tuple[Posting, ...]
    suspense: tuple[SuspenseEntry, ...] = ()


@frozen(kw_only=True)
class DealRecovered(Envelope):
    """A deal that had defaulted was paid in full, on the day `on`."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class DealDefaultedAgain(Envelope):
    """What was taken back left a recovered or settled deal with a balance."""

    deal_id: str


@frozen(kw_only=True)
class DealSettled(Envelope):
    """A deal that had defaulted was settled on the day `on`: what was left was waived."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class PlanAgreed(Envelope):
    """
    A plan was agreed for a deal in default, in place of the one before it.

    A plan without instalments ends that one.
    """

    deal_id: str
    plan: Plan


@frozen(kw_only=True)
class DealUnwound(Envelope):
    """
    The deal was undone on the day `on`; the deal that it had renewed is active again.

    `base_deal_id` is that deal, None if its funding settled none. The time in between counts as a
    pause of it. `cancelled_on` is the day on which the merchant cancelled, None if that is `on`.
    """

    deal_id: str
    on: date
    base_deal_id: str | None = None
    cancelled_on: date | None = None


@frozen(kw_only=True)
class PayoutReturned(Envelope):
    """
    The payout of the deal came back on the day `on`, and its funding was undone.

    `base_deal_id` is as in `DealUnwound`. The application waits again until `lapses_at`, and
    is `submitted` unless its bank details are among those `omitted`. `application_id` is None if
    the application is no longer remembered.
    """

    deal_id: str
    on: date
    base_deal_id: str | None = None
    application_id: str | None = None
    omitted: tuple[str, ...] = ()
    lapses_at: DateTime | None = None


@frozen(kw_only=True)
class DealPaused(Envelope):
    """No remittances of the deal are expected from the day `on`."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class DealResumed(Envelope):
    """Remittances of the deal are expected again from the day `on`."""

    deal_id: str
    on: date


@frozen(kw_only=True)
class TermsChanged(Envelope):
    """The split percentage or the term of the deal changed."""

    deal_id: str
    change: TermsChange


@frozen(kw_only=True)
class OfferRequoted(Envelope):
    """Offers of another amount were priced, and are now among those of the `product`."""

    application_id: str
    product: str
    offers: tuple[Offer, ...]


@frozen(kw_only=True)
class OfferDisclosed(Envelope):
    """
    An offer was disclosed: everything that was shown, with the host's texts as names in braces.

    `sections` names these texts in the profile. A disclosure replaces the one of the offer before.
    """

    disclosure: OfferDisclosure
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)


@frozen(kw_only=True)
class QueuedRenewalReady(Envelope):
    """The base deal of a queued renewal was repaid: it can be funded, and lapses at `lapses_at`."""

    application_id: str
    lapses_at: DateTime | None = None


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
    | ProfileErased
    | Forgotten
    | EvidenceRecorded
    | ReferralDecided
    | HoldPlaced
    | HoldLifted
    | OffersDeclined
    | OffersWithdrawn
    | ApplicationLapsed
    | SignatureRecorded
    | BankDetailsChanged
    | ConsentsRecorded
    | DealReinstated
    | EntriesPosted
    | DealRecovered
    | DealDefaultedAgain
    | DealSettled
    | DealUnwound
    | DealPaused
    | DealResumed
    | TermsChanged
    | OfferRequoted
    | QueuedRenewalReady
    | PayoutReturned
    | ProfileRectified
    | PlanAgreed
    | OfferDisclosed
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
        "ProfileErased": ProfileErased,
        "Forgotten": Forgotten,
        "EvidenceRecorded": EvidenceRecorded,
        "ReferralDecided": ReferralDecided,
        "HoldPlaced": HoldPlaced,
        "HoldLifted": HoldLifted,
        "OffersDeclined": OffersDeclined,
        "OffersWithdrawn": OffersWithdrawn,
        "ApplicationLapsed": ApplicationLapsed,
        "SignatureRecorded": SignatureRecorded,
        "BankDetailsChanged": BankDetailsChanged,
        "ConsentsRecorded": ConsentsRecorded,
        "DealReinstated": DealReinstated,
        "EntriesPosted": EntriesPosted,
        "DealRecovered": DealRecovered,
        "DealDefaultedAgain": DealDefaultedAgain,
        "DealUnwound": DealUnwound,
        "DealPaused": DealPaused,
        "DealResumed": DealResumed,
        "TermsChanged": TermsChanged,
        "OfferRequoted": OfferRequoted,
        "QueuedRenewalReady": QueuedRenewalReady,
        "PayoutReturned": PayoutReturned,
        "DealSettled": DealSettled,
        "ProfileRectified": ProfileRectified,
        "PlanAgreed": PlanAgreed,
        "OfferDisclosed": OfferDisclosed,
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


def numbered(
    events: Iterable[Event], merchant: Merchant, *, request_id: str | None = None
) -> tuple[Event, ...]:
    """Return *events* with their envelopes, as the next events of *merchant*."""
    filled = [
        evolve(
            event,
            partner=merchant.partner,
            merchant_id=merchant.merchant_id,
            sequence=sequence,
            request_id=request_id,
        )
        for sequence, event in enumerate(events, merchant.sequence + 1)
    ]
    if merchant.sequence == 0 and filled and isinstance(filled[0], MayBeFirst):
        filled[0] = evolve(filled[0], jurisdiction=merchant.jurisdiction)
    return tuple(filled)
