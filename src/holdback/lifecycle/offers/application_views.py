"""The applications of a merchant: what its partner may see, and how open offers are closed."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field
from pendulum import DateTime

from holdback.errors import Refusal
from holdback.frozen_classes import frozen
from holdback.lifecycle.events import Event, OffersDeclined, OffersWithdrawn
from holdback.lifecycle.offers.requests import offers_expired
from holdback.lifecycle.operation import Case, Command, Decision, Question, record_receipt
from holdback.lifecycle.transitions import (
    CLOSED_APPLICATION,
    EXPIRED_APPLICATION,
    OFFERED,
    REFERRED_APPLICATION,
)
from holdback.merchant import offer as offer_states
from holdback.merchant.application import Applications, ApplicationView, ProductDecision
from holdback.merchant.deal import INITIAL, RENEWAL
from holdback.merchant.merchant import (
    DECLINED_APPLICATION,
    ClosedOfferSet,
    Fulfilment,
    Merchant,
    OfferSet,
)
from holdback.merchant.product import REFERRED
from holdback.merchant.receipt import RecordReceipt
from holdback.merchant.validators import text


@frozen(kw_only=True)
class AskApplications(Question[Applications]):
    """Ask for the merchant's applications, as its partner may see them."""

    name = "applications"
    by_provider = True

    def decide(self, case: Case) -> Decision[Applications]:
        reply = Applications(applications=tuple(_views(case.merchant, case.at)))
        return Decision((), lambda _: reply)


def _views(merchant: Merchant, at: DateTime) -> Iterator[ApplicationView]:
    sets = {offer_set.application_id: offer_set for offer_set in merchant.offer_sets}
    for fulfilment in merchant.fulfilments:
        if fulfilment.application_id not in sets:
            yield _accepted(merchant, fulfilment, None)
    for application_id, offer_set in sets.items():
        accepted = merchant.fulfilment_of(application_id)
        if accepted is None:
            yield _offered(offer_set, at)
        else:
            yield _accepted(merchant, accepted, offer_set)


def _accepted(
    merchant: Merchant, fulfilment: Fulfilment, offer_set: OfferSet | None
) -> ApplicationView:
    # When it lapses is not shown: a hold moves that instant (decisions/applications#holds).
    return ApplicationView(
        application_id=fulfilment.application_id,
        type=INITIAL if fulfilment.base_deal_id is None else RENEWAL,
        status=merchant.shown_status(fulfilment),
        requested_at=None if offer_set is None else offer_set.issued_at,
        expires_at=None if offer_set is None else offer_set.expires_at,
        accepted_at=fulfilment.accepted_at,
        omitted=fulfilment.omitted,
        signature_required=fulfilment.signature_before is not None and fulfilment.signature is None,
        products=() if offer_set is None else _decisions(offer_set),
        codes=() if fulfilment.code is None else (fulfilment.code,),
    )


def _offered(offer_set: OfferSet, at: DateTime) -> ApplicationView:
    return ApplicationView(
        application_id=offer_set.application_id,
        type=RENEWAL if offer_set.renewal else INITIAL,
        status=_status(offer_set, at),
        requested_at=offer_set.issued_at,
        expires_at=offer_set.expires_at,
        products=_decisions(offer_set),
    )


def _status(offer_set: OfferSet, at: DateTime) -> str:
    statuses = {offer.offer_status for offer in offer_set.offers}
    if not offer_states.LEFT_TO_EXPIRE.isdisjoint(statuses):
        return OFFERED if offer_set.is_open(at) else EXPIRED_APPLICATION
    if statuses:
        return CLOSED_APPLICATION
    referred = any(product.decision == REFERRED for product in offer_set.products)
    return REFERRED_APPLICATION if referred else DECLINED_APPLICATION


def _decisions(offer_set: OfferSet) -> tuple[ProductDecision, ...]:
    return tuple(map(ProductDecision.of, offer_set.products))


@frozen(kw_only=True)
class DeclineOffers(Command[RecordReceipt]):
    """
    Decline the open offers of an application, on the merchant's behalf.

    Offers that were declined have not expired: no second credit check follows from them.

    Raises:
        Refusal: `application_not_found`, `already_accepted` or `offers_expired`.
    """

    name = "decline_offers"

    application_id: str = field(validator=text)

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        events: tuple[Event, ...] = ()
        if _are_open(case, self.application_id, offer_states.DECLINED):
            events = (OffersDeclined(at=case.at, application_id=self.application_id),)
        return Decision(events, record_receipt)


@frozen(kw_only=True)
class WithdrawOffers(Command[RecordReceipt]):
    """
    Withdraw the open offers of an application, as the lender: rules changed, or fraud is suspected.

    For the partner the offers expired at this instant, and a second credit check may be due. The
    host's reason is in the event alone.

    Raises:
        Refusal: `application_not_found`, `already_accepted` or `offers_expired`.
    """

    name = "withdraw_offers"

    application_id: str = field(validator=text)
    code: str = field(validator=text)
    by: str = field(validator=text)

    def decide(self, case: Case) -> Decision[RecordReceipt]:
        events: tuple[Event, ...] = ()
        if _are_open(case, self.application_id, offer_states.WITHDRAWN_BY_LENDER):
            withdrawn = OffersWithdrawn(
                at=case.at, application_id=self.application_id, code=self.code, by=self.by
            )
            events = (withdrawn,)
        return Decision(events, record_receipt)


def _are_open(case: Case, application_id: str, closed: str) -> bool:
    """
    Return whether the offers of an application are open: to be *closed*, unless they were before.

    Raises:
        Refusal: `application_not_found`, `already_accepted` or `offers_expired`.
    """
    if case.merchant.fulfilment_of(application_id) is not None:
        raise Refusal("already_accepted", "an offer of this application was accepted")
    offer_set = next((s for s in case.merchant.sets if s.application_id == application_id), None)
    if offer_set is None:
        raise Refusal("application_not_found", "no application has this application_id")
    if isinstance(offer_set, OfferSet):
        if offer_set.is_open(case.at):
            return True
        offer_set = ClosedOfferSet.of(offer_set)
    statuses = set(offer_set.offers.values())
    if closed not in statuses and not offer_states.LEFT_TO_EXPIRE.isdisjoint(statuses):
        raise offers_expired()
    return False
