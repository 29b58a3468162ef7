"""The state of one merchant, which a host stores and writes back as a whole.

The merchant is the consistency boundary: everything that must agree is in its state
(decisions/engine).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from json.encoder import encode_basestring as quoted
from typing import Final

from attrs import field
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
from holdback.merchant.application import MOST_SUBJECTS, CheckRecord, GivenConsents
from holdback.merchant.deal import DEFAULTS, FUNDED, Deal
from holdback.merchant.instants import as_instant
from holdback.merchant.ledger import SignedMoney
from holdback.merchant.offer import ELIGIBLE, Offer
from holdback.merchant.product import Product
from holdback.merchant.receipt import Receipt
from holdback.merchant.referral import Hold, Referral, ReferralDecision
from holdback.merchant.rows import Rows
from holdback.merchant.suspense import Suspense
from holdback.merchant.validators import amount, day, plain_day, text
from holdback.tool_named import shown_by

# The statuses of an application after acceptance (decisions/applications).
AWAITING_DETAILS: Final = "awaiting_details"
SUBMITTED: Final = "submitted"
FUNDED_APPLICATION: Final = "funded"
DECLINED_APPLICATION: Final = "declined"
WITHDRAWN_APPLICATION: Final = "withdrawn"
LAPSED: Final = "lapsed"
# Before what a contract is signed.
BEFORE_SUBMISSION: Final = "before_submission"
BEFORE_FUNDING: Final = "before_funding"
SIGNATURES: Final = (BEFORE_SUBMISSION, BEFORE_FUNDING)
IN_FULFILMENT: Final = frozenset({AWAITING_DETAILS, SUBMITTED})
# What a submitted renewal is shown as while the deal that it follows is not repaid.
QUEUED: Final = "queued"

# What a state holds at most, however often a partner asks, accepts and withdraws: applications that
# ended without a deal, offers of closed sets (and a set counts as one more), and requests that were
# carried out. Honest merchants come nowhere near them (decisions/bounds#a-partner-at-its-worst).
MOST_ENDED: Final = 50
MOST_CLOSED_OFFERS: Final = 10_000
MOST_REQUESTS: Final = 10_000
# The replaced sections of each name that a state names: it holds results of no more subjects.
MOST_REPLACED: Final = MOST_SUBJECTS
# The open offers that can be disclosed: those between which a merchant chooses.
MOST_DISCLOSED: Final = 20


@frozen(kw_only=True)
class KnownDeal:
    """
    What was known of a deal when offers were issued (decisions/offers#since-the-offer).

    It is the deal's status, what was left to pay or to give back, and what was lost.
    """

    deal_id: str
    status: str
    shortfall: Money
    written_off: Money
    overpaid: Money

    @classmethod
    def of(cls, deal: Deal) -> KnownDeal:
        """Return what is known of *deal*."""
        return cls(
            deal_id=deal.id,
            status=deal.status,
            shortfall=deal.shortfall,
            written_off=deal.written_off,
            overpaid=deal.overpaid,
        )

    @property
    def has_nothing_open(self) -> bool:
        """Whether the deal has ended without anything that is owed, lost or to be given back."""
        owed = self.shortfall.minor or self.written_off.minor or self.overpaid.minor
        return self.status not in {FUNDED, *DEFAULTS} and not owed


def known_deals_of(deals: Iterable[Deal]) -> tuple[KnownDeal, ...]:
    """Return what is known of those *deals* that have something open."""
    return tuple(deal for deal in map(KnownDeal.of, deals) if not deal.has_nothing_open)


@frozen(kw_only=True)
class OfferSet:
    """
    The products and offers issued together on one request, with one expiry.

    `request_id` is the host's; `fingerprint` is the digest of the request, and `sections` name its
    personal data. `issued_on` is the local date of `issued_at`. `digest` is that of the rulebook
    that decided it. `base_deal_id` names the deal that a renewal is based on. `facts`
    are all that was known when the offers were priced, and `known_deals` the merchant's deals that
    had something open then. `requoted` are the ids of the offers that were added later, of other
    amounts. `withdrawn_at` is the instant at which the lender withdrew the offers, None if it did
    not.
    """

    request_id: str
    application_id: str
    fingerprint: str
    renewal: bool
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    issued_at: DateTime
    issued_on: date
    expires_at: DateTime
    products: tuple[Product, ...]
    digest: str
    base_deal_id: str | None = None
    facts: Mapping[str, Json] = field(factory=FrozenMapping, converter=frozen_record, repr=False)
    requoted: tuple[str, ...] = ()
    known_deals: tuple[KnownDeal, ...] = field(default=(), repr=False)
    withdrawn_at: DateTime | None = None

    def __repr__(self) -> str:
        return shown_by("merchants.offers_repr", "OfferSet", self)

    def _repr_html_(self) -> str:
        return shown_by("merchants.offers_html", self)

    @property
    def offers(self) -> Iterator[Offer]:
        """The offers of all products, in order."""
        return (offer for product in self.products for offer in product.offers)

    def is_open(self, at: DateTime) -> bool:
        """Return whether an offer of this set can still be accepted at the instant *at*."""
        return self.expires_at > at and any(o.offer_status == ELIGIBLE for o in self.offers)


@frozen(kw_only=True)
class ClosedOfferSet:
    """
    What is kept of a closed set of offers: enough to answer a request that comes late.

    `offers` are the statuses by offer_id.
    """

    request_id: str
    application_id: str
    fingerprint: str
    expires_at: DateTime
    offers: Mapping[str, str] = field(converter=frozen_texts)
    withdrawn_at: DateTime | None = None

    @classmethod
    def of(cls, offer_set: OfferSet) -> ClosedOfferSet:
        """Return what is kept of *offer_set*."""
        return cls(
            request_id=offer_set.request_id,
            application_id=offer_set.application_id,
            fingerprint=offer_set.fingerprint,
            expires_at=offer_set.expires_at,
            offers={offer.offer_id: offer.offer_status for offer in offer_set.offers},
            withdrawn_at=offer_set.withdrawn_at,
        )


def open_offer_ids(offer_sets: Iterable[OfferSet], at: DateTime) -> Iterator[str]:
    """Return the ids of the offers in *offer_sets* that can still be accepted at the instant."""
    still_open = (offer_set for offer_set in offer_sets if offer_set.expires_at > at)
    offers = (offer for offer_set in still_open for offer in offer_set.offers)
    return (offer.offer_id for offer in offers if offer.offer_status == ELIGIBLE)


def ended_at(offer_set: OfferSet | ClosedOfferSet) -> DateTime:
    """Return when offers that nobody accepts end: at their expiry, or when they are withdrawn."""
    withdrawn_at = offer_set.withdrawn_at
    return offer_set.expires_at if withdrawn_at is None else withdrawn_at


@frozen(kw_only=True)
class Signature:
    """The merchant's signature: the host's name of the `document`, and the document's digest."""

    document: str
    digest: str
    signed_at: DateTime


@frozen(kw_only=True)
class DisclosedOffer:
    """
    What is kept of the last disclosure of an offer: its digest, and the day `on` which it was made.

    `due` says whether the law asks for it. `sections` name the host's texts in it, and `signature`
    is that of the disclosure, None until the merchant signs it. `payoff` is what a renewal paid off
    on that day, None where the offer pays off nothing.
    """

    offer_id: str
    digest: str
    on: date
    due: bool
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    signature: Signature | None = None
    payoff: Money | None = None


@frozen(kw_only=True)
class Fulfilment:
    """
    An application whose offer was accepted, and its status.

    `omitted` names the details that are still to be supplied, and `sections` the application's
    personal data. `facts` are those known when the offer was priced, `earlier_deals` summaries of
    the merchant's deals at the acceptance. At `lapses_at` it lapses unless it was funded before;
    None while it is `queued`. `signature_before` says before what the contract is signed,
    None where it need not be. `accepted_details` is the digest of the bank details given at the
    acceptance, where others replaced them. `product` of the rulebook of the day `priced_on` was
    priced, and `known_deals` are those of its offers. A renewal that is `queued` is funded once its
    base deal is repaid, and settles nothing. `code` is that of the reason for which it was declined
    after the acceptance.
    """

    application_id: str
    status: str
    omitted: tuple[str, ...]
    accepted_at: DateTime
    offer: Offer
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    base_deal_id: str | None = None
    deal_id: str | None = None
    facts: Mapping[str, Json] = field(factory=FrozenMapping, converter=frozen_record, repr=False)
    earlier_deals: tuple[Mapping[str, Json], ...] = field(
        default=(), converter=frozen_records, repr=False
    )
    lapses_at: DateTime | None = None
    signature_before: str | None = None
    signature: Signature | None = None
    accepted_details: str | None = field(default=None, repr=False)
    product: str | None = None
    priced_on: date | None = None
    queued: bool = False
    known_deals: tuple[KnownDeal, ...] = field(default=(), repr=False)
    code: str | None = None


def _stated_at(value: datetime) -> DateTime:
    return as_instant(value, "$.stated_at")


@frozen(kw_only=True)
class Takings:
    """
    The takings of one day: what the merchant sold, less what it gave back; it may be below zero.

    `stated_at` is the instant at which the amount was stated, that of the request unless given. The
    newest statement of a day holds, in whichever order statements arrive.
    """

    on: date = field(converter=plain_day, validator=day)
    amount: SignedMoney = field(validator=amount)
    stated_at: DateTime | None = field(default=None, converter=optional(_stated_at))


@frozen(kw_only=True)
class CreditCheckDue:
    """
    What a second consumer credit check must satisfy after offers expired unaccepted.

    It is kept when the expired set itself is no longer held.
    """

    expired_at: DateTime


@frozen(kw_only=True)
class ReplacedSection:
    """
    A section of the profile before a correction: its name, and the digest that it had.

    What checks and people said of it does not count for the section that replaced it at the
    instant `replaced_at` (decisions/evidence#corrected-sections).
    """

    name: str
    digest: str
    replaced_at: DateTime


@frozen(kw_only=True)
class CarriedOut:
    """
    A request that was carried out: its operation, the digest of its content, and its receipt.

    The receipt is without the ids of entries, which the same request has again.
    """

    operation: str
    fingerprint: str
    receipt: Receipt


@frozen(kw_only=True)
class RememberedRequest:
    """A request that was carried out at an instant, remembered so that it is not repeated."""

    request_id: str
    at: DateTime
    carried_out: CarriedOut


@frozen(kw_only=True)
class Merchant:
    """
    The state of one merchant of one partner, as of the event with the number `sequence`.

    Of personal data it has the results of checks alone, until an erasure: `sections` name the
    sections of the merchant's profile. What the merchant needs of its jurisdiction is held with it:
    `timezone` and `currency`. `provider_id` is None until the first acceptance and never changes
    after it. `checks` is the newest record of each check and of whom it is about. `consents` are
    what applicants said of theirs. `referrals` are to be decided by a person, and
    `referral_decisions` were. `offer_sets` are those that are open or were closed
    lately. `last_accepted_at` is the instant of the last acceptance, and `takings_since` the first
    day of takings ever recorded. `requests` are the requests carried out lately.
    `renewal_eligibility` is as last announced. `suspense` is cash that came in and has no deal to
    go to. `replaced_sections` names what the sections of the applicants and of the company were
    before they were corrected. `disclosed` are the offers that were disclosed lately.
    """

    partner: str = field(validator=text)
    merchant_id: str = field(validator=text)
    jurisdiction: str = field(validator=text)
    sequence: int = 0
    timezone: str | None = None
    currency: str | None = None
    provider_id: str | None = None
    last_seen_at: DateTime | None = None
    sections: Mapping[str, str] = field(factory=FrozenMapping, converter=frozen_texts, repr=False)
    profile_erased: bool = False
    offer_sets: tuple[OfferSet, ...] = ()
    closed_offer_sets: tuple[ClosedOfferSet, ...] = ()
    credit_check_due: CreditCheckDue | None = None
    last_accepted_at: DateTime | None = None
    fulfilments: tuple[Fulfilment, ...] = ()
    deals: tuple[Deal, ...] = ()
    takings: Sequence[Takings] = ()
    takings_since: date | None = None
    takings_complete_through: date | None = None
    requests: Sequence[RememberedRequest] = ()
    renewal_eligibility: bool = False
    checks: tuple[CheckRecord, ...] = ()
    consents: tuple[GivenConsents, ...] = ()
    referrals: tuple[Referral, ...] = ()
    referral_decisions: tuple[ReferralDecision, ...] = ()
    holds: tuple[Hold, ...] = ()
    suspense: Suspense = Suspense()
    replaced_sections: tuple[ReplacedSection, ...] = ()
    disclosed: tuple[DisclosedOffer, ...] = ()

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

    def __repr__(self) -> str:
        return shown_by("merchants.merchant_repr", self)

    def _repr_html_(self) -> str:
        return shown_by("merchants.merchant_html", self)

    @property
    def active_deal(self) -> Deal | None:
        """The active deal, of which there is at most one (service 1); None without one."""
        return next((deal for deal in self.deals if deal.status == FUNDED), None)

    @property
    def sets(self) -> Iterator[OfferSet | ClosedOfferSet]:
        """All sets of offers that are remembered, whole or not."""
        yield from self.offer_sets
        yield from self.closed_offer_sets

    def request_of(self, request_id: str) -> RememberedRequest | None:
        """Return the remembered request with *request_id*, None if there is none."""
        requests: Iterable[RememberedRequest] = self.requests
        if isinstance(requests, Rows):  # of which few are made
            requests = requests.mentioning(quoted(request_id))
        return next((r for r in requests if r.request_id == request_id), None)

    def deal_of(self, deal_id: str | None) -> Deal | None:
        """Return the deal with *deal_id*, None if there is none."""
        return next((deal for deal in self.deals if deal.id == deal_id), None)

    def fulfilment_of(self, application_id: str) -> Fulfilment | None:
        """Return the accepted application with *application_id*, None if there is none."""
        return next((f for f in self.fulfilments if f.application_id == application_id), None)

    def disclosure_of(self, offer_id: str) -> DisclosedOffer | None:
        """Return what is kept of the disclosure of an offer, None if it was not disclosed."""
        return next((held for held in self.disclosed if held.offer_id == offer_id), None)

    def shown_status(self, fulfilment: Fulfilment) -> str:
        """Return the status of an accepted application, which tells one that waits in a queue."""
        base = self.deal_of(fulfilment.base_deal_id)
        waits = fulfilment.queued and base is not None and base.active
        return QUEUED if waits and fulfilment.status == SUBMITTED else fulfilment.status

    @property
    def in_fulfilment(self) -> Fulfilment | None:
        """The application in fulfilment, None without one."""
        return next((f for f in self.fulfilments if f.status in IN_FULFILMENT), None)

    @property
    def on_hold(self) -> bool:
        """Whether an agent holds the merchant: nothing is offered, accepted or funded."""
        return bool(self.holds)

    def consents_of(self, sections: Mapping[str, str]) -> tuple[str, ...]:
        """Return the consents that the applicants in *sections* gave, not those of others."""
        applicants = sections.get("applicants")
        return next((given.names for given in self.consents if given.applicants == applicants), ())

    @property
    def named_sections(self) -> Iterator[str]:
        """The digests of all sections of the profile that this state names."""
        holders: list[Merchant | OfferSet | Fulfilment | Hold | Referral | DisclosedOffer]
        holders = [self, *self.offer_sets, *self.fulfilments, *self.holds, *self.referrals]
        holders += self.disclosed
        for holder in holders:
            yield from holder.sections.values()
        yield from (said.section for said in self.consents if said.section is not None)
        # Of a decision the note is read; whom it was about is only compared.
        notes = (decision.sections.get("note") for decision in self.referral_decisions)
        yield from (note for note in notes if note is not None)
