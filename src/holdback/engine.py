"""The engine: every operation of the service, for a host to embed.

An operation takes the merchant as stored and the context of the attempt, and gives an `Outcome` to
store and to send. It keeps nothing: an engine may be shared by threads and tasks.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote as url_quote

import attrs
from attrs import field, frozen

from holdback.eligibility import Assessment
from holdback.errors import Refusal
from holdback.jurisdictions.folder import load_jurisdictions
from holdback.jurisdictions.jurisdiction import Jurisdictions
from holdback.lifecycle import decide as deciding
from holdback.lifecycle.commands import (
    AcceptOffer,
    CloseApplication,
    CloseDeal,
    Command,
    FundDeal,
    RecordRemittance,
    RecordTakings,
    RequestOffers,
    ReviewRenewal,
    SupplyDetails,
)
from holdback.lifecycle.context import Configuration, Context, Links, identities
from holdback.lifecycle.events import Event
from holdback.lifecycle.evolve import evolve_all
from holdback.lifecycle.offers import required_checks
from holdback.lifecycle.remittances import find_deal
from holdback.lifecycle.status import check_evidence, renewal_case, standings
from holdback.model.acceptance import Acceptance, ApplicationStatus, BankDetails
from holdback.model.application import OffersRequest, RequiredChecks
from holdback.model.deal import Entry, LookupDeal, MerchantLookup
from holdback.model.merchant import Fulfilment, Merchant, Takings, TakingsHeld
from holdback.model.offer import ELIGIBLE
from holdback.model.product import Offers, Product
from holdback.offers.registry import bind_all

# For trying things out. A host that serves partners chooses its own and keeps it to itself, because
# whoever knows it can work out the ids of other partners' offers.
TRIAL_NAMESPACE: Final = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")

Reply = TypeVar("Reply")


@frozen
class Outcome(Generic[Reply]):
    """
    What an operation gives: the reply to send, the events that happened, the merchant to store.

    With no events, nothing has changed: the operation was a question, or was carried out before.
    """

    reply: Reply
    events: tuple[Event, ...]
    merchant: Merchant


def trial_links(application_id: str, provider_id: str) -> Mapping[str, str]:
    """Links that lead nowhere, for trying things out; a host gives its own (service 2.4)."""
    return {
        "contract_link": f"https://contracts.invalid/{url_quote(application_id)}",
        "merchant_link": f"https://merchants.invalid/{url_quote(provider_id)}",
    }


@frozen(init=False)
class Engine:
    """
    The service's mind: prices, accepts, tracks and renews, by the rules of *jurisdictions*.

    `calculators` are the host's own, by a name such as `term/seasonal`; `links` gives the links of an
    acceptance; `namespace` is the host's secret, from which every id is made.

    Raises:
        InvalidDocument: when a jurisdiction names a calculator that nobody registered, or has a
            setting that its calculator does not take.
    """

    jurisdictions: Jurisdictions
    _configuration: Configuration = field(repr=False)
    _calculators: Mapping[str, type] = field(repr=False, eq=False)

    def __init__(
        self,
        jurisdictions: Jurisdictions,
        *,
        calculators: Mapping[str, type] = MappingProxyType({}),
        links: Links = trial_links,
        namespace: uuid.UUID = TRIAL_NAMESPACE,
    ) -> None:
        configuration = Configuration(
            jurisdictions=jurisdictions,
            # A product's id is the same for every merchant of the jurisdiction.
            products=bind_all(
                jurisdictions.rulebooks(), calculators, identities(namespace, "product")
            ),
            links=links,
            namespace=namespace,
        )
        self.__attrs_init__(jurisdictions, configuration, MappingProxyType(dict(calculators)))

    @classmethod
    def bundled(
        cls,
        *,
        calculators: Mapping[str, type] = MappingProxyType({}),
        links: Links = trial_links,
        namespace: uuid.UUID = TRIAL_NAMESPACE,
    ) -> Engine:
        """An engine with the jurisdictions that ship; the arguments are those of `Engine`."""
        return cls(load_jurisdictions(), calculators=calculators, links=links, namespace=namespace)

    def with_jurisdictions(self, jurisdictions: Jurisdictions) -> Engine:
        """
        A new engine with other *jurisdictions* and all else as it is; nothing that changes is shared.

        Raises:
            InvalidDocument: as `Engine`.
        """
        configuration = self._configuration
        return Engine(
            jurisdictions,
            calculators=self._calculators,
            links=configuration.links,
            namespace=configuration.namespace,
        )

    def decide(self, merchant: Merchant, command: Command, context: Context) -> tuple[Event, ...]:
        """
        The events of carrying out *command*, for hosts that store events; see `lifecycle.decide`.

        Raises:
            Refusal, InvalidDocument: when it may not happen; nothing has changed.
        """
        events, _ = deciding.decide(merchant, command, context, self._configuration)
        return events

    def evolve(self, merchant: Merchant, events: Iterable[Event]) -> Merchant:
        """The state of *merchant* after *events*; see `lifecycle.evolve`."""
        return evolve_all(merchant, events)

    def carry_out(self, merchant: Merchant, command: Command, context: Context) -> Outcome[Any]:
        """
        Carry out *command*, such as `wire.read_command` gives; what the operations below do by their names.

        >>> from holdback import Money, wire
        >>> command = wire.read_command("fund_deal", b'{"application_id": "a-1"}', Money.of(0, "GBP").currency)
        >>> merchant = Merchant.new(partner="acme", merchant_id="m-1", jurisdiction="GB")
        >>> context = Context(at=wire.read_timestamp("2026-07-06T09:00:00Z"), request_id="r-1")
        >>> Engine.bundled().carry_out(merchant, command, context)
        Traceback (most recent call last):
        holdback.errors.Refusal: application_not_found: no accepted application has this application_id

        Raises:
            Refusal, InvalidDocument: as the operation of the command.
        """
        # What a review says is what was so before it was announced.
        review = isinstance(command, ReviewRenewal)
        question = self.assess_renewal(merchant, context) if review else None
        events, after = deciding.decide(merchant, command, context, self._configuration)
        reply = self._reply(command, after, context) if question is None else question.reply
        return Outcome(reply, events, after)

    def _reply(self, command: Command, after: Merchant, context: Context) -> Any:
        """What the one who gave *command* is told, now that the merchant is as it is *after* it."""
        match command:
            case RequestOffers():
                issued = next(s for s in after.offer_sets if s.request_id == context.request_id)
                return Offers(products=_as_issued(issued.products), expires_at=issued.expires_at)
            case AcceptOffer():
                return next(
                    each.reply
                    for each in after.fulfilments
                    if each.reply.offer.offer_id == command.offer_id
                )
            case SupplyDetails() | CloseApplication():
                return _application(after, command.application_id)
            case FundDeal():
                application_id = command.application_id
                deal = next(d for d in after.deals if d.application_id == application_id)
                return self._standing(after, deal.id, context)
            case RecordTakings():
                return TakingsHeld(
                    days=len(after.takings), complete_through=after.takings_complete_through
                )
            case RecordRemittance() | CloseDeal():
                return self._standing(after, command.deal_id, context)

    def request_offers(
        self, merchant: Merchant, request: OffersRequest, context: Context
    ) -> Outcome[Offers]:
        """
        Offers for an application, initial or renewal (service 4.1).

        Raises:
            Refusal: `merchant_not_found`, `no_deal_to_renew`, `active_deal`, `currency_mismatch`,
                `application_in_fulfilment`, `request_conflict`.
            InvalidDocument: the evidence is not valid.
        """
        return self.carry_out(merchant, RequestOffers(request=request), context)

    def accept_offer(
        self,
        merchant: Merchant,
        offer_id: str,
        context: Context,
        bank_details: BankDetails | None = None,
    ) -> Outcome[Acceptance]:
        """
        Accept one offer (service 4.2). Accepting it again gives the same reply, even after the expiry.

        Raises:
            Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`,
                `active_deal`.
        """
        command = AcceptOffer(offer_id=offer_id, bank_details=bank_details)
        return self.carry_out(merchant, command, context)

    def supply_details(
        self,
        merchant: Merchant,
        application_id: str,
        details: Mapping[str, Any],
        context: Context,
    ) -> Outcome[ApplicationStatus]:
        """
        Supply what was omitted: *details* has `bank_details`, `intended_use_of_funds` or both. With bank
        details the application is submitted.

        Raises:
            Refusal: `application_not_found`, `not_possible_now`, `request_conflict`.
            InvalidDocument: the details are not valid.
        """
        return self.carry_out(merchant, SupplyDetails.of(application_id, details), context)

    def close_application(
        self, merchant: Merchant, application_id: str, status: str, context: Context
    ) -> Outcome[ApplicationStatus]:
        """
        End an application in fulfilment: *status* is `declined` or `withdrawn`.

        Raises:
            Refusal: `application_not_found`, `not_possible_now`.
        """
        command = CloseApplication(application_id=application_id, status=status)
        return self.carry_out(merchant, command, context)

    def fund_deal(
        self, merchant: Merchant, application_id: str, context: Context
    ) -> Outcome[LookupDeal]:
        """
        Fund a submitted application; a renewal settles its base deal in the same batch.

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
    ) -> Outcome[TakingsHeld]:
        """
        Record days of takings, complete up to *complete_through* where that is given.

        Raises:
            InvalidDocument: an amount or a day is not valid.
        """
        command = RecordTakings(takings=_listed(takings), complete_through=complete_through)
        return self.carry_out(merchant, command, context)

    def record_remittance(
        self,
        merchant: Merchant,
        deal_id: str,
        entries: Entry | Iterable[Entry],
        context: Context,
        *,
        complete_through: date | None = None,
    ) -> Outcome[LookupDeal]:
        """
        Record one or more entries of a deal, its history complete up to *complete_through*.

        Raises:
            Refusal: `deal_not_found`, `request_conflict`.
            InvalidDocument: an entry is not valid; every fault of every entry is named.
        """
        command = RecordRemittance(
            deal_id=deal_id,
            entries=(entries,) if isinstance(entries, Entry) else _listed(entries),
            complete_through=complete_through,
        )
        return self.carry_out(merchant, command, context)

    def close_deal(
        self, merchant: Merchant, deal_id: str, status: str, context: Context
    ) -> Outcome[LookupDeal]:
        """
        End the active deal early: *status* is `defaulted` or `cancelled`.

        Raises:
            Refusal: `deal_not_found`, `not_possible_now`.
        """
        return self.carry_out(merchant, CloseDeal(deal_id=deal_id, status=status), context)

    def review_renewal(self, merchant: Merchant, context: Context) -> Outcome[Assessment]:
        """
        Look again whether the deal may be renewed, and announce it when that has changed.

        Raises:
            Refusal: `no_deal_to_renew`.
        """
        return self.carry_out(merchant, ReviewRenewal(), context)

    def assess_renewal(self, merchant: Merchant, context: Context) -> Outcome[Assessment]:
        """
        The assessment of the deal that a renewal would be based on; changes nothing.

        Raises:
            Refusal: `no_deal_to_renew`.
        """
        context = context.not_before(merchant.last_seen_at)
        rulebook = self._configuration.rulebook(merchant, context.at)
        check_evidence(context.evidence, rulebook, renewal=merchant.provider_id is not None)
        case = renewal_case(merchant, context, rulebook)
        if case is None:
            raise Refusal("no_deal_to_renew", "the merchant has no active or recently repaid deal")
        return Outcome(case.assessment, (), merchant)

    def look_up(self, merchant: Merchant, context: Context) -> Outcome[MerchantLookup]:
        """The merchant's deals (service 4.3); none before the first funding. Changes nothing."""
        context = context.not_before(merchant.last_seen_at)
        rulebook = self._configuration.rulebook(merchant, context.at)
        check_evidence(context.evidence, rulebook, renewal=merchant.provider_id is not None)
        reply = standings(merchant, merchant.deals, context, self._configuration)
        return Outcome(reply, (), merchant)

    def required_checks(
        self, merchant: Merchant, request: OffersRequest, context: Context
    ) -> Outcome[RequiredChecks]:
        """
        The checks to carry out before this request for offers; changes nothing.

        Raises:
            Refusal: as `request_offers` would.
        """
        context = context.not_before(merchant.last_seen_at)
        reply = required_checks(merchant, request, context, self._configuration)
        return Outcome(reply, (), merchant)

    def _standing(self, after: Merchant, deal_id: str, context: Context) -> LookupDeal:
        seen = context.not_before(after.last_seen_at)
        return standings(after, (find_deal(after, deal_id),), seen, self._configuration).deals[0]


def _listed(items: Iterable[Any]) -> tuple[Any, ...]:
    """*items* as a tuple; what is no list is left for its command to refuse."""
    return tuple(items) if isinstance(items, Iterable) else items


def _application(after: Merchant, application_id: str) -> ApplicationStatus:
    each: Fulfilment = next(
        each for each in after.fulfilments if each.application_id == application_id
    )
    return ApplicationStatus(
        application_id=each.application_id, status=each.status, omitted=each.omitted
    )


def _as_issued(products: Iterable[Product]) -> tuple[Product, ...]:
    """The products with their offers as they were issued: a retry gets the reply that it missed."""
    return tuple(
        attrs.evolve(
            product,
            offers=tuple(attrs.evolve(offer, offer_status=ELIGIBLE) for offer in product.offers),
        )
        if any(offer.offer_status != ELIGIBLE for offer in product.offers)
        else product
        for product in products
    )
